// Answers that Stripe's host never gives: about another payment or amount, or a refusal of what was done already.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { chargeQuestion, followUpQuestion } from "../../../test/conformance/questions.ts";
import { openStripe, stripeSettings } from "../../../test/conformance/stripe-subject.ts";
import { amountOf } from "../../payment/money.ts";
import { NOTHING_CHECKED } from "../../payment/verification.ts";
import type { Processor } from "../processor.ts";
import { REFERENCE } from "./request-fields.ts";

const SALE = chargeQuestion("sale");
const AUTH = { ...SALE, type: "auth" } as const;
const RESPONSE = { code: "00", message: "", transactionId: "pi_1", authCode: null, ...NOTHING_CHECKED };

const payment = (over: object = {}) => ({
  ...{ id: "pi_1", object: "payment_intent", amount: 1000, amount_capturable: 0, amount_received: 1000 },
  ...{ currency: "usd", status: "succeeded", metadata: { [REFERENCE]: SALE.reference } },
  ...{ latest_charge: null, last_payment_error: null, ...over },
});

interface Reply {
  readonly status: number;
  readonly body: object;
}
const ok = (body: object): Reply => ({ status: 200, body });
const refused = (status: number, payment_intent?: object): Reply => ({
  status,
  body: { error: { type: "invalid_request_error", code: "payment_intent_unexpected_state", payment_intent } },
});

/** By the end of the path. */
let replies: Readonly<Record<string, Reply>> = {};
const asked: string[] = [];
let replayed = false;
const server = createServer(({ url = "" }, response) => {
  const what = url.replace(/\?.*/, "").split("/").at(-1) ?? "";
  asked.push(what);
  const { status, body } = replies[what] ?? refused(400);
  const headers = { "content-type": "application/json", ...(replayed && { "idempotent-replayed": "true" }) };
  response.writeHead(status, headers).end(JSON.stringify(body));
});

let stripe: Processor;
before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  stripe = openStripe(stripeSettings((server.address() as AddressInfo).port));
});
after(async () => {
  await stripe.close();
  server.close();
});
beforeEach(() => {
  replayed = false;
  asked.length = 0;
});

const soon = () => AbortSignal.timeout(10_000);

for (const [rule, question, confirmed, expected] of [
  [
    "a confirmation that is refused, since the sale was done already, is a yes",
    SALE,
    refused(400, payment()),
    "approved",
  ],
  [
    "so it is of an auth",
    AUTH,
    refused(400, payment({ status: "requires_capture", amount_received: 0, amount_capturable: 1000 })),
    "approved",
  ],
  ["one whose payment is processing ends later", SALE, refused(400, payment({ status: "processing" })), "pending"],
  ["one of another charge's payment is none", SALE, refused(400, payment({ metadata: {} })), "unanswered"],
  [
    "one of a payment without a card is a no",
    SALE,
    refused(400, payment({ status: "requires_payment_method" })),
    "declined",
  ],
  ["while the first is in flight, the second knows nothing", SALE, refused(409), "unanswered"],
  ["one that was never looked at was not sent", SALE, refused(429), "not-sent"],
] as const)
  test(rule, async () => {
    replies = {
      payment_intents: ok(payment({ status: "requires_payment_method" })),
      payment_methods: ok({ id: "pm_1", object: "payment_method" }),
      confirm: confirmed,
    };
    assert.equal((await stripe.charge(question, soon())).kind, expected);
  });

test("a capture is done by the answer about its own payment", async () => {
  const question = followUpQuestion("capture", AUTH, RESPONSE);
  const metadata = { [question.reference]: "1000" };
  for (const [id, expected] of [
    ["pi_1", "approved"],
    ["pi_2", "unanswered"],
  ] as const) {
    replies = { capture: ok(payment({ id, metadata })) };
    assert.equal((await stripe.followUp(question, soon())).kind, expected, id);
  }
});

test("a void is done by the answer about its own payment", async () => {
  for (const [id, expected] of [
    ["pi_1", "approved"],
    ["pi_2", "unanswered"],
  ] as const) {
    replies = { cancel: ok(payment({ id, status: "canceled" })) };
    assert.equal((await stripe.followUp(followUpQuestion("void", AUTH, RESPONSE), soon())).kind, expected, id);
  }
});

test("a refund is done by the answer about its own amount", async () => {
  for (const [amount, expected] of [
    [400, "approved"],
    [300, "unanswered"],
    [1000, "unanswered"],
  ] as const) {
    replies = {
      refunds: ok({ id: "re_1", object: "refund", amount, currency: "usd", status: "succeeded", metadata: null }),
    };
    const question = followUpQuestion("refund", SALE, RESPONSE, { minor: 400n });
    assert.equal((await stripe.followUp(question, soon())).kind, expected, String(amount));
  }
});

test("a void refunds nothing of what was captured before the rest is released", async () => {
  const settlement = { cutoffAt: new Date(), settledAt: new Date(), visibleAt: new Date() };
  const captures = [{ left: amountOf(400n), settlement }];
  const question = followUpQuestion("void", AUTH, RESPONSE, { minor: 1000n, uncaptured: 600n, captures });
  replies = {
    cancel: refused(400, payment({ status: "requires_capture", amount_capturable: 600, amount_received: 400 })),
  };
  assert.equal((await stripe.followUp(question, soon())).kind, "declined");
  assert.deepEqual(asked, ["cancel"]);
});

const HOUR_MS = 3_600_000;

for (const [rule, isReplayed, hours, expected] of [
  ["what is refused now may be refused because it was done before", false, 1, undefined],
  ["what its key remembers is the first answer", true, 1, true],
  [
    "after a day Stripe may have forgotten the key, and what it remembers is the answer to a repeat",
    true,
    23.5,
    undefined,
  ],
] as const)
  test(rule, async () => {
    const clock = { now: () => new Date(Date.now() + hours * HOUR_MS) };
    const later = openStripe(stripeSettings((server.address() as AddressInfo).port), "USD", clock);
    replies = { refunds: refused(400), capture: refused(400), cancel: refused(400) };
    replayed = isReplayed;
    for (const [type, charge] of [
      ["capture", AUTH],
      ["void", AUTH],
    ] as const) {
      const answer = await later.followUp(followUpQuestion(type, charge, RESPONSE), soon());
      assert.ok(answer.kind === "declined");
      assert.equal(answer.isFirstAnswer, expected, type);
    }
    await later.close();
  });
