// The host's settlement details report: a line for each capture and refund that was not paid out yet, and the batch's payout.
// docs.adyen.com/reporting/settlement-reconciliation/transaction-level/settlement-details-report

import { inMajorUnits } from "./currency.ts";
import type { Effect, Item } from "./entry.ts";

/** What the item of a webhook about a dispute moves. */
const DISPUTED = {
  CHARGEBACK: "Chargeback",
  SECOND_CHARGEBACK: "SecondChargeback",
  CHARGEBACK_REVERSED: "ChargebackReversed",
} as const;

export interface Settling {
  readonly type: "Settled" | "Refunded" | (typeof DISPUTED)[keyof typeof DISPUTED];
  readonly psp: string;
  /** Of the payment, as the merchant gave it. */
  readonly reference: string;
  readonly order?: string | undefined;
  readonly method?: string | undefined;
  readonly modification: string;
  /** Of the capture or refund, as the merchant gave it; empty where the host captured by itself. */
  readonly modificationReference: string;
  readonly value: number;
  readonly currency: string;
  readonly at: string;
}

interface Settled {
  readonly psp: string;
  readonly reference: string;
  readonly order?: string;
  readonly method?: string;
  readonly currency: string;
}

/** What an effect adds to the open batch, if anything. */
export function settlingOf(effect: Effect, item: Item | null, payment: Settled, at: string): Settling | undefined {
  if (effect.kind !== "capture" && effect.kind !== "refund") return undefined;
  return {
    type: effect.kind === "capture" ? "Settled" : "Refunded",
    ...{ psp: payment.psp, reference: payment.reference, order: payment.order, method: payment.method },
    ...{ currency: payment.currency, at },
    modification: item?.pspReference ?? "",
    modificationReference: item?.merchantReference ?? "",
    value: effect.value,
  };
}

/** What a dispute adds to the open batch, if anything. */
export function settlingOfDispute(
  { eventCode, pspReference, amount }: Item,
  payment: Settled,
  at: string,
): Settling | undefined {
  const type = DISPUTED[eventCode as keyof typeof DISPUTED];
  if (type === undefined) return undefined;
  const { psp, reference } = payment;
  return { ...{ type, psp, reference, at, modification: pspReference, modificationReference: "" }, ...amount };
}

/** What the host captured of its own accord. */
export const capturedAlone = (
  { psp, reference, order, method, currency }: Settled,
  value: number,
  at: string,
): Settling => ({
  ...{ type: "Settled", psp, reference, order, method, currency, at, value },
  modification: `${psp.slice(0, 15)}C`,
  modificationReference: "",
});

const COLUMNS = [
  ...["Company Account", "Merchant Account", "Psp Reference", "Merchant Reference", "Payment Method", "Creation Date"],
  ...["TimeZone", "Type", "Modification Reference", "Gross Currency", "Gross Debit (GC)", "Gross Credit (GC)"],
  ...["Exchange Rate", "Net Currency", "Net Debit (NC)", "Net Credit (NC)", "Commission (NC)", "Markup (NC)"],
  ...["Scheme Fees (NC)", "Interchange (NC)", "Payment Method Variant", "Modification Merchant Reference"],
  ...["Batch Number", "Merchant Order Reference"],
] as const;
type Fields = Readonly<Partial<Record<(typeof COLUMNS)[number], string>>>;

/** Each currency is paid out by itself. */
export function settlementReport(account: string, batch: number, settling: readonly Settling[]): string {
  const currencies = [...new Set(settling.map(({ currency }) => currency))];
  const rows = currencies.flatMap((currency) =>
    rowsOf(
      settling.filter((one) => one.currency === currency),
      currency,
    ),
  );
  const all = rows.map((row) => ({
    ...row,
    ...{
      "Company Account": "TestCompany",
      "Merchant Account": account,
      TimeZone: "UTC",
      "Batch Number": String(batch),
    },
  }));
  return [COLUMNS.join(","), ...all.map((row: Fields) => COLUMNS.map((name) => row[name] ?? "").join(",")), ""].join(
    "\n",
  );
}

function rowsOf(settling: readonly Settling[], currency: string): readonly Fields[] {
  const paid = settling.reduce((sum, one) => sum + signed(one) - feeOf(one), 0);
  const own = { "Creation Date": timeOf(settling[0]?.at ?? ""), "Net Currency": currency };
  const fee = { Type: "Fee", "Modification Reference": "Transaction Fees", ...columnOf("Net", -FEE, currency) };
  return [
    ...settling.map(movement),
    { ...own, ...fee },
    { ...own, Type: "MerchantPayout", ...columnOf("Net", -(paid - FEE), currency) },
  ];
}

/** In minor units. */
const FEE = 25;
const DISPUTE_FEE = 1_500;
const feeOf = ({ type, value }: Settling): number => {
  if (type === "Settled") return Math.round(value / 100);
  return type === "Chargeback" || type === "SecondChargeback" ? DISPUTE_FEE : 0;
};
const signed = ({ type, value }: Settling): number =>
  type === "Settled" || type === "ChargebackReversed" ? value : -value;

function movement(one: Settling): Fields {
  const { type, psp, reference, order = "", method = "", modification, modificationReference, currency, at } = one;
  const fee = feeOf(one);
  return {
    "Psp Reference": psp,
    "Merchant Reference": reference,
    "Merchant Order Reference": `"${order.replaceAll('"', '""')}"`,
    "Payment Method": method,
    "Creation Date": timeOf(at),
    Type: type,
    "Modification Reference": modification,
    "Gross Currency": currency,
    ...columnOf("Gross", signed(one), currency),
    "Exchange Rate": "1",
    "Net Currency": currency,
    ...columnOf("Net", signed(one) - fee, currency),
    "Commission (NC)": inMajorUnits(fee, currency),
    "Modification Merchant Reference": modificationReference,
  };
}

const timeOf = (at: string): string => at.slice(0, 19).replace("T", " ");

function columnOf(what: "Gross" | "Net", minor: number, currency: string): Fields {
  const unit = what === "Gross" ? "GC" : "NC";
  const column = `${what} ${minor < 0 ? "Debit" : "Credit"} (${unit})` as keyof Fields;
  return { [column]: inMajorUnits(Math.abs(minor), currency) };
}
