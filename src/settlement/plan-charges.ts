// Charges the payments of plans as they fall due. A payment is charged once, whichever nodes look at it and wherever one of them dies: it is
// durable which transaction a charge will be before it is begun, the intent is written with a key that only this charge has, and what has no
// end yet is looked at and not charged again.

import { charge } from "../gateway/charge.ts";
import { leaseOf, underLease } from "../gateway/lease.ts";
import type { Parts } from "../gateway/parts.ts";
import { chargeOfPayment } from "../gateway/plans.ts";
import type { Render } from "../gateway/result.ts";
import type { Sql } from "../journal/database.ts";
import { type DuePayment, type DuePlans, giveUpCharge, keyOfCharge } from "../journal/due-plans.ts";
import { findPlan, lockPlan, type PlanNews } from "../journal/plan-rows.ts";
import { writePlan } from "../merchants/plans/change-plan.ts";
import { limitsOf, withinLimits } from "../payment/going-on.ts";
import { type Plan, type PlanPayment, planStatusOf } from "../payment/plan.ts";
import { endOfCharge, endOfRefused, notToCharge, type PaymentEnd, paymentAfter } from "../payment/plan-charge.ts";
import type { Refused } from "../payment/refusal.ts";
import { idOfName } from "../uuid.ts";

export interface PlanWork {
  readonly sql: Sql;
  readonly due: DuePlans;
}

/** What has no end yet is looked at again after so long, by real time: soon at first. */
const SOON_MS = 2_000;
const LATER_MS = 30_000;
const SOON_WITHIN_MS = 60_000;
const AFTER_FAULT_MS = 10_000;

/**
 * One payment that is due, or whose charge has no end yet; nothing if another node has it, or in recovery mode.
 * @returns whether it was looked at
 */
export async function chargePayment(parts: Parts, work: PlanWork, payment: DuePayment): Promise<boolean> {
  const { due } = work;
  // In recovery mode nothing begins: what was begun and not written could not be told from what was lost.
  if (parts.halted() || !(await due.lease(payment, parts.clock.now()))) return false;
  let restMs = AFTER_FAULT_MS;
  try {
    restMs = await underLease(
      leaseOf(due.leaseMs),
      () => due.renew(payment),
      () => look(parts, work, payment),
    );
    return true;
  } finally {
    await due.release(payment, restMs);
  }
}

/** @returns after how long somebody is to look again, by real time */
async function look(parts: Parts, { sql, due }: PlanWork, place: DuePayment): Promise<number> {
  const { merchantId, planId, number } = place;
  const { clock } = parts;
  let plan = await findPlan(sql, merchantId, planId);
  let payment = plan?.payments.find((one) => one.number === number);
  if (plan === undefined || payment === undefined) return 0;
  const recoveredAt = await due.recoveredAt();
  let dueAt = payment.chargeAt;
  if (payment.status !== "pending") {
    if (payment.chargeAt === null || payment.chargeAt > clock.now()) return 0;
    plan = await due.begin(plan, payment, idOfCharge(plan, payment), clock.now());
    payment = plan?.payments.find((one) => one.number === number);
    // It was moved or canceled a moment ago.
    if (plan === undefined || payment === undefined) return 0;
  }
  const { transactionId, triedAt } = payment;
  if (transactionId === null) throw new Error("broken database: a payment is being charged, and nobody knows as what");
  dueAt ??= triedAt;
  let found = await parts.journal.find(merchantId, transactionId);
  if (found === undefined) {
    const why =
      notToCharge(dueAt ?? clock.now(), clock.now(), recoveredAt) ?? (await overLimit(parts, due, plan, payment));
    if (why !== undefined) return giveUp(parts, sql, plan, payment, { kind: "failed", reason: why, declined: false });
    const result = await charge(
      parts,
      { merchantId, userId: plan.userId },
      chargeOfPayment(plan, payment),
      keyOfCharge(plan, payment),
      NOBODY_WAITS,
    );
    if (result.kind === "refused") {
      const end = refusedAs(plan, payment, result, clock.now());
      if (end !== undefined) return giveUp(parts, sql, plan, payment, end);
    }
    found = await parts.journal.find(merchantId, transactionId);
  }
  // Another node is just writing it.
  if (found === undefined) return SOON_MS;
  const takenBack = await due.isTakenBack(merchantId, transactionId);
  const end = endOfCharge(plan, payment, found, takenBack, clock.now());
  if (end.kind === "pending") return restOf(triedAt, clock.now());
  await conclude(parts, sql, plan, payment, end);
  return 0;
}

