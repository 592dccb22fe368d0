// Transactions, events and outcomes as they are written: for each column its type and its value.

import { type FirstOutcome, type Outcome, type SettlementTimes, settlementOf } from "../payment/outcome.ts";
import type { Initiation, OnFile } from "../payment/stored-credential.ts";
import type { ThreeDSecure } from "../payment/three-d-secure.ts";
import {
  ECHOED_FIELDS,
  type EchoedField,
  type EchoedFields,
  type Event,
  type OfPlan,
  type Share,
  type Transaction,
} from "../payment/transaction.ts";
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
export type SearchedField = (typeof SEARCHED_FIELDS)[number];
const OTHER_FIELDS = ECHOED_FIELDS.filter((field) => !(SEARCHED_FIELDS as readonly string[]).includes(field));

const SELDOM_SENT: ReadonlySet<SearchedField> = new Set([
  "mobile_phone",
  "shipping_city",
  "shipping_state",
  "shipping_zip",
]);

/** All but `number` and `created_at`, which the counter of the merchant gives. */
export const TRANSACTION_COLUMNS: readonly Column<Transaction>[] = [
  { name: "merchant_id", type: "uuid", value: (t) => t.merchantId, alike: "merchant" },
  { name: "id", type: "uuid", value: (t) => t.id },
  { name: "user_id", type: "uuid", value: (t) => t.userId, alike: "merchant" },
  { name: "currency", type: "text", value: (t) => t.currency, alike: "merchant" },
  { name: "card_mask", type: "text", value: (t) => t.card.mask },
  { name: "card_first_six", type: "text", value: (t) => t.card.firstSix },
  { name: "card_brand", type: "text", value: (t) => t.card.brand },
  { name: "card_expiry_month", type: "text", value: (t) => t.card.expiryMonth },
  { name: "card_expiry_year", type: "text", value: (t) => t.card.expiryYear },
  { name: "merchant_transaction_id", type: "text", value: (t) => t.merchantTransactionId },
  ...SEARCHED_FIELDS.map(
    (field): Column<Transaction> => ({
      name: field,
      type: "text",
      value: (t) => t.fields[field] ?? null,
      ...(SELDOM_SENT.has(field) && { seldom: "phone or shipping address" }),
    }),
  ),
  { name: "details", type: "text", value: detailsText },
  { name: "passengers", type: "text", value: (t) => passengersText(t), seldom: "airline data" },
];

export interface PlacedEvent {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly event: Event;
}

export const EVENT_COLUMNS: readonly Column<Event>[] = [
  { name: "sequence", type: "int4", value: (event) => event.sequence, alike: "kind" },
  { name: "event_id", type: "uuid", value: (event) => event.id },
  { name: "type", type: "text", value: (event) => event.type, alike: "kind" },
  { name: "amount", type: "int8", value: (event) => event.amount },
  { name: "shares", type: "text", value: (event) => sharesText(event.shares), seldom: "airline data" },
  { name: "processor_id", type: "uuid", value: (event) => event.processorId, alike: "merchant" },
  { name: "ip_address", type: "text", value: (event) => event.ipAddress },
  { name: "reversal", type: "bool", value: (event) => event.reversal, alike: "kind" },
  { name: "request_id", type: "text", value: (event) => event.requestId ?? null },
  {
    name: "by_processor",
    type: "text",
    value: (event) => event.byProcessor ?? null,
    seldom: "what a processor did by itself",
  },
];

export interface PlacedOutcome {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly sequence: number;
  readonly outcome: FirstOutcome;
}

const declineCategory = (outcome: Outcome) => (outcome.kind === "declined" ? (outcome.category ?? null) : null);

/** Of a plain approval. */
const seldomSaid = (name: string, word: (outcome: FirstOutcome) => string | null): Column<PlacedOutcome> => ({
  name,
  type: "text",
  seldom: "3-D Secure or a reason",
  value: ({ outcome }) => word(outcome),
});

