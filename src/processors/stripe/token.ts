// What Stripe says of a card that it keeps: a payment method (`pm_…`) that is attached to a customer (`cus_…`), as Stripe's own fields in the
// merchant's page make it. https://docs.stripe.com/api/payment_methods/retrieve

import { CARD_BRANDS, type CardBrand } from "../../payment/card-brand.ts";
import type { KeptToken } from "../../payment/instrument.ts";
import type { TokenAnswer } from "../processor.ts";
import type { StripeApi } from "./api.ts";
import { keptMethodOf } from "./objects.ts";

/** Stripe's ids; what is no such id names another path of its API. */
const METHOD = /^pm_[0-9A-Za-z_]{1,200}$/;
const CUSTOMER = /^cus_[0-9A-Za-z_]{1,200}$/;

export async function describeToken(
  api: StripeApi,
  { token, customer }: KeptToken,
  signal: AbortSignal,
): Promise<TokenAnswer> {
  const id = token.reveal();
  if (!METHOD.test(id)) return wrong("a payment method's id begins with pm_");
  if (customer !== undefined && !CUSTOMER.test(customer))
    return { kind: "wrong", field: "processor_customer", why: "a customer's id begins with cus_" };
  const reply = await api.get(`/v1/payment_methods/${id}`, {}, signal);
  if (reply.kind === "refused" || (reply.kind === "not-sent" && "missing" in reply)) return wrong("there is none");
  if (reply.kind !== "ok") return { kind: reply.kind, why: reply.why };
  const method = keptMethodOf(reply.body);
  if (method === undefined || method.id !== id) return wrong("it is no card");
  const owner = typeof method.customer === "object" ? method.customer?.id : method.customer;
  // One that is attached to nobody can be charged once: https://docs.stripe.com/api/payment_methods/attach
  if (owner === undefined) return { kind: "wrong", field: "processor_customer", why: "it is attached to no customer" };
  if (customer !== undefined && customer !== owner)
    return { kind: "wrong", field: "processor_customer", why: "it is attached to another customer" };
  const { brand, last4, exp_month, exp_year, iin } = method.card;
  return {
    kind: "described",
    customer: owner,
    card: {
      brand: brandOf(brand),
      lastFour: last4,
      expiryMonth: String(exp_month).padStart(2, "0"),
      expiryYear: String(exp_year),
      ...(typeof iin === "string" && /^\d{6,8}$/.test(iin) && { firstSix: iin.slice(0, 6) }),
    },
  };
}

const wrong = (why: string): TokenAnswer => ({ kind: "wrong", field: "processor_token", why });

const brandOf = (brand: string): CardBrand => CARD_BRANDS.find((known) => known === brand) ?? "unknown";
