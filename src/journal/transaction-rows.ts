// Rows of transactions, events and outcomes as they are read. Rows are checked: an unknown value, from a
// later version or by hand, is a fault.

import { CARD_BRANDS } from "../payment/card-brand.ts";
import type { ChallengePage } from "../payment/challenge.ts";
import { DECLINE_CATEGORIES } from "../payment/decline.ts";
import { type Amount, amountOf } from "../payment/money.ts";
import { type FailedAfterAll, FIRST_OUTCOME_KINDS, type FirstOutcome, type Outcome } from "../payment/outcome.ts";
import { THREE_D_SECURE_OUTCOMES } from "../payment/three-d-secure.ts";
import { EVENT_TYPES, type Event, type Passenger, type Share, type Transaction } from "../payment/transaction.ts";
import { AVS_WORDS, CVV_WORDS } from "../payment/verification.ts";
import { type Details, SEARCHED_FIELDS, type SearchedField } from "./transaction-columns.ts";

/** `json` columns come parsed; amounts in them are texts of hundredths. */
type Stored<T> = T extends Amount
  ? string
  : T extends readonly (infer E)[]
    ? Stored<E>[]
    : T extends object
      ? { [K in keyof T]: Stored<T[K]> }
      : T;

export interface TransactionRow extends Record<SearchedField, string | null> {
  readonly merchant_id: string;
  readonly id: string;
  readonly number: string;
  readonly user_id: string;
  readonly created_at: Date;
  readonly currency: string;
  readonly card_mask: string;
  readonly card_first_six: string;
  readonly card_brand: string;
  readonly card_expiry_month: string;
  readonly card_expiry_year: string;
  readonly merchant_transaction_id: string;
  readonly details: Details | null;
  readonly passengers: readonly Stored<Passenger>[] | null;
}

/** An event beside its outcome, if it has one. */
export interface EventRow {
  readonly transaction_id: string;
  readonly sequence: number;
  readonly event_id: string;
  readonly type: string;
  readonly amount: string;
  readonly shares: readonly Stored<Share>[] | null;
  readonly processor_id: string;
  readonly ip_address: string | null;
  readonly reversal: boolean;
  readonly request_id: string | null;
  readonly by_processor: string | null;
  readonly event_created_at: Date;
  readonly kind: string | null;
  readonly processor_code: string;
  readonly processor_message: string;
  readonly processor_transaction_id: string | null;
  readonly auth_code: string | null;
  readonly avs_response: string | null;
  readonly processor_avs_response: string | null;
  readonly cvv_response: string | null;
  readonly processor_cvv_response: string | null;
  readonly threeds_response: string | null;
  readonly processor_threeds_response: string | null;
  readonly processor_code_detail: string | null;
  readonly decline_category: string | null;
  readonly cutoff_at: Date | null;
  readonly settled_at: Date | null;
  readonly visible_at: Date | null;
  readonly concluded_at: Date;
  /** Of a late failure; null where there is none. */
  readonly failed_at: Date | null;
  readonly failure: Omit<FailedAfterAll, "kind" | "at" | "approval"> | null;
  /** Of a challenge; null where there was none. */
  readonly checkout_url: string | null;
  readonly challenge_page: ChallengePage | null;
  readonly challenge_expires_at: Date | null;
}

/** @param events of this transaction, oldest first */
export function transactionFrom(row: TransactionRow, events: readonly EventRow[]): Transaction {
  const [first, ...rest] = events.map(eventFrom);
  if (first === undefined) throw new Error("broken journal: a transaction without events");
  const searched = SEARCHED_FIELDS.flatMap((field) => (row[field] === null ? [] : [[field, row[field]]]));
  return {
    merchantId: row.merchant_id,
    id: row.id,
    userId: row.user_id,
    createdAt: row.created_at,
    currency: row.currency,
    merchantTransactionId: row.merchant_transaction_id,
    card: {
      mask: row.card_mask,
      firstSix: row.card_first_six,
      brand: brandOf(row.card_brand),
      expiryMonth: row.card_expiry_month,
      expiryYear: row.card_expiry_year,
    },
    fields: { ...Object.fromEntries(searched), ...row.details?.fields },
    meta: row.details?.meta ?? null,
    threeDSecure: row.details?.threeDSecure ?? null,
    ...(row.details?.threeDSecureOff && { threeDSecureOff: true }),
    passengers: row.passengers?.map(passengerFrom) ?? null,
    ...(row.details?.onFile && { onFile: row.details.onFile }),
    ...(row.details?.initiation && { initiation: row.details.initiation }),
    ...(row.details?.ofPlan && { ofPlan: row.details.ofPlan }),
    ...(row.details?.returnUrl && { returnUrl: row.details.returnUrl }),
    events: [first, ...rest],
  };
}

