// What the dialogs of a transaction ask and say: how much of whom an operation can take, what it sends, and in words what it will
// do. Pure.

import type { Action, FollowUp, Passenger, Transaction } from "../../../packages/client/src/openapi.ts";
import type { FollowUpName } from "../api/queries.ts";
import { brandOf, lastFour, whyNot } from "../words/answers.ts";
import { soon, until } from "../words/dates.ts";
import { decimalOf, grouped, hundredthsOf } from "../words/money.ts";
import { divided } from "../words/status.ts";
import { typedAmount } from "../words/typed.ts";

export const FOLLOW_UPS: readonly { readonly name: FollowUpName; readonly label: string }[] = [
  { name: "capture", label: "Capture" },
  { name: "void", label: "Void" },
  { name: "refund", label: "Refund" },
  { name: "reversal", label: "Give everything back" },
];

export interface Share {
  readonly passenger: Passenger;
  /** The most that the operation can take of this passenger's money, in hundredths. */
  readonly most: number;
}

/**
 * Those of whom something is left. What was captured at the processor has no passengers: it may be refunded to any of them, up to the fares.
 * @param left in all, in hundredths
 */
export function sharesFor(operation: FollowUpName, passengers: readonly Passenger[], left: number): readonly Share[] {
  const all = passengers.map((passenger) => ({ passenger, ...leftOf(operation, passenger) }));
  const unnamed = Math.max(0, left - all.reduce((sum, { named }) => sum + named, 0));
  return all
    .map(({ passenger, named, open }) => ({ passenger, most: named + Math.min(unnamed, open) }))
    .filter(({ most }) => most > 0);
}

/** `open`: of it, so much may be captured without a name. */
function leftOf(operation: FollowUpName, { totals }: Passenger): { readonly named: number; readonly open: number } {
  const { authorized, captured, voided, refunded } = totals;
  const { open, kept } = divided(
    hundredthsOf(authorized),
    hundredthsOf(captured),
    hundredthsOf(voided),
    hundredthsOf(refunded),
  );
  if (operation === "refund") return { named: kept, open };
  return { named: operation === "capture" ? open : open + kept, open: 0 };
}

/** What was typed, or what is wrong with it. */
export type Typed =
  | { readonly kind: "amount"; readonly hundredths: number }
  | { readonly kind: "wrong"; readonly words: string };

export function typed(text: string, most: number): Typed {
  const amount = typedAmount(text);
  if (amount === undefined) return { kind: "wrong", words: "An amount such as 1234.50" };
  const hundredths = hundredthsOf(amount);
  if (hundredths === 0) return { kind: "wrong", words: "More than 0.00" };
  return hundredths > most ? { kind: "wrong", words: `At most ${decimalOf(most)}` } : { kind: "amount", hundredths };
}

/** A reversal takes neither amount nor passengers. With airline data each passenger's part is named. */
export function fieldsFor(
  operation: FollowUpName,
  hundredths: number,
  parts: ReadonlyMap<string, number> | undefined,
): FollowUp {
  if (operation === "reversal") return {};
  const amount = decimalOf(hundredths);
  if (parts === undefined) return { amount };
  const passenger_transport = [...parts].map(([passenger_id, part]) => ({ passenger_id, amount: decimalOf(part) }));
  return { amount, passenger_transport };
}

/** What a click will do. */
export function willDo(operation: FollowUpName, hundredths: number, transaction: Transaction): string {
  const { currency, card_brand, card_number } = transaction;
  const money = `${grouped(decimalOf(hundredths), currency)} ${currency}`;
  const card = `${brandOf(card_brand)} ${lastFour(card_number)}`;
  switch (operation) {
    case "capture":
      return `Takes ${money} of what was authorized. It settles after the next cut-off.`;
    case "void":
      return `Cancels ${money} before it settles. ${card} is not charged for it.`;
    case "refund":
      return `Gives ${money} back to ${card}. A refund cannot be taken back.`;
    case "reversal":
      return `Gives back ${money}, all that can be: by a void or, if that is not possible or fails, by a refund to ${card}.`;
    default:
      return operation satisfies never;
  }
}

/** What is possible and until when, or why not and from when on. */
export function rulingOn(action: Action, currency: string, now: Date): string {
  if (isAllowed(action)) {
    const how = action.partial ? "Up to" : "Exactly";
    const end = !action.until ? "" : `, until ${soon(action.until, now)} (${until(action.until, now)})`;
    return `${how} ${grouped(action.amount, currency)} ${currency}${end}.`;
  }
  const from = !action.from ? "" : ` Possible from ${soon(action.from, now)}.`;
  const maybe = !action.uncertain_from ? "" : ` From ${soon(action.uncertain_from, now)} it may be tried.`;
  return `${whyNot(action.reason)}${maybe}${from}`;
}

export const UNCERTAIN: Readonly<Record<FollowUpName, string>> = {
  capture: "The processor may say no.",
  void: "Settlement is in progress. If the money has settled already, the processor says no; then refund it.",
  refund: "Settlement is in progress. If the money has not settled yet, the processor says no; then try again later.",
  reversal: "Settlement is in progress. Whether a void or a refund goes through, only the processor knows.",
};

export const DISPUTED =
  "The payer's bank disputes this payment. If it takes the money back, too, the payer gets it twice.";

/** An action that is allowed has these fields. */
export type AllowedAction = Action & Required<Pick<Action, "amount" | "partial" | "uncertain">>;

export const isAllowed = (action: Action): action is AllowedAction => action.allowed;
