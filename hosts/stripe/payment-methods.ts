// Cards on their way into a payment (PaymentMethods): https://docs.stripe.com/api/payment_methods/create. Their numbers are in this
// process' memory only, so after a restart the host knows none of them.

import { countryOf } from "../../src/payment/country.ts";
import { type Answer, fault, invalid, ok } from "./answer.ts";
import { wrongWith } from "./cards.ts";
import { type Fields, numberAt, textAt } from "./form.ts";
import { newId } from "./new-id.ts";

export interface PaymentMethod {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly hasCvc: boolean;
  readonly hasStreet: boolean;
  readonly hasPostalCode: boolean;
  readonly expiry: readonly [month: number, year: number];
  /** That it is attached to. */
  readonly customer?: string;
}

export type PaymentMethods = Map<string, PaymentMethod>;

/** Of a customer who is there from the start, also after a restart: what a merchant's page made long ago. */
export const KEPT_CUSTOMER = "cus_faregateKept";
export const KEPT_METHODS = { approved: "pm_faregateApproved", declined: "pm_faregateDeclined" } as const;

export const firstMethods = (): PaymentMethods =>
  new Map([
    [KEPT_METHODS.approved, keptMethod("4242424242424242")],
    [KEPT_METHODS.declined, keptMethod("4000000000000002")],
  ]);

const keptMethod = (number: string): PaymentMethod => ({
  ...{ number, expMonth: 12, expYear: 2039, expiry: [12, 2039], customer: KEPT_CUSTOMER },
  ...{ hasCvc: false, hasStreet: false, hasPostalCode: false },
});

/** The oldest are forgotten. */
const MOST_KEPT = 10_000;

export function createPaymentMethod(
  fields: Fields,
  now: Date,
  { takesCardNumbers, methods }: { readonly takesCardNumbers: boolean; readonly methods: PaymentMethods },
): Answer {
  if (!takesCardNumbers) return RAW_CARDS;
  const number = textAt(fields, "card", "number") ?? "";
  const [month, year] = ["exp_month", "exp_year"].map((name) => numberAt(fields, "card", name) ?? 0) as [
    number,
    number,
  ];
  const wrong = wrongWith(number, month, year, now);
  if (wrong !== null) return { ...fault(402, "card_error", wrong, "Your card is not valid."), kept: true };
  const email = textAt(fields, "billing_details", "email");
  if (email !== undefined && !/^[!-~]+@[!-~]+\.[!-~]+$/.test(email))
    return invalid(`Invalid email address: ${email}`, "email_invalid");
  const country = textAt(fields, "billing_details", "address", "country");
  if (country !== undefined && countryOf(country) === undefined) return invalid(`Country '${country}' is unknown.`);
  const id = newId("pm");
  const address = (name: string) => textAt(fields, "billing_details", "address", name) !== undefined;
  methods.set(id, {
    ...{ number, expMonth: month, expYear: year },
    hasCvc: textAt(fields, "card", "cvc") !== undefined,
    hasStreet: address("line1"),
    hasPostalCode: address("postal_code"),
    expiry: [month, year],
  });
  const [oldest] = methods.keys();
  if (methods.size > MOST_KEPT && oldest !== undefined) methods.delete(oldest);
  return ok({ id, object: "payment_method", type: "card", customer: null, card: { last4: number.slice(-4) } });
}

/** https://docs.stripe.com/api/payment_methods/attach */
export function attachPaymentMethod(methods: PaymentMethods, id: string, fields: Fields): Answer {
  const method = methods.get(id);
  const customer = textAt(fields, "customer");
  if (method === undefined) return noMethod(id);
  if (customer === undefined) return invalid("Missing required param: customer.");
  methods.set(id, { ...method, customer });
  return ok(methodBody(id, { ...method, customer }));
}

export function lookPaymentMethod(methods: PaymentMethods, id: string): Answer {
  const method = methods.get(id);
  return method === undefined ? noMethod(id) : ok(methodBody(id, method));
}

const methodBody = (id: string, { number, expiry: [exp_month, exp_year], customer }: PaymentMethod) => ({
  ...{ id, object: "payment_method", type: "card", customer: customer ?? null },
  card: { brand: number.startsWith("5") ? "mastercard" : "visa", last4: number.slice(-4), exp_month, exp_year },
});

export const noMethod = (id: string): Answer =>
  fault(404, "invalid_request_error", "resource_missing", `No such PaymentMethod: '${id}'`);

/** https://support.stripe.com/questions/enabling-access-to-raw-card-data-apis */
const RAW_CARDS: Answer = fault(
  402,
  "invalid_request_error",
  undefined,
  "Sending credit card numbers directly to the Stripe API is generally unsafe.",
);
