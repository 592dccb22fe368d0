// A merchant account at Adyen, asked over its Checkout API. A charge is answered at once; captures, voids, refunds and reversals are
// accepted, and end by webhook. Here a question becomes a request, and its answer an answer.

import { hash, randomUUID } from "node:crypto";
import type { Clock } from "../../clock.ts";
import type { Capabilities } from "../../payment/account-terms.ts";
import type { CardBrand } from "../../payment/card-brand.ts";
import { isCurrency } from "../../payment/currency.ts";
import { followsFrom } from "../../payment/doubt.ts";
import { type Limit, type ToExpress, wholeAmount } from "../../payment/expressible.ts";
import type { KeptToken } from "../../payment/instrument.ts";
import type { ConditionalFields } from "../../payment/processor-record.ts";
import type { EventType } from "../../payment/transaction.ts";
import { NOTHING_CHECKED } from "../../payment/verification.ts";
import { timeOfId } from "../../uuid.ts";
import { assertSettings, type ProcessorKind } from "../kind.ts";
import {
  type Answer,
  type Brought,
  CARD_NUMBERS_ONLY,
  type ChargeQuestion,
  type Check,
  chargesCard,
  chargesToken,
  type FollowUpQuestion,
  type Health,
  type IncomingMessage,
  type InquiryAnswer,
  type InquiryQuestion,
  type Processor,
  type Received,
  type TimeoutReversalAnswer,
  type TimeoutReversalQuestion,
  type TokenAnswer,
  type VerificationAnswer,
  type VerificationQuestion,
} from "../processor.ts";
import { verificationOf, zeroAuth } from "../verification.ts";
import { withoutToken } from "../without-token.ts";
import { Api, type ApiAnswer, type Asked } from "./api.ts";
import { adyenBookings } from "./bookings.ts";
import { checkAccount } from "./check.ts";
import { adyenValue } from "./minor-units.ts";
import { idOfPayment, readNotification } from "./notifications/read-notification.ts";
import { isAbout, presentedBy, readPayment, refusedRequest } from "./read-payment.ts";
import { renderReference } from "./reference.ts";
import { settlementDetails } from "./report/settlement-details.ts";
import { detailsRequest, followUpRequest, paymentRequest, verificationRequest } from "./requests.ts";
import {
  ADYEN_SECRETS,
  ADYEN_SETTINGS,
  type AdyenSettings,
  baseUrlOf,
  type WholeSettings,
  withDefaults,
} from "./settings.ts";
import { describeToken } from "./token.ts";
import type { CancelByReferenceJson, PaymentJson } from "./types.ts";

export const adyenKind: ProcessorKind = {
  name: "adyen",
  settingsSchema: ADYEN_SETTINGS,
  secretSettings: ADYEN_SECRETS,
  takesCurrency: isCurrency,
  report: settlementDetails,
  bookings: adyenBookings,
  open(record, { clock }) {
    assertSettings(adyenKind, record);
    return new AdyenAccount(withDefaults(record.settings as AdyenSettings), clock);
  },
};

/** Adyen keeps keys for a week at least; a day is left for clocks that differ. */
const KEY_KEPT_MS = 6 * 86_400_000;

class AdyenAccount implements Processor {
  readonly capabilities: Capabilities;
  readonly keepsCardNumber = false;
  readonly requires: ConditionalFields = { cvv: [], names: false, document: false };
  readonly #settings: WholeSettings;
  readonly #api: Api;
  readonly #clock: Clock;

  constructor(settings: WholeSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#api = new Api(baseUrlOf(settings), settings.api_key);
    this.capabilities = {
      partialVoid: false,
      multipleCaptures: settings.multiple_captures,
      // What Adyen has not captured yet it does not refund: a sale is captured after the delay, an authorization when a capture is asked for.
      refundBeforeSettlement: settings.capture_delay_hours === 0,
      refundsCapturedAuthorizations: true,
      voidsWholePaymentsOnly: true,
    };
  }

  takes(brand: CardBrand): boolean {
    return this.#settings.card_brands.includes(brand);
  }

  cannotExpress({ amount, currency }: ToExpress): readonly Limit[] {
    return amount === undefined || adyenValue(amount, currency) !== undefined ? [] : [wholeAmount(currency)];
  }

  async charge(question: ChargeQuestion, signal: AbortSignal): Promise<Answer> {
    if (!chargesCard(question) && !chargesToken(question)) return CARD_NUMBERS_ONLY;
    const answer = await this.#askPayment(question, paymentRequest(question, this.#settings), signal);
    return chargesToken(question) ? withoutToken(answer, question.instrument.token) : answer;
  }

