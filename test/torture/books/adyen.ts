// The books of the Adyen host as lines like those of the acquirer's host: one for each payment, modification and cancellation
// by reference, with what came of it. Pure.

import type { Booked as Entry, Item, Entry as Line } from "../../../hosts/adyen/entry.ts";
import { parseReference } from "../../../src/processors/adyen/reference.ts";
import type { Booked } from "../accounts.ts";
import { APPROVED, NOTHING_THERE } from "../check/evidence.ts";

export const ADYEN_BOOK = "adyen";

export function adyenBooked(entries: readonly Line[]): readonly Booked[] {
  const values = new Map<string, number>();
  const lines: Booked[] = [];
  const reversals = new Map<string, Booked>();
  for (const entry of entries) {
    if (entry.kind !== "booked" || entry.item === null) continue;
    if (entry.effect?.kind === "payment") values.set(entry.effect.psp, entry.effect.value);
    const line = lineOf(entry, entry.item, values);
    if (line === undefined) continue;
    if (line.operation !== "reversal") lines.push(line);
    // It may be asked for again and again: what counts is whether one succeeded.
    else if (reversals.get(line.reference)?.code !== APPROVED) reversals.set(line.reference, line);
  }
  return [...lines, ...reversals.values()];
}

function lineOf({ at, answer, effect }: Entry, item: Item, values: ReadonlyMap<string, number>): Booked | undefined {
  const referred = parseReference(item.merchantReference);
  if (referred === null) return undefined;
  const { authCode } = (answer.body.additionalData ?? {}) as { readonly authCode?: string };
  return {
    at: new Date(at),
    operation: item.eventCode === "TECHNICAL_CANCEL" ? "reversal" : referred.type,
    book: ADYEN_BOOK,
    reference: referred.reference,
    amount: BigInt(effect?.kind === "cancel" ? (values.get(effect.payment) ?? 0) : amountIn(effect, item)),
    code: codeOf(item, answer.body),
    authCode: authCode ?? "",
    id: item.pspReference,
    transaction: referred.transactionId,
  };
}

const amountIn = (effect: Entry["effect"], item: Item): number =>
  effect !== null && "value" in effect ? effect.value : item.amount.value;

function codeOf({ eventCode, success, reason }: Item, { refusalReasonCode }: Entry["answer"]["body"]): string {
  if (success === "true") return APPROVED;
  if (eventCode === "AUTHORISATION") return String(refusalReasonCode).padStart(2, "0");
  return eventCode === "TECHNICAL_CANCEL" && reason === "Original payment not found" ? NOTHING_THERE : "FAILED";
}
