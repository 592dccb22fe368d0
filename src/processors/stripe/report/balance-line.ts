// A balance transaction of Stripe's as a line of a report: checked as it comes, and held against Stripe's own types.
// https://docs.stripe.com/api/balance_transactions/object, https://docs.stripe.com/reports/balance-transaction-types

import type Stripe from "stripe";
import { type Static, Type } from "typebox";
import { Check } from "typebox/value";
import { isUuid } from "../../../uuid.ts";
import type { BrokenLine } from "../../books.ts";
import { parseRate } from "../../exact-amount.ts";
import type { Reported, ReportLine } from "../../settlement-report.ts";
import { exactOfStripeUnits } from "../currency.ts";
import { BALANCE_TRANSACTION_ID } from "../objects.ts";
import { REFERENCE, REVERSAL_OF, TRANSACTION } from "../request-fields.ts";

/** A charge or a refund as far as it is read. Other sources may have anything under these names. */
const SOURCE = Type.Object({ id: Type.String(), object: Type.String() });

const BALANCE_TRANSACTION = Type.Object({
  id: Type.String({ pattern: BALANCE_TRANSACTION_ID }),
  object: Type.Literal("balance_transaction"),
  amount: Type.Integer(),
  fee: Type.Integer(),
  net: Type.Integer(),
  currency: Type.String({ pattern: "^[a-z]{3}$" }),
  type: Type.String({ pattern: "^[a-z_]{1,60}$" }),
  reporting_category: Type.String({ pattern: "^[a-z_]{1,60}$" }),
  exchange_rate: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  source: Type.Union([Type.Null(), Type.String(), SOURCE]),
});
type BalanceTransaction = Static<typeof BALANCE_TRANSACTION>;

/** Compiles as long as all that Stripe's types describe can be read as this. */
type Reads<Ours, Theirs extends Ours> = Theirs;
export type Held = Reads<Omit<BalanceTransaction, "source">, Stripe.BalanceTransaction>;

const TYPES: Readonly<Record<string, Reported>> = {
  charge: "captured",
  payment: "captured",
  refund: "refunded",
  payment_refund: "refunded",
  refund_failure: "undone",
  payment_failure_refund: "capture-failed",
  payment_reversal: "capture-failed",
  stripe_fee: "fee",
  stripe_fx_fee: "fee",
  tax_fee: "fee",
  payout: "payout",
  payout_cancel: "payout",
  payout_failure: "payout",
  reserve_transaction: "reserve",
  reserved_funds: "reserve",
  reserve_hold: "reserve",
  reserve_release: "reserve",
  payment_network_reserve_hold: "reserve",
  payment_network_reserve_release: "reserve",
  payout_minimum_balance_hold: "reserve",
  payout_minimum_balance_release: "reserve",
};

/** Disputes are adjustments by their type, and what was not captured a refund. https://docs.stripe.com/reports/reporting-categories */
const CATEGORIES: Readonly<Record<string, Reported>> = {
  partial_capture_reversal: "released",
  dispute: "chargeback",
  dispute_reversal: "chargeback-reversed",
  refund_failure: "undone",
  charge_failure: "capture-failed",
  fee: "fee",
};

/** @param batch the payout that was asked for */
export function balanceLine(given: unknown, line: number, batch: string | null): ReportLine | BrokenLine {
  if (!Check(BALANCE_TRANSACTION, given)) return { line, fault: "it is no balance transaction as Stripe describes it" };
  const { id, amount, fee, net, type, reporting_category } = given;
  const netCurrency = given.currency.toUpperCase();
  const inBalance = exactOfStripeUnits(amount, netCurrency);
  const exactNet = exactOfStripeUnits(net, netCurrency);
  if (inBalance === undefined || exactNet === undefined)
    return { line, fault: `${id} has an amount or a currency that is not counted` };
  if (net !== amount - fee) return { line, fault: `${id} has a net amount that is not its amount less its fee` };
  const kind = CATEGORIES[reporting_category] ?? TYPES[type] ?? "other";
  const asked = askedFor(given, netCurrency) ?? { gross: inBalance, currency: netCurrency };
  const exactFee = exactOfStripeUnits(fee, netCurrency);
  const rate = rateOf(given.exchange_rate, asked.currency, netCurrency);
  const dispute = disputeOf(given.source);
  return {
    ...{ line, kind, id, batch, netCurrency, net: exactNet },
    said: type,
    about: aboutOf(given.source) ?? (REFUNDS.includes(kind) ? aboutChargeOf(given.source) : null),
    ...(REFUNDS.includes(kind) && refundIn(given.source)),
    ...asked,
    ...(OF_PAYMENTS.includes(kind) && exactFee !== undefined && { fee: exactFee }),
    ...(asked.currency !== netCurrency && { converted: inBalance, ...(rate && { rate }) }),
    ...(DISPUTED.includes(kind) && dispute !== undefined && { dispute }),
  };
}

