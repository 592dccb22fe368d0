// A plan: one order that is charged to a card on file in several payments, each when it falls due. Pure: which plans there can be, what may
// still be moved or canceled, and what a plan's payments add up to. What becomes of a payment that is due: plan-charge.ts.

import { type Amount, minus, sum } from "./money.ts";
import type { EchoedFields, Passenger } from "./transaction.ts";

/**
 * - `scheduled`: charged when it falls due
 * - `pending`: it is being charged, or nobody knows yet how its charge ended
 * - `retrying`: its last charge came to nothing, and it is charged again
 * - `charged`, `failed`, `canceled`: its ends; one that failed may be moved to a new date
 */
export const PAYMENT_STATUSES = ["scheduled", "pending", "retrying", "charged", "failed", "canceled"] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** `failed`: nothing is charged any more, and not all was charged. */
export const PLAN_STATUSES = ["active", "completed", "failed", "canceled"] as const;
export type PlanStatus = (typeof PLAN_STATUSES)[number];

export interface PlanPayment {
  /** From 1. */
  readonly number: number;
  readonly dueAt: Date;
  readonly amount: Amount;
  /** It was named as the rest of the total. */
  readonly isRest: boolean;
  readonly status: PaymentStatus;
  /** Charges that were begun, each a transaction of its own. */
  readonly attempts: number;
  /** Of these, how many were declined or came to nothing at the processor. */
  readonly declines: number;
  /** `declines` when the payment got its date. */
  readonly declinesBefore: number;
  /** When it was first tried since it got its date. */
  readonly triedAt: Date | null;
  /** When it is charged next; null where it is not to be charged, or is being charged. */
  readonly chargeAt: Date | null;
  /** Of its last charge. */
  readonly transactionId: string | null;
  /** Why its last charge came to nothing: a decline's category, a refusal's name, or a PaymentReason (plan-charge.ts). */
  readonly reason: string | null;
}

export interface Plan {
  readonly merchantId: string;
  readonly id: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly cardId: string;
  readonly merchantTransactionId: string;
  /** Null: for each charge one is drawn. */
  readonly processorId: string | null;
  readonly currency: string;
  readonly total: Amount;
  readonly fields: EchoedFields;
  readonly passengers: readonly Omit<Passenger, "id">[] | null;
  readonly canceledAt: Date | null;
  /** By their numbers. */
  readonly payments: readonly PlanPayment[];
}

export const MOST_PAYMENTS = 60;
/** A request takes a while to arrive, and clocks differ. */
export const TOLERANCE_MS = 300_000;
const DAY_MS = 86_400_000;
/** Cards expire within it. */
export const FURTHEST_DAYS = 5 * 366;

export interface WantedPayment {
  readonly dueAt: Date;
  /** Undefined: the rest of the total. */
  readonly amount: Amount | undefined;
}

/** What is wrong with a field of a plan that is to be made or moved. */
export interface ScheduleFault {
  readonly field: string;
  readonly fault:
    | "rest-not-last"
    | "nothing-left"
    | "sum-differs"
    | "in-the-past"
    | "too-far"
    | "not-ascending"
    | "no-such-payment"
    | "named-twice"
    | "not-movable";
  /** What the payments add up to, or leave over. */
  readonly sum?: Amount;
}

/** The payments of a new plan, or all that is wrong with them. */
export function scheduleOf(
  total: Amount,
  wanted: readonly WantedPayment[],
  now: Date,
): readonly PlanPayment[] | { readonly faults: readonly ScheduleFault[] } {
  const faults: ScheduleFault[] = [];
  const named = sum(wanted.flatMap(({ amount }) => amount ?? []));
  const rests = wanted.filter(({ amount }) => amount === undefined);
  for (const [index, { amount }] of wanted.entries())
    if (amount === undefined && index < wanted.length - 1)
      faults.push({ field: `payments.${index}.rest`, fault: "rest-not-last" });
  if (faults.length === 0) {
    if (rests.length === 0 && named !== total) faults.push({ field: "total", fault: "sum-differs", sum: named });
    if (rests.length === 1 && named >= total) faults.push({ field: "total", fault: "nothing-left", sum: named });
  }
  faults.push(
    ...wrongDates(
      wanted.map(({ dueAt }, index) => ({ dueAt, field: `payments.${index}.due_at` })),
      now,
    ),
  );
  if (faults.length > 0) return { faults };
  return wanted.map(({ dueAt, amount }, index) => ({
    number: index + 1,
    dueAt,
    amount: amount ?? minus(total, named),
    isRest: amount === undefined,
    status: "scheduled",
    ...{ attempts: 0, declines: 0, declinesBefore: 0, triedAt: null, transactionId: null, reason: null },
    chargeAt: notBefore(dueAt, now),
  }));
}

