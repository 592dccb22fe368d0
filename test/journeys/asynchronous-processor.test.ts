// A processor that accepts and tells the end later, can be asked, and sends notifications: the toy kind of test/toy, over real
// HTTP on both sides.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { startReceiver, until } from "../receiver.ts";
import { type Message, startToyHost, type Told, type ToyHost } from "../toy/host.ts";
import { KINDS_WITH_TOY } from "../toy/kind.ts";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, merchantOf, sale, transactionOf } from "./merchant.fixture.ts";
import { operationsOf, promisesOf } from "./published.ts";

const SALE = "/api/transactions/sale";
const AUTH = "/api/transactions/auth";
const TYPES = ["sale", "auth", "capture", "void", "refund"] as const;

describe("a processor that tells the end later", () => {
  let gateway: Gateway;
  let host: ToyHost;
  let processor_id: string;
  let withoutInquiries: string;

  before(async () => {
    host = await startToyHost();
    gateway = await startTestGateway({ rateLimitPerMinute: 100_000 }, { kinds: KINDS_WITH_TOY });
    const settings = { base_url: host.url, secret: host.secret, timeout_ms: 2_000 };
    const { processor } = merchantOf(gateway);
    processor_id = await processor({ kind: "toy", settings });
    withoutInquiries = await processor({ kind: "toy", settings: { ...settings, inquiries: false } });
  });
  after(async () => {
    await gateway.close();
    await host.close();
  });
  beforeEach(() => {
    for (const type of TYPES) host.conduct(type, "approves");
  });

  const charged = async (path: string, status: number, over: Json = {}) =>
    transactionOf(expectStatus(await gateway.post(path, sale({ processor_id, ...over })), status));
  const follow = (id: string, path: string, json?: Json) => gateway.post(`/api/transactions/${id}/${path}`, json);
  const found = (id: string) => merchantOf(gateway).found(id);
  /** Type, status and success of its events, newest first. */
  const events = async (id: string): Promise<string[]> =>
    (await found(id)).events.map(({ event_type, status, success }: Json) => `${event_type} ${status} ${success}`);
  const becomes = (id: string, ...expected: readonly string[]) =>
    until(`${id} becomes ${expected}`, async () => (await events(id)).join() === expected.join());
  const post = (message: Message, processor = processor_id) =>
    fetch(`${gateway.url}/notifications/${processor}`, {
      method: "POST",
      ...message,
      body: new Uint8Array(message.body),
    });
  const tell = async (told: Told, processor = processor_id) => {
    const answer = await post(host.message(told), processor);
    assert.deepEqual([answer.status, await answer.text()], [200, "noted"]);
  };
  const listed = async (query: string) =>
    expectStatus(await gateway.operator("GET", `/operator/notifications?${query}`), 200).body.notifications;
  const results = async (transaction_id: string): Promise<string[]> =>
    (await listed(`transaction_id=${transaction_id}`)).map(({ kind, result }: Json) => `${kind} ${result}`);

  const onward = async (ms: number) => {
    const { now } = (await gateway.operator("GET", "/operator/clock")).body;
    const later = new Date(Date.parse(now) + ms + 1_000).toISOString().replace(/\.\d+/, "");
    expectStatus(await gateway.operator("POST", "/operator/clock", { now: later }), 200);
  };

  test("a charge that is accepted is 202, as the document describes it", async () => {
    const document = (await gateway.get("/openapi.json", { token: null })).body;
    const promises = promisesOf(document);
    for (const [path, type] of [
      [SALE, "sale"],
      [AUTH, "auth"],
    ] as const) {
      host.conduct(type, "accepts");
      const operation = operationsOf(document).find(({ name }) => name === `POST ${path}`);
      assert.ok(operation);
      const answer = await gateway.post(path, sale({ processor_id: withoutInquiries }));
      assert.equal(answer.status, 202);
      assert.deepEqual(promises.broken(operation, answer), []);
    }
  });

  test("a sale that is accepted is 202 and pending in words, and a notification ends it", async () => {
    host.conduct("sale", "accepts");
    const { id, events: shown } = await charged(SALE, 202, { processor_id: withoutInquiries });
    const [{ success, status, processor_code, processor_message }] = shown;
    assert.deepEqual([success, status, processor_code], [false, "pending", null]);
    assert.match(processor_message, /^PENDING: /);
    const { reference } = host.ofTransaction(id, "sale");
    await tell({ reference, tells: "approved" }, withoutInquiries);
    await becomes(id, "sale pending_settlement true");
    assert.equal((await found(id)).events[0].processor_transaction_id, `toy-${reference}`);
    assert.ok(!host.asked.includes("reversal"), "what was accepted is not taken back");
  });

  test("a sale that is accepted and declined later is declined, and nothing more is asked about it", async () => {
    host.conduct("sale", "accepts");
    const { id } = await charged(SALE, 202, { processor_id: withoutInquiries });
    await tell({ reference: host.ofTransaction(id, "sale").reference, tells: "declined" }, withoutInquiries);
    await becomes(id, "sale declined false");
    await until("it is no longer unresolved", async () => !(await unresolved()).includes(id));
  });

  const unresolved = async (): Promise<string[]> =>
    (await gateway.operator("GET", "/operator/unresolved")).body.unresolved.map(
      ({ transaction_id }: Json) => transaction_id,
    );

  test("what was accepted waits: it is shown as awaited, and holds up nothing that comes after it", async () => {
    const { id } = await charged(AUTH, 200, { processor_id: withoutInquiries, amount: "10.00" });
    host.conduct("capture", "accepts");
    expectStatus(await follow(id, "capture", { amount: "4.00" }), 202);
    const [row] = (await gateway.operator("GET", "/operator/unresolved")).body.unresolved.filter(
      ({ transaction_id }: Json) => transaction_id === id,
    );
    assert.deepEqual([row.remedy, row.event_type], ["await", "capture"]);
    host.conduct("capture", "loses it");
    const silent = expectStatus(await follow(id, "capture", { amount: "1.00" }), 202);
    assert.match(transactionOf(silent).events[0].processor_message, /^PENDING: /);
    host.conduct("capture", "approves");
    await becomes(id, "capture pending_settlement true", "capture pending false", "auth authorized true");
  });

  test("a processor that can be asked is asked how it ended, without a notification", async () => {
    host.conduct("sale", "accepts");
    const { id } = await charged(SALE, 202);
    host.end(host.ofTransaction(id, "sale").reference, "approved");
    await becomes(id, "sale pending_settlement true");
  });

  test("silence is inquired about instead of reversed: the caller gets the answer that was lost", async () => {
    const reversals = () => host.asked.filter((what) => what === "reversal").length;
    const before = reversals();
    host.conduct("sale", "is silent");
    const { id, events: shown } = await charged(SALE, 200);
    assert.equal(shown[0].success, true);
    host.conduct("capture", "is silent");
    const { id: other } = await charged(AUTH, 200);
    expectStatus(await follow(other, "capture"), 200);
    assert.deepEqual(await events(other), ["capture pending_settlement true", "auth authorized true"]);
    assert.deepEqual(await events(id), ["sale pending_settlement true"]);
    assert.equal(reversals(), before);
  });

  test("a silent charge that the processor never heard of is code 91, and is reversed", async () => {
    host.conduct("sale", "loses it");
    const { id, events: shown } = await charged(SALE, 200);
    assert.deepEqual([shown[0].success, shown[0].processor_code, shown[0].status], [false, "91", "error"]);
    await until("it is taken back", () => host.payments.get(shown[0].id)?.reversed === true);
    await until("it is no longer unresolved", async () => !(await unresolved()).includes(id));
  });

  test("a charge that wants the payer's action is a decline, and is taken back", async () => {
    host.conduct("sale", "challenges");
    const { id, events: shown, checkout_url } = await charged(SALE, 200);
    const [{ success, status, processor_code, processor_message, decline_category }] = shown;
    assert.deepEqual([success, status, processor_code, checkout_url], [false, "declined", "1A", null]);
    assert.equal(decline_category, "authentication-required");
    assert.equal(processor_message, "AUTHENTICATION NEEDED");
    await until("it is taken back", () => host.ofTransaction(id, "sale").reversed);
  });

  test("a capture that fails after all: its money can be captured again, and what was told stays told", async () => {
    const shop = await startReceiver();
    const { id: webhook } = expectStatus(
      await gateway.operator("POST", `/operator/merchants/${gateway.sandbox.merchant_id}/webhooks`, { url: shop.url }),
      201,
    ).body.webhook;
    try {
      const { id } = await charged(AUTH, 200, { amount: "10.00" });
      const key = { "idempotency-key": `late-${id}` };
      const captured = expectStatus(
        await gateway.post(`/api/transactions/${id}/capture`, { amount: "6.00" }, { headers: key }),
        200,
      );
      const { reference } = host.ofTransaction(id, "capture");
      await tell({ reference, tells: "declined" });
      await becomes(id, "capture declined false", "auth authorized true");
      const { events: now, actions } = await found(id);
      assert.deepEqual([now[0].processor_message, now[0].processor_code, now[0].batch_id], ["FAILED", "05", null]);
      assert.match(now[0].processor_code_detail, /approved at first/i);
      assert.deepEqual([now[0].decline_category, now[1].decline_category], ["refused", null]);
      assert.deepEqual([actions.capture.amount, actions.refund.allowed], ["10.00", false]);
      const again = await gateway.post(`/api/transactions/${id}/capture`, { amount: "6.00" }, { headers: key });
      assert.equal(again.text, captured.text);

      expectStatus(await follow(id, "capture"), 200);
      const told = () =>
        shop.received.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.transaction.id === id);
      await until("all is told", () => told().length === 4);
      assert.deepEqual(
        told().map(({ type, data }) => [type, data.transaction.events[0].success]),
        [
          ["transaction.auth.succeeded", true],
          ["transaction.capture.succeeded", true],
          ["transaction.capture.failed", false],
          ["transaction.capture.succeeded", true],
        ],
      );
      const { transactions } = (await gateway.get(`/api/transactions?search[merchant_transaction_id]=order`)).body;
      const inList = transactions.find((one: Json) => one.id === id);
      assert.deepEqual(inList.events, (await found(id)).events);
    } finally {
      await gateway.operator("DELETE", `/operator/webhooks/${webhook}`);
      await shop.close();
    }
  });

  test("a refund that fails after all can be refunded again; a sale that does has nothing left", async () => {
    const { id } = await charged(SALE, 200, { amount: "10.00" });
    expectStatus(await follow(id, "refund", { amount: "10.00" }), 200);
    await tell({ reference: host.ofTransaction(id, "refund").reference, tells: "declined" });
    await becomes(id, "refund declined false", "sale pending_settlement true");
    expectStatus(await follow(id, "refund", { amount: "4.00" }), 200);
    await tell({ reference: host.ofTransaction(id, "sale").reference, tells: "declined" });
    await becomes(id, "refund pending_settlement true", "refund declined false", "sale declined false");
    const { actions } = await found(id);
    assert.deepEqual([actions.refund.allowed, actions.void.allowed], [false, false]);
  });

  test("a notification that is doubled, also in the same moment, is taken once", async () => {
    const { id } = await charged(SALE, 200);
    const message = host.message({ reference: host.ofTransaction(id, "sale").reference, tells: "declined" });
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(message)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    await becomes(id, "sale declined false");
    assert.equal((await post(message)).status, 200);
    assert.deepEqual(await results(id), ["failed applied"]);
  });

  test("a late failure wins over a success, in whatever order they come", async () => {
    const happened = { approved: new Date("2026-01-01T10:00:00Z"), declined: new Date("2026-01-02T10:00:00Z") };
    for (const order of [
      ["approved", "declined"],
      ["declined", "approved"],
    ] as const) {
      const { id } = await charged(AUTH, 200, { processor_id: withoutInquiries });
      host.conduct("capture", "accepts");
      expectStatus(await follow(id, "capture"), 202);
      const { reference } = host.ofTransaction(id, "capture");
      for (const tells of order) await tell({ reference, tells, occurredAt: happened[tells] }, withoutInquiries);
      await until("both are applied", async () => (await results(id)).every((one) => !one.endsWith("waiting")));
      assert.deepEqual(await events(id), ["capture declined false", "auth authorized true"]);
      assert.equal((await found(id)).actions.capture.amount, "3.56");
    }
  });

  test("a forged or altered notification is refused and leaves nothing behind", async () => {
    const { id } = await charged(SALE, 200);
    const told = { reference: host.ofTransaction(id, "sale").reference, tells: "declined" } as const;
    const genuine = host.message(told);
    const altered = { ...genuine, body: Buffer.from(genuine.body.toString().replace("declined", "approved")) };
    const unsigned = { ...genuine, headers: { "content-type": "application/json" } };
    for (const forged of [host.message(told, "another secret"), altered, unsigned])
      assert.equal((await post(forged)).status, 401);
    assert.deepEqual(await results(id), []);
    assert.deepEqual(await events(id), ["sale pending_settlement true"]);
  });

  test("nothing is taken for a processor that there is not, or that tells nothing", async () => {
    const message = host.message({ reference: "r", tells: "approved" });
    const simulator = await merchantOf(gateway).processor();
    for (const id of ["00000000-0000-7000-8000-000000000000", "no-uuid", simulator])
      assert.equal((await post(message, id)).status, 404, id);
    const tooBig = { ...message, body: Buffer.alloc(3_000_000) };
    assert.equal((await post(tooBig)).status, 413);
  });

  test("what means nothing to the gateway is kept, and shown to the operator", async () => {
    const { id } = await charged(SALE, 200);
    const { reference } = host.ofTransaction(id, "sale");
    await tell({ reference, tells: "chargeback" });
    await tell({ reference, tells: "weather" });
    await tell({ reference: "something that was never asked", tells: "approved", id: "stray" });
    await until("they are applied", async () => (await results(id)).join() === "other kept,chargeback kept");
    const [stray] = (await listed("result=kept")).filter((one: Json) => one.id === "stray");
    assert.equal(stray.why, "it is about nothing that this processor was asked");
    assert.deepEqual(await events(id), ["sale pending_settlement true"]);
  });

  test("a reversal that is only accepted is confirmed by its notification, and not before", async () => {
    host.conduct("sale", "is silent");
    host.reversesLater = true;
    const { id } = await charged(SALE, 200, { processor_id: withoutInquiries });
    const { reference } = host.ofTransaction(id, "sale");
    const unresolved = async () => {
      const query = `/operator/unresolved?processor_id=${withoutInquiries}`;
      const { body } = expectStatus(await gateway.operator("GET", query), 200);
      return JSON.stringify(body).includes(`accepted as ${reference}`);
    };
    await until("the reversal is accepted", unresolved);
    await tell({ reference, tells: "reversed" }, withoutInquiries);
    await until("it is applied", async () => (await results(id)).join() === "reversed applied");
    assert.equal(await unresolved(), false);
    host.reversesLater = false;
  });

  test("what records of one account are told of each other's operations changes nothing, and is nothing new", async () => {
    const { id } = await charged(SALE, 200);
    const told = {
      reference: host.ofTransaction(id, "sale").reference,
      tells: "declined",
      id: `both of ${id}`,
    } as const;
    await tell(told, withoutInquiries);
    await until("it waits for its copy", async () => (await results(id)).join() === "failed waiting");
    await tell({ ...told, tells: "approved" });
    await onward(10_000);
    await until("both are applied", async () => (await results(id)).join() === "succeeded known,failed known");
    assert.deepEqual(await events(id), ["sale pending_settlement true"]);
  });

  test("what a record is told of another's operation, which that one was not told, is kept, and changes nothing", async () => {
    const { id } = await charged(SALE, 200);
    await tell(
      { reference: host.ofTransaction(id, "sale").reference, tells: "declined", id: `one of ${id}` },
      withoutInquiries,
    );
    await onward(10_000);
    await until("it is applied", async () => (await results(id)).join() === "failed kept");
    const [{ why }] = await listed(`transaction_id=${id}`);
    assert.equal(
      why,
      `it is for processor record ${processor_id}, which was not told: that record needs a webhook of its own`,
    );
    assert.deepEqual(await events(id), ["sale pending_settlement true"]);
  });

  test("a late outcome and a late failure move the transaction's updated_at, and searches find it by that", async () => {
    const changedSince = async (time: string): Promise<string[]> => {
      const answer = await gateway.get(`/api/transactions?search[updated_at_gte]=${encodeURIComponent(time)}`);
      return answer.body.transactions.map((one: Json) => one.id);
    };
    host.conduct("sale", "accepts");
    const { id, created_at, updated_at } = await charged(SALE, 202, { processor_id: withoutInquiries });
    assert.equal(updated_at, created_at);
    const { reference } = host.ofTransaction(id, "sale");
    const times = [created_at];
    for (const [tells, status] of [
      ["approved", "sale pending_settlement true"],
      ["declined", "sale declined false"],
    ] as const) {
      await onward(60_000);
      await tell({ reference, tells }, withoutInquiries);
      await becomes(id, status);
      const shown = await found(id);
      assert.ok(shown.updated_at > (times.at(-1) ?? ""), `${tells}: ${shown.updated_at}`);
      assert.deepEqual(await changedSince(shown.updated_at), [id]);
      times.push(shown.updated_at);
    }
    const before = `/api/transactions?search[updated_at_lte]=${encodeURIComponent(times[1] ?? "")}&search[updated_at_gte]=${encodeURIComponent(created_at)}`;
    const ids = (await gateway.get(before)).body.transactions.map((one: Json) => one.id);
    assert.ok(!ids.includes(id), "what changed again since is not found by when it changed before");
  });
});