const NOBODY_WAITS: Render = () => ({ status: 200, body: "{}" });

/**
 * The same for the same try, also in a database that is older than what was done: a charge that was lost and is adopted from its
 * processor's books has it.
 */
const idOfCharge = ({ id, createdAt }: Plan, { number, attempts, chargeAt }: PlanPayment): string =>
  idOfName(`plan ${id} ${number} ${attempts + 1}`, chargeAt ?? createdAt);

const restOf = (triedAt: Date | null, now: Date): number =>
  triedAt !== null && now.getTime() - triedAt.getTime() < SOON_WITHIN_MS ? SOON_MS : LATER_MS;

/** Undefined: the key says that it is being charged. */
function refusedAs(plan: Plan, payment: PlanPayment, { refusals }: Refused, now: Date): PaymentEnd | undefined {
  const [{ name }] = refusals;
  if (name === "key-in-use" || name === "key-of-another-request") return undefined;
  return endOfRefused(plan, payment, name, now);
}

/** The schemes' limits count all plans of a card. */
async function overLimit(
  { clock }: Parts,
  due: DuePlans,
  { merchantId, cardId }: Plan,
  { amount }: PlanPayment,
): Promise<"repeat-limit" | undefined> {
  const { brand, tries } = await due.triesOf(merchantId, cardId, clock.now());
  return tries.length === 0 || withinLimits(limitsOf(brand, amount), tries, clock.now()) ? undefined : "repeat-limit";
}

type Ended = Exclude<PaymentEnd, { kind: "pending" }>;

/** Of a charge that was not begun, and from here on never is. @returns as {@link look} */
async function giveUp({ clock }: Parts, sql: Sql, plan: Plan, payment: PlanPayment, end: PaymentEnd): Promise<number> {
  if (end.kind === "pending") return SOON_MS;
  const givenUp = await sql.begin(async (tx) => {
    const before = await lockPlan(tx, plan.merchantId, plan.id);
    if (before === undefined || !(await giveUpCharge(tx, plan, payment, clock.now()))) return false;
    const there = before.payments.find((one) => isSame(one, payment));
    if (there !== undefined) await write(tx, before, there, end, clock.now());
    return true;
  });
  // Otherwise another node began it after all: it is looked at as any other.
  return givenUp ? 0 : SOON_MS;
}

async function conclude({ clock }: Parts, sql: Sql, plan: Plan, payment: PlanPayment, end: Ended): Promise<void> {
  await sql.begin(async (tx) => {
    const before = await lockPlan(tx, plan.merchantId, plan.id);
    const there = before?.payments.find((one) => isSame(one, payment));
    if (before !== undefined && there !== undefined) await write(tx, before, there, end, clock.now());
  });
}

/** Unless another node was faster. */
const isSame = (there: PlanPayment, { number, attempts }: PlanPayment): boolean =>
  there.number === number && there.attempts === attempts && there.status === "pending";

async function write(
  tx: Parameters<typeof lockPlan>[0],
  before: Plan,
  payment: PlanPayment,
  end: Ended,
  now: Date,
): Promise<void> {
  const ended = paymentAfter(payment, end, before.canceledAt !== null);
  const payments = before.payments.map((one) => (one === payment ? ended : one));
  const after = { ...before, payments, updatedAt: now };
  const news: PlanNews[] = [
    { type: end.kind === "charged" ? "plan.charge.succeeded" : "plan.charge.failed", payment: payment.number },
  ];
  if (planStatusOf(after) === "completed") news.push({ type: "plan.completed", payment: null });
  await writePlan(tx, before, after, news);
}
