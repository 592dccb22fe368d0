// Where a merchant sees what a processor did by itself: lists and their filters, the ledger, batches and webhooks. And what the gateway does no
// more by itself then.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Host } from "../../hosts/stripe/host.ts";
import { stripeSettings, testHost, WEBHOOK_SECRET } from "../conformance/stripe-subject.ts";
import { startReceiver, until } from "../receiver.ts";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, merchantOf, sale, transactionOf } from "./merchant.fixture.ts";

describe("what Stripe did by itself is seen", () => {
  let gateway: Gateway;
  let host: Host;
  let processor_id: string;
  let charged: Json;
  let sold: string;
  let expired: string;
  const shop = startReceiver();
  before(async () => {
    host = await testHost();
    gateway = await startTestGateway();
    processor_id = await merchantOf(gateway).processor({
      ...{ kind: "stripe", settings: stripeSettings(host.port) },
      settlement: { auto_capture_at: "20:30", cutoff_at: "22:00", settled_at: "02:00", visible_at: "02:20" },
    });
    const of = `/operator/merchants/${gateway.sandbox.merchant_id}/webhooks`;
    expectStatus(await gateway.operator("POST", of, { url: (await shop).url }), 201);
    host.webhooks.endpoint = { url: `${gateway.url}/notifications/${processor_id}`, secret: WEBHOOK_SECRET };
    const made = async (path: "sale" | "auth"): Promise<Json> => {
      const body = sale({ processor_id, card_number: "4242424242424242", amount: "10.00" });
      return transactionOf(expectStatus(await gateway.post(`/api/transactions/${path}`, body), 200));
    };
    charged = await made("sale");
    sold = String(charged.id);
    expired = String((await made("auth")).id);
    // Times in the API are whole seconds.
    await new Promise((later) => setTimeout(later, 1_100));
    host.byItself(sold, "refund", 300);
    host.byItself(expired, "expire");
    for (const id of [sold, expired])
      await until(`${id} follows`, async () => (await merchantOf(gateway).found(id)).events.length === 2);
  });
  after(async () => {
    await gateway.close();
    await Promise.all([host.stop(), (await shop).close()]);
  });

  const found = async (filters: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(filters)) query.set(`search[${name}]`, value);
    const { body } = expectStatus(await gateway.get(`/api/transactions?${query}`), 200);
    return body.transactions.map(({ id }: Json) => id);
  };

  test("by the filters of lists", async () => {
    assert.deepEqual(await found({ event_type: "refund" }), [sold]);
    assert.deepEqual(await found({ event_type: "void" }), [expired]);
    assert.deepEqual(await found({ status: "voided" }), [expired]);
    assert.deepEqual(await found({ status: "authorized" }), []);
    const { updated_at } = await merchantOf(gateway).found(sold);
    assert.ok(updated_at > String(charged.updated_at));
    assert.ok((await found({ updated_at_gte: String(updated_at) })).includes(sold));
    assert.ok(!(await found({ updated_at_lte: String(charged.updated_at) })).includes(sold));
  });

  test("in CSV, by the sums of the transaction", async () => {
    const { text } = await gateway.get("/api/transactions?format=csv");
    const [header = "", ...rows] = text.trimEnd().split("\r\n");
    const columns = header.split(",");
    const row = (id: string) => rows.find((one) => one.startsWith(id))?.split(",") ?? [];
    const at = (id: string, column: string) => row(id)[columns.indexOf(column)];
    assert.deepEqual([at(sold, "captured"), at(sold, "refunded")], ["10.00", "3.00"]);
    assert.deepEqual([at(expired, "authorized"), at(expired, "voided")], ["10.00", "10.00"]);
  });

  test("in the ledger: what went out, and nothing of what was only held", async () => {
    const { movements } = (await gateway.get("/api/ledger?from=2001-01-01&to=2999-12-31")).body;
    const moved = movements.map(({ transaction_id, movement, amount }: Json) => [transaction_id, movement, amount]);
    assert.deepEqual(moved, [
      [sold, "sale", "10.00"],
      [sold, "refund", "-3.00"],
    ]);
    assert.match(movements[1].processor_transaction_id, /^re_/);
  });

  test("by webhooks of the type that our own operation would have", async () => {
    const of = async (id: string) =>
      (await shop).received
        .map(({ body }) => JSON.parse(body))
        .filter(({ data }) => data.transaction?.id === id)
        .map(({ type, data }) => {
          const event = data.transaction.events.find((one: Json) => one.id === data.event_id);
          return `${type}${event.by_processor ? " by processor" : ""}`;
        })
        .toSorted();
    await until("the merchant is told", async () => (await of(sold)).length + (await of(expired)).length === 4);
    assert.deepEqual(await of(sold), ["transaction.refund.succeeded by processor", "transaction.sale.succeeded"]);
    assert.deepEqual(await of(expired), ["transaction.auth.succeeded", "transaction.void.succeeded by processor"]);
  });

  test("the batch has the refund; what expired is not captured at the time of capture", async () => {
    const later = new Date(Date.now() + 2 * 86_400_000).toISOString();
    expectStatus(await gateway.operator("POST", "/operator/clock", { now: later }), 200);
    const { events, actions } = await merchantOf(gateway).found(expired);
    assert.deepEqual(
      events.map(({ event_type }: Json) => event_type),
      ["void", "auth"],
    );
    for (const action of ["capture", "void", "refund"]) assert.equal(actions[action].allowed, false, action);
    const [refund] = (await merchantOf(gateway).found(sold)).events;
    assert.equal(refund.by_processor, true);
    const { batch } = expectStatus(await gateway.get(`/api/batches/${refund.batch_id}`), 200).body;
    assert.match(JSON.stringify(batch), /"3\.00"/);
  });
});
