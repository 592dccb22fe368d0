// Transactions, events and outcomes as rows, and back. Nothing is asked of the database here.

import type { CardBrand } from "../payment/card-brand.ts";
import type { DeclineCategory } from "../payment/decline.ts";
import { type Amount, amountOf } from "../payment/money.ts";
import type { ThreeDSecure, ThreeDSecureOutcome } from "../payment/three-d-secure.ts";
import {
  ECHOED_FIELDS,
  type EchoedField,
  type EchoedFields,
  type Event,
  type EventType,
  type FailedAfterAll,
  type FirstOutcome,
  type Outcome,
  type Passenger,
  type Share,
  settlementOf,
  type Transaction,
} from "../payment/transaction.ts";
import type { AvsWord, CvvWord } from "../payment/verification.ts";
import type { Column } from "./columns.ts";

/** Echoed fields that lists can be searched by have a column each; the others share one. */
export const SEARCHED_FIELDS = [
  "first_name",
  "last_name",
  "email",
  "mobile_phone",
  "city",
  "state",
  "zip",
  "shipping_city",
  "shipping_state",
  "shipping_zip",
] as const satisfies readonly EchoedField[];
type SearchedField = (typeof SEARCHED_FIELDS)[number];
const OTHER_FIELDS = ECHOED_FIELDS.filter((field) => !(SEARCHED_FIELDS as readonly string[]).includes(field));

/** All but `number` and `created_at`, which the counter of the merchant gives. */
export const TRANSACTION_COLUMNS: readonly Column<Transaction>[] = [
  { name: "merchant_id", type: "uuid", value: (t) => t.merchantId },
  { name: "id", type: "uuid", value: (t) => t.id },
  { name: "user_id", type: "uuid", value: (t) => t.userId },
  { name: "currency", type: "text", value: (t) => t.currency },
  { name: "card_mask", type: "text", value: (t) => t.card.mask },
  { name: "card_first_six", type: "text", value: (t) => t.card.firstSix },
  { name: "card_brand", type: "text", value: (t) => t.card.brand },
  { name: "card_expiry_month", type: "text", value: (t) => t.card.expiryMonth },
  { name: "card_expiry_year", type: "text", value: (t) => t.card.expiryYear },
  { name: "merchant_transaction_id", type: "text", value: (t) => t.merchantTransactionId },
  ...SEARCHED_FIELDS.map(
    (field): Column<Transaction> => ({ name: field, type: "text", value: (t) => t.fields[field] ?? null }),
  ),
  { name: "details", type: "text", value: detailsText },
  { name: "passengers", type: "text", value: (t) => passengersText(t) },
];

export interface PlacedEvent {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly event: Event;
}

export const EVENT_COLUMNS: readonly Column<PlacedEvent>[] = [
  { name: "sequence", type: "int4", value: ({ event }) => event.sequence },
  { name: "event_id", type: "uuid", value: ({ event }) => event.id },
  { name: "type", type: "text", value: ({ event }) => event.type },
  { name: "amount", type: "int8", value: ({ event }) => event.amount },
  { name: "shares", type: "text", value: ({ event }) => sharesText(event.shares) },
  { name: "processor_id", type: "uuid", value: ({ event }) => event.processorId },
  { name: "ip_address", type: "text", value: ({ event }) => event.ipAddress },
  { name: "reversal", type: "bool", value: ({ event }) => event.reversal },
];

export interface PlacedOutcome {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly sequence: number;
  readonly outcome: FirstOutcome;
}

const declineCategory = (outcome: Outcome) => (outcome.kind === "declined" ? (outcome.category ?? null) : null);

export const OUTCOME_COLUMNS: readonly Column<PlacedOutcome>[] = [
  { name: "merchant_id", type: "uuid", value: (o) => o.merchantId },
  { name: "transaction_id", type: "uuid", value: (o) => o.transactionId },
  { name: "sequence", type: "int4", value: (o) => o.sequence },
  { name: "kind", type: "text", value: ({ outcome }) => outcome.kind },
  { name: "processor_code", type: "text", value: ({ outcome }) => outcome.processorResponse.code },
  { name: "processor_message", type: "text", value: ({ outcome }) => outcome.processorResponse.message },
  { name: "processor_transaction_id", type: "text", value: ({ outcome }) => outcome.processorResponse.transactionId },
  { name: "auth_code", type: "text", value: ({ outcome }) => outcome.processorResponse.authCode },
  { name: "avs_response", type: "text", value: ({ outcome }) => outcome.processorResponse.avs },
  { name: "processor_avs_response", type: "text", value: ({ outcome }) => outcome.processorResponse.rawAvs },
  { name: "cvv_response", type: "text", value: ({ outcome }) => outcome.processorResponse.cvv },
  { name: "processor_cvv_response", type: "text", value: ({ outcome }) => outcome.processorResponse.rawCvv },
  { name: "threeds_response", type: "text", value: ({ outcome }) => outcome.processorResponse.threeDSecure },
  {
    name: "processor_threeds_response",
    type: "text",
    value: ({ outcome }) => outcome.processorResponse.rawThreeDSecure,
  },
  { name: "processor_code_detail", type: "text", value: ({ outcome }) => outcome.processorResponse.detail },
  { name: "decline_category", type: "text", value: ({ outcome }) => declineCategory(outcome) },
  { name: "cutoff_at", type: "timestamptz", value: ({ outcome }) => settlementOf(outcome)?.cutoffAt ?? null },
  { name: "settled_at", type: "timestamptz", value: ({ outcome }) => settlementOf(outcome)?.settledAt ?? null },
  { name: "visible_at", type: "timestamptz", value: ({ outcome }) => settlementOf(outcome)?.visibleAt ?? null },
  { name: "created_at", type: "timestamptz", value: ({ outcome }) => outcome.at },
];

