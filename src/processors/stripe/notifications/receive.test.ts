import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, test } from "node:test";
import { stripePayment } from "../../../../test/fixtures/stripe-payment.ts";
import { renderAmount } from "../../../payment/money.ts";
import type { PaymentIntent } from "../objects.ts";
import { receive } from "./receive.ts";

const SECRETS = ["whsec_new", "whsec_old"];
const now = () => Math.floor(Date.now() / 1000);

const [TRANSACTION, CHARGE, CAPTURE, REFUND] = [1, 2, 3, 4].map(
  (nth) => `019e2f3a-0000-7000-8000-00000000000${nth}`,
) as [string, string, string, string];

const payment = (over: Partial<PaymentIntent>) =>
  stripePayment({
    metadata: { faregate_transaction: TRANSACTION, faregate_reference: CHARGE },
    latest_charge: "ch_1",
    ...over,
  });

const refund = (over: object) => ({
  id: "re_1",
  object: "refund",
  amount: 400,
  currency: "usd",
  status: "succeeded",
  metadata: { faregate_transaction: TRANSACTION, faregate_reference: REFUND },
  ...over,
});

function signed(event: object, secret = "whsec_new", time = now()) {
  const body = Buffer.from(JSON.stringify(event));
  const signature = createHmac("sha256", secret).update(`${time}.`).update(body).digest("hex");
  return { headers: { "stripe-signature": `t=${time},v1=${signature},v0=ignored` }, body };
}

function notificationsOf(type: string, object: unknown) {
  const received = receive(signed({ id: "evt_1", type, created: now(), data: { object } }), SECRETS);
  assert.ok(received.kind === "genuine");
  return received.notifications;
}

const told = (type: string, object: unknown) =>
  notificationsOf(type, object).map(({ id, about, news }) => [id, about?.reference ?? null, news.kind]);

const charge = (over: object) => ({
  id: "ch_1",
  object: "charge",
  payment_intent: "pi_1",
  status: "succeeded",
  metadata: { faregate_transaction: TRANSACTION, faregate_reference: CHARGE },
  payment_method_details: {
    card: {
      authorization_code: "a1b2c3",
      checks: { cvc_check: "pass", address_line1_check: null, address_postal_code_check: "fail" },
    },
  },
  ...over,
});

test("an approved charge is told by an event of its own, with the auth code and what was checked", () => {
  const received = receive(
    signed({ id: "evt_1", type: "charge.succeeded", created: now(), data: { object: charge({}) } }),
    SECRETS,
  );
  assert.ok(received.kind === "genuine");
  const [{ about, news } = {}] = received.notifications;
  assert.deepEqual(about, { transactionId: TRANSACTION, reference: CHARGE });
  assert.ok(news?.kind === "succeeded");
  const { transactionId, authCode, cvv, avs } = news.processorResponse;
  assert.deepEqual([transactionId, authCode, cvv, avs], ["pi_1", "A1B2C3", "match", "no_match"]);
});

test("a charge of no payment, of others, or not approved is no success of ours", () => {
  assert.deepEqual(told("charge.succeeded", charge({ payment_intent: null })), [["evt_1", CHARGE, "other"]]);
  assert.deepEqual(told("charge.succeeded", charge({ status: "pending" })), [["evt_1", CHARGE, "other"]]);
  assert.deepEqual(told("charge.succeeded", charge({ metadata: {} })), [["evt_1", null, "succeeded"]]);
  assert.deepEqual(told("charge.updated", charge({})), [["evt_1", null, "other"]]);
});

test("an event about a payment tells nothing new of its charge, and of each capture in it", () => {
  assert.deepEqual(told("payment_intent.succeeded", payment({})), [["evt_1", CHARGE, "known"]]);
  const metadata = { ...payment({}).metadata, [CAPTURE]: "1000" };
  assert.deepEqual(told("payment_intent.succeeded", payment({ metadata })), [
    ["evt_1", CHARGE, "known"],
    [`evt_1/${CAPTURE}`, CAPTURE, "succeeded"],
  ]);
});