  async #askPayment(question: ChargeQuestion, request: PaymentJson | undefined, signal: AbortSignal): Promise<Answer> {
    if (request === undefined) return { kind: "not-sent", why: `Adyen has no such amount in ${question.currency}` };
    const presented = presentedBy(question);
    const asked = await this.#api.ask("/payments", request, question.reference, signal);
    return withinDoubt(asked, question.type, (answer) => {
      if (answer.kind === "refused") return refusedRequest(answer, presented);
      if (answer.kind !== "told") return answer;
      if (!isAbout(answer, request)) return { kind: "unanswered", why: "the answer is about another payment" };
      return readPayment(answer, presented);
    });
  }

  async verify(asked: VerificationQuestion, signal: AbortSignal): Promise<VerificationAnswer> {
    const question = zeroAuth(asked);
    if (!chargesCard(question) && !chargesToken(question)) return CARD_NUMBERS_ONLY;
    const answer = verificationOf(
      await this.#askPayment(question, verificationRequest(question, this.#settings), signal),
    );
    return chargesToken(question) ? withoutToken(answer, question.instrument.token) : answer;
  }

  /**
   * An answer ends this charge only if it names it: a payer may bring another payment's result. Of what Adyen refuses nothing is known but that
   * this result is none.
   */
  async returned(question: InquiryQuestion, brought: Brought, signal: AbortSignal): Promise<InquiryAnswer> {
    const request = detailsRequest(brought);
    if (request === undefined) return { kind: "unknown" };
    const reference = renderReference(question);
    // Of each result of its own: the first answer to another one would be told again.
    const key = hash("sha256", `${reference} ${JSON.stringify(request)}`, "base64url");
    const asked = await this.#api.ask("/payments/details", request, key, signal);
    return withinDoubt(asked, question.type, (answer) => {
      if (answer.kind === "refused")
        return { kind: "unanswered", why: `no result: ${answer.errorCode} ${answer.message}` };
      if (answer.kind !== "told") return answer;
      const value = adyenValue(question.amount, question.currency) ?? 0;
      const its = { reference, amount: { currency: question.currency, value } };
      if (answer.body.merchantReference !== reference || !isAbout(answer, its))
        return { kind: "unanswered", why: "the result is another payment's" };
      return readPayment(answer, { brand: "unknown", threeDSecure: null });
    });
  }

  async followUp(question: FollowUpQuestion, signal: AbortSignal): Promise<Answer> {
    // Under a forgotten key Adyen would do it a second time.
    if (this.#clock.now().getTime() - timeOfId(question.reference) > KEY_KEPT_MS)
      return { kind: "pending", why: "not repeated after six days: look for its reference in the Customer Area" };
    const request = followUpRequest(question, this.#settings.merchant_account);
    if (request.kind === "impossible") return impossible(request.why);
    const asked = await this.#api.ask(request.path, request.body, question.reference, signal);
    return withinDoubt(asked, question.type, accepted);
  }

  /** By our own reference: whoever was not answered has no other. Its end comes as TECHNICAL_CANCEL. */
  async timeoutReversal(question: TimeoutReversalQuestion, signal: AbortSignal): Promise<TimeoutReversalAnswer> {
    const reference = renderReference(question);
    const { merchant_account: merchantAccount } = this.#settings;
    const body: CancelByReferenceJson = { merchantAccount, paymentReference: reference, reference };
    // Each time anew: under the same key the next one would only be told what the first was.
    const asked = await this.#api.ask("/cancels", body, randomUUID(), signal);
    const answer = withinDoubt(asked, question.type, accepted);
    switch (answer.kind) {
      case "pending":
      case "not-sent":
      case "unanswered":
        return answer;
      default:
        return { kind: "unanswered", why: "Adyen does not take the cancellation" };
    }
  }

  describeToken(kept: KeptToken, signal: AbortSignal): Promise<TokenAnswer> {
    return describeToken(this.#api, kept, this.#settings, signal);
  }

  async receive(message: IncomingMessage): Promise<Received> {
    return readNotification(message, this.#settings);
  }

  notificationOf(payment: string): string {
    return idOfPayment(payment);
  }

  /** Adyen has read what it refuses (400, 422). What it turns away unread (401, 403), it would of an operation, too. */
  async health(signal: AbortSignal): Promise<Health> {
    const body = { merchantAccount: this.#settings.merchant_account };
    const answer = await this.#api.askOnce("/paymentMethods", body, null, signal);
    switch (answer.kind) {
      case "told":
        return { reachable: true, detail: "it answers" };
      case "refused":
        return { reachable: true, detail: `it answers HTTP ${answer.status} ${answer.errorCode} ${answer.message}` };
      case "not-sent":
      case "unanswered":
        return { reachable: false, detail: answer.why || "it does not answer" };
    }
  }

  check(signal: AbortSignal): Promise<readonly Check[]> {
    return checkAccount(this.#api, this.#settings, signal);
  }

  close(): Promise<void> {
    return this.#api.close();
  }
}

/** A question that was repeated here is in doubt until its answer says something about the first sending. */
function withinDoubt({ answer, doubt }: Asked, type: EventType, read: (answer: ApiAnswer) => Answer): Answer {
  const said = read(answer);
  if (doubt === undefined || followsFrom("repeat", type, said) !== "in-doubt") return said;
  return { kind: "unanswered", why: `${doubt.why}; then, to its repeat: ${wordsOf(said)}` };
}

const wordsOf = (said: Answer): string =>
  "why" in said ? said.why : `${said.processorResponse.code} ${said.processorResponse.message}`;

function accepted(answer: ApiAnswer): Answer {
  if (answer.kind === "refused") return refusedRequest(answer, null);
  if (answer.kind !== "told") return answer;
  const { status, pspReference } = answer.body;
  if (status === "received") return { kind: "pending", why: `received as ${pspReference}` };
  return { kind: "unanswered", why: `an answer without the status "received": ${String(status).slice(0, 40)}` };
}

const impossible = (message: string): Answer => ({
  kind: "declined",
  processorResponse: { code: "NO", message, transactionId: null, authCode: null, ...NOTHING_CHECKED },
  category: "wrong-state",
});
