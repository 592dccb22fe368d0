// What this host answers to a request, and what follows from it. Pure. It is told what Adyen documents: payments are answered at once,
// modifications are received and end by webhook.

import { cardNumber } from "../../src/payment/card.ts";
import { cardBrand } from "../../src/payment/card-brand.ts";
import type { Accounts, Payment } from "./accounts.ts";
import { DECIMALS } from "./currency.ts";
import type { Answer, Booked, Effect, Item } from "./entry.ts";

export interface Question {
  /** Below the API's version. */
  readonly path: string;
  readonly key: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Terms {
  readonly merchantAccount: string;
  /** Whether the credential may send full card numbers. */
  readonly rawCards: boolean;
  /** A challenge begins. @returns its name, and the address of its page */
  readonly challenge: (challenge: Challenge) => { readonly id: string; readonly url: string };
  /** What the payment comes to, by what the page gave the payer; undefined of what it did not give. */
  readonly ends: (redirectResult: string) => Decision | undefined;
  /** Cards that shoppers stored in Adyen's own fields, by their ids. */
  readonly stored: ReadonlyMap<string, StoredMethod>;
}

export interface Challenge {
  readonly returnUrl: string;
  readonly amount: Money;
  readonly reference: string;
  readonly passed: Decision;
  readonly refused: Decision;
}

export interface StoredMethod {
  readonly shopperReference: string;
  readonly number: string;
  readonly expiryMonth: string;
  /** Two digits. */
  readonly expiryYear: string;
}

export type Decision = Pick<Booked, "answer" | "effect" | "item">;

const error = (status: number, errorCode: string, message: string, errorType: string): Decision => ({
  answer: { status, body: { status, errorCode, message, errorType } },
  effect: null,
  item: null,
});

export function decide(accounts: Accounts, { path, body }: Question, terms: Terms, at: string): Decision {
  if (path.startsWith("/storedPaymentMethods?")) return storedMethods(path, terms);
  if (path !== "/payments/details" && body.merchantAccount !== terms.merchantAccount)
    return error(403, "901", "Invalid Merchant Account", "security");
  if (path === "/paymentMethods") return unbooked({ paymentMethods: [{ name: "Cards", type: "scheme" }] });
  if (path === "/payments") return decidePayment(accounts, body, terms, at);
  if (path === "/payments/details") return decideDetails(body, terms);
  if (path === "/cancels") return cancelByReference(accounts, body, at);
  const [, psp = "", what = ""] = /^\/payments\/([^/]+)\/(captures|cancels|refunds|reversals)$/.exec(path) ?? [];
  if (what === "") return error(404, "000", "Not Found", "validation");
  return modify(accounts, decodeURIComponent(psp), what, body, at);
}

const unbooked = (body: Answer["body"]): Decision => ({ answer: { status: 200, body }, effect: null, item: null });

function storedMethods(path: string, { stored, merchantAccount }: Terms): Decision {
  const query = new URLSearchParams(path.split("?")[1]);
  if (query.get("merchantAccount") !== merchantAccount)
    return error(403, "901", "Invalid Merchant Account", "security");
  const shopperReference = query.get("shopperReference") ?? "";
  const of = [...stored].filter(([, method]) => method.shopperReference === shopperReference);
  const storedPaymentMethods = of.map(([id, { number, expiryMonth, expiryYear }]) => ({
    ...{ id, type: "scheme", brand: number.startsWith("5") ? "mc" : "visa", lastFour: number.slice(-4) },
    ...{ expiryMonth, expiryYear, shopperReference, name: "Card" },
  }));
  return unbooked({ merchantAccount, shopperReference, storedPaymentMethods });
}

interface Card {
  readonly number?: string;
  readonly storedPaymentMethodId?: string;
}

/** Of a shopper who is there from the start, also after a restart: what a merchant's page stored long ago. */
export const KEPT_SHOPPER = "faregate-kept";
export const KEPT_CARDS = { approved: "8415000000000042", declined: "8415000000000051" } as const;

export const firstStored = (): Map<string, StoredMethod> =>
  new Map([
    [KEPT_CARDS.approved, keptCard("4111111111111111")],
    [KEPT_CARDS.declined, keptCard("4000000000000002")],
  ]);

const keptCard = (number: string): StoredMethod => ({
  ...{ shopperReference: KEPT_SHOPPER, number, expiryMonth: "12", expiryYear: "39" },
});

/** Of a card that is stored, the number that Adyen keeps; of another shopper's there is none. */
function numberOf(body: Question["body"], { stored }: Terms): string {
  const { number, storedPaymentMethodId } = body.paymentMethod as Card;
  if (storedPaymentMethodId === undefined) return number ?? "";
  const method = stored.get(storedPaymentMethodId);
  const fits = method?.shopperReference === body.shopperReference && body.recurringProcessingModel !== undefined;
  return fits ? (method?.number ?? "") : "";
}

/** By the card: refused, by the code of Adyen's own list. */
const REFUSED: Readonly<Record<string, readonly [string, string, string]>> = {
  "4000000000000002": ["2", "Refused", "05 : Do not honor"],
  "4000000000009995": ["12", "Not enough balance", "51 : Insufficient funds"],
  "4000000000000069": ["6", "Expired Card", "54 : Expired card"],
  "4000000000000127": ["24", "CVC Declined", "N7 : CVV mismatch"],
};
/** What has to be authenticated, by a link or by a form. */
const CHALLENGED: ReadonlySet<string> = new Set(["4000000000003220", "4000000000003238"]);
const BY_FORM = "4000000000003238";

function decidePayment(accounts: Accounts, body: Question["body"], terms: Terms, at: string): Decision {
  const number = numberOf(body, terms);
  const { number: raw } = body.paymentMethod as Card;
  const reference = String(body.reference);
  const amount = amountOf(body);
  if (!terms.rawCards && raw !== undefined) return error(403, "010", "Not allowed", "security");
  if (!/^\d{12,19}$/.test(number)) return error(422, "101", "Invalid card number", "validation");
  if (reference.length > 80) return error(422, "130", "Reference Missing", "validation");
  if (!DECIMALS.has(amount.currency)) return error(422, "138", "Unsupported currency specified", "validation");
  const psp = accounts.nextPspReference();
  const item = itemOf({ eventCode: "AUTHORISATION", psp, reference, amount, at, account: terms.merchantAccount });
  const [refusalReasonCode, refusalReason, refusalReasonRaw] = REFUSED[number] ?? [];
  if (refusalReasonCode && refusalReason && refusalReasonRaw) {
    const said = { resultCode: "Refused", refusalReason, refusalReasonCode, additionalData: { refusalReasonRaw } };
    return {
      answer: answered({ pspReference: psp, merchantReference: reference, ...said }),
      effect: null,
      item: { ...item, success: "false", reason: refusalReason },
    };
  }
  if (CHALLENGED.has(number)) return challenged(body, terms, { accounts, number, psp, reference, at });
  return authorised(body, { number, psp, reference, amount, item });
}

interface ToAuthorise {
  readonly number: string;
  readonly psp: string;
  readonly reference: string;
  readonly amount: Money;
  readonly item: Item;
}

function authorised(body: Question["body"], { number, psp, reference, amount, item }: ToAuthorise): Decision {
  const { authCode, additionalData } = resultsOf(body, psp);
  return {
    answer: answered({
      pspReference: psp,
      merchantReference: reference,
      amount,
      resultCode: "Authorised",
      additionalData,
    }),
    // A payment of nothing verifies its card.
    effect:
      amount.value === 0
        ? null
        : { ...{ kind: "payment", psp, reference, ...amount, captures: capturesOf(body) }, ...namesIn(body, number) },
    item: { ...item, reason: `${authCode}:${number.slice(-4)}:12/2030` },
  };
}

/** Where nobody is there to authenticate, the payment goes no further. */
function challenged(
  body: Question["body"],
  terms: Terms,
  {
    number,
    psp,
    reference,
    at,
  }: Omit<ToAuthorise, "amount" | "item"> & { readonly accounts: Accounts; readonly at: string },
): Decision {
  const { attemptAuthentication } = (body.authenticationData ?? {}) as { readonly attemptAuthentication?: string };
  if (attemptAuthentication === "never") return withoutEffect({ pspReference: psp, resultCode: "ChallengeShopper" });
  const amount = amountOf(body);
  const item = itemOf({ eventCode: "AUTHORISATION", psp, reference, amount, at, account: terms.merchantAccount });
  const refused = {
    answer: answered({
      ...{ pspReference: psp, merchantReference: reference, amount, resultCode: "Refused" },
      ...{ refusalReason: "3D Not Authenticated", refusalReasonCode: "11" },
    }),
    effect: null,
    item: { ...item, success: "false" as const, reason: "3D Not Authenticated" },
  };
  const passed = authorised(body, { number, psp, reference, amount, item });
  const method = number === BY_FORM ? "POST" : "GET";
  const { id, url } = terms.challenge({ returnUrl: String(body.returnUrl), amount, passed, refused, reference });
  const data = method === "POST" ? { MD: id, PaReq: "eNpVUdtuwjAM" } : undefined;
  const action = { type: "redirect", paymentMethodType: "scheme", method, url, ...(data && { data }) };
  return withoutEffect({ resultCode: "RedirectShopper", merchantReference: reference, action });
}

/** The result that the payer brings back. Asked again, it is the same. */
function decideDetails(body: Question["body"], { ends }: Terms): Decision {
  const { redirectResult = "" } = (body.details ?? {}) as { readonly redirectResult?: string };
  return ends(redirectResult) ?? error(422, "174", "Unable to decrypt data", "validation");
}

/** What reports show beside the reference. docs.adyen.com/payment-methods: Mastercard is `mc`. */
function namesIn({ merchantOrderReference }: Question["body"], number: string) {
  const brand = cardBrand(cardNumber(number));
  return { order: String(merchantOrderReference ?? ""), method: brand === "mastercard" ? "mc" : brand };
}

/** AVS where an address came, the CVC where one did. */
function resultsOf(body: Question["body"], psp: string) {
  const authCode = psp.slice(-6);
  const cvc = (body.paymentMethod as { readonly cvc?: string }).cvc;
  const additionalData = {
    authCode,
    networkTxReference: `MCC${psp.slice(-6)}0515`,
    ...(body.billingAddress !== undefined && { avsResult: "7 Both postal code and address match", avsResultRaw: "Y" }),
    ...(cvc !== undefined ? { cvcResult: "1 Matches", cvcResultRaw: "M" } : { cvcResult: "6 No CVC/CVV provided" }),
  };
  return { authCode, additionalData };
}

function capturesOf({ additionalData, captureDelayHours }: Question["body"]): "at once" | "later" | "by hand" {
  if ((additionalData as { readonly manualCapture?: string } | undefined)?.manualCapture === "true") return "by hand";
  return captureDelayHours === 0 ? "at once" : "later";
}

function modify(accounts: Accounts, psp: string, what: string, body: Question["body"], at: string): Decision {
  const payment = accounts.payment(psp);
  const own = accounts.nextPspReference();
  const account = String(body.merchantAccount);
  const reference = String(body.reference);
  const amount = body.amount === undefined ? moneyOf(payment) : amountOf(body);
  const done = payment === undefined ? no("Original payment not found") : outcomeOf(payment, what, amount.value);
  const eventCode = EVENT_CODES[what] ?? "";
  const item = itemOf({ eventCode, psp: own, original: psp, reference, amount, at, account });
  const received = {
    merchantAccount: account,
    paymentPspReference: psp,
    pspReference: own,
    reference,
    status: "received",
  };
  return {
    answer: { status: 201, body: { ...received, ...(body.amount !== undefined && { amount }) } },
    effect: done.effect,
    item: { ...item, success: done.effect ? "true" : "false", reason: done.reason },
  };
}

const EVENT_CODES: Readonly<Record<string, string>> = {
  captures: "CAPTURE",
  cancels: "CANCELLATION",
  refunds: "REFUND",
  reversals: "CANCEL_OR_REFUND",
};

interface Outcome {
  readonly effect: Effect | null;
  readonly reason: string;
}
const no = (reason: string): Outcome => ({ effect: null, reason });
const yes = (effect: Effect): Outcome => ({ effect, reason: "" });

function outcomeOf(payment: Payment, what: string, value: number): Outcome {
  if (payment.cancelled) return no("Payment has been cancelled");
  const { psp, captured } = payment;
  const left = captured - payment.refunded;
  switch (what) {
    case "captures":
      if (captured + value > payment.value) return no("Insufficient balance on payment");
      return yes({ kind: "capture", payment: psp, value });
    case "refunds":
      if (captured === 0) return no("Transaction hasn't been captured, refund not possible");
      return value > left ? no("Insufficient balance on payment") : yes({ kind: "refund", payment: psp, value });
    case "cancels":
      return captured > 0 ? no("Payment has been captured") : yes({ kind: "cancel", payment: psp });
    default:
      if (captured === 0) return yes({ kind: "cancel", payment: psp });
      // API reference, /reversals: "The reversed amount is always the full payment amount."
      return left < payment.value
        ? no("Insufficient balance on payment")
        : yes({ kind: "refund", payment: psp, value: left });
  }
}

/** The same again succeeds again: nothing of it is held. */
function cancelByReference(accounts: Accounts, body: Question["body"], at: string): Decision {
  const reference = String(body.paymentReference);
  const account = String(body.merchantAccount);
  const payment = accounts.paymentOf(reference);
  const psp = accounts.nextPspReference();
  const effect: Effect | null =
    payment && payment.captured === 0 && !payment.cancelled ? { kind: "cancel", payment: payment.psp } : null;
  const item = itemOf({ eventCode: "TECHNICAL_CANCEL", psp, reference, amount: moneyOf(payment), at, account });
  const success = payment && (effect !== null || payment.cancelled) ? "true" : "false";
  const reason =
    payment === undefined ? "Original payment not found" : success === "true" ? "" : "Payment has been captured";
  return {
    answer: {
      status: 201,
      body: { merchantAccount: account, paymentReference: reference, pspReference: psp, status: "received" },
    },
    effect,
    item: { ...item, success, reason, ...(payment && { originalReference: payment.psp }) },
  };
}

const answered = (body: Answer["body"]): Answer => ({ status: 200, body });
const withoutEffect = (body: Answer["body"]): Decision => ({ answer: answered(body), effect: null, item: null });

type Money = { readonly value: number; readonly currency: string };
const amountOf = ({ amount }: Question["body"]): Money => amount as Money;
const moneyOf = (payment: Payment | undefined): Money => ({
  value: payment?.value ?? 0,
  currency: payment?.currency ?? "EUR",
});

interface Told {
  readonly eventCode: string;
  readonly psp: string;
  readonly original?: string;
  readonly reference: string;
  readonly amount: Money;
  readonly at: string;
  readonly account: string;
}

const itemOf = ({ eventCode, psp, original, reference, amount, at, account }: Told): Item => ({
  eventCode,
  success: "true",
  pspReference: psp,
  ...(original !== undefined && { originalReference: original }),
  merchantReference: reference,
  merchantAccountCode: account,
  amount: { value: amount.value, currency: amount.currency },
  eventDate: at,
  reason: "",
  additionalData: {},
});