test("a failure tells why, and what is in flight changes nothing", () => {
  const error = { type: "card_error", code: "card_declined", decline_code: "insufficient_funds" };
  const failed = payment({ status: "requires_payment_method", last_payment_error: error });
  assert.deepEqual(told("payment_intent.payment_failed", failed), [["evt_1", CHARGE, "failed"]]);
  const challenged = payment({ status: "requires_action" });
  assert.deepEqual(told("payment_intent.requires_action", challenged), [["evt_1", CHARGE, "known"]]);
  for (const [type, status] of [
    ["payment_intent.processing", "processing"],
    ["payment_intent.canceled", "processing"],
    ["payment_intent.succeeded", "processing"],
  ] as const)
    assert.deepEqual(told(type, payment({ status })), [["evt_1", CHARGE, "other"]], type);
});

test("a refund that fails or ends later tells of the event that it is", () => {
  assert.deepEqual(told("refund.updated", refund({})), [["evt_1", REFUND, "succeeded"]]);
  assert.deepEqual(told("refund.updated", refund({ status: "pending" })), [["evt_1", REFUND, "other"]]);
  const failed = refund({ status: "failed", failure_reason: "lost_or_stolen_card" });
  assert.deepEqual(told("refund.failed", failed), [["evt_1", REFUND, "failed"]]);
});

describe("what Stripe did without being asked", () => {
  test("a canceled or expired payment is told by two events under one name", () => {
    const canceled = payment({ status: "canceled", cancellation_reason: "automatic" });
    const expired = charge({ status: "failed" });
    const made = [notificationsOf("payment_intent.canceled", canceled), notificationsOf("charge.expired", expired)];
    assert.deepEqual(
      made.flat().map(({ about, news }) => [about?.reference, news.kind === "made" && [news.type, news.operation]]),
      [
        [CHARGE, ["void", "pi_1 canceled"]],
        [CHARGE, ["void", "pi_1 canceled"]],
      ],
    );
  });
  for (const [what, over, expected] of [
    ["a refund", {}, "refund re_1 3.00 USD succeeded"],
    ["a failed one", { status: "failed" }, "refund re_1 3.00 USD failed"],
    ["one of yen", { currency: "jpy" }, "refund re_1 300.00 JPY succeeded"],
    ["one that is on its way", { status: "pending" }, "other"],
    ["one of no payment", { payment_intent: null }, "other"],
    ["one in a currency that is none", { currency: "xxx" }, "other"],
  ] as const)
    test(`${what} of the dashboard`, () => {
      const given = { ...refund({ metadata: {} }), amount: 300, payment_intent: "pi_1", ...over };
      const [one] = notificationsOf("refund.created", given);
      const { news } = one ?? {};
      const money = news?.kind === "made" && news.money;
      const shown = money ? `${renderAmount(money.amount)} ${money.currency}` : "";
      assert.equal(
        news?.kind === "made" ? `${news.type} ${news.operation} ${shown} ${news.end}` : news?.kind,
        expected,
      );
    });
  test("what was captured beyond the captures that have our reference, in all", () => {
    const captured = (over: object) =>
      notificationsOf("payment_intent.succeeded", payment({ status: "succeeded", amount_received: 1000, ...over }))
        .map(({ news }) => (news.kind === "made" ? news.money?.amount : undefined))
        .filter((amount) => amount !== undefined);
    assert.deepEqual(captured({ capture_method: "manual" }), [1000n]);
    assert.deepEqual(captured({ capture_method: "automatic" }), []);
    assert.deepEqual(captured({}), []);
  });
  test("the refund of a timeout reversal is about the charge that it takes back", () => {
    const metadata = { faregate_transaction: TRANSACTION, faregate_reversal_of: CHARGE };
    const [one] = notificationsOf("refund.created", { ...refund({ metadata }), payment_intent: "pi_1" });
    assert.deepEqual([one?.about?.reference, one?.news.kind], [CHARGE, "made"]);
  });
});

