// What becomes of a plan's payment when it falls due, and after each of its charges: charged again, or not, or for good. Pure.
//
// The schemes' limits on repeats are in going-on.ts, with their sources: Visa 15 repeats in 30 days of the same card and amount, none after
// a decline of category 1; Mastercard 10 in 24 hours and 35 in 30 days. A payment is tried four times in eleven days, and 12 times in all if it
// is moved. Several plans of one card count together.

import type { DeclineCategory } from "./decline.ts";
import type { Plan, PlanPayment } from "./plan.ts";
import type { RefusalName } from "./refusal.ts";
import { chargeOf, type Transaction } from "./transaction.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** After the first decline, the second and the third; after the fourth the payment has failed. */
export const PAUSES_AFTER_DECLINE_MS = [DAY_MS, 3 * DAY_MS, 7 * DAY_MS] as const;

/** Where nothing was sent: a processor that is out of reach or switched off. The last pause repeats. */
const PAUSES_UNSENT_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS] as const;
/** Counted from its first try. */
export const UNSENT_AT_MOST_MS = 3 * DAY_MS;

/**
 * A payment that is later than this is not charged by itself: the gateway was down, or its clock was wrong, and the payer does not expect it
 * any more.
 */
export const LATEST_MS = 7 * DAY_MS;

/** Why a payment was not charged, where no processor and no rule of a charge says so. */
export type PaymentReason = "overdue" | "after-recovery" | "repeat-limit" | "no-answer" | "not-sent";

/** What follows for a payment. `pending`: it is looked at again. */
export type PaymentEnd =
  | { readonly kind: "pending" }
  | { readonly kind: "charged" }
  | { readonly kind: "again"; readonly at: Date; readonly reason: string; readonly declined: boolean }
  | { readonly kind: "failed"; readonly reason: string; readonly declined: boolean };

/**
 * Why a payment that is due is not charged; undefined: it is.
 * @param recoveredAt when this database was last released from recovery mode: what fell due before may have been charged in the history that
 *   was lost
 */
export function notToCharge(chargeAt: Date, now: Date, recoveredAt: Date | null): PaymentReason | undefined {
  if (recoveredAt !== null && chargeAt <= recoveredAt) return "after-recovery";
  return now.getTime() - chargeAt.getTime() > LATEST_MS ? "overdue" : undefined;
}

/**
 * Another try cannot end otherwise, or is forbidden: the payer or the merchant has to do something first. The issuer's "never again" is
 * Visa's category 1 and Mastercard's advice codes 03 and 21.
 */
const FINAL: ReadonlySet<DeclineCategory> = new Set([
  "do-not-retry",
  "wrong-data",
  "suspected-fraud",
  "not-permitted",
  "authentication-required",
  "wrong-state",
]);

/** ISO 8583:1987, field 39: an invalid transaction. Visa counts it among what is never to be tried again (going-on.ts). */
const INVALID_TRANSACTION = "12";

/**
 * @param transaction of the payment's charge
 * @param isTakenBack whether its processor has confirmed that no money of a charge without an answer is held or taken
 */
export function endOfCharge(
  plan: Pick<Plan, "canceledAt">,
  payment: PlanPayment,
  transaction: Transaction,
  isTakenBack: boolean,
  now: Date,
): PaymentEnd {
  const { outcome } = chargeOf(transaction);
  switch (outcome?.kind) {
    case undefined:
      return { kind: "pending" };
    case "approved":
      return { kind: "charged" };
    case "not-sent":
      return afterUnsent(plan, payment, "not-sent", now);
    case "declined":
    case "failed-after-all": {
      const { category, processorResponse } = outcome;
      const isFinal = processorResponse.code === INVALID_TRANSACTION || (category !== undefined && FINAL.has(category));
      return afterDecline(plan, payment, category ?? "refused", isFinal, now);
    }
    case "unanswered":
    case "action-required":
      // Silence is never a no: until the processor confirms that nothing is taken, the payment may have been made.
      if (!isTakenBack) return { kind: "pending" };
      return outcome.kind === "unanswered"
        ? afterDecline(plan, payment, "no-answer", false, now)
        : afterDecline(plan, payment, "authentication-required", true, now);
    case "already-settled":
      throw new Error("broken invariant: a charge ended as a void does");
  }
}

function afterDecline(
  { canceledAt }: Pick<Plan, "canceledAt">,
  { declines, declinesBefore }: PlanPayment,
  reason: string,
  isFinal: boolean,
  now: Date,
): PaymentEnd {
  const pauseMs = PAUSES_AFTER_DECLINE_MS[declines - declinesBefore];
  if (isFinal || canceledAt !== null || pauseMs === undefined) return { kind: "failed", reason, declined: true };
  return { kind: "again", at: new Date(now.getTime() + pauseMs), reason, declined: true };
}

/** Nothing was sent, so this is no repeat to any scheme. */
function afterUnsent(
  { canceledAt }: Pick<Plan, "canceledAt">,
  { triedAt, attempts, declines }: PlanPayment,
  reason: string,
  now: Date,
): PaymentEnd {
  const sinceMs = now.getTime() - (triedAt ?? now).getTime();
  if (canceledAt !== null || sinceMs >= UNSENT_AT_MOST_MS) return { kind: "failed", reason, declined: false };
  const nth = Math.min(Math.max(attempts - declines, 1), PAUSES_UNSENT_MS.length) - 1;
  const at = new Date(now.getTime() + (PAUSES_UNSENT_MS[nth] ?? HOUR_MS));
  return { kind: "again", at, reason, declined: false };
}

/** What an operator can mend, or mends itself, while the payment waits. */
const MENDED: ReadonlySet<RefusalName> = new Set([
  "processor-disabled",
  "no-processor-in-rotation",
  "currency-differs",
  "currency-ambiguous",
  "processor-unknown",
]);

/** The gateway itself said no, and nothing was sent. A card that was deleted stays deleted. */
export const endOfRefused = (
  plan: Pick<Plan, "canceledAt">,
  payment: PlanPayment,
  name: RefusalName,
  now: Date,
): PaymentEnd =>
  MENDED.has(name) ? afterUnsent(plan, payment, name, now) : { kind: "failed", reason: name, declined: false };

/** The payment after this end of its charge. */
export function paymentAfter(
  payment: PlanPayment,
  end: Exclude<PaymentEnd, { kind: "pending" }>,
  isCanceled: boolean,
): PlanPayment {
  switch (end.kind) {
    case "charged":
      return { ...payment, status: "charged", chargeAt: null, reason: null };
    case "again":
      return { ...payment, status: "retrying", chargeAt: end.at, ...counted(payment, end) };
    case "failed":
      return { ...payment, status: isCanceled ? "canceled" : "failed", chargeAt: null, ...counted(payment, end) };
  }
}

const counted = (
  { declines }: PlanPayment,
  { reason, declined }: { readonly reason: string; readonly declined: boolean },
) => ({
  reason,
  declines: declined ? declines + 1 : declines,
});