/** Of what JSON has of it. */
export const passengerFrom = (stored: Stored<Passenger>): Passenger => ({
  ...stored,
  legs: stored.legs.map((leg) => ({ ...leg, fare: amountOf(BigInt(leg.fare)) })),
  fares: amountOf(BigInt(stored.fares)),
});

function eventFrom(row: EventRow): Event {
  return {
    id: row.event_id,
    sequence: row.sequence,
    type: typeOf(row.type),
    amount: amountOf(BigInt(row.amount)),
    shares: row.shares?.map(({ passengerId, amount }) => ({ passengerId, amount: amountOf(BigInt(amount)) })) ?? null,
    processorId: row.processor_id,
    ipAddress: row.ip_address,
    reversal: row.reversal,
    ...(row.request_id !== null && { requestId: row.request_id }),
    ...(row.by_processor !== null && { byProcessor: row.by_processor }),
    ...challengeFrom(row),
    createdAt: row.event_created_at,
    outcome: row.kind === null ? null : outcomeFrom(kindOf(row.kind), row),
  };
}

function challengeFrom(row: EventRow): Pick<Event, "challenge"> {
  const { checkout_url: checkoutUrl, challenge_page: page, challenge_expires_at: expiresAt } = row;
  return checkoutUrl !== null && page !== null && expiresAt !== null
    ? { challenge: { checkoutUrl, page, expiresAt } }
    : {};
}

function outcomeFrom(kind: FirstOutcome["kind"], row: EventRow): Outcome {
  const first = firstOutcomeFrom(kind, row);
  if (row.failed_at === null || row.failure === null || first.kind !== "approved") return first;
  return { kind: "failed-after-all", at: row.failed_at, ...row.failure, approval: first };
}

function firstOutcomeFrom(kind: FirstOutcome["kind"], row: EventRow): FirstOutcome {
  const processorResponse = {
    code: row.processor_code,
    message: row.processor_message,
    transactionId: row.processor_transaction_id,
    authCode: row.auth_code,
    avs: perhaps(avsOf, row.avs_response),
    rawAvs: row.processor_avs_response,
    cvv: perhaps(cvvOf, row.cvv_response),
    rawCvv: row.processor_cvv_response,
    threeDSecure: perhaps(threeDSecureOf, row.threeds_response),
    rawThreeDSecure: row.processor_threeds_response,
    detail: row.processor_code_detail,
  };
  if (kind === "declined") {
    const category = perhaps(categoryOf, row.decline_category);
    return { kind, at: row.concluded_at, processorResponse, ...(category !== null && { category }) };
  }
  if (kind !== "approved") return { kind, at: row.concluded_at, processorResponse };
  const { cutoff_at: cutoffAt, settled_at: settledAt, visible_at: visibleAt } = row;
  const settles = cutoffAt !== null && settledAt !== null && visibleAt !== null;
  return {
    kind,
    at: row.concluded_at,
    processorResponse,
    settlement: settles ? { cutoffAt, settledAt, visibleAt } : null,
  };
}

/** The columns of an {@link EventRow}: of an event e, its outcome o, its late failure f and its challenge c. No {@link TransactionRow} has one of them. */
export const EVENT_ROW = `e.transaction_id, e.sequence, e.id as event_id, e.type, e.amount, e.shares, e.processor_id, e.ip_address,
  e.reversal, e.request_id, e.by_processor, e.created_at as event_created_at, o.kind, o.processor_code, o.processor_message,
  o.processor_transaction_id, o.auth_code, o.avs_response, o.processor_avs_response, o.cvv_response, o.processor_cvv_response,
  o.threeds_response, o.processor_threeds_response, o.processor_code_detail, o.decline_category, o.cutoff_at, o.settled_at,
  o.visible_at, o.created_at as concluded_at, f.created_at as failed_at, f.failure,
  c.checkout_url, c.page as challenge_page, c.expires_at as challenge_expires_at`;

/** @returns reads a column that holds one of these words */
function wordOf<Word extends string>(column: string, words: readonly Word[]): (text: string) => Word {
  const known = new Map<string, Word>(words.map((word) => [word, word]));
  return (text) => {
    const word = known.get(text);
    if (word === undefined) throw new Error(`broken journal: ${column} is ${JSON.stringify(text)}`);
    return word;
  };
}

const perhaps = <Word>(read: (text: string) => Word, text: string | null): Word | null =>
  text === null ? null : read(text);

const brandOf = wordOf("card_brand", CARD_BRANDS);
const typeOf = wordOf("type", EVENT_TYPES);
const kindOf = wordOf("kind", FIRST_OUTCOME_KINDS);
const categoryOf = wordOf("decline_category", DECLINE_CATEGORIES);
const avsOf = wordOf("avs_response", AVS_WORDS);
const cvvOf = wordOf("cvv_response", CVV_WORDS);
const threeDSecureOf = wordOf("threeds_response", THREE_D_SECURE_OUTCOMES);
