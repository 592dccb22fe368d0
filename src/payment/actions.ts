// What is possible with a transaction now: for each operation whether the rules allow it, up to which amount, and until or
// from when. It asks the very rules that decide, so it says what they would.

import { decideAutoCapture } from "./auto-capture.ts";
import { type Balances, balances, leftOf, refundable, settled, voidable } from "./balances.ts";
import { cardNumberKeptUntil } from "./card-number-needed.ts";
import { MOST_EVENTS } from "./event-limit.ts";
import { decideFollowUp, type MoneyLeft, requestFor, rulingOn } from "./follow-up.ts";
import { type Amount, plus, ZERO } from "./money.ts";
import { perhapsSettled, waitsForSettlement } from "./refund.ts";
import type { RefusalName } from "./refusal.ts";
import { decideReversal } from "./reversal.ts";
import type { Capabilities } from "./ruling.ts";
import { nextAfter, type Schedule } from "./settlement.ts";
import { type FollowUpType, settlementOf, type Transaction } from "./transaction.ts";
import { voidsWhole } from "./void.ts";

export interface Allowed {
  readonly allowed: true;
  /** The most that may be asked. */
  readonly amount: Amount;
  /** Less may be asked too. */
  readonly partial: boolean;
  /** Some of it is inside its settlement window, where the processor alone knows how it ends. */
  readonly uncertain: boolean;
  /** The first instant from which the clock alone may change this. */
  readonly until: Date | null;
}

export interface NotAllowed {
  readonly allowed: false;
  readonly reason: RefusalName;
  /** The first instant from which it is allowed for certain, if nothing else happens; null too while something does. */
  readonly from: Date | null;
}

export type Possibility = Allowed | NotAllowed;
export type Actions = Readonly<Record<FollowUpType | "reversal", Possibility>>;

/** Parts of the money that may be asked for, the most first: what waits for its settlement is refunded by its phases. */
const MONEY_LEFT: Record<FollowUpType, readonly MoneyLeft[]> = {
  capture: [({ uncaptured }) => uncaptured],
  void: [voidable],
  refund: [refundable, perhapsSettled, settled],
};

/** What a processor record brings to its transactions. */
export interface Terms {
  readonly capabilities: Capabilities;
  readonly schedule: Schedule;
  /** Where the processor wants it in what follows a charge, nothing follows without it. */
  readonly cardNumber: "not wanted" | "kept" | "gone";
}

export function actionsOf(transaction: Transaction, terms: Terms, now: Date): Actions {
  const actions = byTheRules(transaction, terms, now);
  if (terms.cardNumber === "not wanted") return actions;
  const withCard = (action: Possibility): Possibility => {
    if (terms.cardNumber === "gone")
      return { allowed: false, reason: action.allowed ? "card-number-not-kept" : action.reason, from: null };
    if (!action.allowed) return action;
    const until = cardNumberKeptUntil(transaction);
    return { ...action, until: earliest(action.until === null ? [until] : [action.until, until]) };
  };
  const { capture, void: cancel, refund, reversal } = actions;
  return {
    capture: withCard(capture),
    void: withCard(cancel),
    refund: withCard(refund),
    reversal: withCard(reversal),
  };
}

function byTheRules(transaction: Transaction, { capabilities, schedule }: Terms, now: Date): Actions {
  const money = balances(transaction, now, "reserved");
  const inWindow = leftOf(money, "window") > ZERO;
  const full = transaction.events.length >= MOST_EVENTS.followUp;
  const inFlight = transaction.events.some(({ outcome }) => outcome === null);
  const captureAt = nextAutoCapture(transaction, capabilities, schedule, now);
  // What is in flight may fail, and its money is then left and changes by the clock too.
  const change = captureAt ?? nextChange(transaction, inFlight ? balances(transaction, now, "failed") : money);
  const possible = (
    type: FollowUpType,
    from: Date | null,
    how: (amount: Amount) => Omit<Allowed, "allowed" | "amount">,
  ): Possibility => {
    const most = mostOf(type, transaction, money, capabilities, now);
    if (typeof most === "bigint") return { allowed: true, amount: most, ...how(most) };
    return { allowed: false, reason: most, from: most === "operation-in-flight" || full ? null : from };
  };

  const waits = waitsForSettlement(transaction, capabilities);
  return {
    capture: possible("capture", null, () => ({ partial: true, uncertain: false, until: captureAt })),
    void: possible("void", null, () => ({
      partial: !voidsWhole(transaction, capabilities),
      uncertain: inWindow,
      until: change,
    })),
    refund: possible("refund", firstVisible(transaction, money), (amount) => ({
      partial: !waits || settled(money) > ZERO,
      uncertain: waits && amount > settled(money),
      until: waits ? change : null,
    })),
    reversal: reversalOf(transaction, capabilities, now, { money, inFlight, change, waits, inWindow }),
  };
}

