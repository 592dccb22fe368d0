// How the simulator judges a capture, a void or a refund. It keeps no books: which amounts fit is for the gateway's
// rules, and what it judges here is what a processor alone knows.

import type { AccountTerms } from "../../payment/account-terms.ts";
import type { Answer, FollowUpQuestion } from "../processor.ts";
import { declinesFollowUp } from "./cards.ts";
import { approve, decline } from "./processor-response.ts";
import { refundComesTooEarly, voidComesTooLate } from "./settlement.ts";

/** What of its terms and capabilities bears on a judgement. */
export type Account = Pick<AccountTerms, "settlesUnseen" | "refundBeforeSettlement">;

export function judgeFollowUp(question: FollowUpQuestion, account: Account, now: Date): Answer {
  const { type, reference, original } = question;
  if (declinesFollowUp(original.cardMask, type)) return decline("05", reference);
  if (type === "void" && account.settlesUnseen && voidComesTooLate(question, now)) return decline("A1", reference);
  if (type === "refund" && !account.refundBeforeSettlement && refundComesTooEarly(question, now))
    return decline("A2", reference);
  return approve(reference);
}
