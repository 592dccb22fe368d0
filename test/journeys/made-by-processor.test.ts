// What a processor does to our payments without being asked, over real HTTP on both sides: Stripe's dashboard and expiry, Adyen's Customer
// Area, expiry and captures that are made again.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { Item } from "../../hosts/adyen/entry.ts";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import type { Host } from "../../hosts/stripe/host.ts";
import { message } from "../../hosts/stripe/webhooks.ts";
import { ACCOUNT, testAdyenHost } from "../conformance/adyen-subject.ts";
import { stripeSettings, testHost, WEBHOOK_SECRET } from "../conformance/stripe-subject.ts";
import { startReceiver, until } from "../receiver.ts";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, merchantOf, sale, transactionOf } from "./merchant.fixture.ts";

/** What a test of either processor asks of the gateway. */
function programOf(gateway: Gateway, processor_id: string, card_number: string) {
  const found = (id: string) => merchantOf(gateway).found(id);
  const events = async (id: string): Promise<string[]> =>
    (await found(id)).events.map(
      ({ event_type, amount, success, by_processor }: Json) =>
        `${event_type} ${amount} ${success}${by_processor ? " by processor" : ""}`,
    );
  const notifications = async (id: string): Promise<Json[]> =>
    expectStatus(await gateway.operator("GET", `/operator/notifications?transaction_id=${id}`), 200).body.notifications;
  const allApplied = async () => {
    const waiting = async () => (await gateway.pool`select from waiting_notifications`).length;
    await until("all are applied", async () => (await waiting()) === 0);
  };
  return {
    found,
    events,
    notifications,
    allApplied,
    charged: async (path: "sale" | "auth") => {
      const body = sale({ processor_id, card_number, amount: "10.00" });
      return transactionOf(expectStatus(await gateway.post(`/api/transactions/${path}`, body), 200));
    },
    follow: async (id: string, path: string, status: number, json?: Json) =>
      expectStatus(await gateway.post(`/api/transactions/${id}/${path}`, json), status),
    becomes: (id: string, ...expected: readonly string[]) =>
      until(`${id} becomes ${expected}`, async () => (await events(id)).join() === expected.join()),
  };
}
type Program = ReturnType<typeof programOf>;

