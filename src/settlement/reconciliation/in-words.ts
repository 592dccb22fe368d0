// What a finding says, in a sentence for people. Pure.

import type { Here, KeptFinding, There } from "./kept-finding.ts";
import type { RECONCILED_WITH } from "./run.ts";

type Source = (typeof RECONCILED_WITH)[number];

/** One sentence, with both sides where there are two. */
export function inWords({ kind, operation, here, there }: KeptFinding, source: Source): string {
  const the = source === "books" ? "The books" : "The report";
  const has = source === "books" ? "have" : "has";
  const line = there?.line == null ? "" : ` (line ${there.line})`;
  const code = there?.code == null ? "" : ` with code ${there.code}`;
  switch (kind) {
    case "missing-here":
      return `${the} ${has} ${named(operation)} of ${money(there)}${line} that the gateway does not have.`;
    case "missing-there":
      return `${the} ${has} no line for this ${operation} of ${money(here)}, ${ended(here)} here.`;
    case "other-operation":
      return `${the} ${has} this as ${named(operation)}${line}; here it is ${named(here?.operation ?? "")}.`;
    case "other-amount":
    case "other-currency":
      return `${the} ${has} ${money(there)} for this ${operation}${line}; here it is ${money(here)}.`;
    case "other-outcome":
      return there === null
        ? `This ${operation} of ${money(here)} was taken back here. ${the} ${has} it, and not that it was taken back.`
        : `${the} ${has} this ${operation} of ${money(there)}${code}${line}; it was ${ended(here)} here.`;
    case "booked-twice":
    case "settled-twice":
      return `${the} ${has} a second line for the same ${operation} of ${money(there)}${line}.`;
    case "reported-twice":
      return `The same line of ${money(there)} stands there again${line}. It is left out of the sums.`;
    case "unbalanced":
      return `${there?.batch_id == null ? "The lines" : `The lines of batch ${there.batch_id}`} leave ${money(there)} instead of nothing: lines are missing, or the payout is.`;
    case "wrong-sum":
      return `The line of ${money(there)}${line} does not add up: its fees do not explain ${net(there)} net.`;
    case "wrong-sign":
      return `The line of ${money(there)}${line} moves money in the wrong direction: ${net(there)} net is no ${operation}.`;
    case "unaccounted":
      return `The report has ${named(operation)} of ${net(there)}${line}, which is about no payment, fee, payout or reserve.`;
    case "archived":
      return `${the} ${has} ${named(operation)} of ${money(there)}${line} of a payment that is archived: it was not compared.`;
    case "unknown-dispute":
      return `${disputed(there)} ${money(there)}${line}, and no such dispute is on record.`;
    case "dispute-of-no-payment":
      return `${disputed(there)} ${money(there)}${line} of a payment that the gateway does not have.`;
    case "dispute-exceeds-payment":
      return `${disputed(there)} ${money(there)}${line}, which is more than was captured of this payment.`;
    case "dispute-doubled":
      return `${disputed(there)} ${money(there)}${line} once more than is on record.`;
    case "dispute-other-amount":
      return `${disputed(there)} ${money(there)}${line}; on record it moved another amount, and ${money(here)} is withdrawn.`;
    case "dispute-other-currency":
      return `${disputed(there)} ${money(there)}${line}; on record it is in ${here?.currency ?? "another currency"}.`;
    case "dispute-not-withdrawn":
      return `${disputed(there)} ${money(there)}${line}; on record nothing was withdrawn.`;
    case "dispute-won-and-withdrawn":
      return `${disputed(there)} ${money(there)}${line}; on record the dispute was won, and the money is not back.`;
    case "dispute-not-returned":
      return `${disputed(there)} ${money(there)}${line}; on record nothing was given back.`;
    case "dispute-missing-there":
      return `On record a dispute ${operation === "chargeback" ? "took" : "gave back"} ${money(here)} on this day, and ${the.toLowerCase()} ${has} no line for it.`;
    case "pending":
      return `The gateway does not know yet how this ${here?.operation ?? operation} of ${money(here ?? there)} ended.${there === null ? "" : ` ${the} ${has} ${named(operation)} of ${money(there)}${code}${line}.`}`;
    case "reversal-refused":
      return `${the} ${has} this ${here?.operation ?? "charge"} of ${money(here)}, and its reversal was refused${code}${line}: its money is held or taken, though it failed here.`;
    case "not-closed":
      return `This ${here?.operation ?? operation} of ${money(there)} was settled there${line} and undone here. Another report has to take it back.`;
    case "chargeback":
      return `${disputed(there)} ${money(there)}${line}.`;
  }
}

const money = (side: Here | There | null): string =>
  side === null ? "nothing" : `${side.amount.replace(/^-/, "")} ${side.currency}`;

/** With its sign. */
const net = (there: There | null): string =>
  there === null ? "nothing" : `${there.net ?? there.amount} ${there.net_currency ?? there.currency}`;

const disputed = (there: There | null): string => `A dispute ${there?.amount.startsWith("-") ? "took" : "gave back"}`;

const named = (operation: string): string => `${/^[aeiou]/i.test(operation) ? "an" : "a"} ${operation}`;

function ended(here: Here | null): string {
  switch (here?.outcome) {
    case undefined:
    case null:
      return "not answered yet";
    case "approved":
      return "approved";
    case "declined":
    case "already-settled":
      return "declined";
    case "not-sent":
      return "not sent";
    case "unanswered":
      return "not answered";
    case "failed-after-all":
      return "failed later";
  }
}
