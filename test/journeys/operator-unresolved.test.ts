// What is not resolved, over HTTP: payments whose processor is silent are listed with what the attempts came to, until the
// processor answers.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Unresolved } from "../../src/merchants/unresolved.ts";
import { startTestGateway, told } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, merchantOf, sale } from "./merchant.fixture.ts";
import { type Document, operationsOf, promisesOf } from "./published.ts";

const SILENT = { silent_operations: ["sale", "refund", "reversal"], timeout_ms: 100 };
const ANSWERS = { silent_operations: [] };
const NOBODY = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";

describe("what is not resolved, over HTTP", () => {
  let gateway: Gateway;
  let silent: string;
  before(async () => {
    gateway = await startTestGateway();
    silent = await merchantOf(gateway).processor({ settings: ANSWERS });
  });
  after(() => gateway.close());

  const list = async (query = ""): Promise<{ unresolved: Unresolved[]; meta: Json }> =>
    (await expectStatus(await gateway.operator("GET", `/operator/unresolved${query}`), 200)).body;
  const set = async (settings: Json) =>
    expectStatus(await gateway.operator("PATCH", `/operator/processors/${silent}`, { settings }), 200);
  const until = async (holds: (unresolved: readonly Unresolved[]) => boolean): Promise<readonly Unresolved[]> => {
    for (;;) {
      const { unresolved } = await list(`?processor_id=${silent}`);
      if (holds(unresolved)) return unresolved;
      await sleep(50);
    }
  };
  const charge = () => gateway.post("/api/transactions/sale", sale({ processor_id: silent, amount: "10.00" }));

  test("an unanswered charge and an unanswered refund are listed with their attempts, and go when they are resolved", async () => {
    const { transaction: sold } = (await expectStatus(await charge(), 200)).body;
    await set(SILENT);
    const { transaction: lost } = (await expectStatus(await charge(), 200)).body;
    await expectStatus(await gateway.post(`/api/transactions/${sold.id}/refund`, { amount: "4.00" }), 202);
    const unresolved = await until((found) => found.every(({ history }) => history.length >= 2) && found.length === 2);
    const document: Document = (await gateway.get("/openapi.json")).body;
    const listing = operationsOf(document).find(({ name }) => name === "GET /operator/unresolved");
    assert.ok(listing);
    assert.deepEqual(promisesOf(document).broken(listing, await gateway.operator("GET", "/operator/unresolved")), []);
    const steady = unresolved.map(({ since, due_at, history, attempts, in_flight, event_id, request_id, ...rest }) => {
      assert.ok(due_at >= since && attempts >= history.length);
      for (const id of [event_id, request_id ?? ""]) assert.match(id, /^[0-9a-f-]{36}$/);
      assert.equal(typeof in_flight, "boolean");
      return rest;
    });
    const common = { merchant_id: gateway.sandbox.merchant_id, processor_id: silent, currency: "USD" };
    const said = { last_said: "no answer within 100 ms" };
    assert.deepEqual(steady, [
      {
        ...{ ...common, ...said, transaction_id: lost.id, merchant_transaction_id: lost.merchant_transaction_id },
        ...{ sequence: 1, event_type: "sale", amount: "10.00", remedy: "reverse", given_up: true },
      },
      {
        ...{ ...common, ...said, transaction_id: sold.id, merchant_transaction_id: sold.merchant_transaction_id },
        ...{ sequence: 2, event_type: "refund", amount: "4.00", remedy: "repeat", given_up: false },
      },
    ]);
    assert.deepEqual(new Set(unresolved[0]?.history.map((one) => one.said)), new Set(["no answer within 100 ms"]));
    await set(ANSWERS);
    await until((found) => found.length === 0);
    const { events } = (await gateway.get(`/api/transactions/${sold.id}`)).body.transaction;
    assert.deepEqual([events[0].event_type, events[0].success], ["refund", true]);
    const [reversed] = await gateway.pool`
      select sequence from confirmed_reversals where transaction_id = ${lost.id}`;
    assert.equal(reversed?.sequence, 1);
    assert.equal((await gateway.pool`select from confirmed_reversals where transaction_id = ${sold.id}`).length, 0);
  });

  test("a history keeps the first attempt and the last twenty", async () => {
    await set(SILENT);
    await expectStatus(await charge(), 200);
    const [{ transaction_id: id = "", merchant_id = "" } = {}] = await until((found) => found[0]?.history.length === 1);
    // As after many attempts, without waiting for them.
    await gateway.pool`
      update unresolved set history = (select jsonb_agg(jsonb_build_object('at', now(), 'said', 'attempt ' || n))
        from generate_series(1, 21) n), due_at = now()
      where merchant_id = ${merchant_id} and transaction_id = ${id}`;
    const [{ history = [] } = {}] = await until((found) => found[0]?.last_said === "no answer within 100 ms");
    assert.deepEqual(
      history.map(({ said }) => said),
      ["attempt 1", ...Array.from({ length: 19 }, (_, index) => `attempt ${index + 3}`), "no answer within 100 ms"],
    );
    await set(ANSWERS);
    await until((found) => found.length === 0);
  });

  test("fifty a page, what waits longest first; of one merchant, of one processor record, of none", async () => {
    await set(SILENT);
    await Promise.all(Array.from({ length: 51 }, charge));
    const [first, second] = [await list(), await list("?page=2")];
    assert.deepEqual(first.meta, { last_page: 2, current_page: 1, total: 51 });
    assert.deepEqual([first.unresolved.length, second.unresolved.length], [50, 1]);
    const all = [...first.unresolved, ...second.unresolved];
    assert.equal(new Set(all.map(({ transaction_id }) => transaction_id)).size, 51);
    assert.deepEqual(
      all.map(({ since }) => since),
      all.map(({ since }) => since).sort(),
    );
    for (const [query, total] of [
      [`processor_id=${silent}`, 51],
      [`processor_id=${NOBODY}`, 0],
      [`merchant_id=${gateway.sandbox.merchant_id}`, 51],
      [`merchant_id=${NOBODY}`, 0],
      [`merchant_id=${gateway.sandbox.merchant_id}&processor_id=${silent}&page=2`, 51],
    ] as const)
      assert.equal((await list(`?${query}`)).meta.total, total, query);
    assert.deepEqual((await list("?page=3")).unresolved, []);
    await set(ANSWERS);
    await until((found) => found.length === 0);
  });

  test("what the query asks for must be right, and nothing else", async () => {
    for (const [query, field] of [
      ["page=0", "page"],
      ["page=x", "page"],
      ["merchant_id=x", "merchant_id"],
      ["processor_id=7", "processor_id"],
      ["procesor_id=7", "procesor_id"],
    ])
      assert.equal(told(await gateway.operator("GET", `/operator/unresolved?${query}`)), `422 ${field}`, query);
  });

  test("a merchant's token, a wrong one and none are not let in", async () => {
    for (const token of [gateway.sandbox.api_token, "fg_operator_wrong", null])
      assert.equal((await gateway.get("/operator/unresolved", { token })).status, 401);
  });
});
