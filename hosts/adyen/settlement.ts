// The host's settlement details report: a line for each capture and refund that was not paid out yet, and the batch's payout.
// docs.adyen.com/reporting/settlement-reconciliation/transaction-level/settlement-details-report

import type { Effect, Item } from "./entry.ts";

export interface Settling {
  readonly type: "Settled" | "Refunded";
  readonly psp: string;
  /** Of the payment, as the merchant gave it. */
  readonly reference: string;
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
  readonly currency: string;
}

/** What an effect adds to the open batch, if anything. */
export function settlingOf(effect: Effect, item: Item | null, payment: Settled, at: string): Settling | undefined {
  if (effect.kind !== "capture" && effect.kind !== "refund") return undefined;
  return {
    type: effect.kind === "capture" ? "Settled" : "Refunded",
    ...{ psp: payment.psp, reference: payment.reference, currency: payment.currency, at },
    modification: item?.pspReference ?? "",
    modificationReference: item?.merchantReference ?? "",
    value: effect.value,
  };
}

/** What the host captured of its own accord. */
export const capturedAlone = ({ psp, reference, currency }: Settled, value: number, at: string): Settling => ({
  ...{ type: "Settled", psp, reference, currency, at, value },
  modification: `${psp.slice(0, 15)}C`,
  modificationReference: "",
});

const COLUMNS = [
  ...["Company Account", "Merchant Account", "Psp Reference", "Merchant Reference", "Payment Method", "Creation Date"],
  ...["TimeZone", "Type", "Modification Reference", "Gross Currency", "Gross Debit (GC)", "Gross Credit (GC)"],
  ...["Exchange Rate", "Net Currency", "Net Debit (NC)", "Net Credit (NC)", "Commission (NC)", "Markup (NC)"],
  ...["Scheme Fees (NC)", "Interchange (NC)", "Payment Method Variant", "Modification Merchant Reference"],
  "Batch Number",
] as const;
type Fields = Readonly<Partial<Record<(typeof COLUMNS)[number], string>>>;

/** In one currency with two decimals. */
export function settlementReport(account: string, batch: number, settling: readonly Settling[]): string {
  const rows: Fields[] = settling.map((one) => ({ ...movement(one), "Merchant Account": account }));
  const paid = settling.reduce((sum, { type, value }) => sum + (type === "Settled" ? value - feeOf(value) : -value), 0);
  const [{ currency = "EUR", at = "" } = {}] = settling;
  const own = { "Merchant Account": account, "Creation Date": timeOf(at), "Net Currency": currency };
  rows.push({ ...own, Type: "Fee", "Modification Reference": "Transaction Fees", "Net Debit (NC)": decimal(FEE) });
  rows.push({ ...own, Type: "MerchantPayout", ...columnOf("Net", -(paid - FEE)) });
  const all = rows.map((row) => ({
    ...row,
    "Company Account": "TestCompany",
    TimeZone: "UTC",
    "Batch Number": String(batch),
  }));
  return [COLUMNS.join(","), ...all.map((row: Fields) => COLUMNS.map((name) => row[name] ?? "").join(",")), ""].join(
    "\n",
  );
}

const FEE = 25;
const feeOf = (value: number): number => Math.round(value / 100);

function movement({
  type,
  psp,
  reference,
  modification,
  modificationReference,
  value,
  currency,
  at,
}: Settling): Fields {
  const signed = type === "Settled" ? value : -value;
  const fee = type === "Settled" ? feeOf(value) : 0;
  return {
    "Psp Reference": psp,
    "Merchant Reference": reference,
    "Creation Date": timeOf(at),
    Type: type,
    "Modification Reference": modification,
    "Gross Currency": currency,
    ...columnOf("Gross", signed),
    "Net Currency": currency,
    ...columnOf("Net", signed - fee),
    "Commission (NC)": decimal(fee),
    "Modification Merchant Reference": modificationReference,
  };
}

const timeOf = (at: string): string => at.slice(0, 19).replace("T", " ");
const decimal = (minor: number): string => (minor / 100).toFixed(2);

function columnOf(what: "Gross" | "Net", signed: number): Fields {
  const unit = what === "Gross" ? "GC" : "NC";
  const column = `${what} ${signed < 0 ? "Debit" : "Credit"} (${unit})` as keyof Fields;
  return { [column]: decimal(Math.abs(signed)) };
}
