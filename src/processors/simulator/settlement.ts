// When captured money settles at the simulator, which it tells nobody, and whether a void or a refund comes in time.
// Only CAD accounts care (specification 3).

import { hash } from "node:crypto";
import type { SettlementTimes } from "../../payment/transaction.ts";
import type { FollowUpQuestion } from "../processor.ts";

/** An instant from the cut-off up to, not including, the end of settlement; every one is as likely as any other. */
export function settlesAt(transactionId: string, { cutoffAt, settledAt }: SettlementTimes): Date {
  const opensAt = cutoffAt.getTime();
  // With the cut-off in it, so that the captures of one transaction in two batches are drawn apart.
  const drawn = Number.parseInt(hash("sha256", `${transactionId}/${opensAt}`).slice(0, 12), 16) / 2 ** 48;
  return new Date(opensAt + Math.floor(drawn * (settledAt.getTime() - opensAt)));
}

/** Whether some of the money that this void asks for has settled. */
export function voidComesTooLate(question: FollowUpQuestion, now: Date): boolean {
  const { amount, original, settlements } = question;
  // A CAD void is of all that is left. One of less than the charge leaves out the captures that were seen to be
  // settled, and asks for what was authorized besides.
  const concerned = amount < original.amount ? settlements.filter(({ visibleAt }) => now < visibleAt) : settlements;
  return concerned.some((times) => settlesAt(question.transactionId, times) <= now);
}

/** Whether some of the money that this refund asks for has yet to settle. Captures before their cut-off are not meant. */
export function refundComesTooEarly({ transactionId, settlements }: FollowUpQuestion, now: Date): boolean {
  const concerned = settlements.filter(({ cutoffAt }) => cutoffAt <= now);
  return concerned.length === 0 || concerned.some((times) => now < settlesAt(transactionId, times));
}
