// A card that is verified without money: a SetupIntent, created and confirmed in one request, for which Stripe asks the issuer. Nothing stays
// at Stripe that could be charged. https://docs.stripe.com/api/setup_intents/create

import { NOTHING_CHECKED } from "../../payment/verification.ts";
import {
  CARD_NUMBERS_ONLY,
  chargesCard,
  chargesToken,
  type Decline,
  type TokenChargeQuestion,
  type VerificationAnswer,
  type VerificationQuestion,
} from "../processor.ts";
import { zeroAuth } from "../verification.ts";
import { declinedBy } from "./answers/charge-answer.ts";
import { verified as checksOf } from "./answers/checks.ts";
import { done, undone } from "./answers/processor-response.ts";
import type { StripeApi } from "./api.ts";
import { createPaymentMethod, GONE } from "./charge.ts";
import { type SetupIntent, type StripeError, setupIntentOf } from "./objects.ts";
import { setupFields } from "./request-fields.ts";

const SETUPS = "/v1/setup_intents";

export async function askVerification(
  api: StripeApi,
  asked: VerificationQuestion,
  signal: AbortSignal,
): Promise<VerificationAnswer> {
  const question = zeroAuth(asked);
  if (chargesToken(question)) return setUp(api, question, methodOf(question), signal);
  if (!chargesCard(question)) return CARD_NUMBERS_ONLY;
  const method = await createPaymentMethod(api, question, signal);
  if (method.kind === "refused") return refused(method.error);
  if (method.kind !== "created") return { kind: method.kind, why: `the card was not taken: ${method.why}` };
  return setUp(api, question, { payment_method: method.id }, signal);
}

/** One that is attached is set up for its customer alone. */
const methodOf = ({ instrument }: TokenChargeQuestion) => ({
  payment_method: instrument.token.reveal(),
  customer: instrument.customer,
});

async function setUp(
  api: StripeApi,
  question: Pick<VerificationQuestion, "reference" | "requestId">,
  method: Parameters<typeof setupFields>[1],
  signal: AbortSignal,
): Promise<VerificationAnswer> {
  const reply = await api.post(SETUPS, setupFields(question, method), `${question.reference}/setup`, signal);
  switch (reply.kind) {
    case "ok":
      return answerOf(setupIntentOf(reply.body));
    case "refused":
      return refused(reply.error);
    case "not-sent":
      if ("missing" in reply) return declined(GONE);
      return { kind: "not-sent", why: reply.why };
    case "unanswered":
      return { kind: "unanswered", why: reply.why };
  }
}

const refused = (error: StripeError): VerificationAnswer => declined(declinedBy(error, null));

const declined = ({ processorResponse, category }: Decline): VerificationAnswer => ({
  kind: "verified",
  success: false,
  processorResponse,
  category,
});

/** https://docs.stripe.com/payments/paymentintents/lifecycle */
function answerOf(setup: SetupIntent | undefined): VerificationAnswer {
  if (setup === undefined) return { kind: "unanswered", why: "a setup that cannot be read" };
  const { id, status, last_setup_error: error } = setup;
  switch (status) {
    case "succeeded":
      return { kind: "verified", success: true, processorResponse: { ...done("VERIFIED", id), ...checkedBy(setup) } };
    case "requires_action": {
      const processorResponse = undone("1A", "THE PAYER HAS TO AUTHENTICATE", id);
      return { kind: "verified", success: false, processorResponse };
    }
    case "requires_payment_method":
      if (error) return declined(declinedBy(error, id));
      break;
  }
  return { kind: "unanswered", why: `${id} is ${status}` };
}

function checkedBy({ latest_attempt: attempt }: SetupIntent) {
  const details = attempt === null || typeof attempt === "string" ? undefined : attempt.payment_method_details;
  return { ...NOTHING_CHECKED, ...checksOf(details?.card?.checks) };
}