function wrongDates(dates: readonly { readonly dueAt: Date; readonly field: string }[], now: Date): ScheduleFault[] {
  const earliest = now.getTime() - TOLERANCE_MS;
  const latest = now.getTime() + FURTHEST_DAYS * DAY_MS;
  return dates.flatMap(({ dueAt, field }, index): ScheduleFault[] => {
    const before = dates[index - 1]?.dueAt;
    if (dueAt.getTime() < earliest) return [{ field, fault: "in-the-past" }];
    if (dueAt.getTime() > latest) return [{ field, fault: "too-far" }];
    return before !== undefined && dueAt <= before ? [{ field, fault: "not-ascending" }] : [];
  });
}

const notBefore = (one: Date, other: Date): Date => (one < other ? other : one);

const isOpen = ({ status }: PlanPayment): boolean =>
  status === "scheduled" || status === "retrying" || status === "pending";

/** What a plan's payments add up to. */
export function planStatusOf({ canceledAt, payments }: Pick<Plan, "canceledAt" | "payments">): PlanStatus {
  if (payments.every(({ status }) => status === "charged")) return "completed";
  if (canceledAt !== null) return "canceled";
  return payments.some(isOpen) ? "active" : "failed";
}

/** What was charged so far. */
export const chargedOf = ({ payments }: Pick<Plan, "payments">): Amount =>
  sum(payments.filter(({ status }) => status === "charged").map(({ amount }) => amount));

/**
 * The plan without what is still to be charged; undefined where nothing is left to cancel. A payment whose charge has begun is not canceled:
 * if it comes to nothing, it is not tried again.
 */
export function canceledPlan(plan: Plan, now: Date): Plan | undefined {
  if (planStatusOf(plan) !== "active") return undefined;
  const payments = plan.payments.map(
    (payment): PlanPayment =>
      payment.status === "scheduled" || payment.status === "retrying"
        ? { ...payment, status: "canceled", chargeAt: null }
        : payment,
  );
  return { ...plan, payments, canceledAt: now, updatedAt: now };
}

export interface MovedPayment {
  readonly number: number;
  readonly dueAt: Date;
}

/** In all, however often it is moved: fewer than any scheme allows in 30 days (going-on.ts). */
export const MOST_DECLINES = 12;

/** Nobody may try that card again for this payment. */
const NEVER_AGAIN: ReadonlySet<string> = new Set(["do-not-retry", "12"]);

/** Whether a payment may get a new date: what is not charged, nor being charged, and may still be tried. */
const isMovable = ({ status, reason, declines }: PlanPayment): boolean =>
  status === "scheduled" ||
  status === "retrying" ||
  (status === "failed" && declines < MOST_DECLINES && !(reason !== null && NEVER_AGAIN.has(reason)));

/** The plan with other dates; all that is wrong with them; or undefined where its payments have no dates any more. */
export function movedPlan(
  plan: Plan,
  moves: readonly MovedPayment[],
  now: Date,
): Plan | { readonly faults: readonly ScheduleFault[] } | undefined {
  if (plan.canceledAt !== null || planStatusOf(plan) === "completed") return undefined;
  const faults: ScheduleFault[] = [];
  for (const [index, { number }] of moves.entries()) {
    const payment = plan.payments.find((one) => one.number === number);
    const field = `payments.${index}.number`;
    if (payment === undefined) faults.push({ field, fault: "no-such-payment" });
    else if (moves.findIndex((other) => other.number === number) < index) faults.push({ field, fault: "named-twice" });
    else if (!isMovable(payment)) faults.push({ field, fault: "not-movable" });
  }
  const payments = plan.payments.map((payment): PlanPayment => {
    const move = moves.find(({ number }) => number === payment.number);
    if (move === undefined) return payment;
    const { dueAt } = move;
    const anew = { status: "scheduled", triedAt: null, reason: null, declinesBefore: payment.declines } as const;
    return { ...payment, ...anew, dueAt, chargeAt: notBefore(dueAt, now) };
  });
  // Those that stay where they are may have fallen due; their order counts all the same.
  const dated = payments.filter(({ status }) => status === "scheduled" || status === "retrying");
  for (const [index, { number, dueAt }] of dated.entries()) {
    const nth = moves.findIndex((move) => move.number === number);
    const before = dated[index - 1];
    const after = moves.findIndex((move) => move.number === before?.number);
    const field = `payments.${nth === -1 ? after : nth}.due_at`;
    if (nth !== -1) faults.push(...wrongDates([{ dueAt, field }], now));
    if ((nth !== -1 || after !== -1) && before !== undefined && dueAt <= before.dueAt)
      faults.push({ field, fault: "not-ascending" });
  }
  return faults.length > 0 ? { faults } : { ...plan, payments, updatedAt: now };
}