/** The most that may be asked, or why nothing may be. */
function mostOf(
  type: FollowUpType,
  transaction: Transaction,
  money: Balances,
  capabilities: Capabilities,
  now: Date,
): Amount | RefusalName {
  const reasons: RefusalName[] = [];
  for (const part of MONEY_LEFT[type].filter((part) => part(money) > ZERO)) {
    const decision = decideFollowUp(type, transaction, requestFor(transaction, now, part), capabilities, now);
    if (decision.kind === "ask") return decision.amount;
    reasons.push(decision.refusals[0].name);
  }
  if (reasons.includes("too-many-events")) return "too-many-events";
  if (reasons.includes("operation-in-flight")) return "operation-in-flight";
  const all = rulingOn(type, transaction, undefined, capabilities, now);
  return all.kind === "refused" ? all.refusals[0].name : "operation-in-flight";
}

interface Circumstances {
  readonly money: Balances;
  readonly inFlight: boolean;
  readonly change: Date | null;
  readonly waits: boolean;
  readonly inWindow: boolean;
}

/** It tries the void and then the refund, so most often it is certain where neither of them is. */
function reversalOf(
  transaction: Transaction,
  capabilities: Capabilities,
  now: Date,
  { money, inFlight, change, waits, inWindow }: Circumstances,
): Possibility {
  const first = decideReversal(transaction, capabilities, now);
  if (first.kind === "refused") return { allowed: false, reason: first.refusals[0].name, from: null };
  // Without a void there is one try only.
  const oneTry = first.type === "refund" && waits;
  // Beside an operation in flight, money that waits could only be refunded in part, which is refused.
  const partOfWaiting = waits && inFlight && unsettled(transaction, money).length > 0;
  const mayFail = oneTry || partOfWaiting || scattered(transaction, money, waits);
  return {
    allowed: true,
    amount: first.type === "refund" ? first.amount : plus(money.uncaptured, refundable(money)),
    partial: false,
    uncertain: inWindow && mayFail,
    until: mayFail || inFlight ? change : null,
  };
}

/** In parts that end differently, so that neither a void nor a refund may take all of what is left. */
function scattered(transaction: Transaction, money: Balances, waits: boolean): boolean {
  const cutoffs = new Set(unsettled(transaction, money).map(({ times }) => times.cutoffAt.getTime()));
  return cutoffs.size > 0 && (money.uncaptured > ZERO || (waits && cutoffs.size > 1));
}

/** When all of it is captured by itself, unless something of it is captured or voided before. */
function nextAutoCapture(
  transaction: Transaction,
  capabilities: Capabilities,
  schedule: Schedule,
  now: Date,
): Date | null {
  if (schedule.auto_capture_at === null || decideAutoCapture(transaction, capabilities, now).kind === "refused")
    return null;
  return nextAfter(now, schedule.auto_capture_at);
}

/** The next cut-off or end of a window of money that is left. */
function nextChange(transaction: Transaction, money: Balances): Date | null {
  return earliest(
    unsettled(transaction, money).map(({ phase, times }) => (phase === "open" ? times.cutoffAt : times.visibleAt)),
  );
}

function firstVisible(transaction: Transaction, money: Balances): Date | null {
  return earliest(unsettled(transaction, money).map(({ times }) => times.visibleAt));
}

function unsettled(transaction: Transaction, money: Balances) {
  return money.captures.flatMap(({ sequence, left, phase }) => {
    const times = settlementOf(transaction.events[sequence - 1]?.outcome);
    return left > ZERO && phase !== "settled" && times ? [{ phase, times }] : [];
  });
}

const earliest = (instants: readonly Date[]): Date | null =>
  instants.reduce<Date | null>((first, instant) => (first === null || instant < first ? instant : first), null);
