// When captured money settles at the simulator, which it tells nobody, and whether a void or a refund comes in time.
// Only accounts care whose terms say so, as those in CAD do (specification 3).

import { hash } from "node:crypto";
import { type Amount, plus, sum } from "../../payment/money.ts";
import type { SettlementTimes } from "../../payment/transaction.ts";
import type { FollowUpQuestion } from "../processor.ts";

/** An instant from the cut-off up to, not including, the end of settlement; every one is as likely as any other. */
export function settlesAt(transactionId: string, { cutoffAt, settledAt }: SettlementTimes): Date {
  const opensAt = cutoffAt.getTime();
  // With the cut-off in it, so that the captures of one transaction in two batches are drawn apart.
  const drawn = Number.parseInt(hash("sha256", `${transactionId}/${opensAt}`).slice(0, 12), 16) / 2 ** 48;
  return new Date(opensAt + Math.floor(drawn * (settledAt.getTime() - opensAt)));
}

/** Whether this void asks for money that has settled. */
export function voidComesTooLate(question: FollowUpQuestion, now: Date): boolean {
  return (
    question.amount >
    plus(
      question.uncaptured,
      leftOf(question, (instant) => instant > now),
    )
  );
}

/** Whether this refund asks for money that has yet to settle. */
export function refundComesTooEarly(question: FollowUpQuestion, now: Date): boolean {
  return question.amount > leftOf(question, (instant) => instant <= now);
}

function leftOf({ transactionId, captures }: FollowUpQuestion, counts: (instant: Date) => boolean): Amount {
  return sum(captures.filter(({ settlement }) => counts(settlesAt(transactionId, settlement))).map(({ left }) => left));
}
