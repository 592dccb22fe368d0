// A transaction as the API shows it: specification 2, decisions 2.

import type { Dispute } from "../journal/dispute-rows.ts";
import { showDispute } from "../merchants/disputes/dispute-schema.ts";
import { type Actions, actionsOf, type Possibility, type Terms } from "../payment/actions.ts";
import { balances, leftOf } from "../payment/balances.ts";
import { isExpired } from "../payment/challenge.ts";
import { mayPayTwice } from "../payment/dispute.ts";
import { renderAmount, ZERO } from "../payment/money.ts";
import { declineCategoryOf } from "../payment/outcome.ts";
import { batchOf, type Status, statuses } from "../payment/status.ts";
import { cardIdOf } from "../payment/stored-card.ts";
import type { Initiation } from "../payment/stored-credential.ts";
import {
  attemptsOf,
  challengedIn,
  chargeOf,
  type Event,
  type EventType,
  type Leg,
  type Passenger,
  type Transaction,
  updatedAt,
} from "../payment/transaction.ts";
import { readJsonObject } from "./body/json.ts";

/**
 * Shape: schema/transaction.ts. Events newest first; only fields that were sent, and the specification's nullable ones.
 * @param disputes of a look-up and a list. Responses to operations are shown without, since they are made again to the byte.
 */
export function representTransaction(
  transaction: Transaction,
  terms: Terms,
  now: Date,
  disputes: readonly Dispute[] = [],
) {
  const { card, fields, meta, threeDSecure, passengers, onFile, initiation, ofPlan } = transaction;
  const statusOf = statuses(transaction, now);
  const attempts = attemptsOf(transaction);
  const challenged = challengedIn(transaction);
  const open = challenged && !isExpired(challenged.challenge, now) ? challenged : undefined;
  return {
    id: transaction.id,
    merchant_id: transaction.merchantId,
    user_id: transaction.userId,
    processor_id: chargeOf(transaction).processorId,
    merchant_transaction_id: transaction.merchantTransactionId,
    transaction_type: "card",
    checkout_url: open ? open.challenge.checkoutUrl : null,
    ...(open && { checkout_expires_at: timestamp(open.challenge.expiresAt) }),
    ...(transaction.returnUrl !== undefined && { return_url: transaction.returnUrl }),
    card_number: card.mask,
    card_brand: card.brand,
    card_expiry_month: card.expiryMonth,
    card_expiry_year: card.expiryYear,
    ...(onFile && { card_id: cardIdOf(transaction), ...(onFile.stores && { store_card: true }) }),
    ...(initiation && representInitiation(initiation)),
    ...(ofPlan && { plan_id: ofPlan.planId, plan_payment: ofPlan.payment }),
    ...fields,
    currency: transaction.currency,
    ...(meta !== null && { meta: readJsonObject(meta) }),
    ...(transaction.threeDSecureOff && { threeds_enabled: false }),
    ...(threeDSecure !== null && {
      threeds_enabled: true,
      threeds_xid: threeDSecure.xid,
      threeds_eci: threeDSecure.eci,
      threeds_cavv: threeDSecure.cavv,
      threeds_status: threeDSecure.status,
      ...(threeDSecure.version !== undefined && { threeds_version: threeDSecure.protocol ?? threeDSecure.version }),
    }),
    created_at: timestamp(transaction.createdAt),
    updated_at: timestamp(updatedAt(transaction)),
    events: transaction.events
      .filter((event) => !attempts.includes(event))
      .map((event) => representEvent(event, statusOf[event.sequence - 1] ?? "pending", now))
      .reverse(),
    ...(attempts.length > 0 && { attempts: attempts.map(representAttempt) }),
    ...(disputes.length > 0 && { disputes: disputes.map(showDispute) }),
    actions: representActions(
      actionsOf(transaction, terms, now),
      disputes.some(mayPayTwice),
      leftOf(balances(transaction, now, "reserved"), "open", "window") > ZERO,
    ),
    ...(passengers !== null && {
      passengers: passengers.map((passenger) => representPassenger(transaction, passenger, now)),
    }),
  };
}

/** As sent. */
const representInitiation = ({ initiator, reason, networkTransactionId }: Initiation) => ({
  ...(initiator !== undefined && { initiator }),
  ...(reason !== undefined && { reason }),
  ...(networkTransactionId !== undefined && { network_transaction_id: networkTransactionId }),
});

