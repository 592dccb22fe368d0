// How the simulator judges a capture, a void or a refund. It keeps no books: which amounts fit is for the gateway's rules,
// and what it judges here is what a processor alone knows: when money settles.

import { hash } from "node:crypto";
import type { AccountTerms, Capabilities } from "../../payment/account-terms.ts";
import { type Amount, plus, sum } from "../../payment/money.ts";
import type { SettlementTimes } from "../../payment/outcome.ts";
import type { Answer, FollowUpQuestion, Original } from "../processor.ts";
import { declinesFollowUp } from "./cards.ts";
import { approve, decline } from "./processor-response.ts";

/** What of its terms and capabilities bears on a judgement. */
export type Account = Pick<AccountTerms, "settlesUnseen"> &
  Pick<Capabilities, "refundBeforeSettlement" | "refundsCapturedAuthorizations">;

export function judgeFollowUp(question: FollowUpQuestion, account: Account, now: Date): Answer {
  const { type, reference, original } = question;
  if (declinesFollowUp(original.cardMask, type)) return declined("05", reference);
  if (type === "void" && account.settlesUnseen && voidComesTooLate(question, now)) return declined("A1", reference);
  if (type === "refund" && waits(account, original) && refundComesTooEarly(question, now))
    return declined("A2", reference);
  return approve(reference);
}

/** It keeps no books, so nothing was done by a first sending of which it says no now. */
const declined = (code: "05" | "A1" | "A2", reference: string): Answer => ({
  ...decline(code, reference),
  isFirstAnswer: true,
});

/** An instant from the cut-off up to, not including, the end of settlement; every one is as likely as any other. */
export function settlesAt(transactionId: string, { cutoffAt, settledAt }: SettlementTimes): Date {
  const opensAt = cutoffAt.getTime();
  // With the cut-off in it, so that the captures of one transaction in two batches are drawn apart.
  const drawn = Number.parseInt(hash("sha256", `${transactionId}/${opensAt}`).slice(0, 12), 16) / 2 ** 48;
  return new Date(opensAt + Math.floor(drawn * (settledAt.getTime() - opensAt)));
}

/** By its own judgement, whatever the gateway's rules say. */
const waits = ({ refundBeforeSettlement, refundsCapturedAuthorizations }: Account, { type }: Original): boolean =>
  !refundBeforeSettlement && !(refundsCapturedAuthorizations && type === "auth");

/** Whether this void asks for money that has settled. */
function voidComesTooLate(question: FollowUpQuestion, now: Date): boolean {
  return (
    question.amount >
    plus(
      question.uncaptured,
      leftOf(question, (instant) => instant > now),
    )
  );
}

/** Whether this refund asks for money that has yet to settle. */
function refundComesTooEarly(question: FollowUpQuestion, now: Date): boolean {
  return question.amount > leftOf(question, (instant) => instant <= now);
}

function leftOf({ transactionId, captures }: FollowUpQuestion, counts: (instant: Date) => boolean): Amount {
  return sum(captures.filter(({ settlement }) => counts(settlesAt(transactionId, settlement))).map(({ left }) => left));
}
