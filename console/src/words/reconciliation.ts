// Comparisons with processors' books and reports, in words. Pure.

import type { Reconciliation, ReconciliationFinding } from "../../../packages/client/src/openapi.ts";
import { dateOf } from "./dates.ts";
import type { StatusLabel } from "./status.ts";

const FINDINGS: Readonly<Record<ReconciliationFinding["finding"], string>> = {
  "missing-here": "Missing here",
  "missing-there": "Missing there",
  "other-operation": "Another operation",
  "other-amount": "Another amount",
  "other-currency": "Another currency",
  "other-outcome": "Another outcome",
  "booked-twice": "Booked twice",
  "reversal-refused": "Reversal refused",
  "settled-twice": "Settled twice",
  "reported-twice": "Reported twice",
  unbalanced: "Does not add up",
  "wrong-sum": "Line does not add up",
  "wrong-sign": "Wrong direction",
  unaccounted: "Unaccounted money",
  archived: "Archived payment",
  "unknown-dispute": "Unknown dispute",
  "dispute-of-no-payment": "Dispute of no payment",
  "dispute-exceeds-payment": "Dispute exceeds the payment",
  "dispute-doubled": "Disputed twice",
  "dispute-other-amount": "Dispute of another amount",
  "dispute-other-currency": "Dispute in another currency",
  "dispute-not-withdrawn": "Not withdrawn on record",
  "dispute-won-and-withdrawn": "Won, and withdrawn",
  "dispute-not-returned": "Not returned on record",
  "dispute-missing-there": "Dispute not in the report",
  pending: "No outcome yet",
  "not-closed": "Settled there, undone here",
  chargeback: "Moved by a dispute",
};

type Compared = Pick<Reconciliation, "source" | "day" | "payout" | "file">;

/** `Books of 15 May 2031`, `Payout po_1`, `Settlement report march.csv`: of what is known of it. */
export function comparedIn({ source, day, payout, file }: Compared): string {
  if (source === "books") return day === null ? "Books" : `Books of ${dateOf(day)}`;
  if (payout !== null) return `Payout ${payout}`;
  return ["Settlement report", file ?? (day === null ? "" : `up to ${dateOf(day)}`)].join(" ").trim();
}

export function statusOfRun({ counts: { differences, withheld } }: Pick<Reconciliation, "counts">): StatusLabel {
  if (differences === 0 && withheld > 0)
    return { word: `${withheld.toLocaleString("en")} for the operator`, tone: "info" };
  if (differences === 0) return { word: "No difference", tone: "good" };
  return {
    word: `${differences.toLocaleString("en")} ${differences === 1 ? "difference" : "differences"}`,
    tone: "bad",
  };
}

export const statusOfFinding = ({
  finding,
  difference,
}: Pick<ReconciliationFinding, "finding" | "difference">): StatusLabel => ({
  word: FINDINGS[finding],
  tone: difference ? "bad" : "info",
});
