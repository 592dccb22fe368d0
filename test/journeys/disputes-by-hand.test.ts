// Disputes that an operator enters: with an entry in the audit log, webhooks and lines in the ledger; in lists with filters, and never in
// another merchant's.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Receiver, startReceiver, until, verifies } from "../receiver.ts";
import { startTestGateway, told } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, merchantOf, NOBODY, newMerchant, sale } from "./merchant.fixture.ts";
import { promisesOf } from "./published.ts";

describe("a dispute that an operator enters", () => {
  let gateway: Gateway;
  let shop: Receiver;
  before(async () => {
    [gateway, shop] = [await startTestGateway(), await startReceiver()];
  });
  after(async () => {
    await gateway.close();
    await shop.close();
  });

  const operator = (method: string, path: string, json?: Json) => gateway.operator(method, `/operator${path}`, json);
  const enter = (json: Json, merchantId = gateway.sandbox.merchant_id) =>
    operator("POST", `/merchants/${merchantId}/disputes`, json);
  const entered = async (json: Json): Promise<Json> => expectStatus(await enter(json), 201).body.dispute;
  const changed = async (id: unknown, json: Json): Promise<Json> =>
    expectStatus(await operator("PATCH", `/disputes/${id}`, json), 200).body.dispute;
  const sold = async (over: Json = {}): Promise<string> => (await merchantOf(gateway).charged("sale", sale(over))).id;
  const movements = async (): Promise<Json[]> =>
    expectStatus(await gateway.get("/api/ledger?from=2001-01-01&to=2999-12-31"), 200).body.movements;

  test("is entered once, changed, and every change is in the audit log", async () => {
    const transaction_id = await sold();
    const json = { transaction_id, amount: "2.00", processor_dispute_id: "D-1", reason_code: "13.1" };
    const dispute = await entered({ ...json, respond_by: "2031-05-31T23:59:59Z" });
    assert.deepEqual(
      [dispute.stage, dispute.status, dispute.outcome, dispute.amount, dispute.amount_withdrawn, dispute.currency],
      [
        "chargeback",
        "needs_response",
        null,
        "2.00",
        "0.00",
        (await merchantOf(gateway).found(transaction_id)).currency,
      ],
    );
    assert.deepEqual(
      [dispute.reason, dispute.respond_by, dispute.processor_dispute_id],
      ["Merchandise or services not received", "2031-05-31T23:59:59+00:00", "D-1"],
    );
    assert.equal(told(await enter(json)), "422 processor_dispute_id");
    const answered = await changed(dispute.id, { status: "under_review", respond_by: null });
    assert.deepEqual([answered.status, answered.respond_by, answered.amount], ["under_review", null, "2.00"]);
    assert.deepEqual(await changed(dispute.id, { status: "under_review" }), answered);
    const lost = await changed(dispute.id, { outcome: "lost", amount_withdrawn: "2" });
    assert.deepEqual([lost.status, lost.outcome, lost.amount_withdrawn], ["ended", "lost", "2.00"]);
    const { entries } = expectStatus(await operator("GET", `/audit-log?subject=${dispute.id}`), 200).body;
    assert.deepEqual(
      entries.map(({ action, before: was, after: is }: Json) => [action, was, is]),
      [
        ["dispute.change", answered, lost],
        ["dispute.change", dispute, answered],
        ["dispute.create", null, dispute],
      ],
    );
    assert.deepEqual(expectStatus(await operator("GET", `/disputes/${dispute.id}`), 200).body, { dispute: lost });
    assert.deepEqual(expectStatus(await gateway.get(`/api/disputes/${dispute.id}`), 200).body, { dispute: lost });
  });

  test("keeps its amount where only the currency changes, and its currency where only the amount does", async () => {
    const { id, amount } = await entered({ transaction_id: await sold(), amount: "2.05" });
    const inEuros = await changed(id, { currency: "EUR" });
    const ofMore = await changed(id, { amount: "3.50" });
    assert.deepEqual(
      [inEuros, ofMore].map((one) => [one.amount, one.currency]),
      [
        [amount, "EUR"],
        ["3.50", "EUR"],
      ],
    );
    // There is no half a yen.
    assert.equal(told(await operator("PATCH", `/disputes/${id}`, { currency: "JPY" })), "422 amount");
    assert.equal(
      told(await operator("PATCH", `/disputes/${id}`, { amount_withdrawn: "1.001" })),
      "422 amount_withdrawn",
    );
    const both = { status: "under_review", outcome: "won" };
    assert.equal(told(await operator("PATCH", `/disputes/${id}`, both)), "422 status");
    const inYen = await changed(id, { currency: "JPY", amount: "3" });
    assert.deepEqual([inYen.amount, inYen.currency], ["3.00", "JPY"]);
    assert.equal(
      told(await operator("PATCH", `/disputes/${id}`, { amount_withdrawn: "1.50" })),
      "422 amount_withdrawn",
    );
  });

  test("moves its money in the ledger, in no batch", async () => {
    const transaction_id = await sold();
    const { id, event_id } = await entered({
      transaction_id,
      amount: "3.56",
      amount_withdrawn: "3.56",
    });
    await changed(id, { outcome: "won", amount_withdrawn: "0.00" });
    const own = (await movements()).filter(({ dispute_id }) => dispute_id === id);
    assert.deepEqual(
      own.map((one) => [one.movement, one.amount, one.currency, one.reversing, one.batch_id, one.event_id]),
      [
        ["chargeback", "-3.56", "USD", false, null, event_id],
        ["chargeback", "3.56", "USD", true, null, event_id],
      ],
    );
    const { text } = await gateway.get("/api/ledger?from=2001-01-01&to=2999-12-31&format=csv");
    assert.match(text, new RegExp(`,chargeback,false,USD,-3\\.56,.*,${id}\\r?\\n`));
  });

  test("has the processor's fee as a movement of its own, and nothing while none is known", async () => {
    const dispute = await entered({ transaction_id: await sold(), amount: "3.56", amount_withdrawn: "3.56" });
    assert.deepEqual([dispute.fee, dispute.fee_currency], [null, null]);
    const fees = async () =>
      (await movements())
        .filter((one) => one.dispute_id === dispute.id && one.movement === "dispute_fee")
        .map(({ amount, currency, reversing, batch_id }) => [amount, currency, reversing, batch_id]);
    assert.deepEqual(await fees(), []);
    const charged = await changed(dispute.id, { fee: "15" });
    assert.deepEqual([charged.fee, charged.fee_currency, charged.amount_withdrawn], ["15.00", "USD", "3.56"]);
    assert.deepEqual(await changed(dispute.id, { fee: "15.00" }), charged);
    const back = await changed(dispute.id, { outcome: "won", amount_withdrawn: "0.00", fee: "0.00" });
    assert.deepEqual([back.fee, back.fee_currency], ["0.00", "USD"]);
    assert.deepEqual(await fees(), [
      ["-15.00", "USD", false, null],
      ["15.00", "USD", true, null],
    ]);
    const { text } = await gateway.get("/api/ledger?from=2001-01-01&to=2999-12-31&format=csv");
    assert.match(text, new RegExp(`,dispute_fee,false,USD,-15\\.00,.*,${dispute.id}\\r?\\n`));
  });

  test("has a fee in the account's currency, which the next change keeps", async () => {
    const json = { transaction_id: await sold(), amount: "3.56", fee: "14.00", fee_currency: "EUR" };
    const dispute = await entered(json);
    assert.deepEqual([dispute.fee, dispute.fee_currency, dispute.currency], ["14.00", "EUR", "USD"]);
    const more = await changed(dispute.id, { fee: "28.00" });
    assert.deepEqual([more.fee, more.fee_currency], ["28.00", "EUR"]);
    for (const [wrong, expected] of [
      [{ fee_currency: "USD" }, "422 fee_currency"],
      [{ fee: "1.00", fee_currency: "XXX" }, "422 fee_currency"],
      [{ fee: "1.00", fee_currency: "eur" }, "422 fee_currency"],
      [{ fee: "1.50", fee_currency: "JPY" }, "422 fee"],
      [{ fee: "-1.00" }, "422 fee"],
      [{ fee: "1.005" }, "422 fee"],
      [{ fee: "fifteen" }, "422 fee"],
    ] as const) {
      assert.equal(told(await operator("PATCH", `/disputes/${dispute.id}`, wrong)), expected, JSON.stringify(wrong));
      const anew = { transaction_id: json.transaction_id, amount: "1.00", ...wrong };
      assert.equal(told(await enter(anew)), expected, JSON.stringify(anew));
    }
    assert.deepEqual(expectStatus(await operator("GET", `/disputes/${dispute.id}`), 200).body.dispute, more);
  });

  test("says at once all that is wrong with it", async () => {
    const transaction_id = await sold();
    for (const [json, expected] of [
      [{}, "422 amount transaction_id"],
      [{ transaction_id: NOBODY, amount: "1" }, "422 transaction_id"],
      [{ transaction_id, amount: "1.234" }, "422 amount"],
      [{ transaction_id, amount: "-1" }, "422 amount"],
      [{ transaction_id, amount: "0.00" }, "422 amount"],
      [{ transaction_id, amount: "1.50", currency: "JPY" }, "422 amount"],
      [{ transaction_id, amount: "1", currency: "ABC" }, "422 currency"],
      [{ transaction_id, amount: "1", status: "under_review", outcome: "won" }, "422 status"],
      [{ transaction_id, amount: "1", stage: "appeal", respond_by: "soon" }, "422 respond_by stage"],
      [{ transaction_id, amount: "1", reason: "card 4111111111111111" }, "422 reason"],
    ] as const)
      assert.equal(told(await enter(json)), expected, JSON.stringify(json));
    assert.equal((await enter({ transaction_id, amount: "1" }, NOBODY)).status, 404);
    for (const id of [NOBODY, "none"]) assert.equal((await operator("PATCH", `/disputes/${id}`, {})).status, 404);
  });

  test("is told to the merchant: opened once, each change, and how it ended, as it was then", async () => {
    const url = `${shop.url}/told`;
    const { webhook } = expectStatus(
      await operator("POST", `/merchants/${gateway.sandbox.merchant_id}/webhooks`, {
        url,
        event_types: ["dispute.opened", "dispute.updated", "dispute.won"],
      }),
      201,
    ).body;
    const opened = await entered({ transaction_id: await sold(), amount: "1.00", amount_withdrawn: "1.00" });
    const answered = await changed(opened.id, { status: "under_review" });
    const won = await changed(opened.id, { outcome: "won", amount_withdrawn: "0.00" });
    const ended = await entered({ transaction_id: await sold(), amount: "1.00", outcome: "won" });
    await until("all are told", () => shop.received.length >= 5);
    const promises = promisesOf((await gateway.get("/openapi.json", { token: null })).body);
    for (const one of shop.received) {
      assert.ok(await verifies(webhook.secret, one));
      assert.deepEqual(
        promises.faults({ $ref: "#/components/schemas/DisputeWebhookPayload" }, JSON.parse(one.body)),
        [],
      );
    }
    const bodies = shop.received.map(({ body }) => JSON.parse(body));
    assert.deepEqual(
      bodies.filter(({ data }) => data.dispute.id === opened.id).map(({ type, data }) => [type, data.dispute]),
      [
        ["dispute.opened", opened],
        ["dispute.updated", answered],
        ["dispute.won", won],
      ],
    );
    assert.deepEqual(
      bodies.filter(({ data }) => data.dispute.id === ended.id).map(({ type, data }) => [type, data.dispute]),
      [
        ["dispute.opened", ended],
        ["dispute.won", ended],
      ],
    );
    const { deliveries } = expectStatus(await operator("GET", `/webhooks/${webhook.id}/deliveries`), 200).body;
    assert.ok(deliveries.every(({ dispute_id }: Json) => dispute_id === opened.id || dispute_id === ended.id));
    expectStatus(await operator("DELETE", `/webhooks/${webhook.id}`), 204);
  });

  test("does not prevent a refund, whose response warns", async () => {
    const id = await sold();
    const { follow } = merchantOf(gateway);
    const warning = async (path: "refund" | "capture", json: Json) =>
      (await follow(id, path, json)).headers.get("faregate-disputed");
    assert.equal(await warning("refund", { amount: "0.10" }), null);
    const { id: dispute } = await entered({ transaction_id: id, amount: "3.56", amount_withdrawn: "3.56" });
    assert.equal(await warning("refund", { amount: "0.10" }), dispute);
    assert.equal(await warning("refund", { amount: "99.00" }), null, "a refusal has moved nothing");
    assert.equal((await merchantOf(gateway).found(id)).actions.refund.warning, "disputed");
    await changed(dispute, { outcome: "won", amount_withdrawn: "0.00" });
    assert.equal(await warning("refund", { amount: "0.10" }), null);
    assert.equal((await merchantOf(gateway).found(id)).actions.refund.warning, undefined);
  });

  test("is found by each filter, fifty a page, newest first", async () => {
    const transaction_id = await sold();
    const { processor_id } = await merchantOf(gateway).found(transaction_id);
    const respond_by = "2031-05-10T12:00:00Z";
    const first = await entered({ transaction_id, amount: "1", stage: "inquiry", outcome: "closed", respond_by });
    const ids = [first.id];
    for (let more = 0; more < 51; more++)
      ids.unshift(
        (await entered({ transaction_id, amount: "1", respond_by: `2031-05-${10 + (more % 2)}T12:00:00Z` })).id,
      );
    const list = async (query: string) => {
      const { disputes, meta } = expectStatus(await gateway.get(`/api/disputes?${query}`), 200).body;
      return { ids: disputes.map(({ id }: Json) => id), ...meta };
    };
    const mine = `transaction_id=${transaction_id}`;
    assert.deepEqual(await list(mine), { ids: ids.slice(0, 50), last_page: 2, current_page: 1, total: 52 });
    assert.deepEqual(await list(`${mine}&page=2`), { ids: ids.slice(50), last_page: 2, current_page: 2, total: 52 });
    assert.deepEqual(await list(`${mine}&page=9`), { ids: [], last_page: 2, current_page: 9, total: 52 });
    for (const [query, total] of [
      ["stage=inquiry", 1],
      ["stage=chargeback", 51],
      ["status=needs_response", 51],
      ["status=ended", 1],
      ["status=ended&outcome=closed", 1],
      ["status=under_review&outcome=closed", 0],
      ["outcome=lost", 0],
      ["respond_by_lte=2031-05-10", 26],
      ["respond_by_lte=2031-05-10%2011:59:59", 0],
      ["created_at_gte=2999-01-01", 0],
      ["created_at_lte=2001-01-01", 0],
      ["created_at_gte=0000-01-01&created_at_lte=9999-12-31&respond_by_lte=9999-12-31", 51],
      ["updated_at_gte=2001-01-01&created_at_lte=2999-12-31", 52],
    ] as const)
      assert.equal((await list(`${mine}&${query}`)).total, total, query);
    assert.equal((await list(`${mine}&processor_id=${processor_id}`)).total, 52);
    for (const query of ["stage=appeal", "page=0", "created_at_gte=soon", "transaction_id=x", "search=1"])
      assert.equal(told(await gateway.get(`/api/disputes?${query}`)), `422 ${query.split("=")[0]}`);
    const all = expectStatus(
      await operator("GET", `/disputes?merchant_id=${gateway.sandbox.merchant_id}&${mine}`),
      200,
    );
    assert.equal(all.body.meta.total, 52);
  });

  test("is nobody else's: in no list, look-up or ledger of another merchant", async () => {
    const { id } = await entered({ transaction_id: await sold(), amount: "1", amount_withdrawn: "1" });
    const other = await newMerchant(gateway, {});
    const { token } = other;
    assert.equal((await gateway.get(`/api/disputes/${id}`, { token })).status, 404);
    assert.deepEqual(expectStatus(await gateway.get("/api/disputes", { token }), 200).body.disputes, []);
    const ledger = await gateway.get("/api/ledger?from=2001-01-01&to=2999-12-31", { token });
    assert.deepEqual(expectStatus(ledger, 200).body, { movements: [] });
    assert.equal(
      told(await enter({ transaction_id: await sold(), amount: "1" }, other.merchantId)),
      "422 transaction_id",
    );
    const blind = await merchantOf(gateway).token({ scopes: ["charge"] });
    for (const path of ["/api/disputes", `/api/disputes/${id}`])
      assert.equal((await gateway.get(path, { token: blind })).status, 403);
  });
});
