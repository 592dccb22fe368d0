// What an account at Stripe needs before its first sale, asked by questions that move nothing.

import { Type } from "typebox";
import { Check as fits } from "typebox/value";
import type { Check } from "../processor.ts";
import type { StripeApi, StripeReply } from "./api.ts";
import { PAYMENTS } from "./find-payment.ts";
import { REFERENCE } from "./request-fields.ts";
import type { WholeSettings } from "./settings.ts";

const ACCOUNT = Type.Object({
  id: Type.String(),
  charges_enabled: Type.Boolean(),
  payouts_enabled: Type.Boolean(),
  details_submitted: Type.Boolean(),
});

/** In the order in which an operator mends them. */
export async function checkAccount(
  api: StripeApi,
  settings: WholeSettings,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const account = await api.get("/v1/account", {}, signal);
  const first = reach(account, settings);
  if (first.result === "wrong") return [first];
  const [payments, search, refunds, card] = await Promise.all([
    api.get(PAYMENTS, { limit: 1 }, signal),
    api.get(`${PAYMENTS}/search`, { query: `metadata['${REFERENCE}']:'none'`, limit: 1 }, signal),
    api.get("/v1/refunds", { limit: 1 }, signal),
    // Refused for its number that is none, or before that because numbers are not taken: nothing is created.
    api.post("/v1/payment_methods", NO_CARD, null, signal),
  ]);
  return [
    first,
    ofAccount(account),
    permission("payments", payments, "PaymentIntents: write"),
    permission("search of payments", search, "PaymentIntents: write (not for accounts in India)"),
    permission("refunds", refunds, "Charges and Refunds: write"),
    rawCards(card),
    webhooks(settings),
  ];
}

/** Fails the check digit, so that it is nobody's. */
const NO_CARD = { type: "card", card: { number: "4242424242424241", exp_month: 12, exp_year: 2099 } };

function reach(reply: StripeReply, { base_url, secret_key }: WholeSettings): Check {
  const what = "key";
  const mode = secret_key.includes("_live_") ? "live: sales move money" : "test: sales move no money";
  if (reply.kind === "ok" || /HTTP (403|404)/.test(whyOf(reply)))
    return { what, result: "ok", detail: `Stripe at ${base_url} takes secret_key (${mode})` };
  if (/HTTP 401/.test(whyOf(reply)))
    return { what, result: "wrong", detail: "Stripe does not know secret_key: copy it from Developers, API keys" };
  return { what, result: "wrong", detail: `Stripe at ${base_url} gives no answer: ${whyOf(reply)}` };
}

function ofAccount(reply: StripeReply): Check {
  const what = "account";
  if (reply.kind !== "ok") return { what, result: "unknown", detail: "the key may not read the account" };
  if (!fits(ACCOUNT, reply.body)) return { what, result: "unknown", detail: "the account cannot be read" };
  const { id, charges_enabled, payouts_enabled, details_submitted } = reply.body;
  if (!details_submitted)
    return { what, result: "wrong", detail: `${id} is not activated: finish it in the Dashboard` };
  if (!charges_enabled)
    return { what, result: "wrong", detail: `${id} may not take charges: see Settings, Account status` };
  return { what, result: "ok", detail: `${id} may take charges${payouts_enabled ? "" : ", and gets no payouts yet"}` };
}

function permission(what: string, reply: StripeReply, needed: string): Check {
  if (reply.kind === "ok")
    return { what, result: "ok", detail: "the key may read them; writing shows with the first charge" };
  return { what, result: "wrong", detail: `a restricted key needs ${needed}. Stripe says: ${whyOf(reply)}` };
}

/** https://support.stripe.com/questions/enabling-access-to-raw-card-data-apis */
function rawCards(reply: StripeReply): Check {
  const what = "card numbers";
  const why = whyOf(reply);
  if (reply.kind === "refused" && /number/.test(reply.error.code ?? ""))
    return { what, result: "ok", detail: "Stripe takes card numbers from this account" };
  if (/directly to the Stripe API/i.test(why))
    return {
      what,
      result: "wrong",
      detail: `ask Stripe's support for access to raw card data APIs. Stripe says: ${why}`,
    };
  return { what, result: "unknown", detail: why === "" ? "Stripe said nothing about it" : why };
}

const webhooks = ({ webhook_secret }: WholeSettings): Check =>
  webhook_secret === undefined
    ? { what: "webhooks", result: "wrong", detail: "webhook_secret is not set: late failures would not be heard of" }
    : { what: "webhooks", result: "unknown", detail: "webhook_secret is set; send a test event from the Dashboard" };

const whyOf = (reply: StripeReply): string => {
  if (reply.kind === "ok") return "";
  return reply.kind === "refused" ? (reply.error.message ?? reply.error.type) : reply.why;
};