describe("at Stripe", () => {
  let gateway: Gateway;
  let host: Host;
  let it: Program;
  before(async () => {
    host = await testHost();
    gateway = await startTestGateway();
    const settings = { ...stripeSettings(host.port), timeout_ms: 2_000 };
    const processor_id = await merchantOf(gateway).processor({ kind: "stripe", settings });
    it = programOf(gateway, processor_id, "4242424242424242");
    host.webhooks.endpoint = { url: `${gateway.url}/notifications/${processor_id}`, secret: WEBHOOK_SECRET };
  });
  after(async () => {
    await gateway.close();
    await host.stop();
  });
  beforeEach(() => host.behave());
  const settled = async () => {
    await host.webhooks.arrived();
    await it.allApplied();
  };

  for (const does of ["expire", "cancel"] as const)
    test(`an authorization that is gone (${does}) is voided, the merchant is told, and nothing of it is offered`, async (t) => {
      const shop = await startReceiver();
      t.after(() => shop.close());
      const of = `/operator/merchants/${gateway.sandbox.merchant_id}/webhooks`;
      const { webhook } = expectStatus(await gateway.operator("POST", of, { url: shop.url }), 201).body;
      t.after(() => gateway.operator("DELETE", `/operator/webhooks/${webhook.id}`));
      host.misbehave({ what: "double", on: ["webhook"] });
      const { id, updated_at } = await it.charged("auth");
      await new Promise((later) => setTimeout(later, 1_100));
      host.byItself(id, does);
      await it.becomes(id, "void 10.00 true by processor", "auth 10.00 true");
      await settled();
      assert.deepEqual(await it.events(id), ["void 10.00 true by processor", "auth 10.00 true"]);
      const { actions, events, updated_at: changed } = await it.found(id);
      for (const action of ["capture", "void", "refund", "reversal"]) assert.equal(actions[action].allowed, false);
      assert.deepEqual(
        events.map(({ status }: Json) => status),
        ["voided", "voided"],
      );
      assert.match(events[0].processor_message, does === "expire" ? /EXPIRED|AUTOMATIC/ : /REQUESTED_BY_CUSTOMER/);
      assert.match(events[0].processor_code_detail, /at the processor/);
      assert.ok(changed > updated_at, `${changed} ${updated_at}`);
      await it.follow(id, "capture", 422);
      await until("the merchant is told", () =>
        shop.received.some(({ body }) => body.includes("transaction.void.succeeded") && body.includes(id)),
      );
    });

  test("a refund made in the dashboard is one of the transaction, once however often it is told", async () => {
    host.misbehave({ what: "double", on: ["webhook"] });
    const { id } = await it.charged("sale");
    host.byItself(id, "refund", 300);
    host.byItself(id, "refund", 200);
    await until("both are there", async () => (await it.events(id)).length === 3);
    await settled();
    assert.deepEqual((await it.events(id)).toSorted(), [
      "refund 2.00 true by processor",
      "refund 3.00 true by processor",
      "sale 10.00 true",
    ]);
    assert.equal((await it.found(id)).actions.refund.amount, "5.00");
    await it.follow(id, "refund", 422, { amount: "5.01" });
    await it.follow(id, "refund", 200, { amount: "5.00" });
    assert.equal(host.ledger.state.balance(id), 0);
  });

  test("our own refunds, voids and partial captures are told by Stripe too, and are not doubled", async () => {
    host.misbehave({ what: "double", on: ["webhook"] });
    host.misbehave({ what: "delay-after", ms: 300, on: ["refund", "cancel", "capture"], times: 4 });
    const [refunded, voided, parts] = [await it.charged("sale"), await it.charged("auth"), await it.charged("auth")];
    await it.follow(refunded.id, "refund", 200, { amount: "4.00" });
    await it.follow(voided.id, "void", 200);
    await it.follow(parts.id, "capture", 200, { amount: "6.00" });
    await it.follow(parts.id, "void", 200);
    await settled();
    assert.deepEqual(await it.events(refunded.id), ["refund 4.00 true", "sale 10.00 true"]);
    assert.deepEqual(await it.events(voided.id), ["void 10.00 true", "auth 10.00 true"]);
    assert.deepEqual(await it.events(parts.id), ["void 10.00 true", "capture 6.00 true", "auth 10.00 true"]);
  });

  test("a capture made in the dashboard is one of the transaction, and can be refunded", async () => {
    const { id } = await it.charged("auth");
    host.byItself(id, "capture");
    await it.becomes(id, "capture 10.00 true by processor", "auth 10.00 true");
    await it.follow(id, "refund", 200, { amount: "10.00" });
    assert.equal(host.ledger.state.balance(id), 0);
  });

  test("what a capture in the dashboard leaves of an authorization is released, and is not offered", async (t) => {
    host.misbehave({ what: "double", on: ["webhook"] });
    const settings = { ...stripeSettings(host.port), timeout_ms: 2_000, multiple_captures: true };
    const inParts = await merchantOf(gateway).processor({ kind: "stripe", settings });
    const { endpoint } = host.webhooks;
    t.after(() => {
      host.webhooks.endpoint = endpoint;
    });
    host.webhooks.endpoint = { url: `${gateway.url}/notifications/${inParts}`, secret: WEBHOOK_SECRET };
    const parts = programOf(gateway, inParts, "4242424242424242");
    const [{ id }, ours] = [await parts.charged("auth"), await parts.charged("auth")];
    await parts.follow(ours.id, "capture", 200, { amount: "1.00" });
    await parts.follow(id, "capture", 200, { amount: "1.00" });
    host.byItself(id, "capture", 400);
    await until("it is released", async () => (await parts.events(id)).length === 4);
    await settled();
    assert.deepEqual((await parts.events(id)).toSorted(), [
      "auth 10.00 true",
      "capture 1.00 true",
      "capture 4.00 true by processor",
      "void 5.00 true by processor",
    ]);
    const { actions } = await parts.found(id);
    assert.deepEqual([actions.capture.allowed, actions.refund.amount], [false, "5.00"]);
    assert.equal((await parts.found(ours.id)).actions.capture.amount, "9.00");
    await parts.follow(id, "refund", 200, { amount: "5.00" });
    assert.equal(host.ledger.state.balance(id), 0);
  });

  test("a refund of more than our books have left is shown, allows no more, and is for the operator", async () => {
    const { id } = await it.charged("sale");
    await it.follow(id, "refund", 200, { amount: "9.00" });
    const payment = [...host.ledger.state.payments.values()].find(
      ({ metadata }) => metadata.faregate_transaction === id,
    );
    // The host would not let it, as Stripe would not: it is told all the same, of the charge.
    const charge = (await it.found(id)).events.at(-1);
    const refund = { id: "re_toomuch", object: "refund", amount: 500, currency: "usd", status: "succeeded" };
    const metadata = { faregate_transaction: id, faregate_reversal_of: charge.id };
    const told = message("refund.created", { ...refund, payment_intent: payment?.id, metadata }, WEBHOOK_SECRET);
    const url = host.webhooks.endpoint?.url ?? "";
    const answer = await fetch(url, { method: "POST", headers: told.headers, body: new Uint8Array(told.body) });
    assert.equal(answer.status, 200);
    await settled();
    assert.deepEqual(await it.events(id), ["refund 5.00 true by processor", "refund 9.00 true", "sale 10.00 true"]);
    assert.equal((await it.found(id)).actions.refund.allowed, false);
    await it.follow(id, "refund", 422, { amount: "0.01" });
    const kept = (await it.notifications(id)).filter(({ result }) => result === "kept");
    assert.deepEqual(
      kept.map(({ why }) => why),
      ["the processor made a refund of 5.00 USD without being asked, and 1.00 was left"],
    );
  });

  test("what is made to a payment of another program is no business of ours", async () => {
    const refund = { id: "re_other", object: "refund", amount: 500, currency: "usd", status: "succeeded" };
    const told = message("refund.created", { ...refund, payment_intent: "pi_other", metadata: {} }, WEBHOOK_SECRET);
    const url = host.webhooks.endpoint?.url ?? "";
    await fetch(url, { method: "POST", headers: told.headers, body: new Uint8Array(told.body) });
    await until("it is kept", async () => {
      const rows = await gateway.pool<{ result: string }[]>`
        select result from applied_notifications join notifications using (merchant_id, processor_id, id)
        where said like '%re_other%'`;
      return rows[0]?.result === "kept";
    });
  });
});

