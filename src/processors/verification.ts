// The verification of a card by kinds that ask for it as an authorization of nothing: the question as that charge, and what its answer says
// of the card. Pure.

import { ZERO } from "../payment/money.ts";
import type { Answer, ChargeQuestion, VerificationAnswer, VerificationQuestion } from "./processor.ts";

/** Zero-amount authorization: nothing is held, so nothing has to be taken back. */
export const zeroAuth = (question: VerificationQuestion): ChargeQuestion => ({
  ...question,
  type: "auth",
  transactionId: question.reference,
  merchantTransactionId: "verification",
  amount: ZERO,
  threeDSecure: null,
  passengers: null,
});

/** What is neither yes nor no says nothing of the card. */
export function verificationOf(answer: Answer): VerificationAnswer {
  switch (answer.kind) {
    case "approved":
      return { kind: "verified", success: true, processorResponse: answer.processorResponse };
    case "declined": {
      const { processorResponse, category } = answer;
      return { kind: "verified", success: false, processorResponse, category };
    }
    case "action-required":
      return { kind: "verified", success: false, processorResponse: answer.processorResponse };
    case "pending":
    case "undecided":
      return { kind: "unanswered", why: answer.why };
    case "unanswered":
    case "not-sent":
      return answer;
  }
}
