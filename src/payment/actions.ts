// What is possible with a transaction now: for each operation whether the rules allow it, up to which amount, and until or
// from when. It asks the same rules that decide on requests.

import type { Capabilities } from "./account-terms.ts";
import { decideAutoCapture } from "./auto-capture.ts";
import { type Balances, balances, leftOf, refundable, settled, voidable } from "./balances.ts";
import { cardNumberKeptUntil } from "./card-number-needed.ts";
import { MOST_EVENTS } from "./event-limit.ts";
import { decideFollowUp, requestFor, rulingOn } from "./follow-up.ts";
import { perhapsSettled, voidsParts, waitsForSettlement } from "./follow-up-rules.ts";
import { type Amount, plus, ZERO } from "./money.ts";
import type { MoneyLeft } from "./passengers-left.ts";
import type { RefusalName } from "./refusal.ts";
import { decideReversal } from "./reversal.ts";
import { nextAfter, type Schedule } from "./settlement.ts";
import type { FollowUpType, Transaction } from "./transaction.ts";
import {
  earliest,
  firstChange,
  firstVisible,
  lastVisible,
  nextChange,
  type Unsettled,
  unsettledOf,
} from "./unsettled.ts";

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
  /** Before `from`: the first instant from which it is allowed, though the processor alone knows how it ends. */
  readonly uncertainFrom: Date | null;
  /**
   * The first instant from which it is allowed for certain, if nothing else happens; null if waiting alone does not help. Beside what
   * depends on an operation in flight neither instant is told, although waiting may help: its end decides, most often within seconds.
   */
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

/** What is possible at this instant, for all four operations. */
export function actionsOf(transaction: Transaction, terms: Terms, now: Date): Actions {
  const view = viewOf(transaction, terms, now);
  const withCard = needingCard(transaction, terms);
  return {
    capture: withCard(captureOf(view)),
    void: withCard(voidOf(view)),
    refund: withCard(refundOf(view)),
    reversal: withCard(reversalOf(view)),
  };
}

/** The transaction as it is now, in all that bears on what is possible. */
interface View {
  readonly transaction: Transaction;
  readonly capabilities: Capabilities;
  readonly now: Date;
  readonly money: Balances;
  /** An operation has no outcome yet: it may fail, and its money is then left. */
  readonly inFlight: boolean;
  /** Money is refunded after its settlement only. */
  readonly waits: boolean;
  /** Some money is inside its settlement window. */
  readonly inWindow: boolean;
  /** Of {@link money}. */
  readonly unsettled: readonly Unsettled[];
  /** Also of money that is left if the operation in flight fails. */
  readonly perhapsUnsettled: readonly Unsettled[];
  /** When all of it is captured by itself, unless something of it is captured or voided before. */
  readonly autoCaptureAt: Date | null;
  /** When the clock alone changes something next. */
  readonly changeAt: Date | null;
}

function viewOf(transaction: Transaction, { capabilities, schedule }: Terms, now: Date): View {
  const money = balances(transaction, now, "reserved");
  const inFlight = transaction.events.some(({ outcome }) => outcome === null);
  const autoCaptureAt = nextAutoCapture(transaction, capabilities, schedule, now);
  const unsettled = unsettledOf(transaction, money);
  const perhapsUnsettled = inFlight ? unsettledOf(transaction, balances(transaction, now, "failed")) : unsettled;
  return {
    ...{ transaction, capabilities, now, money, inFlight, unsettled, perhapsUnsettled, autoCaptureAt },
    waits: waitsForSettlement(capabilities, transaction),
    inWindow: leftOf(money, "window") > ZERO,
    changeAt: autoCaptureAt ?? nextChange(perhapsUnsettled),
  };
}

/** Where the processor wants the card number in follow-ups, nothing is possible longer than it is kept. */
function needingCard(transaction: Transaction, { cardNumber }: Terms): (action: Possibility) => Possibility {
  switch (cardNumber) {
    case "not wanted":
      return (action) => action;
    case "gone":
      return (action) => notAllowed(action.allowed ? "card-number-not-kept" : action.reason);
    case "kept": {
      const keptUntil = cardNumberKeptUntil(transaction);
      return (action) =>
        action.allowed ? { ...action, until: earliest([keptUntil, ...(action.until ? [action.until] : [])]) } : action;
    }
  }
}

const notAllowed = (reason: RefusalName, from: Date | null = null, uncertainFrom: Date | null = null): NotAllowed => ({
  allowed: false,
  reason,
  uncertainFrom,
  from,
});

