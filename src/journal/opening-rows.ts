// What the opening of a transaction writes: the rows of each table, with those columns that are known before it is counted.

import { cardholderIn } from "../payment/stored-card.ts";
import type { Event, Passenger, Transaction } from "../payment/transaction.ts";
import type { Column } from "./columns.ts";
import { claimColumns, of } from "./group-statements.ts";
import type { KeyClaim, OpeningIntent, SealedCard } from "./journal.ts";
import { consentText } from "./stored-cards.ts";
import { EVENT_COLUMNS, TRANSACTION_COLUMNS } from "./transaction-columns.ts";

export interface Opening {
  readonly intent: OpeningIntent;
  readonly claim: KeyClaim | null;
  readonly sealedCard: SealedCard | null;
}

const OF_TRANSACTION: readonly Column<Opening>[] = [
  { name: "merchant_id", type: "uuid", value: ({ intent }) => intent.merchantId, alike: "merchant" },
  { name: "transaction_id", type: "uuid", value: ({ intent }) => intent.id },
];

export const TRANSACTION: readonly Column<Opening>[] = [
  ...of<Opening, Transaction>(TRANSACTION_COLUMNS, ({ intent }) => intent),
  { name: "amount", type: "int8", value: ({ intent }) => intent.events[0].amount },
];

export const FIRST_EVENT: readonly Column<Opening>[] = [
  ...OF_TRANSACTION,
  ...of<Opening, Event>(EVENT_COLUMNS, ({ intent }) => intent.events[0]).map((column) =>
    column.name === "event_id" ? { ...column, name: "id" } : column,
  ),
];

export const CLAIM: readonly Column<Opening>[] = [...OF_TRANSACTION, ...claimColumns<Opening>()];

export const SEALED_CARD: readonly Column<Opening>[] = [
  { name: "key_id", type: "int4", value: ({ sealedCard }) => sealedCard?.keyId ?? null },
  { name: "sealed", type: "bytea", value: ({ sealedCard }) => sealedCard?.sealed ?? null },
];
export const SEALED: readonly Column<Opening>[] = [...OF_TRANSACTION, ...SEALED_CARD];

/** Then it is asked for the first time whether a number is still needed: by then a declined or unanswered charge has ended. */
export const lookAt = (created: string): string => `${created} + interval '1 hour'`;

/** Known without opening what will be compressed: how much of a list is read at once follows from it. */
export const bytesOf = (row: string): string =>
  `coalesce(octet_length(${row}.details::text), 0) + coalesce(octet_length(${row}.passengers::text), 0)`;

export const CHARGED: readonly Column<Opening>[] = [
  ...OF_TRANSACTION,
  { name: "card", type: "bytea", value: ({ intent }) => intent.cardKey ?? null },
];

const OF_CARD: readonly Column<Opening>[] = [
  { name: "user_id", type: "uuid", value: ({ intent }) => intent.userId, alike: "merchant" },
  { name: "card_mask", type: "text", value: ({ intent }) => intent.card.mask },
  { name: "card_first_six", type: "text", value: ({ intent }) => intent.card.firstSix },
  { name: "card_brand", type: "text", value: ({ intent }) => intent.card.brand },
  { name: "card_expiry_month", type: "text", value: ({ intent }) => intent.card.expiryMonth },
  { name: "card_expiry_year", type: "text", value: ({ intent }) => intent.card.expiryYear },
];

/** Of a card that the charge stores, beside what its transaction has. */
export const NEW_CARD: readonly Column<Opening>[] = [
  { name: "new_card_id", type: "uuid", value: ({ intent }) => (intent.newCard && intent.onFile?.cardId) ?? null },
  { name: "new_card_fingerprint", type: "text", value: ({ intent }) => intent.newCard?.fingerprint ?? null },
  { name: "new_card_key_id", type: "int4", value: ({ intent }) => intent.newCard?.sealed.keyId ?? null },
  { name: "new_card_sealed", type: "bytea", value: ({ intent }) => intent.newCard?.sealed.sealed ?? null },
  {
    name: "new_card_cardholder",
    type: "text",
    value: ({ intent }) => (intent.newCard && JSON.stringify(cardholderIn(intent.fields))) || null,
  },
  { name: "new_card_consent", type: "text", value: ({ intent }) => consentText(intent.newCard?.consent ?? null) },
];

/** A row of `cards`. */
export const STORED: readonly Column<Opening>[] = [
  { name: "merchant_id", type: "uuid", value: ({ intent }) => intent.merchantId, alike: "merchant" },
  { name: "stored_by", type: "uuid", value: ({ intent }) => intent.id },
  ...OF_CARD,
  ...NEW_CARD.map((column) => ({
    ...column,
    name: column.name === "new_card_id" ? "id" : column.name.slice("new_card_".length),
  })),
];

/** From then on it is looked at whether the charge was approved. */
export const lookAtNewCard = (created: string): string => `${created} + interval '1 minute'`;

/** What is searched of a passenger. */
export interface Seated {
  readonly merchantId: string;
  /** Of its transaction among these, from 1 on. */
  readonly nth: number;
  readonly passenger: Passenger;
}

export const SEATED: readonly Column<Seated>[] = [
  { name: "merchant_id", type: "uuid", value: ({ merchantId }) => merchantId, alike: "merchant" },
  { name: "number", type: "int8", value: ({ nth }) => nth },
  { name: "ticket_number", type: "text", value: ({ passenger }) => passenger.ticket_number },
  { name: "passenger_name", type: "text", value: ({ passenger }) => passenger.passenger_name },
];

export const seatedIn = (rows: readonly Opening[]): readonly Seated[] =>
  rows.flatMap(({ intent: { merchantId, passengers } }, index) =>
    (passengers ?? []).map((passenger) => ({ merchantId, nth: index + 1, passenger })),
  );