interface Details {
  readonly fields?: EchoedFields;
  /** The merchant's JSON as its own text, so that no number in it is rounded on the way. */
  readonly meta?: string;
  readonly threeDSecure?: ThreeDSecure;
}

function detailsText({ fields, meta, threeDSecure }: Transaction): string | null {
  const others = OTHER_FIELDS.filter((field) => fields[field] !== undefined);
  if (others.length === 0 && meta === null && threeDSecure === null) return null;
  return JSON.stringify({
    ...(others.length > 0 && { fields: Object.fromEntries(others.map((field) => [field, fields[field]])) }),
    ...(meta !== null && { meta }),
    ...(threeDSecure !== null && { threeDSecure }),
  } satisfies Details);
}

const amountText = (_: string, value: unknown) => (typeof value === "bigint" ? value.toString() : value);
const passengersText = ({ passengers }: Transaction) => passengers && JSON.stringify(passengers, amountText);
const sharesText = (shares: readonly Share[] | null) => shares && JSON.stringify(shares, amountText);

/** `json` columns come parsed; amounts in them are texts of minor units. */
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
  readonly id: string;
  readonly type: string;
  readonly amount: string;
  readonly shares: readonly Stored<Share>[] | null;
  readonly processor_id: string;
  readonly ip_address: string | null;
  readonly reversal: boolean;
  readonly created_at: Date;
  readonly kind: FirstOutcome["kind"] | null;
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
  readonly decline_category: DeclineCategory | null;
  readonly cutoff_at: Date | null;
  readonly settled_at: Date | null;
  readonly visible_at: Date | null;
  readonly concluded_at: Date;
  /** Of a late failure; null where there is none. */
  readonly failed_at: Date | null;
  readonly failure: Omit<FailedAfterAll, "kind" | "at" | "approval"> | null;
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
      brand: row.card_brand as CardBrand,
      expiryMonth: row.card_expiry_month,
      expiryYear: row.card_expiry_year,
    },
    fields: { ...Object.fromEntries(searched), ...row.details?.fields },
    meta: row.details?.meta ?? null,
    threeDSecure: row.details?.threeDSecure ?? null,
    passengers: row.passengers?.map(passengerFrom) ?? null,
    events: [first, ...rest],
  };
}

const passengerFrom = (stored: Stored<Passenger>): Passenger => ({
  ...stored,
  legs: stored.legs.map((leg) => ({ ...leg, fare: amountOf(BigInt(leg.fare)) })),
  fares: amountOf(BigInt(stored.fares)),
});

function eventFrom(row: EventRow): Event {
  return {
    id: row.id,
    sequence: row.sequence,
    type: row.type as EventType,
    amount: amountOf(BigInt(row.amount)),
    shares: row.shares?.map(({ passengerId, amount }) => ({ passengerId, amount: amountOf(BigInt(amount)) })) ?? null,
    processorId: row.processor_id,
    ipAddress: row.ip_address,
    reversal: row.reversal,
    createdAt: row.created_at,
    outcome: row.kind === null ? null : outcomeFrom(row.kind, row),
  };
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
    avs: row.avs_response as AvsWord | null,
    rawAvs: row.processor_avs_response,
    cvv: row.cvv_response as CvvWord | null,
    rawCvv: row.processor_cvv_response,
    threeDSecure: row.threeds_response as ThreeDSecureOutcome | null,
    rawThreeDSecure: row.processor_threeds_response,
    detail: row.processor_code_detail,
  };
  if (kind === "declined") {
    const { decline_category: category } = row;
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

/** The columns of an {@link EventRow}, from {@link EVENT_TABLES}. */
export const EVENT_ROW = `e.transaction_id, e.sequence, e.id, e.type, e.amount, e.shares, e.processor_id, e.ip_address, e.reversal,
  e.created_at, o.kind, o.processor_code, o.processor_message, o.processor_transaction_id, o.auth_code, o.avs_response,
  o.processor_avs_response, o.cvv_response, o.processor_cvv_response, o.threeds_response, o.processor_threeds_response,
  o.processor_code_detail, o.decline_category, o.cutoff_at, o.settled_at, o.visible_at, o.created_at as concluded_at,
  f.created_at as failed_at, f.failure`;

export const EVENT_TABLES = `events e left join outcomes o using (merchant_id, transaction_id, sequence)
  left join late_failures f using (merchant_id, transaction_id, sequence)`;