const OF_PAYMENTS: readonly Reported[] = [
  ...["captured", "released", "refunded", "undone", "capture-failed", "chargeback", "chargeback-reversed"],
] as const satisfies readonly Reported[];
const DISPUTED: readonly Reported[] = ["chargeback", "chargeback-reversed"];
const REFUNDS: readonly Reported[] = ["refunded", "undone"];

/** Of smallest units, or of major ones? Where they differ in size, Stripe does not say. */
function rateOf(rate: number | null | undefined, currency: string, netCurrency: string) {
  const alike = exactOfStripeUnits(1, currency) === exactOfStripeUnits(1, netCurrency);
  return alike ? parseRate(String(rate ?? "")) : undefined;
}

const DISPUTE = Type.String({ pattern: "^(du|dp)_[0-9A-Za-z_]{1,200}$" });

/** Expanded or not. */
function disputeOf(source: unknown): string | undefined {
  const id = typeof source === "object" && source !== null && "id" in source ? source.id : source;
  return Check(DISPUTE, id) ? id : undefined;
}

const MONEY = Type.Object({ currency: Type.String({ pattern: "^[a-z]{3}$" }), amount: Type.Integer({ minimum: 0 }) });
const CAPTURED = Type.Object({ amount_captured: Type.Integer({ minimum: 0 }) });

/** Where the account is paid out in another currency, what was asked for stands in the charge or refund. */
function askedFor(
  { amount, source }: BalanceTransaction,
  netCurrency: string,
): Pick<ReportLine, "gross" | "booked" | "currency"> | undefined {
  if (!Check(MONEY, source)) return undefined;
  const currency = source.currency.toUpperCase();
  const captured = Check(CAPTURED, source) ? source.amount_captured : source.amount;
  const units = exactOfStripeUnits(captured, currency);
  if (units === undefined) return undefined;
  if (currency !== netCurrency) return { gross: amount < 0 ? -units : units, currency };
  // "If [...] you capture an amount less than the initial authorization, you see two balance transactions: one for the full amount of
  // the authorization, and another reversing the uncaptured portion": the reporting categories, as above.
  if (amount !== source.amount || captured >= amount) return undefined;
  const booked = exactOfStripeUnits(amount, currency);
  return booked === undefined ? undefined : { gross: units, booked, currency };
}

const NAMED = Type.Object({ metadata: Type.Record(Type.String(), Type.String()) });

/** A charge has the metadata of its payment (https://docs.stripe.com/metadata): it names the charge, and no capture of it. */
function aboutOf(source: unknown): ReportLine["about"] {
  if (!Check(NAMED, source)) return null;
  const { [TRANSACTION]: transactionId = "", [REFERENCE]: reference, [REVERSAL_OF]: reversed } = source.metadata;
  const eventId = reference ?? reversed ?? "";
  return isUuid(transactionId) && isUuid(eventId)
    ? { transactionId: transactionId.toLowerCase(), eventId: eventId.toLowerCase() }
    : null;
}

const REFUND = Type.Object({
  object: Type.Literal("refund"),
  id: Type.String({ pattern: "^(re|pyr)_[0-9A-Za-z_]{1,200}$" }),
});
const OF_CHARGE = Type.Object({ object: Type.Literal("refund"), charge: Type.Unknown() });

const refundIn = (source: unknown): Pick<ReportLine, "operation"> =>
  Check(REFUND, source) ? { operation: source.id } : {};

/** A refund that was made in the dashboard has no names of ours, and its charge has. */
const aboutChargeOf = (source: unknown): ReportLine["about"] =>
  Check(OF_CHARGE, source) ? aboutOf(source.charge) : null;
