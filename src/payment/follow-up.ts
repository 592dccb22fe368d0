// May this capture, void or refund go to the processor, and over which amount? What holds for all three; the rule of each is in
// follow-up-rules.ts.

import type { Capabilities } from "./account-terms.ts";
import { balances, type Reading, refundable, settled, voidable } from "./balances.ts";
import { withinEvents } from "./event-limit.ts";
import {
  decideCapture,
  decideRefund,
  decideVoid,
  partOfRefund,
  type Ruling,
  type Situation,
  waitsForSettlement,
} from "./follow-up-rules.ts";
import { howeverTheyEnd } from "./in-flight.ts";
import { type Amount, lesser, minus, sum, ZERO } from "./money.ts";
import { type MoneyLeft, PassengersLeft } from "./passengers-left.ts";
import { finerThanCurrency, otherCurrency, type Readable, wrongPassengers } from "./readable-follow-up.ts";
import { type Refusal, type Refused, refuseAll } from "./refusal.ts";
import type { FollowUpType, Share, Transaction } from "./transaction.ts";

export interface FollowUpRequest {
  readonly currency?: string | undefined;
  /** Undefined: all that remains. */
  readonly amount: Amount | undefined;
  /** In the order of the request, whose positions name the fields at fault. */
  readonly shares: readonly Share[] | undefined;
}

export interface Ask {
  readonly kind: "ask";
  readonly type: FollowUpType;
  readonly amount: Amount;
  readonly shares: readonly Share[] | null;
}

const RULES: Record<FollowUpType, (situation: Situation) => Ruling> = {
  capture: decideCapture,
  void: decideVoid,
  refund: decideRefund,
};

/** What one passenger still has for each operation. */
const LEFT_OF_PASSENGER: Record<FollowUpType, MoneyLeft> = {
  capture: ({ uncaptured }) => uncaptured,
  void: voidable,
  refund: refundable,
};

/** What a merchant asks for: as far as the money goes, and while the transaction has room for it. */
export const decideFollowUp = (
  type: FollowUpType,
  transaction: Transaction,
  request: FollowUpRequest,
  capabilities: Capabilities,
  now: Date,
): Ask | Refused => withinEvents("followUp", transaction, decideByMoney(type, transaction, request, capabilities, now));

/** However many events there are. Operations in flight keep their money reserved. */
export function decideByMoney(
  type: FollowUpType,
  transaction: Transaction,
  request: FollowUpRequest,
  capabilities: Capabilities,
  now: Date,
): Ask | Refused {
  const settled = voidAfterSettlement(type, transaction, capabilities, now);
  if (settled !== undefined) return settled;
  const wrong = checkRequest(transaction, request);
  if (wrong !== undefined) return withExcess(wrong, type, transaction, request, capabilities, now);
  const { amount } = request;
  const decision = howeverTheyEnd({
    ...{ transaction, amount, partsMatter: partsMatter(type, transaction, capabilities, now) },
    decide: (ended, reading, amount) => decideUnder(reading, type, ended, { ...request, amount }, capabilities, now),
  });
  return decision.kind === "refused" && decision.refusals[0].field === "amount"
    ? withExcess(decision, type, transaction, request, capabilities, now)
    : decision;
}

/** Specification 7: a void of what has settled has one answer, whatever else is wrong with it. */
function voidAfterSettlement(
  type: FollowUpType,
  transaction: Transaction,
  capabilities: Capabilities,
  now: Date,
): Refused | undefined {
  if (type !== "void") return undefined;
  const ruling = rulingOn("void", transaction, undefined, capabilities, now);
  return ruling.kind === "refused" && ruling.refusals[0].name === "void-after-settlement" ? ruling : undefined;
}

/** What the rule says of an amount, or of all that remains, whoever of the passengers it is for. */
export function rulingOn(
  type: FollowUpType,
  transaction: Transaction,
  amount: Amount | undefined,
  capabilities: Capabilities,
  now: Date,
): Ruling {
  return howeverTheyEnd({
    ...{ transaction, amount, partsMatter: partsMatter(type, transaction, capabilities, now) },
    decide: (ended, reading, asked) =>
      RULES[type]({ transaction: ended, balances: balances(ended, now, reading), amount: asked, capabilities }),
  });
}

/**
 * Every other limit only falls or rises with what succeeds. But a refund that waits for its settlement may be of exactly what the window
 * holds with what has settled: with less than all of what is in flight that is another amount than with all or with none of it.
 */
const partsMatter =
  (type: FollowUpType, transaction: Transaction, capabilities: Capabilities, now: Date) =>
  (amount: Amount | undefined): boolean =>
    type === "refund" &&
    waitsForSettlement(capabilities, transaction) &&
    (amount === undefined || amount > settled(balances(transaction, now, "reserved")));