/** The same for all that is taken on a day, by all records with the same schedule. */
const settling = (name: string, instant: (times: SettlementTimes) => Date): Column<PlacedOutcome> => ({
  name,
  type: "timestamptz",
  alike: "settlement",
  value: ({ outcome }) => {
    const times = settlementOf(outcome);
    return times && instant(times);
  },
});

export const OUTCOME_COLUMNS: readonly Column<PlacedOutcome>[] = [
  { name: "merchant_id", type: "uuid", value: (o) => o.merchantId, alike: "merchant" },
  { name: "transaction_id", type: "uuid", value: (o) => o.transactionId },
  { name: "sequence", type: "int4", value: (o) => o.sequence, alike: "kind" },
  { name: "kind", type: "text", value: ({ outcome }) => outcome.kind, alike: "kind" },
  { name: "processor_code", type: "text", value: ({ outcome }) => outcome.processorResponse.code },
  { name: "processor_message", type: "text", value: ({ outcome }) => outcome.processorResponse.message },
  { name: "processor_transaction_id", type: "text", value: ({ outcome }) => outcome.processorResponse.transactionId },
  { name: "auth_code", type: "text", value: ({ outcome }) => outcome.processorResponse.authCode },
  { name: "avs_response", type: "text", value: ({ outcome }) => outcome.processorResponse.avs },
  { name: "processor_avs_response", type: "text", value: ({ outcome }) => outcome.processorResponse.rawAvs },
  { name: "cvv_response", type: "text", value: ({ outcome }) => outcome.processorResponse.cvv },
  { name: "processor_cvv_response", type: "text", value: ({ outcome }) => outcome.processorResponse.rawCvv },
  seldomSaid("threeds_response", ({ processorResponse }) => processorResponse.threeDSecure),
  seldomSaid("processor_threeds_response", ({ processorResponse }) => processorResponse.rawThreeDSecure),
  seldomSaid("processor_code_detail", ({ processorResponse }) => processorResponse.detail),
  seldomSaid("decline_category", declineCategory),
  settling("cutoff_at", ({ cutoffAt }) => cutoffAt),
  settling("settled_at", ({ settledAt }) => settledAt),
  settling("visible_at", ({ visibleAt }) => visibleAt),
  { name: "created_at", type: "timestamptz", value: ({ outcome }) => outcome.at },
];

/** The column `details`, which is JSON. */
export interface Details {
  readonly fields?: EchoedFields;
  /** The merchant's JSON as its own text, so that no number in it is rounded on the way. */
  readonly meta?: string;
  readonly threeDSecure?: ThreeDSecure;
  readonly threeDSecureOff?: true;
  readonly onFile?: OnFile;
  readonly initiation?: Initiation;
  readonly ofPlan?: OfPlan;
  readonly returnUrl?: string;
}

function detailsText(transaction: Transaction): string | null {
  const { fields, meta, threeDSecure, threeDSecureOff, onFile, initiation, ofPlan, returnUrl } = transaction;
  const others = OTHER_FIELDS.filter((field) => fields[field] !== undefined);
  const rest = meta ?? threeDSecure ?? threeDSecureOff ?? onFile ?? initiation ?? ofPlan ?? returnUrl;
  if (others.length === 0 && rest === undefined) return null;
  return JSON.stringify({
    ...(others.length > 0 && { fields: Object.fromEntries(others.map((field) => [field, fields[field]])) }),
    ...(meta !== null && { meta }),
    ...(threeDSecure !== null && { threeDSecure }),
    ...(threeDSecureOff && { threeDSecureOff }),
    ...(onFile && { onFile }),
    ...(initiation && { initiation }),
    ...(ofPlan && { ofPlan }),
    ...(returnUrl !== undefined && { returnUrl }),
  } satisfies Details);
}

/** For JSON. */
export const amountText = (_: string, value: unknown) => (typeof value === "bigint" ? value.toString() : value);
const passengersText = ({ passengers }: Transaction) => passengers && JSON.stringify(passengers, amountText);
const sharesText = (shares: readonly Share[] | null) => shares && JSON.stringify(shares, amountText);