describe("at Adyen", () => {
  let gateway: Gateway;
  let host: AdyenHost;
  let it: Program;
  before(async () => {
    host = await testAdyenHost();
    gateway = await startTestGateway();
    const settings = {
      ...ACCOUNT,
      ...{ base_url: host.baseUrl, capture_delay_hours: 0, multiple_captures: true, timeout_ms: 2_000 },
    };
    const processor_id = await merchantOf(gateway).processor({ kind: "adyen", settings });
    it = programOf(gateway, processor_id, "4111111111111111");
    host.webhooks.url = `${gateway.url}/notifications/${processor_id}`;
    host.webhooks.conduct = { times: 2, upToMs: 50 };
  });
  after(async () => {
    await gateway.close();
    await host.stop();
  });
  beforeEach(() => host.behave());
  const itemOf = (id: string, eventCode: string): Item => {
    const found = host.items().find((one) => one.eventCode === eventCode && one.merchantReference.startsWith(id));
    assert.ok(found, `${eventCode} of ${id}`);
    return found;
  };
  /** In the Customer Area, or by Adyen itself: it names the payment. */
  const tell = async (id: string, eventCode: string, pspReference: string, over: Partial<Item> = {}) => {
    const payment = itemOf(id, "AUTHORISATION");
    await host.tell({
      ...payment,
      eventCode,
      pspReference,
      originalReference: payment.pspReference,
      reason: "",
      ...over,
    });
    await host.webhooks.arrived();
    await it.allApplied();
  };
  const captured = async (amount: string) => {
    const { id } = await it.charged("auth");
    await it.follow(id, "capture", 202, { amount });
    await it.becomes(id, `capture ${amount} true`, "auth 10.00 true");
    return id;
  };

  for (const eventCode of ["CANCELLATION", "EXPIRE", "TECHNICAL_CANCEL", "CANCEL_OR_REFUND"])
    test(`${eventCode} of an authorization voids it`, async () => {
      const { id } = await it.charged("auth");
      await host.webhooks.arrived();
      await tell(id, eventCode, `VOID${eventCode}`);
      assert.deepEqual(await it.events(id), ["void 10.00 true by processor", "auth 10.00 true"]);
      assert.equal((await it.found(id)).actions.capture.allowed, false);
    });

  test("EXPIRE of a partly captured authorization voids what is left of it", async () => {
    const id = await captured("4.00");
    await tell(id, "EXPIRE", "EXPIREPART");
    assert.deepEqual(await it.events(id), ["void 6.00 true by processor", "capture 4.00 true", "auth 10.00 true"]);
    await it.follow(id, "capture", 422, { amount: "1.00" });
  });

  test("a refund in the Customer Area is one of the transaction, and may fail after all", async () => {
    const { id } = await it.charged("sale");
    await host.webhooks.arrived();
    const amount = { amount: { value: 400, currency: "USD" } };
    await tell(id, "REFUND", "AREAREFUND", amount);
    assert.deepEqual(await it.events(id), ["refund 4.00 true by processor", "sale 10.00 true"]);
    assert.equal((await it.found(id)).actions.refund.amount, "6.00");
    await tell(id, "REFUND_FAILED", "AREAREFUND", amount);
    assert.equal((await it.found(id)).actions.refund.amount, "10.00");
  });

  for (const [named, again] of [
    ["the same", ""],
    ["another", "AGAIN"],
  ] as const)
    for (const reason of ["Transaction Auto-recaptured", "Transaction Recaptured"])
      test(`a capture that Adyen makes again under ${named} pspReference ("${reason}") is captured`, async () => {
        const id = await captured("10.00");
        const capture = itemOf(id, "CAPTURE");
        const next = async (over: Partial<Item>) => {
          await host.tell({ ...capture, ...over });
          await host.webhooks.arrived();
          await it.allApplied();
        };
        await next({ eventCode: "CAPTURE_FAILED", reason: "Capture Failed" });
        assert.equal((await it.found(id)).actions.refund.allowed, false);
        await next({ pspReference: `${capture.pspReference}${again}`, reason });
        const shown = ["capture 10.00 true by processor", "capture 10.00 false", "auth 10.00 true"];
        assert.deepEqual(await it.events(id), shown);
        const { actions } = await it.found(id);
        assert.deepEqual([actions.capture.allowed, actions.refund.amount], [false, "10.00"]);
        await next({ eventCode: "CAPTURE_FAILED", reason: "Capture Failed" });
        assert.deepEqual(await it.events(id), shown);
      });

  test("a capture in the Customer Area is one of the transaction; what was refused there is nothing", async () => {
    const { id } = await it.charged("auth");
    await host.webhooks.arrived();
    await tell(id, "CAPTURE", "AREACAPTURENO", { success: "false" });
    await tell(id, "REFUND", "AREAREFUNDNO", { success: "false" });
    assert.deepEqual(await it.events(id), ["auth 10.00 true"]);
    await tell(id, "CAPTURE", "AREACAPTURE", { amount: { value: 700, currency: "USD" } });
    assert.deepEqual(await it.events(id), ["capture 7.00 true by processor", "auth 10.00 true"]);
    const { actions } = await it.found(id);
    assert.deepEqual([actions.capture.amount, actions.refund.amount], ["3.00", "7.00"]);
  });

  for (const inOrder of [true, false])
    test(`a capture in the Customer Area that fails and is made again is captured once, its failure told ${inOrder ? "before" : "after"}`, async () => {
      const { id } = await it.charged("auth");
      await host.webhooks.arrived();
      const amount = { amount: { value: 700, currency: "USD" } };
      const psp = inOrder ? "AREAAGAIN" : "AREAAGAINLATE";
      const fails = () => tell(id, "CAPTURE_FAILED", psp, { ...amount, reason: "Capture Failed" });
      await tell(id, "CAPTURE", psp, amount);
      if (inOrder) await fails();
      await tell(id, "CAPTURE", psp, { ...amount, reason: "Transaction Auto-recaptured" });
      if (!inOrder) await fails();
      assert.deepEqual(await it.events(id), [
        "capture 7.00 true by processor",
        "capture 7.00 false by processor",
        "auth 10.00 true",
      ]);
      const { actions } = await it.found(id);
      assert.deepEqual([actions.capture.amount, actions.refund.amount], ["3.00", "7.00"]);
    });

  for (const [eventCode, path, amount, shown] of [
    ["REFUND", "sale", 400, "refund 4.00 true by processor"],
    ["REFUND_WITH_DATA", "sale", 1000, "refund 10.00 true by processor"],
    ["CAPTURE", "auth", 700, "capture 7.00 true by processor"],
    ["CANCELLATION", "auth", 1000, "void 10.00 true by processor"],
    ["CANCEL_OR_REFUND", "auth", 1000, "void 10.00 true by processor"],
  ] as const)
    test(`a ${eventCode} under a reference that somebody typed in the Customer Area is one of the payment that it names`, async () => {
      const { id } = await it.charged(path);
      await host.webhooks.arrived();
      const typed = { merchantReference: "ticket 4711", amount: { value: amount, currency: "USD" } };
      await tell(id, eventCode, `TYPED${eventCode}`, typed);
      assert.deepEqual(await it.events(id), [shown, `${path} 10.00 true`]);
    });

  test("a refund under a typed reference that fails after all is taken back, and one of a stranger's payment is kept", async () => {
    const { id } = await it.charged("sale");
    await host.webhooks.arrived();
    const typed = { merchantReference: "ticket 4712", amount: { value: 400, currency: "USD" } };
    await tell(id, "REFUND", "TYPEDFAILS", typed);
    await tell(id, "REFUND_FAILED", "TYPEDFAILS", typed);
    assert.equal((await it.found(id)).actions.refund.amount, "10.00");
    await host.tell({ ...itemOf(id, "AUTHORISATION"), ...typed, eventCode: "REFUND", originalReference: "STRANGER" });
    await host.webhooks.arrived();
    assert.equal((await it.found(id)).actions.refund.amount, "10.00");
  });

  test("a sale that Adyen captures by itself is not captured twice", async () => {
    const { id } = await it.charged("sale");
    await host.webhooks.arrived();
    await tell(id, "CAPTURE", "SALECAPTURE");
    assert.deepEqual(await it.events(id), ["sale 10.00 true"]);
  });
});