/** In words, since clients show it (decision A1): the processor has not answered, or only that it accepts. */
const PENDING = "PENDING: THE OUTCOME IS NOT KNOWN YET";
const CHALLENGED = "PENDING: THE PAYER HAS TO AUTHENTICATE";

/** The processor told later that it failed; that it was shown as done is no mistake of the reader. */
const APPROVED_AT_FIRST = "Approved at first, and failed after all";

function representEvent(event: Event, status: Status, now: Date) {
  const { outcome } = event;
  const response = outcome?.processorResponse;
  return {
    id: event.id,
    success: outcome?.kind === "approved",
    event_type: event.type satisfies EventType,
    amount: renderAmount(event.amount),
    status,
    ...(event.ipAddress !== null && { ip_address: event.ipAddress }),
    ...(event.byProcessor !== undefined && { by_processor: true }),
    processor_code: response?.code ?? null,
    processor_message: outcome === null ? (event.challenge ? CHALLENGED : PENDING) : outcome.processorResponse.message,
    processor_code_detail: response?.detail ?? (outcome?.kind === "failed-after-all" ? APPROVED_AT_FIRST : null),
    decline_category: declineCategoryOf(outcome),
    processor_transaction_id: response?.transactionId ?? null,
    auth_code: response?.authCode ?? null,
    threeds_response: response?.threeDSecure ?? null,
    processor_threeds_response: response?.rawThreeDSecure ?? null,
    avs_response: response?.avs ?? null,
    processor_avs_response: response?.rawAvs ?? null,
    cvv_response: response?.cvv ?? null,
    processor_cvv_response: response?.rawCvv ?? null,
    batch_id: batchOf(event, now),
    created_at: timestamp(event.createdAt),
    updated_at: timestamp(outcome?.at ?? event.createdAt),
  };
}

/** No event: a client that looks for the charge finds one, and does not take this for a charge that failed. */
function representAttempt({ processorId, createdAt, outcome }: Event) {
  const response = outcome?.kind === "declined" ? outcome.processorResponse : undefined;
  return {
    processor_id: processorId,
    reason: response === undefined ? "out_of_reach" : "declined",
    // What the gateway says itself of a processor that it did not reach is no processor's word.
    processor_code: response?.code ?? null,
    processor_message: response?.message ?? null,
    decline_category: declineCategoryOf(outcome),
    processor_transaction_id: response?.transactionId ?? null,
    created_at: timestamp(createdAt),
  };
}

function representPassenger(transaction: Transaction, passenger: Passenger, now: Date) {
  const { fares: _, legs, ...fields } = passenger;
  const { authorized, captured, voided, refunded } = balances(transaction, now, "failed", passenger.id);
  return {
    ...fields,
    legs: legs.map((leg: Leg) => ({ ...leg, fare: renderAmount(leg.fare) })),
    totals: {
      authorized: renderAmount(authorized),
      captured: renderAmount(captured),
      voided: renderAmount(voided),
      refunded: renderAmount(refunded),
    },
  };
}

/** @param disputed whoever gives captured money back is warned */
const representActions = (
  { capture, void: cancel, refund, reversal }: Actions,
  disputed: boolean,
  captured: boolean,
) => ({
  capture: representAction(capture),
  // What was only held goes back to nobody.
  void: representAction(cancel, disputed && captured),
  refund: representAction(refund, disputed),
  reversal: representAction(reversal, disputed),
});

function representAction(action: Possibility, disputed = false) {
  if (!action.allowed) {
    const { reason, from, uncertainFrom } = action;
    return {
      allowed: false,
      reason,
      uncertain_from: uncertainFrom && timestamp(uncertainFrom),
      from: from && timestamp(from),
    };
  }
  const { partial, uncertain, until } = action;
  return {
    allowed: true,
    amount: renderAmount(action.amount),
    partial,
    uncertain,
    until: until && timestamp(until),
    ...(disputed && { warning: "disputed" }),
  };
}

/** Of the seconds that were shown lately: an answer shows the same ones several times, and so do those beside it. */
const shownSeconds = new Map<number, string>();
const MOST_SECONDS = 1_000;

/** `2018-02-16T16:33:40+00:00` (decision A7). */
export function timestamp(instant: Date): string {
  const second = Math.floor(instant.getTime() / 1_000);
  const known = shownSeconds.get(second);
  if (known !== undefined) return known;
  if (shownSeconds.size >= MOST_SECONDS) shownSeconds.clear();
  const text = `${instant.toISOString().slice(0, 19)}+00:00`;
  shownSeconds.set(second, text);
  return text;
}