test("what is not the gateway's is kept: others' payments, disputes, anything new", () => {
  assert.deepEqual(told("payment_intent.succeeded", payment({ metadata: {} })), [["evt_1", null, "known"]]);
  assert.deepEqual(told("charge.dispute.created", { id: "dp_1" }), [["evt_1", null, "chargeback"]]);
  for (const object of [null, 1, "x", [], {}, { id: 5 }])
    assert.deepEqual(told("payment_intent.succeeded", object), [["evt_1", null, "other"]]);
});

test("either secret signs while one is rolled, and a time far from now does not", () => {
  const event = { id: "evt_1", type: "x", created: now(), data: { object: {} } };
  const kinds = (message: Parameters<typeof receive>[0]) => receive(message, SECRETS).kind;
  assert.equal(kinds(signed(event, "whsec_old")), "genuine");
  assert.equal(kinds(signed(event, "whsec_other")), "forged");
  assert.equal(kinds(signed(event, "whsec_new", now() - 290)), "genuine");
  for (const away of [-310, 310]) assert.equal(kinds(signed(event, "whsec_new", now() + away)), "forged");
  for (const header of ["", "t=1", "v1=abc", "t=x,v1=abc", `t=${now()},v1=${"a".repeat(64)}`])
    assert.equal(kinds({ ...signed(event), headers: { "stripe-signature": header } }), "forged", header);
});

test("any of several signatures is enough, as Stripe sends them while a secret is rolled; one of another scheme is none", () => {
  const { headers, body } = signed({ id: "evt_1", type: "x", created: now(), data: { object: {} } });
  const [time, right] = headers["stripe-signature"].split(",");
  const kinds = (...signatures: readonly (string | undefined)[]) =>
    receive({ headers: { "stripe-signature": [time, ...signatures].join(",") }, body }, SECRETS).kind;
  const wrong = `v1=${"a".repeat(64)}`;
  assert.equal(kinds(wrong, right), "genuine");
  assert.equal(kinds(...Array(9).fill(wrong), right), "genuine");
  // So many are no event of Stripe's: each costs a comparison.
  assert.equal(kinds(...Array(10).fill(wrong), right), "forged");
  assert.equal(kinds(right?.replace("v1", "v0")), "forged");
});

test("whatever Stripe signs is acknowledged and kept: thin events, connected accounts' events, what is no event", () => {
  const thin = {
    id: "evt_v2",
    object: "v2.core.event",
    type: "v1.x.y",
    created: "2030-05-01T00:00:00.000Z",
    livemode: false,
  };
  for (const event of [{}, { id: "evt_1" }, [], { id: 1, type: "x", created: 0, data: { object: {} } }, thin]) {
    const received = receive(signed(event), SECRETS);
    assert.ok(received.kind === "genuine");
    assert.deepEqual(
      received.notifications.map(({ about, news }) => [about, news.kind]),
      [[null, "other"]],
    );
    const again = receive(signed(event), SECRETS);
    assert.equal(again.kind === "genuine" && again.notifications[0]?.id, received.notifications[0]?.id);
  }
});

test("an event of the other mode is acknowledged and changes nothing", () => {
  const kinds = (livemode: unknown, live?: boolean) => {
    const event = { id: "evt_1", type: "charge.succeeded", created: now(), livemode, data: { object: charge({}) } };
    const received = receive(signed(event), SECRETS, live);
    return received.kind === "genuine" ? received.notifications.map(({ news }) => news.kind).join() : received.kind;
  };
  assert.deepEqual(
    [
      kinds(false, false),
      kinds(true, false),
      kinds(false, true),
      kinds(true, true),
      kinds(undefined, true),
      kinds(true),
    ],
    ["succeeded", "other-mode", "other-mode", "succeeded", "succeeded", "succeeded"],
  );
});
