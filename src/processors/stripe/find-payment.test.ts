// Which payment an unanswered charge is, where Stripe's first answer is a failure, its key is taken or gone, or a search finds several.
// What may hold money is never told as taken back before it is.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { chargeQuestion, timeoutReversalQuestion } from "../../../test/conformance/questions.ts";
import { openStripe, stripeSettings } from "../../../test/conformance/stripe-subject.ts";
import { REFERENCE, TRANSACTION } from "./request-fields.ts";

const HOUR_MS = 3_600_000;
const CHARGE = chargeQuestion("sale");

interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly replayed?: boolean;
}
const payment = (id: string, over: object = {}) => ({
  ...{ id, object: "payment_intent", amount: 1000, amount_capturable: 0, amount_received: 0, currency: "usd" },
  ...{ status: "requires_payment_method", latest_charge: null, last_payment_error: null },
  metadata: { [REFERENCE]: CHARGE.reference, [TRANSACTION]: CHARGE.transactionId },
  ...over,
});
const ok = (body: unknown, replayed = false): Reply => ({ status: 200, body, replayed });
const error = (status: number, type: string, replayed = false): Reply => ({
  status,
  body: { error: { type } },
  replayed,
});
const found = (...data: readonly object[]): Reply => ok({ data, has_more: false });

let [created, searched, looked] = [ok(payment("pi_new")), found(), ok(payment("pi_new"))];
const asked: string[] = [];
const server = createServer(({ method, url = "" }, response) => {
  const path = url.replace(/\?.*/, "").replace("/v1/payment_intents", "");
  asked.push(path);
  const canceled = ok(payment(path.split("/")[1] ?? "", { status: "canceled" }));
  const reply = path === "" ? created : path === "/search" ? searched : method === "GET" ? looked : canceled;
  response.writeHead(reply.status, {
    "content-type": "application/json",
    ...(reply.replayed && { "idempotent-replayed": "true" }),
  });
  response.end(JSON.stringify(reply.body));
});

before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
after(() => server.close());
beforeEach(() => {
  asked.length = 0;
});

const soon = () => AbortSignal.timeout(10_000);

/** What a timeout reversal comes to after so long, and which payments it cancels. */
async function reversed(hoursLater: number): Promise<string> {
  const clock = { now: () => new Date(Date.now() + hoursLater * HOUR_MS) };
  const later = openStripe(stripeSettings((server.address() as AddressInfo).port), "USD", clock);
  const { kind } = await later.timeoutReversal(timeoutReversalQuestion(CHARGE), soon());
  await later.close();
  return [kind, ...asked.filter((path) => path.endsWith("/cancel"))].join(" ");
}

for (const [rule, hours, first, search, expected] of [
  [
    "a payment that is created only now never had a card",
    1,
    ok(payment("pi_new")),
    found(),
    "confirmed /pi_new/cancel",
  ],
  ["one that was created then is canceled", 1, ok(payment("pi_1"), true), found(), "confirmed /pi_1/cancel"],
  [
    "after a day, one that is created anew is not the one that was",
    23.5,
    ok(payment("pi_new")),
    found(payment("pi_1")),
    "confirmed /pi_1/cancel",
  ],
  [
    "of several, the one that had a card is it",
    48,
    ok(payment("pi_new")),
    found(payment("pi_new"), payment("pi_1", { status: "requires_capture" })),
    "confirmed /pi_1/cancel",
  ],
  ["a search that goes on is none", 48, ok(payment("pi_new")), ok({ data: [], has_more: true }), "unanswered"],
  [
    "under a key that is taken there is a payment, found or not",
    1,
    error(400, "idempotency_error"),
    found(),
    "unanswered",
  ],
  [
    "and it is canceled once it is found",
    1,
    error(400, "idempotency_error"),
    found(payment("pi_1")),
    "confirmed /pi_1/cancel",
  ],
  [
    "a refusal that is not replayed says nothing of then, and what is new may not be found yet",
    1,
    error(400, "invalid_request_error"),
    found(),
    "unanswered",
  ],
  [
    "and what is found is canceled, whatever is refused now",
    1,
    error(400, "invalid_request_error"),
    found(payment("pi_1")),
    "confirmed /pi_1/cancel",
  ],
  ["a payment that was refused at first never was", 1, error(400, "invalid_request_error", true), found(), "confirmed"],
  ["after a day what is not found is not there", 48, error(400, "invalid_request_error"), found(), "confirmed"],
  ["of a payment that Stripe failed to create nobody was told", 1, error(500, "api_error", true), found(), "confirmed"],
  ["that it fails now says nothing of then", 1, error(500, "api_error"), found(), "unanswered"],
  [
    "a failure that an old key remembers may be of later: to find nothing is no proof",
    48,
    error(500, "api_error", true),
    found(),
    "unanswered",
  ],
  [
    "and what is found is canceled",
    48,
    error(500, "api_error", true),
    found(payment("pi_1")),
    "confirmed /pi_1/cancel",
  ],
] as const)
  test(rule, async () => {
    [created, searched] = [first, search];
    assert.equal(await reversed(hours), expected);
  });

test("a payment is ours by both names in its metadata", async () => {
  const stripe = openStripe(stripeSettings((server.address() as AddressInfo).port));
  const { reference, transactionId } = CHARGE;
  for (const [metadata, expected] of [
    [
      { [REFERENCE]: reference, [TRANSACTION]: transactionId },
      { kind: "ours", transactionId, reference },
    ],
    [{ [REFERENCE]: reference }, { kind: "not-ours" }],
    [{ [TRANSACTION]: transactionId }, { kind: "not-ours" }],
    [{}, { kind: "not-ours" }],
  ] as const) {
    looked = ok(payment("pi_1", { metadata }));
    assert.deepEqual(await stripe.whose?.("pi_1", soon()), expected);
  }
  await stripe.close();
});
