// An account at Stripe, over real HTTP on both sides: from the sale to the webhook that takes a refund back.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { Host } from "../../hosts/stripe/host.ts";
import { message } from "../../hosts/stripe/webhooks.ts";
import { stripeSettings, testHost, WEBHOOK_SECRET } from "../conformance/stripe-subject.ts";
import { startReceiver, until } from "../receiver.ts";
import { startTestGateway } from "./gateway.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  merchantOf,
  newMerchant,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";

describe("an account at Stripe", () => {
  let gateway: Gateway;
  let host: Host;
  let processor_id: string;

  before(async () => {
    host = await testHost();
    gateway = await startTestGateway();
    const settings = { ...stripeSettings(host.port), timeout_ms: 2_000 };
    processor_id = await merchantOf(gateway).processor({ kind: "stripe", settings });
    host.webhooks.endpoint = { url: `${gateway.url}/notifications/${processor_id}`, secret: WEBHOOK_SECRET };
  });
  after(async () => {
    await gateway.close();
    await host.stop();
  });
  beforeEach(() => host.behave());

  const charged = async (path: "sale" | "auth", over: Json = {}) => {
    const body = sale({ processor_id, card_number: "4242424242424242", amount: "10.00", ...over });
    return transactionOf(expectStatus(await gateway.post(`/api/transactions/${path}`, body), 200));
  };
  const follow = async (id: string, path: string, status: number, json?: Json) =>
    expectStatus(await gateway.post(`/api/transactions/${id}/${path}`, json), status);
  const events = async (id: string): Promise<string[]> =>
    (await merchantOf(gateway).found(id)).events.map(
      ({ event_type, status, success }: Json) => `${event_type} ${status} ${success}`,
    );
  const becomes = (id: string, ...expected: readonly string[]) =>
    until(`${id} becomes ${expected}`, async () => (await events(id)).join() === expected.join());
  const balance = (id: string) => host.ledger.state.balance(id);

  test("an auth is captured in parts, partly refunded, and the books agree", async () => {
    const { id } = await charged("auth");
    await follow(id, "capture", 200, { amount: "4.00" });
    await follow(id, "capture", 200, { amount: "6.00" });
    await follow(id, "refund", 200, { amount: "2.50" });
    assert.equal(balance(id), 750);
  });

  test("a sale is voided before it settles, and nothing is left of it", async () => {
    const { id } = await charged("sale");
    await follow(id, "void", 200);
    assert.equal(balance(id), 0);
  });

  test("a sale whose answer is lost is approved all the same, and charged once", async () => {
    host.misbehave({ what: "disconnect-after", on: ["confirm"], times: 1 });
    const { id, events: shown } = await charged("sale");
    assert.deepEqual([shown[0].success, shown[0].processor_message, balance(id)], [true, "APPROVED", 1000]);
  });

  test("a sale that never reached Stripe is a decline with code 91, and its payment can take no card any more", async () => {
    host.misbehave({ what: "disconnect-before", on: ["confirm"], times: 1 });
    const { id, events: shown } = await charged("sale");
    assert.deepEqual([shown[0].success, shown[0].processor_code], [false, "91"]);
    const paymentOf = () =>
      [...host.ledger.state.payments.values()].find(({ metadata }) => metadata.faregate_transaction === id);
    await until("it is canceled", () => paymentOf()?.status === "canceled");
    assert.equal(balance(id), 0);
  });

  test("a refund that fails after all is told by webhook, doubled and late as it may be", async () => {
    host.misbehave({ what: "double", on: ["webhook"] });
    const { id } = await charged("sale", { card_number: "4000000000005126" });
    await follow(id, "refund", 200);
    await becomes(id, "refund declined false", "sale pending_settlement true");
    assert.equal(balance(id), 1000);
  });

  test("a void whose refund fails after all voided nothing: the event and a webhook say so, and it can be voided again", async () => {
    const shop = await startReceiver();
    const { merchant_id } = gateway.sandbox;
    const { webhook } = (
      await gateway.operator("POST", `/operator/merchants/${merchant_id}/webhooks`, { url: shop.url })
    ).body;
    try {
      const { id } = await charged("auth", { card_number: "4000000000005126" });
      await follow(id, "capture", 200, { amount: "4.00" });
      await follow(id, "void", 200);
      const released = ["void voided true", "void declined false"];
      await becomes(id, ...released, "capture pending_settlement true", "auth authorized true");
      const told = () =>
        shop.received.map(({ body }) => JSON.parse(body)).find(({ type }) => type === "transaction.void.failed");
      await until("the merchant is told", () => told() !== undefined);
      const [{ event_type, status, success, processor_code_detail }] = told().data.transaction.events;
      assert.deepEqual([event_type, status, success], ["void", "declined", false]);
      assert.equal(processor_code_detail, "Approved at first, and failed after all");
      assert.equal(balance(id), 400);
      // What was not captured was released all the same, and Stripe says so.
      const [{ amount, by_processor }] = (await merchantOf(gateway).found(id)).events;
      assert.deepEqual([amount, by_processor], ["6.00", true]);
      await follow(id, "capture", 422, { amount: "6.00" });
      assert.equal(transactionOf(await follow(id, "void", 200)).events[0].success, true);
    } finally {
      expectStatus(await gateway.operator("DELETE", `/operator/webhooks/${webhook.id}`), 204);
      await shop.close();
    }
  });

  test("a void that released the rest and whose refund Stripe turned away goes on by itself", async () => {
    const { id } = await charged("auth");
    await follow(id, "capture", 200, { amount: "4.00" });
    host.misbehave({ what: "too-many", on: ["refund"], times: 1 });
    await follow(id, "void", 202);
    await becomes(id, "void voided true", "capture voided true", "auth voided true");
    assert.equal(balance(id), 0);
  });

  test("a refund that is pending at Stripe is 202, and ends by webhook", async () => {
    const { id } = await charged("sale", { card_number: "4000000000007726" });
    await follow(id, "refund", 202);
    await becomes(id, "refund pending_settlement true", "sale pending_settlement true");
  });

  test("a decline that a webhook tells before Stripe answers goes on to the next processor all the same", async () => {
    const settings = { ...stripeSettings(host.port), timeout_ms: 20_000 };
    const own = await newMerchant(gateway, { kind: "stripe", settings }, {});
    const [first, second] = own.processors;
    const rules = [{ name: "In order", processors: own.processors.map((id) => ({ id, weight: 0 })) }];
    const routing = { rules, attempts_at_most: 2 };
    expectStatus(await gateway.operator("PATCH", `/operator/merchants/${own.merchantId}/routing`, routing), 200);
    const { endpoint } = host.webhooks;
    host.webhooks.endpoint = { url: `${gateway.url}/notifications/${first}`, secret: WEBHOOK_SECRET };
    try {
      host.misbehave({ what: "delay-after", on: ["confirm"], ms: 3_000, times: 1 });
      const body = sale({ card_number: "4000000000000119" });
      const answer = await gateway.post("/api/transactions/sale", body, { token: own.token });
      const { processor_id: asked, attempts = [] } = transactionOf(expectStatus(answer, 200));
      assert.deepEqual(
        [asked, attempts.map(({ processor_id, reason }: Json) => [processor_id, reason])],
        [second, [[first, "declined"]]],
      );
      const told = async () =>
        (await gateway.operator("GET", `/operator/notifications?processor_id=${first}`)).body.notifications;
      await until("the webhook says nothing new", async () => (await told())[0]?.result === "known");
    } finally {
      host.webhooks.endpoint = endpoint;
    }
  });

  test("a dispute that cannot be read is kept for the operator, and a forged webhook is not", async () => {
    const dispute = { id: "dp_1", charge: "ch_1", status: "needs_response", reason: "fraudulent" };
    const send = async (secret: string) => {
      const { headers, body } = message("charge.dispute.created", dispute, secret, "evt_dispute");
      const url = `${gateway.url}/notifications/${processor_id}`;
      return (await fetch(url, { method: "POST", headers, body: new Uint8Array(body) })).status;
    };
    assert.deepEqual([await send("whsec_ofsomebodyelse"), await send(WEBHOOK_SECRET)], [401, 200]);
    const kept = async () =>
      (await gateway.operator("GET", `/operator/notifications?processor_id=${processor_id}`)).body.notifications.find(
        ({ kind }: Json) => kind === "chargeback",
      );
    await until("it is kept", async () => (await kept()) !== undefined);
    assert.match((await kept()).said, /charge.dispute.created dp_1 ch_1 needs_response fraudulent/);
  });
});
