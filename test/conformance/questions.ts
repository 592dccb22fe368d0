// Questions as the gateway puts them to a processor, for tests: every one with a reference of its own.

import { v7 as uuidv7 } from "uuid";
import { maskCard, parseCardNumber, parseCvv } from "../../src/payment/card.ts";
import { cardBrand } from "../../src/payment/card-brand.ts";
import { amountOf } from "../../src/payment/money.ts";
import type { ProcessorResponse } from "../../src/payment/outcome.ts";
import type { ThreeDSecure } from "../../src/payment/three-d-secure.ts";
import type { ChargeType, EchoedFields, FollowUpType } from "../../src/payment/transaction.ts";
import { NOTHING_CHECKED } from "../../src/payment/verification.ts";
import type {
  CapturedPart,
  CardChargeQuestion,
  ChargeQuestion,
  FollowUpQuestion,
  InquiryQuestion,
  TimeoutReversalQuestion,
} from "../../src/processors/processor.ts";

export interface ChargeGiven {
  readonly number?: string;
  /** Null: none is sent. */
  readonly cvv?: string | null;
  readonly expiryMonth?: string;
  readonly expiryYear?: string;
  readonly minor?: bigint;
  readonly currency?: string;
  readonly reference?: string;
  readonly transactionId?: string;
  readonly fields?: EchoedFields;
  readonly threeDSecure?: ThreeDSecure;
}

/** An ordinary charge of 10.00 US dollars, except for what is given. */
export function chargeQuestion(type: ChargeType, given: ChargeGiven = {}): CardChargeQuestion {
  const number = parseCardNumber(given.number ?? "4111111111111111");
  if (number === undefined) throw new TypeError("A card number for a test is 8 to 19 digits.");
  return {
    type,
    reference: given.reference ?? uuidv7(),
    transactionId: given.transactionId ?? uuidv7(),
    amount: amountOf(given.minor ?? 1000n),
    currency: given.currency ?? "USD",
    instrument: {
      kind: "card",
      number,
      cvv: given.cvv === null ? undefined : parseCvv(given.cvv ?? "973"),
      brand: cardBrand(number),
      expiryMonth: given.expiryMonth ?? "12",
      expiryYear: given.expiryYear ?? "2099",
    },
    merchantTransactionId: "order 1",
    ipAddress: "203.0.113.7",
    fields: given.fields ?? {},
    threeDSecure: given.threeDSecure ?? null,
    passengers: null,
  };
}

/** Of a charge of which only this is known. */
export const SOME_RESPONSE: ProcessorResponse = {
  code: "00",
  message: "APPROVED",
  transactionId: "some-processor-transaction-id",
  authCode: null,
  ...NOTHING_CHECKED,
};

export interface FollowUpGiven {
  readonly minor?: bigint;
  readonly reference?: string;
  readonly uncaptured?: bigint;
  readonly captures?: readonly CapturedPart[];
}

/** A follow-up of all of this charge, except for what is given. */
export function followUpQuestion(
  type: FollowUpType,
  charge: ChargeQuestion,
  response: ProcessorResponse | null,
  given: FollowUpGiven = {},
): FollowUpQuestion {
  return {
    type,
    reference: given.reference ?? uuidv7(),
    transactionId: charge.transactionId,
    amount: amountOf(given.minor ?? charge.amount),
    currency: charge.currency,
    shares: null,
    original: {
      type: charge.type,
      reference: charge.reference,
      processorTransactionId: response?.transactionId ?? null,
      authCode: response?.authCode ?? null,
      amount: charge.amount,
      cardMask: charge.instrument.kind === "card" ? maskCard(charge.instrument.number) : "************1111",
    },
    // Unless told otherwise, nothing was captured.
    uncaptured: amountOf(given.uncaptured ?? (given.captures ? 0n : charge.amount)),
    captures: given.captures ?? [],
  };
}

export function timeoutReversalQuestion({
  type,
  reference,
  transactionId,
  amount,
  currency,
  merchantTransactionId,
  fields,
}: ChargeQuestion): TimeoutReversalQuestion {
  return { type, reference, transactionId, amount, currency, merchantTransactionId, fields };
}

/** What became of a charge. */
export const inquiryQuestion = (charge: ChargeQuestion): InquiryQuestion => ({
  ...timeoutReversalQuestion(charge),
  original: null,
});

/** What became of a follow-up of this charge. */
export const followUpInquiry = (charge: ChargeQuestion, followUp: FollowUpQuestion): InquiryQuestion => ({
  ...timeoutReversalQuestion(charge),
  type: followUp.type,
  reference: followUp.reference,
  amount: followUp.amount,
  original: followUp.original,
});
