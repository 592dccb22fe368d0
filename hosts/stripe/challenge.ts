// Challenges: a payment that requires action, and what its payer does at the page to which `next_action.redirect_to_url` leads.
// https://docs.stripe.com/payments/paymentintents/lifecycle, https://docs.stripe.com/api/payment_intents/object

import type { IncomingMessage, ServerResponse } from "node:http";
import { type Choice, sendAbandoned, sendBack, sendChallengePage, sendNothing } from "../challenge-page.ts";
import { failed, taken } from "./payments.ts";
import type { Payment } from "./state.ts";

/** What comes of a payment when its payer has chosen; the same for one that does not wait for it. */
export function chosen(payment: Payment, choice: Choice): Payment {
  const { challenge, ...rest } = payment;
  if (payment.status !== "requires_action" || challenge === undefined || choice === "abandon") return payment;
  if (choice === "pass") return taken({ ...rest, charge: { ...challenge.charge, threeDSecure: "authenticated" } });
  return failed(rest, {
    code: "payment_intent_authentication_failure",
    message: "The provided payment method has failed authentication.",
  });
}

/** @param choose writes what comes of it */
export async function serveChallenge(
  request: IncomingMessage,
  response: ServerResponse,
  find: (id: string) => Payment | undefined,
  choose: (payment: Payment, choice: Choice) => Promise<void>,
): Promise<void> {
  const [, id = "", choice = ""] = /^\/challenge\/(\w+)(?:\/(pass|fail|abandon))?$/.exec(request.url ?? "") ?? [];
  const payment = find(id);
  const returnUrl = payment?.returnUrl;
  if (payment === undefined || returnUrl === undefined) return sendNothing(response);
  if (choice === "") return sendChallengePage(response, `/challenge/${id}`, `${payment.amount} ${payment.currency}`);
  await choose(payment, choice as Choice);
  if (choice === "abandon") return sendAbandoned(response);
  return sendBack(response, returnUrl, {
    payment_intent: id,
    payment_intent_client_secret: `${id}_secret_host`,
    redirect_status: choice === "pass" ? "succeeded" : "failed",
  });
}