function decideUnder(
  reading: Reading,
  type: FollowUpType,
  transaction: Transaction,
  { amount, shares }: FollowUpRequest,
  capabilities: Capabilities,
  now: Date,
): Ask | Refused {
  const situation = { transaction, balances: balances(transaction, now, reading), amount, capabilities };
  const ruling = RULES[type](situation);
  if (ruling.kind === "refused") return ruling;
  if (shares === undefined) return { kind: "ask", type, amount: ruling.amount, shares: null };
  const part = type === "refund" ? partOfRefund(situation, ruling.amount) : LEFT_OF_PASSENGER[type];
  const refused = refuseAll(excess(transaction, shares, new PassengersLeft(transaction, now, reading, part)));
  return refused ?? { kind: "ask", type, amount: ruling.amount, shares };
}

/** Shares of more than their passengers have left. */
function excess(transaction: Transaction, shares: Readable["shares"], left: PassengersLeft): Refusal[] {
  if (shares === undefined) return [];
  const known = new Set(transaction.passengers?.map(({ id }) => id));
  return shares.flatMap(({ passengerId, amount }, index): Refusal[] => {
    if (passengerId === undefined || amount === undefined || !known.has(passengerId)) return [];
    const most = left.mostOf(passengerId);
    left.take(passengerId, amount);
    return amount > most
      ? [{ name: "share-exceeds-passenger", field: `passenger_transport.${index}.amount`, most }]
      : [];
  });
}

/** What is refused already is told together with what is too much in any case: the amount, and each passenger's share. */
const withExcess = (refused: Refused, ...request: Parameters<typeof tooMuch>): Refused => {
  const told = new Set(refused.refusals.map(({ field }) => field));
  const more = tooMuch(...request).filter(({ field }) => !told.has(field));
  return refuseAll([...refused.refusals, ...more]) ?? refused;
};

function tooMuch(
  type: FollowUpType,
  transaction: Transaction,
  { amount, shares }: Pick<Readable, "amount" | "shares">,
  capabilities: Capabilities,
  now: Date,
): Refusal[] {
  const ruling = rulingOn(type, transaction, amount, capabilities, now);
  const ofAmount = ruling.kind === "refused" ? ruling.refusals.filter(({ field }) => field === "amount") : [];
  const left = new PassengersLeft(transaction, now, "failed", LEFT_OF_PASSENGER[type]);
  return [...ofAmount, ...excess(transaction, shares, left)];
}

/** What is wrong with the fields that can be read, beside those that cannot. */
export function alsoWrong(
  type: FollowUpType,
  transaction: Transaction,
  request: Readable,
  capabilities: Capabilities,
  now: Date,
): Refused | undefined {
  const settled = voidAfterSettlement(type, transaction, capabilities, now);
  if (settled !== undefined) return settled;
  const wrong = refuseAll(wrongByItself(transaction, request));
  if (wrong !== undefined) return withExcess(wrong, type, transaction, request, capabilities, now);
  return refuseAll(tooMuch(type, transaction, request, capabilities, now));
}

const wrongByItself = (transaction: Transaction, request: Readable): Refusal[] => [
  ...wrongPassengers(transaction, request),
  ...otherCurrency(transaction, request),
  ...finerThanCurrency(transaction, request),
];

/** The passengers and the currency are right, and the passengers' amounts add up (specification 4.5). */
function checkRequest(transaction: Transaction, { currency, amount, shares }: FollowUpRequest): Refused | undefined {
  const request = { currency, hasAmount: amount !== undefined, amount, shares };
  const refusals = wrongByItself(transaction, request);
  if (refusals.length > 0 || shares === undefined) return refuseAll(refusals);
  const whole = sum(shares.map((share) => share.amount));
  return refuseAll(amount === whole ? [] : [{ name: "shares-differ-from-amount", field: "amount", sum: whole }]);
}

/**
 * All that this operation could still move and that is somebody's by name, passenger by passenger; nothing where there are no passengers.
 */
export const sharesLeft = (type: FollowUpType, transaction: Transaction, now: Date): readonly Share[] | undefined =>
  transaction.passengers
    ?.map(({ id }) => ({
      passengerId: id,
      amount: LEFT_OF_PASSENGER[type](balances(transaction, now, "reserved", id)),
    }))
    .filter(({ amount }) => amount > ZERO);

/**
 * A request for that part of the money, which with airline data is the same part of each passenger's. Where the processor moved money and
 * nobody says whose, it is for the first of them, up to what is left in all.
 */
export function requestFor(transaction: Transaction, now: Date, part: MoneyLeft): FollowUpRequest {
  let left = part(balances(transaction, now, "reserved"));
  const ofEach = new PassengersLeft(transaction, now, "reserved", part);
  const shares = transaction.passengers
    ?.map(({ id }) => {
      const amount = lesser(ofEach.mostOf(id), left);
      ofEach.take(id, amount);
      left = minus(left, amount);
      return { passengerId: id, amount };
    })
    .filter(({ amount }) => amount > ZERO);
  return { amount: shares ? sum(shares.map((share) => share.amount)) : left, shares };
}
