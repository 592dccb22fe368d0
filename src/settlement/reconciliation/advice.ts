// What an operator does about each kind of difference. docs/reconciliation.md has the same table, and a test keeps both in step.

import type { KeptKind } from "./kept-finding.ts";

const ENTER = "If it is right, enter it: `npx faregate dispute create` or `npx faregate dispute change`.";

/** Undefined for what is no difference. */
export const ADVICE: Readonly<Partial<Record<KeptKind, string>>> = {
  "missing-here":
    "Find out who did it: somebody used the processor's own tools, or another gateway uses the same account. Book it by hand.",
  "missing-there": "Ask the processor, with the reference: it answered the operation, and did not book it.",
  "other-operation": "Ask the processor before you correct anything.",
  "other-amount": "Ask the processor before you correct anything: it may have changed the operation later.",
  "other-currency": "Check the currency of the processor record, then ask the processor.",
  "other-outcome": "Ask the processor before you correct anything: it may have changed the operation later.",
  "booked-twice": "Ask the processor to take one of them back.",
  "reversal-refused":
    "Ask the processor to release or return the money. Then enter what it says: `npx faregate unresolved`, `npx faregate resolve`.",
  "settled-twice": "Ask the processor to take one of them back.",
  "reported-twice": "Get the report again. If the line is still there twice, ask the processor.",
  unbalanced: "Get the whole report again: lines are missing, or the payout is. Else ask the processor.",
  "wrong-sum": "Ask the processor which fee or rate is missing in the line.",
  "wrong-sign": "Ask the processor what the line means, and book it by hand.",
  unaccounted: "Ask the processor what the money is for, and book it by hand.",
  archived: "Restore the payment and reconcile again: `npx faregate archive restore`.",
  "unknown-dispute":
    "Look for a message that was not understood: `npx faregate notifications --result kept`. Then enter the dispute: `npx faregate dispute create`.",
  "dispute-of-no-payment": "Ask the processor which payment this is: the gateway never sent one under this reference.",
  "dispute-exceeds-payment": "Contest it at the processor: no more than the payment can be taken.",
  "dispute-doubled":
    "Contest the second one at the processor. If there are two disputes, enter the other: `npx faregate dispute create`.",
  "dispute-other-amount": `Compare with the processor's page of the dispute. ${ENTER}`,
  "dispute-other-currency": `Compare with the processor's page of the dispute. ${ENTER}`,
  "dispute-not-withdrawn": `The message that the money was withdrawn is missing. ${ENTER}`,
  "dispute-won-and-withdrawn":
    "Ask the processor for the money. It may be in the next report; then enter 0.00 withdrawn: `npx faregate dispute change`.",
  "dispute-not-returned": `The message that the money is back is missing. ${ENTER}`,
  "dispute-missing-there":
    "Look into the report of the day before or after. What was entered by hand may be in that of an earlier day. Else ask the processor.",
};

/** A line for each kind that was found, in this order. */
export const adviceFor = (kinds: ReadonlySet<string>): readonly string[] =>
  Object.entries(ADVICE).flatMap(([kind, advice]) =>
    kinds.has(kind) ? [`${kind}: ${advice.replaceAll("`", "")}`] : [],
  );
