// What is possible with a transaction now: for each operation whether the rules allow it, up to which amount, and until or
// from when. It asks the very rules that decide, so it says what they would.

import { type Abilities, rulingOn } from "./follow-up.ts";
import { type Amount, plus, ZERO } from "./money.ts";
import { refundableNow, waitsForSettlement } from "./refund.ts";
import type { RefusalName } from "./refusal.ts";
import { decideReversal } from "./reversal.ts";
import { leftOf, refundable, type Standing, standing } from "./standing.ts";
import type { FollowUpType, SettlementTimes, Transaction } from "./transaction.ts";
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

export function actionsOf(transaction: Transaction, abilities: Abilities, now: Date): Actions {
  const money = standing(transaction, now, "reserved");
  const inWindow = leftOf(money, "window") > ZERO;
  const change = nextChange(transaction, money);
  const possible = (
    type: FollowUpType,
    amount: Amount | undefined,
    rest: Omit<Allowed, "allowed" | "amount">,
    from: Date | null,
  ) => {
    const ruling = rulingOn(type, transaction, amount, abilities, now);
    if (ruling.kind === "granted") return { allowed: true, amount: ruling.amount, ...rest } as const;
    const reason = ruling.refusals[0].name;
    return { allowed: false, reason, from: reason === "operation-under-way" ? null : from } as const;
  };

  const waits = waitsForSettlement(transaction, abilities);
  const toRefund = refundableNow(transaction, money, abilities);
  const refundsAll = toRefund === refundable(money);
  return {
    capture: possible("capture", undefined, { partial: true, uncertain: false, until: null }, null),
    void: possible(
      "void",
      undefined,
      { partial: !voidsWhole(transaction, abilities), uncertain: inWindow, until: change },
      null,
    ),
    refund: possible(
      "refund",
      refundsAll || toRefund === ZERO ? undefined : toRefund,
      {
        partial: !waits || leftOf(money, "settled") > ZERO,
        uncertain: waits && inWindow,
        until: waits ? change : null,
      },
      firstVisible(transaction, money),
    ),
    reversal: reversalOf(transaction, abilities, now, { money, change, waits, inWindow }),
  };
}

/** It tries the void and then the refund, so most often it is certain where neither of them is. */
function reversalOf(
  transaction: Transaction,
  abilities: Abilities,
  now: Date,
  { money, change, waits, inWindow }: { money: Standing; change: Date | null; waits: boolean; inWindow: boolean },
): Possibility {
  const first = decideReversal(transaction, abilities, now);
  if (first.kind === "refused") return { allowed: false, reason: first.refusals[0].name, from: null };
  // Without a void there is one try only.
  const oneTry = first.type === "refund" && waits;
  const mayFail = oneTry || scattered(transaction, money, waits) || partOfWaiting(transaction, money, waits);
  return {
    allowed: true,
    amount: first.type === "refund" ? first.amount : plus(money.uncaptured, refundable(money)),
    partial: false,
    uncertain: inWindow && mayFail,
    until: mayFail ? change : null,
  };
}

/** In parts that end differently, so that neither a void nor a refund may take all of what is left. */
function scattered(transaction: Transaction, money: Standing, waits: boolean): boolean {
  const cutoffs = new Set(unsettled(transaction, money).map(({ times }) => times.cutoffAt.getTime()));
  return cutoffs.size > 0 && (money.uncaptured > ZERO || (waits && cutoffs.size > 1));
}

/** Beside an operation under way, money that waits for its settlement could only be refunded in part, which is refused. */
function partOfWaiting(transaction: Transaction, money: Standing, waits: boolean): boolean {
  return (
    waits && unsettled(transaction, money).length > 0 && transaction.events.some(({ outcome }) => outcome === null)
  );
}

/** The next cut-off or end of a window of money that is left. */
function nextChange(transaction: Transaction, money: Standing): Date | null {
  return earliest(
    unsettled(transaction, money).map(({ phase, times }) => (phase === "open" ? times.cutoffAt : times.visibleAt)),
  );
}

function firstVisible(transaction: Transaction, money: Standing): Date | null {
  return earliest(unsettled(transaction, money).map(({ times }) => times.visibleAt));
}

function unsettled(transaction: Transaction, money: Standing) {
  return money.captures.flatMap(({ sequence, left, phase }) => {
    const times = settlementOf(transaction, sequence);
    return left > ZERO && phase !== "settled" && times ? [{ phase, times }] : [];
  });
}

function settlementOf(transaction: Transaction, sequence: number): SettlementTimes | null {
  const outcome = transaction.events[sequence - 1]?.outcome;
  return outcome?.kind === "approved" ? outcome.settlement : null;
}

const earliest = (instants: readonly Date[]): Date | null =>
  instants.reduce<Date | null>((first, instant) => (first === null || instant < first ? instant : first), null);
