// What was done to a payment at the processor, and told by the processor's name for the payment alone: it counts once the processor says that
// the payment is ours, however long after. Over real HTTP on both sides.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import { messageOf } from "../../hosts/adyen/webhooks.ts";
import type { Host } from "../../hosts/stripe/host.ts";
import { message } from "../../hosts/stripe/webhooks.ts";
import { ACCOUNT, HMAC_KEY, testAdyenHost } from "../conformance/adyen-subject.ts";
import { stripeSettings, testHost, WEBHOOK_SECRET } from "../conformance/stripe-subject.ts";
import { until } from "../receiver.ts";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, merchantOf, sale, transactionOf } from "./merchant.fixture.ts";

const DECLINED = "4000000000000002";

describe("what is made to a payment that the processor alone has a name for", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const charged = async (processor_id: string, path: "sale" | "auth", card_number: string): Promise<string> => {
    const body = sale({ processor_id, card_number, amount: "10.00" });
    return transactionOf(expectStatus(await gateway.post(`/api/transactions/${path}`, body), 200)).id;
  };
  const post = async (processor: string, { headers, body }: { readonly headers: object; readonly body: Buffer }) => {
    const sent = { method: "POST", headers: { ...headers }, body: new Uint8Array(body) };
    const answer = await fetch(`${gateway.url}/notifications/${processor}`, sent);
    assert.equal(answer.status, 200, await answer.text());
    await until("all are applied", async () => (await gateway.pool`select from waiting_notifications`).length === 0);
  };
  const shown = async (id: string): Promise<string[]> =>
    (await merchantOf(gateway).found(id)).events.map(
      ({ event_type, amount, success, by_processor }: Json) =>
        `${event_type} ${amount} ${success}${by_processor ? " by processor" : ""}`,
    );
  const later = async (seconds: number) => {
    const { body } = expectStatus(await gateway.operator("GET", "/operator/clock"), 200);
    const now = new Date(new Date(body.now).getTime() + seconds * 1_000).toISOString();
    expectStatus(await gateway.operator("POST", "/operator/clock", { now }), 200);
  };

  describe("at Adyen, under a reference that somebody typed", () => {
    let host: AdyenHost;
    let processor: string;
    before(async () => {
      host = await testAdyenHost();
      const settings = { ...ACCOUNT, base_url: host.baseUrl, capture_delay_hours: 0, multiple_captures: true };
      processor = await merchantOf(gateway).processor({ kind: "adyen", settings });
    });
    after(() => host.stop());

    const paymentOf = (id: string) => {
      const item = host.items().find(({ merchantReference }) => merchantReference.startsWith(id));
      assert.ok(item);
      return item;
    };
    const typed = (id: string, eventCode: string, value: number) => {
      const payment = paymentOf(id);
      const own = { eventCode, success: "true" as const, pspReference: `${eventCode}${id.slice(-8)}`, reason: "" };
      const original = { originalReference: payment.pspReference, merchantReference: "ticket 4711" };
      return messageOf({ ...payment, ...own, ...original, amount: { value, currency: "USD" } }, HMAC_KEY);
    };
    const success = (id: string) => messageOf({ ...paymentOf(id), success: "true", reason: "" }, HMAC_KEY);

    for (const [eventCode, path, value, events, left] of [
      ["REFUND", "sale", 400, ["refund 4.00 true by processor", "sale 10.00 true by processor"], "6.00"],
      ["REFUND", "sale", 1_000, ["refund 10.00 true by processor", "sale 10.00 true by processor"], undefined],
      ["CAPTURE", "auth", 700, ["auth 10.00 true by processor", "capture 7.00 true by processor"], "7.00"],
      ["EXPIRE", "auth", 1_000, ["auth 10.00 true by processor", "void 10.00 true by processor"], undefined],
      ["CANCEL_OR_REFUND", "sale", 1_000, ["sale 10.00 true by processor", "void 10.00 true by processor"], undefined],
    ] as const)
      test(`${eventCode} of ${value}, told before the late success of a declined ${path}`, async () => {
        const id = await charged(processor, path, DECLINED);
        await post(processor, messageOf(paymentOf(id), HMAC_KEY));
        const sent = post(processor, typed(id, eventCode, value));
        await until(
          "it is in the queue",
          async () => (await gateway.pool`select from waiting_notifications`).length > 0,
        );
        await later(120);
        await sent;
        await post(processor, success(id));
        await until("both are there", async () => (await shown(id)).filter((one) => one.includes("true")).length === 2);
        assert.deepEqual((await shown(id)).filter((one) => one.includes("true")).toSorted(), [...events]);
        await post(processor, typed(id, eventCode, value));
        await post(processor, success(id));
        const { actions } = await merchantOf(gateway).found(id);
        assert.equal(actions.refund.amount, left);
      });

    for (const [who, reference] of [
      ["ours", undefined],
      ["a typed one", "ticket 4711"],
    ] as const)
      test(`an EXPIRE under ${who} also ends what a capture that fails after it holds again`, async () => {
        const id = await charged(processor, "auth", "4111111111111111");
        const payment = paymentOf(id);
        await post(processor, messageOf(payment, HMAC_KEY));
        const named = { originalReference: payment.pspReference, ...(reference && { merchantReference: reference }) };
        const tell = (eventCode: string, pspReference: string, value: number) =>
          post(
            processor,
            messageOf(
              { ...payment, ...named, eventCode, pspReference, reason: "", amount: { value, currency: "USD" } },
              HMAC_KEY,
            ),
          );
        await tell("CAPTURE", `C${id.slice(-8)}`, 400);
        await tell("EXPIRE", `E${id.slice(-8)}`, 1_000);
        await tell("CAPTURE_FAILED", `C${id.slice(-8)}`, 400);
        await until("it is voided", async () => (await shown(id)).includes("void 4.00 true by processor"));
        const { actions } = await merchantOf(gateway).found(id);
        assert.deepEqual(
          [actions.capture.allowed, actions.refund.allowed, actions.void.allowed],
          [false, false, false],
        );
      });

    test("an EXPIRE under a typed reference also ends what our own capture holds again when it fails", async () => {
      const id = await charged(processor, "auth", "4111111111111111");
      const payment = paymentOf(id);
      await post(processor, messageOf(payment, HMAC_KEY));
      expectStatus(await gateway.post(`/api/transactions/${id}/capture`, { amount: "4.00" }), 202);
      const capture = host.items().find((one) => one.eventCode === "CAPTURE" && one.merchantReference.startsWith(id));
      assert.ok(capture);
      await post(processor, messageOf(capture, HMAC_KEY));
      await post(processor, typed(id, "EXPIRE", 1_000));
      await post(processor, messageOf({ ...capture, eventCode: "CAPTURE_FAILED", reason: "Capture Failed" }, HMAC_KEY));
      await until("it is voided", async () => (await shown(id)).includes("void 4.00 true by processor"));
      assert.equal((await merchantOf(gateway).found(id)).actions.capture.allowed, false);
    });

    test("a REFUND, told more than a minute before Adyen tells of the approved sale itself", async () => {
      const id = await charged(processor, "sale", "4111111111111111");
      const sent = post(processor, typed(id, "REFUND", 400));
      await until("it is in the queue", async () => (await gateway.pool`select from waiting_notifications`).length > 0);
      await later(120);
      await sent;
      assert.deepEqual(await shown(id), ["sale 10.00 true"]);
      await post(processor, success(id));
      assert.deepEqual(await shown(id), ["refund 4.00 true by processor", "sale 10.00 true"]);
    });
  });

  describe("at Stripe, in the dashboard", () => {
    let host: Host;
    let processor: string;
    before(async () => {
      host = await testHost();
      processor = await merchantOf(gateway).processor({ kind: "stripe", settings: stripeSettings(host.port) });
    });
    after(() => host.stop());

    for (const amounts of [[300], [300, 200], [1_000]])
      test(`refunds of ${amounts}, told before the late success of a declined sale`, async () => {
        const id = await charged(processor, "sale", DECLINED);
        const payment = [...host.ledger.state.payments.values()].find(
          (one) => one.metadata.faregate_transaction === id,
        );
        assert.ok(payment);
        const refunds = amounts.map((amount, nth) => ({
          ...{ id: `re_${nth}${id.slice(-8)}`, object: "refund", payment_intent: payment.id, currency: "usd", amount },
          ...{ status: "succeeded", metadata: {}, created: payment.created },
        }));
        for (const refund of refunds) {
          const { object: _, payment_intent, ...booked } = refund;
          host.ledger.refund({ ...booked, payment: payment_intent, failure: null });
          await post(processor, message("refund.created", refund, WEBHOOK_SECRET));
        }
        assert.deepEqual(await shown(id), ["sale 10.00 false"]);
        const charge = {
          ...{ id: "ch_late", object: "charge", payment_intent: payment.id, status: "succeeded", amount: 1_000 },
          ...{ currency: "usd", captured: true, metadata: payment.metadata, payment_method_details: null },
        };
        await post(processor, message("charge.succeeded", charge, WEBHOOK_SECRET));
        const expected = [
          "sale 10.00 true by processor",
          ...amounts.map((amount) => `refund ${(amount / 100).toFixed(2)} true by processor`),
        ];
        assert.deepEqual((await shown(id)).filter((one) => one.includes("true")).toSorted(), expected.toSorted());
        const left = 1_000 - amounts.reduce((all, one) => all + one, 0);
        const { actions } = await merchantOf(gateway).found(id);
        assert.equal(actions.refund.amount, left === 0 ? undefined : (left / 100).toFixed(2));
      });
  });
});