function captureOf(view: View): Possibility {
  const most = mostOf("capture", view);
  if (typeof most === "string") return notAllowed(most);
  return { allowed: true, amount: most, partial: true, uncertain: false, until: view.autoCaptureAt };
}

function voidOf(view: View): Possibility {
  const most = mostOf("void", view);
  if (typeof most === "string") return notAllowed(most);
  const partial = voidsParts(view.capabilities);
  return { allowed: true, amount: most, partial, uncertain: view.inWindow, until: view.changeAt };
}

function refundOf(view: View): Possibility {
  const { transaction, money, waits } = view;
  const most = mostOf("refund", view);
  if (typeof most === "string") {
    const timeHelps = most !== "operation-in-flight" && transaction.events.length < MOST_EVENTS.followUp;
    if (!timeHelps) return notAllowed(most);
    const from = firstVisible(view.unsettled);
    return notAllowed(most, from, firstTry(view, from));
  }
  return {
    allowed: true,
    amount: most,
    partial: !waits || settled(money) > ZERO,
    uncertain: waits && most > settled(money),
    until: waits ? view.changeAt : null,
  };
}

type Situated = Pick<View, "transaction" | "money" | "capabilities" | "now">;

/** The most that may be asked, or why nothing may be. */
function mostOf(type: FollowUpType, { transaction, money, capabilities, now }: Situated): Amount | RefusalName {
  const reasons: RefusalName[] = [];
  for (const part of MONEY_LEFT[type]) {
    if (part(money) === ZERO) continue;
    const request = requestFor(transaction, now, part);
    if (request.amount === ZERO) {
      // It is there, and no passenger's.
      reasons.push("share-exceeds-passenger");
      continue;
    }
    const decision = decideFollowUp(type, transaction, request, capabilities, now);
    if (decision.kind === "ask") return decision.amount;
    reasons.push(decision.refusals[0].name);
  }
  if (reasons.includes("too-many-events")) return "too-many-events";
  if (reasons.includes("operation-in-flight")) return "operation-in-flight";
  if (reasons.includes("share-exceeds-passenger")) return "share-exceeds-passenger";
  const all = rulingOn(type, transaction, undefined, capabilities, now);
  if (all.kind === "refused") return all.refusals[0].name;
  return transaction.events.some(({ outcome }) => outcome === null) ? "operation-in-flight" : "share-exceeds-passenger";
}

/** It tries the void and then the refund, so most often it is certain where neither of them is. */
function reversalOf(view: View): Possibility {
  const { transaction, capabilities, now, money, inFlight, waits, inWindow, changeAt } = view;
  const first = decideReversal(transaction, capabilities, now);
  if (first.kind === "refused") return noReversal(first.refusals[0].name, view);
  // Without a void there is one try only.
  const oneTry = first.type === "refund" && waits;
  // Beside an operation in flight, money that waits could only be refunded in part, which is refused.
  const partOfWaiting = waits && inFlight && view.unsettled.length > 0;
  const mayFail = oneTry || partOfWaiting || (first.type === "void" && scattered(view));
  return {
    allowed: true,
    amount: first.type === "refund" ? first.amount : plus(money.uncaptured, refundable(money)),
    partial: false,
    uncertain: inWindow && mayFail,
    until: mayFail || inFlight ? changeAt : null,
  };
}

/** Where no void is possible, it waits until all that is left may be refunded. */
function noReversal(reason: RefusalName, view: View): NotAllowed {
  const { transaction, capabilities, now, unsettled, perhapsUnsettled } = view;
  const timeHelps = reason === "reversal-before-settlement" && transaction.events.length < MOST_EVENTS.reversal;
  if (!timeHelps) return notAllowed(reason);
  const possible = (at: Date) => decideReversal(transaction, capabilities, at).kind === "ask";
  const from = lastVisible(unsettled);
  return notAllowed(reason, from, firstChange(perhapsUnsettled, now, from, possible));
}

/** In parts that end differently, so that neither a void nor a refund may take all of what is left. */
function scattered({ money, waits, unsettled: [first, ...others] }: View): boolean {
  if (first === undefined) return false;
  const cutoffMs = first.times.cutoffAt.getTime();
  return money.uncaptured > ZERO || (waits && others.some(({ times }) => times.cutoffAt.getTime() !== cutoffMs));
}

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

/** The first instant from which a refund goes to the processor, which may have settled by then. */
const firstTry = (view: View, from: Date | null): Date | null =>
  firstChange(view.perhapsUnsettled, view.now, from, (at) => {
    const later = { ...view, now: at, money: balances(view.transaction, at, "reserved") };
    return typeof mostOf("refund", later) !== "string";
  });
