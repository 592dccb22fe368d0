// A processor that is an account at Stripe, over its public API: payments (PaymentIntents), refunds, and events by webhook. Each
// question stands in a file of its own; docs/processors/stripe.md is for those who set up an account.

import type { Clock } from "../../clock.ts";
import type { Capabilities } from "../../payment/account-terms.ts";
import type { CardBrand } from "../../payment/card-brand.ts";
import { type Limit, type ToExpress, wholeAmount } from "../../payment/expressible.ts";
import type { KeptToken } from "../../payment/instrument.ts";
import type { ConditionalFields } from "../../payment/processor-record.ts";
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
  type PaymentOwner,
  type Processor,
  type Received,
  type TimeoutReversalAnswer,
  type TimeoutReversalQuestion,
  type TokenAnswer,
  type VerificationAnswer,
  type VerificationQuestion,
} from "../processor.ts";
import { withoutToken } from "../without-token.ts";
import { healthOf, StripeApi } from "./api.ts";
import { stripeBookings } from "./bookings.ts";
import { askCharge } from "./charge.ts";
import { checkAccount } from "./check.ts";
import { countsCurrency, inStripeUnits } from "./currency.ts";
import { whose } from "./find-payment.ts";
import { askFollowUp } from "./follow-up.ts";
import { inquire } from "./inquiry.ts";
import { receive } from "./notifications/receive.ts";
import { balanceTransactions } from "./report/balance-transactions.ts";
import { SECRET_SETTINGS, STRIPE_SETTINGS, type StripeSettings, type WholeSettings, withDefaults } from "./settings.ts";
import { reverse } from "./timeout-reversal.ts";
import { describeToken } from "./token.ts";
import { askVerification } from "./verification.ts";

export const stripeKind: ProcessorKind = {
  name: "stripe",
  settingsSchema: STRIPE_SETTINGS,
  secretSettings: SECRET_SETTINGS,
  takesCurrency: countsCurrency,
  report: balanceTransactions,
  bookings: stripeBookings,
  open(record, { clock }) {
    assertSettings(stripeKind, record);
    return new StripeAccount(withDefaults(record.settings as StripeSettings), clock);
  },
};

class StripeAccount implements Processor {
  readonly capabilities: Capabilities;
  readonly keepsCardNumber = false;
  readonly requires: ConditionalFields = { cvv: [], names: false, document: false };
  readonly receive?: (message: IncomingMessage) => Promise<Received>;
  readonly #settings: WholeSettings;
  readonly #clock: Clock;
  readonly #api: StripeApi;

  constructor(settings: WholeSettings, clock: Clock) {
    const { base_url, secret_key, webhook_secret, connections, multiple_captures } = settings;
    this.#settings = settings;
    this.#clock = clock;
    this.#api = new StripeApi(new URL(base_url), secret_key, connections);
    this.capabilities = { partialVoid: false, multipleCaptures: multiple_captures, refundBeforeSettlement: true };
    // Without its secret nothing can be verified, so nothing is taken.
    if (webhook_secret !== undefined)
      this.receive = async (message) => receive(message, webhook_secret.split(","), isLive(settings.secret_key));
  }

  takes(brand: CardBrand): boolean {
    return this.#settings.card_brands.includes(brand);
  }

  cannotExpress({ amount, currency, initiation }: ToExpress): readonly Limit[] {
    const fits = amount === undefined || inStripeUnits(amount, currency) !== undefined;
    return [
      ...(fits ? [] : [wholeAmount(currency)]),
      ...(initiation?.networkTransactionId === undefined ? [] : [NO_NETWORK_TRANSACTION_ID]),
    ];
  }

  async charge(question: ChargeQuestion, signal: AbortSignal): Promise<Answer> {
    if (!chargesCard(question) && !chargesToken(question)) return CARD_NUMBERS_ONLY;
    const answer = await askCharge(this.#api, question, this.#settings.multiple_captures, signal);
    return chargesToken(question) ? withoutToken(answer, question.instrument.token) : answer;
  }

  async verify(question: VerificationQuestion, signal: AbortSignal): Promise<VerificationAnswer> {
    const answer = await askVerification(this.#api, question, signal);
    const { instrument } = question;
    return instrument.kind === "processor-token" ? withoutToken(answer, instrument.token) : answer;
  }

  followUp(question: FollowUpQuestion, signal: AbortSignal): Promise<Answer> {
    return askFollowUp(this.#api, this.#clock, question, this.#settings.multiple_captures, signal);
  }

  timeoutReversal(question: TimeoutReversalQuestion, signal: AbortSignal): Promise<TimeoutReversalAnswer> {
    return reverse(this.#api, this.#clock, question, signal);
  }

  inquire(question: InquiryQuestion, signal: AbortSignal): Promise<InquiryAnswer> {
    return inquire(this.#api, this.#clock, question, signal);
  }

  /** Whatever the payer brings: Stripe tells how the payment stands. */
  returned(question: InquiryQuestion, _brought: Brought, signal: AbortSignal): Promise<InquiryAnswer> {
    return inquire(this.#api, this.#clock, question, signal);
  }

  whose(payment: string, signal: AbortSignal, operation?: string): Promise<PaymentOwner> {
    return whose(this.#api, payment, signal, operation);
  }

  describeToken(kept: KeptToken, signal: AbortSignal): Promise<TokenAnswer> {
    return describeToken(this.#api, kept, signal);
  }

  health(signal: AbortSignal): Promise<Health> {
    return healthOf(this.#api, signal);
  }

  check(signal: AbortSignal): Promise<readonly Check[]> {
    return checkAccount(this.#api, this.#settings, signal);
  }

  close(): Promise<void> {
    return this.#api.close();
  }
}

const NO_NETWORK_TRANSACTION_ID: Limit = {
  field: "network_transaction_id",
  limit: "there is no field for it, so it must be left out there",
};

/** Undefined for a key that does not say. */
function isLive(key: string): boolean | undefined {
  const [, mode] = /^[a-z]+_(live|test)_/.exec(key) ?? [];
  return mode === undefined ? undefined : mode === "live";
}
