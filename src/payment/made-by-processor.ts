// What follows when a processor did something to a payment of ours without being asked. It is added to the transaction as an event with its
// outcome, once for each of the processor's names; whose of several passengers' money it was nobody says, so that is never guessed. Pure.

import { balances, leftOf, refundable } from "./balances.ts";
import { sharesLeft } from "./follow-up.ts";
import { type Amount, amountOf, lesser, plus, renderAmount, sum, ZERO } from "./money.ts";
import { isGivenUp, type Made } from "./news.ts";
import { carriedOut } from "./told-operations.ts";
import { type Event, type FollowUpType, type Share, succeeded, type Transaction } from "./transaction.ts";

/**
 * - `add`: an event with this outcome
 * - `late-failure`: of an event that was added before
 * - `reversed`: a charge that was given up is taken back
 * - `wait`: an operation in flight may be the same, or decides over how much it is
 */
export type MadeConsequence =
  | AddMade
  | {
      readonly kind: "late-failure";
      readonly event: Event;
      /** More follows from the same news then. */
      readonly goesOn?: true;
    }
  | { readonly kind: "reversed" }
  | { readonly kind: "wait" }
  | { readonly kind: "known" }
  | { readonly kind: "kept"; readonly why: string };

export interface AddMade {
  readonly kind: "add";
  readonly event: Pick<Event, "type" | "amount" | "shares"> & { readonly byProcessor: string };
  readonly end: Made["end"];
  /** For the merchant. */
  readonly why: string;
  /** For the operator: it is more than there was. */
  readonly exceeds?: string;
}

/** @param charge that the processor names */
export function madeByProcessor(transaction: Transaction, charge: Event, made: Made, now: Date): MadeConsequence {
  if (isGivenUp(charge.outcome)) return toGivenUp(made);
  if (charge.outcome === null) return { kind: "wait" };
  const before = transaction.events.find(({ byProcessor }) => byProcessor === nameOf(made));
  // What was told of it after it was made again was before that.
  const again = nameAgain(made.operation);
  if (!made.again && before === undefined && transaction.events.some(({ byProcessor }) => byProcessor === again))
    return { kind: "known" };
  if (made.end === "failed") return failed(transaction, made, before);
  // That it failed before is told by another notification, which may come later.
  const first = made.again && transaction.events.find(({ byProcessor }) => byProcessor === made.operation);
  if (first && succeeded(first)) return { kind: "late-failure", event: first, goesOn: true };
  // What is held no more is not held later either, such as after a capture that failed since: for that there is no name but the next one.
  if (before !== undefined && (made.type !== "void" || made.money !== undefined)) return { kind: "known" };
  if (carriedOut(transaction, charge) === undefined)
    return made.type === "void"
      ? { kind: "known" }
      : kept(made, `of a charge that is on record as ${charge.outcome.kind}`);
  if (made.money !== undefined && made.money.currency !== transaction.currency)
    return kept(made, `in ${made.money.currency}, and the charge is in ${transaction.currency}`);
  return amountOfMade(transaction, charge, made, now);
}

/** Of a charge that the merchant was told has failed. A part that is released leaves what was captured. */
function toGivenUp(made: Made): MadeConsequence {
  const { type, end, money } = made;
  if (end === "failed" || type === "refund") return { kind: "known" };
  if (type === "capture")
    return kept(made, "of a charge that was given up: see at the processor that it is taken back");
  return type === "void" && money === undefined ? { kind: "reversed" } : { kind: "known" };
}

function failed(transaction: Transaction, made: Made, before: Event | undefined): MadeConsequence {
  if (before !== undefined) return succeeded(before) ? { kind: "late-failure", event: before } : { kind: "known" };
  const { money, type } = made;
  if (money === undefined || type === "reversal" || money.currency !== transaction.currency) return { kind: "known" };
  // So that its success, should that be told later, is known not to have lasted.
  const event = { type, amount: money.amount, shares: null, byProcessor: nameOf(made) };
  return { kind: "add", event, end: "failed", why: `a ${type} that was made at the processor, and failed` };
}

