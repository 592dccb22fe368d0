import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../../test/database.ts";
import { type DisputeFilter, findDispute, listDisputes } from "./list.ts";

const at = (text: string) => new Date(`2031-05-${text}Z`);
const MERCHANTS = [v7(), v7()] as const;
const PROCESSORS = [v7(), v7()] as const;
const TRANSACTION = v7();

/** Of the first merchant, oldest first: two records, and each instant with a fraction of its second. */
const DISPUTES = {
  early: { created_at: at("01T12:00:00.500"), updated_at: at("09T12:00:00.500"), processor_id: PROCESSORS[0] },
  middle: { created_at: at("02T12:00:00"), updated_at: at("02T12:00:00"), processor_id: PROCESSORS[1] },
  late: { created_at: at("03T12:00:00.999"), updated_at: at("04T12:00:00"), transaction_id: TRANSACTION },
  due: { state: "needs_response", respond_by: at("20T12:00:00.700"), stage: "inquiry" },
  answered: { state: "under_review", respond_by: at("20T12:00:00.700") },
  lost: { state: "lost", respond_by: at("20T12:00:00.700") },
} as const;
type Name = keyof typeof DISPUTES;

describe("a list of disputes", () => {
  let database: FreshDatabase;
  const ids = new Map<string, string>();
  before(async () => {
    database = await freshDatabase();
    for (const [name, over] of Object.entries(DISPUTES)) await enter(MERCHANTS[0], name, over);
    await enter(MERCHANTS[1], "another's", { processor_id: PROCESSORS[0], state: "won" });
  });
  after(() => database.drop());

  async function enter(merchantId: string, name: string, over: object): Promise<void> {
    const id = v7();
    ids.set(name, id);
    const row = {
      ...{ merchant_id: merchantId, id, transaction_id: v7(), merchant_transaction_id: name, event_id: v7() },
      ...{
        processor_id: v7(),
        stage: "chargeback",
        state: "under_review",
        amount: 100n,
        currency: "USD",
        withdrawn: 0n,
      },
      ...{ opened_at: at("05T12:00:00"), created_at: at("05T12:00:00"), updated_at: at("05T12:00:00"), ...over },
    };
    await database.pool`insert into disputes ${database.pool(row)}`;
  }

  const FILTERS: readonly (readonly [what: string, DisputeFilter, readonly Name[]])[] = [
    ["everything, newest first", {}, ["lost", "answered", "due", "late", "middle", "early"]],
    ["one record's", { processorId: PROCESSORS[0] }, ["early"]],
    ["one transaction's", { transactionId: TRANSACTION }, ["late"]],
    ["one stage's", { stage: "inquiry" }, ["due"]],
    ["from an instant on", { createdFrom: at("03T12:00:00.999") }, ["lost", "answered", "due", "late"]],
    ["from just behind it", { createdFrom: at("03T12:00:01") }, ["lost", "answered", "due"]],
    ["up to a second, and all of it", { createdTo: at("03T12:00:00") }, ["late", "middle", "early"]],
    ["up to the second before it", { createdTo: at("03T11:59:59") }, ["middle", "early"]],
    ["what is another since", { updatedFrom: at("09T12:00:00.500") }, ["early"]],
    ["what is another since an earlier one", { updatedFrom: at("05T12:00:00") }, ["lost", "answered", "due", "early"]],
    ["what is due in a second, and only what is open", { dueBy: at("20T12:00:00") }, ["due"]],
    ["what is due before", { dueBy: at("20T11:59:59") }, []],
    ["what has ended", { status: "ended" }, ["lost"]],
    ["what was lost", { outcome: "lost" }, ["lost"]],
    ["what is open and was lost", { status: "under_review", outcome: "lost" }, []],
  ];
  for (const [what, filter, names] of FILTERS)
    test(`has by its filter, and counts: ${what}`, async () => {
      const { disputes, meta } = await listDisputes(database.pool, { ...filter, merchantId: MERCHANTS[0] }, 1);
      assert.deepEqual(
        disputes.map(({ merchant_transaction_id }) => merchant_transaction_id),
        names,
      );
      assert.equal(meta.total, names.length);
    });

  test("is a merchant's own, and the operator's of all", async () => {
    const of = async (filter: DisputeFilter) => (await listDisputes(database.pool, filter, 1)).meta.total;
    assert.deepEqual(
      [await of({}), await of({ merchantId: MERCHANTS[1] }), await of({ processorId: PROCESSORS[0] })],
      [7, 1, 2],
    );
    const id = ids.get("another's") ?? "";
    assert.equal(await findDispute(database.pool, id, MERCHANTS[0]), undefined);
    assert.equal((await findDispute(database.pool, id, MERCHANTS[1]))?.id, id);
    assert.equal((await findDispute(database.pool, id))?.id, id);
  });
});
