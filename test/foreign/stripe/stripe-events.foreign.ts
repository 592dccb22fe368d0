// Stripe's published samples of its objects, each as the object of an event that Stripe's own library signs: all are received, and those
// of objects that the gateway reads are understood.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { inspect } from "node:util";
import Stripe from "stripe";
import { receive } from "../../../src/processors/stripe/notifications/receive.ts";
import { REFERENCE, TRANSACTION } from "../../../src/processors/stripe/request-fields.ts";
import { stripeDocument } from "./mock.ts";

const SECRET = "whsec_abcdefghijklmnop";
type Objects = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

let samples: Objects;
before(async () => {
  samples = ((await stripeDocument("fixtures3")) as { readonly resources: Objects }).resources;
});

/** As it comes, signed by Stripe's library. */
function message(type: string, object: unknown, changed = (payload: string) => payload) {
  const payload = JSON.stringify({ ...samples.event, type, data: { object } });
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: SECRET });
  return { headers: { "stripe-signature": signature }, body: Buffer.from(changed(payload)) };
}

function newsOf(type: string, object: unknown) {
  const received = receive(message(type, object), [SECRET]);
  assert.ok(received.kind === "genuine", `${type}: ${inspect(received)}`);
  return received.notifications.map(({ news }) => news.kind);
}

test("an event about every object is genuine", () => {
  assert.ok(Object.keys(samples).length > 100);
  for (const [name, object] of Object.entries(samples)) newsOf(`${name}.updated`, object);
});

test("an event that was changed after it was signed is forged", () => {
  const changed = message("refund.updated", samples.refund, (payload) => payload.replace('"amount":', '"amount": '));
  assert.equal(receive(changed, [SECRET]).kind, "forged");
});

test("the samples of what the gateway reads are understood", () => {
  const { payment_intent, charge, refund, dispute } = samples;
  const error = { type: "card_error", code: "card_declined", decline_code: "insufficient_funds", message: "No." };
  const ours = { metadata: { [TRANSACTION]: "t", [REFERENCE]: "r" } };
  const held = { ...payment_intent, status: "requires_capture" };
  for (const [type, object, expected] of [
    ["payment_intent.succeeded", { ...payment_intent, status: "succeeded" }, ["known"]],
    ["payment_intent.amount_capturable_updated", held, ["known"]],
    ["payment_intent.payment_failed", { ...payment_intent, last_payment_error: error }, ["failed"]],
    ["charge.succeeded", { ...charge, payment_intent: "pi_123", status: "succeeded" }, ["succeeded"]],
    ["refund.updated", { ...refund, ...ours, status: "succeeded" }, ["succeeded"]],
    ["refund.failed", { ...refund, ...ours, status: "failed", failure_reason: "lost_or_stolen_card" }, ["failed"]],
    ["charge.dispute.created", dispute, ["dispute"]],
  ] as const)
    assert.deepEqual(newsOf(type, object), expected, type);
});