function amountOfMade(transaction: Transaction, charge: Event, made: Made, now: Date): MadeConsequence {
  const there = balances(transaction, now, "reserved");
  const [uncaptured, captured] = [there.uncaptured, refundable(there)];
  switch (made.type) {
    case "capture": {
      // It is captured by itself.
      if (charge.type === "sale") return { kind: "known" };
      const amount = (made.money?.amount ?? uncaptured) - (made.inAll ? capturedBefore(transaction) : ZERO);
      return amount <= 0n ? { kind: "known" } : add(transaction, made, "capture", amountOf(amount), uncaptured, now);
    }
    case "refund":
      return add(transaction, made, "refund", made.money?.amount ?? captured, captured, now);
    case "void":
      if (isWorkedOn(transaction)) return { kind: "wait" };
      if (charge.type === "sale") return voided(transaction, made, plus(uncaptured, captured), "void", now);
      return voided(transaction, made, lesser(made.money?.amount ?? uncaptured, uncaptured), "capture", now);
    case "reversal":
      if (isWorkedOn(transaction)) return { kind: "wait" };
      if (captured === ZERO) return voided(transaction, made, uncaptured, "capture", now);
      return leftOf(there, "settled") === ZERO
        ? voided(transaction, made, plus(uncaptured, captured), "void", now)
        : add(transaction, made, "refund", captured, captured, now);
  }
}

/** Nothing is left of what the processor says is gone: it was voided here, or is told a second time. */
const voided = (
  transaction: Transaction,
  made: Made,
  amount: Amount,
  partOf: FollowUpType,
  now: Date,
): MadeConsequence =>
  amount === ZERO ? { kind: "known" } : add(transaction, made, "void", amount, amount, now, partOf);

function add(
  transaction: Transaction,
  made: Made,
  type: FollowUpType,
  amount: Amount,
  most: Amount,
  now: Date,
  partOf: FollowUpType = type,
): AddMade {
  const shown = `${renderAmount(amount)} ${transaction.currency}`;
  return {
    kind: "add",
    event: {
      type,
      amount,
      shares: sharesIn(transaction, partOf, amount, now),
      byProcessor: nextName(transaction, made),
    },
    end: "succeeded",
    why: WHY[type],
    ...(amount > most && {
      exceeds: `the processor made a ${type} of ${shown} without being asked, and ${renderAmount(most)} was left`,
    }),
  };
}

const WHY: Readonly<Record<FollowUpType, string>> = {
  capture: "captured at the processor, and not by this gateway",
  void: "canceled or expired at the processor, and not by this gateway",
  refund: "refunded at the processor, and not by this gateway",
};

/** Each passenger's part, where it is all that each of them has left. */
function sharesIn(transaction: Transaction, type: FollowUpType, amount: Amount, now: Date): readonly Share[] | null {
  const shares = sharesLeft(type, transaction, now);
  return shares !== undefined && sum(shares.map((share) => share.amount)) === amount ? shares : null;
}

/** It may be the same as what the processor tells of, or change how much that is. */
const isWorkedOn = ({ events }: Transaction): boolean => events.some(({ outcome }) => outcome === null);

const capturedBefore = ({ events }: Transaction): Amount =>
  sum(events.filter((one) => one.type === "capture" && one.byProcessor && succeeded(one)).map(({ amount }) => amount));

/** Each total is one step further. */
function nameOf({ operation, inAll, again, money }: Made): string {
  if (again) return nameAgain(operation);
  return inAll && money ? `${operation} ${renderAmount(money.amount)}` : operation;
}

/** The name of what the processor made again after it had failed. */
export const nameAgain = (operation: string): string => `${operation} again`;

const nextName = ({ events }: Transaction, made: Made): string => {
  const name = nameOf(made);
  const others = events.filter(({ byProcessor }) => byProcessor === name || byProcessor?.startsWith(`${name} #`));
  return others.length === 0 ? name : `${name} #${others.length + 1}`;
};

const kept = ({ type, money }: Made, why: string): MadeConsequence => ({
  kind: "kept",
  why: `the processor made a ${type}${money ? ` of ${renderAmount(money.amount)} ${money.currency}` : ""} without being asked, ${why}`,
});

/** A processor's word that nothing of an approved charge is held or taken any more. */
export const takenBack = (charge: Event): Made => ({
  kind: "made",
  type: "reversal",
  operation: takenBackName(charge.id),
  payment: null,
  end: "succeeded",
  processorResponse: {
    ...(charge.outcome?.processorResponse ?? raise()),
    code: "00",
    message: "TAKEN BACK",
    authCode: null,
  },
});

/** The name of what takes an approved charge back, where the processor has none. */
export const takenBackName = (charge: string): string => `${charge} taken back`;

const raise = (): never => {
  throw new Error("broken invariant: a charge that was approved has its outcome");
};
