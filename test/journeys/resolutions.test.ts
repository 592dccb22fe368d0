// How an unresolved operation ended, as an operator found out at the processor: applied once, with an entry in the audit log, and only to
// what is unresolved.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { until } from "../receiver.ts";
import { type Message, startToyHost, type ToyHost } from "../toy/host.ts";
import { KINDS_WITH_TOY } from "../toy/kind.ts";
import { startTestGateway, told } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, merchantOf, NOBODY, sale, transactionOf } from "./merchant.fixture.ts";
import { operationsOf, promisesOf } from "./published.ts";

const SILENT = { silent_operations: ["sale", "refund", "reversal"], timeout_ms: 100 };
const ANSWERS = { silent_operations: [] };
const EVIDENCE = "the processor's site, 2031-05-02";

describe("how an unresolved operation ended, entered by an operator", () => {
  let gateway: Gateway;
  let host: ToyHost;
  let silent: string;
  let toy: string;
  before(async () => {
    host = await startToyHost();
    gateway = await startTestGateway({ rateLimitPerMinute: 100_000 }, { kinds: KINDS_WITH_TOY });
    silent = await merchantOf(gateway).processor({ settings: ANSWERS });
    const settings = { base_url: host.url, secret: host.secret, timeout_ms: 2_000, inquiries: false };
    toy = await merchantOf(gateway).processor({ kind: "toy", settings });
  });
  after(async () => {
    await gateway.close();
    await host.close();
  });
  beforeEach(async () => {
    host.reversesLater = false;
    await set(ANSWERS);
  });

  const set = async (settings: Json) =>
    expectStatus(await gateway.operator("PATCH", `/operator/processors/${silent}`, { settings }), 200);
  const enter = (event: string, json: Json) =>
    gateway.operator("POST", `/operator/unresolved/${event}/resolution`, json);
  const entered = async (event: string, json: Json): Promise<Json> =>
    expectStatus(await enter(event, { evidence: EVIDENCE, ...json }), 201).body.resolution;
  const listed = async (transaction: string): Promise<Json[]> =>
    expectStatus(await gateway.operator("GET", "/operator/unresolved"), 200).body.unresolved.filter(
      ({ transaction_id }: Json) => transaction_id === transaction,
    );
  const leavesTheList = (transaction: string) =>
    until(`${transaction} is resolved`, async () => (await listed(transaction)).length === 0);
  const found = (id: string) => merchantOf(gateway).found(id);
  const charge = (over: Json = {}) =>
    gateway.post("/api/transactions/sale", sale({ processor_id: silent, amount: "10.00", ...over }));

  /** @returns the transaction's id, and the refund's */
  async function unansweredRefund(): Promise<readonly [string, string]> {
    const { id } = transactionOf(expectStatus(await charge(), 200));
    await set(SILENT);
    expectStatus(await gateway.post(`/api/transactions/${id}/refund`, { amount: "4.00" }), 202);
    const [refund] = await listed(id);
    return [id, String(refund?.event_id)];
  }

  /** @returns the transaction's id, and the sale's */
  async function givenUpSale(): Promise<readonly [string, string]> {
    await set(SILENT);
    const { id, events } = transactionOf(expectStatus(await charge(), 200));
    return [id, events[0].id];
  }

  test("a refund that went out is approved, and the rest alone can be refunded", async () => {
    const [id, refund] = await unansweredRefund();
    const resolution = await entered(refund, { outcome: "approved", processor_transaction_id: "R-1" });
    await leavesTheList(id);
    const { events } = await found(id);
    const { success, status, processor_code, processor_message, processor_transaction_id } = events[0];
    assert.deepEqual(
      [success, status, processor_code, processor_message, processor_transaction_id],
      [true, "pending_settlement", "00", "APPROVED, AS FOUND AT THE PROCESSOR", "R-1"],
    );
    await set(ANSWERS);
    assert.equal((await gateway.post(`/api/transactions/${id}/refund`, { amount: "6.01" })).status, 422);
    expectStatus(await gateway.post(`/api/transactions/${id}/refund`, { amount: "6.00" }), 200);
    const { entries } = expectStatus(await gateway.operator("GET", `/operator/audit-log?subject=${refund}`), 200).body;
    assert.deepEqual(
      entries.map(({ action, subject, after: is }: Json) => [action, subject, is]),
      [["resolution.create", `unresolved event ${refund}`, resolution]],
    );
    const { merchant_id, transaction_id, processor_id, evidence } = resolution;
    assert.deepEqual(
      [merchant_id, transaction_id, processor_id, evidence],
      [gateway.sandbox.merchant_id, id, silent, EVIDENCE],
    );
  });

  test("one that was refused is declined, and all can be refunded", async () => {
    const [id, refund] = await unansweredRefund();
    await entered(refund, { outcome: "declined" });
    await leavesTheList(id);
    assert.deepEqual([(await found(id)).events[0].success, (await found(id)).events[0].status], [false, "declined"]);
    await set(ANSWERS);
    expectStatus(await gateway.post(`/api/transactions/${id}/refund`, { amount: "10.00" }), 200);
  });

  test("a charge that was given up is reversed: it leaves the list, and stays declined", async () => {
    const [id, charged] = await givenUpSale();
    const before = await found(id);
    await entered(charged, { outcome: "reversed" });
    await leavesTheList(id);
    assert.deepEqual(await found(id), before);
    assert.equal((await gateway.pool`select from confirmed_reversals where transaction_id = ${id}`).length, 1);
  });

  test("a charge that was given up is one also while its reversal is accepted only", async () => {
    host.conduct("sale", "is silent");
    host.reversesLater = true;
    const { id, events } = transactionOf(expectStatus(await charge({ processor_id: toy }), 200));
    await until("its reversal is accepted", async () => (await listed(id))[0]?.remedy === "await");
    assert.equal((await listed(id))[0]?.given_up, true);
    await entered(events[0].id, { outcome: "reversed" });
    await leavesTheList(id);
  });

  test("a charge that the processor had accepted is approved under the processor's reference", async () => {
    host.conduct("sale", "accepts");
    const { id, events } = transactionOf(expectStatus(await charge({ processor_id: toy }), 202));
    const answer = await enter(events[0].id, { outcome: "approved", evidence: EVIDENCE });
    assert.equal(told(answer), "422 processor_transaction_id");
    await entered(events[0].id, { outcome: "approved", processor_transaction_id: "P-1" });
    await leavesTheList(id);
    assert.deepEqual((await found(id)).events[0].status, "pending_settlement");
  });

  test("what the processor tells of it later is nothing new, and a failure after all still counts", async () => {
    host.conduct("sale", "accepts");
    const { id, events } = transactionOf(expectStatus(await charge({ processor_id: toy }), 202));
    await entered(events[0].id, { outcome: "approved", processor_transaction_id: "P-2" });
    await leavesTheList(id);
    const post = async (message: Message) => {
      const response = await fetch(`${gateway.url}/notifications/${toy}`, {
        ...{ method: "POST", ...message, body: new Uint8Array(message.body) },
      });
      assert.equal(response.status, 200);
    };
    await post(host.message({ reference: events[0].id, tells: "approved" }));
    await post(host.message({ reference: events[0].id, tells: "declined" }));
    await until("it failed", async () => (await found(id)).events[0].status === "declined");
  });

  test("what is not so is refused, and nothing is entered", async () => {
    const [, refund] = await unansweredRefund();
    const [, charged] = await givenUpSale();
    for (const [event, json, answer] of [
      [refund, { evidence: EVIDENCE }, "422 outcome"],
      [refund, { outcome: "settled", evidence: EVIDENCE }, "422 outcome"],
      [refund, { outcome: "approved" }, "422 evidence"],
      [refund, { outcome: "approved", evidence: " " }, "422 evidence"],
      [refund, { outcome: "approved", evidence: "card 4111111111111111" }, "422 evidence"],
      [
        refund,
        { outcome: "approved", evidence: EVIDENCE, processor_transaction_id: "a b" },
        "422 processor_transaction_id",
      ],
      [refund, { outcome: "reversed", evidence: EVIDENCE }, "422 outcome"],
      [charged, { outcome: "approved", evidence: EVIDENCE, processor_transaction_id: "P-3" }, "422 outcome"],
      [charged, { outcome: "declined", evidence: EVIDENCE }, "422 outcome"],
      [NOBODY, { outcome: "declined", evidence: EVIDENCE }, "404 base"],
      ["x", { outcome: "declined", evidence: EVIDENCE }, "404 base"],
    ] as const)
      assert.equal(told(await enter(event, json)), answer, JSON.stringify(json));
    assert.equal((await gateway.pool`select from notifications where reference in (${refund}, ${charged})`).length, 0);
  });

  test("what the processor is just being asked has the outcome that it answers, and what was entered is kept", async () => {
    const settings = { base_url: host.url, secret: host.secret, timeout_ms: 2_500, inquiries: false };
    const patient = await merchantOf(gateway).processor({ kind: "toy", settings });
    host.conduct("sale", "approves");
    const { id } = transactionOf(expectStatus(await charge({ processor_id: patient }), 200));
    host.conduct("refund", "loses it");
    expectStatus(await gateway.post(`/api/transactions/${id}/refund`, { amount: "4.00" }), 202);
    host.conduct("refund", "approves");
    host.latencyMs = 1_500;
    const { length } = host.asked;
    await until("it is asked again", () => host.asked.length > length);
    const refund = String((await listed(id))[0]?.event_id);
    await entered(refund, { outcome: "declined" });
    await leavesTheList(id);
    host.latencyMs = 0;
    await until("it is carried out", () => host.payments.has(refund));
    assert.equal((await found(id)).events[0].status, "pending_settlement");
    const why = "the operation was approved before this was entered";
    await until("it is kept", async () => {
      const { notifications } = (await gateway.operator("GET", "/operator/notifications?result=kept")).body;
      return notifications.some((one: Json) => one.id === `resolution:${refund}:declined` && one.why === why);
    });
  });

  test("an event's id in capitals is the same event's", async () => {
    const [id, refund] = await unansweredRefund();
    const { event_id } = await entered(refund.toUpperCase(), { outcome: "declined" });
    assert.equal(event_id, refund);
    await leavesTheList(id);
    assert.equal((await found(id)).events[0].status, "declined");
  });

  test("of two that are entered at once, one counts", async () => {
    const [id, refund] = await unansweredRefund();
    const answers = await Promise.all(
      ["approved", "declined"].map((outcome) => enter(refund, { outcome, evidence: EVIDENCE })),
    );
    const [one, other] = answers.map(({ status }) => status).sort();
    assert.equal(one, 201);
    assert.ok(other === 404 || other === 422, `${other}`);
    await leavesTheList(id);
    const kept = await gateway.pool`select id from notifications where reference = ${refund}`;
    assert.equal(kept.length, 1);
  });

  test("an approved operation is not entered upon", async () => {
    const { id, events } = transactionOf(expectStatus(await charge(), 200));
    assert.equal(told(await enter(events[0].id, { outcome: "declined", evidence: EVIDENCE })), "404 base");
    assert.equal((await found(id)).events[0].status, "pending_settlement");
  });

  test("the response is as published, and a merchant's token is not let in", async () => {
    const [id, refund] = await unansweredRefund();
    const path = `/operator/unresolved/${refund}/resolution`;
    const json = { outcome: "declined", evidence: EVIDENCE };
    assert.equal((await gateway.post(path, json, { token: gateway.sandbox.api_token })).status, 401);
    const document = (await gateway.get("/openapi.json")).body;
    const operation = operationsOf(document).find(({ name }) => name === "POST /operator/unresolved/{id}/resolution");
    assert.ok(operation);
    assert.deepEqual(promisesOf(document).broken(operation, await enter(refund, json)), []);
    await leavesTheList(id);
  });
});
