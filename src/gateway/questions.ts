// What a processor is asked about an event. Pure.

import { asOf } from "../payment/as-of.ts";
import { balances } from "../payment/balances.ts";
import type { Instrument } from "../payment/instrument.ts";
import { settlementOf } from "../payment/outcome.ts";
import { storedCredentialOf } from "../payment/stored-credential.ts";
import { chargeOf, type Event, isCharge, isChargeType, type Transaction, withEvent } from "../payment/transaction.ts";
import type {
  ChargeQuestion,
  FollowUpQuestion,
  InquiryQuestion,
  Original,
  TimeoutReversalQuestion,
} from "../processors/processor.ts";

export function chargeQuestion(
  transaction: Transaction,
  event: Event,
  instrument: Instrument,
  returnUrl?: string,
): ChargeQuestion {
  if (!isCharge(event)) throw new Error(`broken invariant: ${event.type} is no charge`);
  const storedCredential = storedCredentialOf(transaction);
  return {
    type: event.type,
    reference: event.id,
    transactionId: transaction.id,
    amount: event.amount,
    currency: transaction.currency,
    instrument,
    merchantTransactionId: transaction.merchantTransactionId,
    ipAddress: event.ipAddress,
    fields: transaction.fields,
    threeDSecure: transaction.threeDSecure,
    passengers: transaction.passengers,
    ...(storedCredential && { storedCredential }),
    ...(returnUrl !== undefined && { returnUrl }),
    ...requestOf(event),
  };
}

/**
 * Asked again, it is the question that it was, whatever was added to the transaction since and whatever became of what was in flight then:
 * processors compare the two, and refuse the key of one that differs.
 * @param now changes nothing: it is the instant whose balances are looked at
 */
export function followUpQuestion(after: Transaction, event: Event, now: Date): FollowUpQuestion {
  const { type, sequence, createdAt } = event;
  if (isChargeType(type)) throw new Error(`broken invariant: ${type} is no follow-up`);
  // An event is no older than what was known when it was decided (follow-up.ts), unless an earlier version wrote it on a node whose clock
  // was behind: then its charge's end seems to have come later.
  const then = asOf(withEvent(after, event), { at: createdAt, sequence, concluded: false });
  const transaction = chargeOf(then).outcome === null ? withEvent(after, event) : then;
  return {
    type,
    reference: event.id,
    transactionId: transaction.id,
    amount: event.amount,
    currency: transaction.currency,
    shares: event.shares,
    original: originalOf(transaction),
    ...requestOf(event),
    ...moneyLeft(transaction, now),
  };
}

export function timeoutReversalQuestion(transaction: Transaction, event: Event): TimeoutReversalQuestion {
  if (!isCharge(event)) throw new Error(`broken invariant: ${event.type} is no charge`);
  return { type: event.type, ...identityOf(transaction, event) };
}

export const inquiryQuestion = (transaction: Transaction, event: Event): InquiryQuestion => ({
  type: event.type,
  ...identityOf(transaction, event),
  original: isCharge(event) ? null : originalOf(transaction),
});

/** What names an operation, and what its charge brought. */
const identityOf = ({ id, currency, merchantTransactionId, fields }: Transaction, event: Event) => ({
  reference: event.id,
  transactionId: id,
  amount: event.amount,
  currency,
  merchantTransactionId,
  fields,
  ...requestOf(event),
});

const requestOf = ({ requestId }: Event) => (requestId === undefined ? undefined : { requestId });

/** Of a follow-up. */
function originalOf(transaction: Transaction): Original {
  const charge = chargeOf(transaction);
  const response = charge.outcome?.processorResponse;
  return {
    type: charge.type,
    reference: charge.id,
    processorTransactionId: response?.transactionId ?? null,
    authCode: response?.authCode ?? null,
    amount: charge.amount,
    cardMask: transaction.card.mask,
  };
}

function moneyLeft(transaction: Transaction, now: Date): Pick<FollowUpQuestion, "uncaptured" | "captures"> {
  const { uncaptured, captures } = balances(transaction, now, "failed");
  return {
    uncaptured,
    captures: captures.flatMap(({ sequence, left }) => {
      const outcome = transaction.events[sequence - 1]?.outcome;
      const settlement = settlementOf(outcome);
      return left > 0n && settlement ? [{ left, settlement }] : [];
    }),
  };
}
