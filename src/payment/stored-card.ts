// A card that a merchant keeps on file, to charge it without its number: what is known of it, and whose name and address a charge of it
// has. Pure. Its number is sealed by the vault (vault/vault.ts) and is no part of this.

import type { Consent } from "./consent.ts";
import { chargeOf, type EchoedField, type EchoedFields, type KeptCard, type Transaction } from "./transaction.ts";

/** Fields of a charge that are stored with a card, under their names in the API. */
export const CARDHOLDER_FIELDS = [
  "first_name",
  "last_name",
  "email",
  "mobile_phone",
  "street_address_1",
  "street_address_2",
  "city",
  "state",
  "country",
  "zip",
] as const satisfies readonly EchoedField[];
export type CardholderField = (typeof CARDHOLDER_FIELDS)[number];
export type Cardholder = { readonly [field in CardholderField]?: string };

export interface StoredCard {
  readonly merchantId: string;
  readonly id: string;
  /** Who stored it: a user or a person. */
  readonly userId: string;
  readonly createdAt: Date;
  readonly card: KeptCard;
  /** Equal for equal numbers of one merchant, and says nothing else. Null: its number was never here. */
  readonly fingerprint: string | null;
  /** The processor record that keeps it and alone can charge it; null: the gateway keeps its number. */
  readonly keptBy: KeptBy | null;
  /** The scheme's, of its first approved charge: with later ones, schemes want to be told of it. Null: not known yet. */
  readonly networkTransactionId: string | null;
  /** Of charges that the merchant initiates. Null: the payer set no limits, or none that are known here. */
  readonly consent: Consent | null;
  readonly cardholder: Cardholder;
}

export interface KeptBy {
  readonly processorId: string;
  /** Whose card it is there, by the processor's name for the payer. */
  readonly customer: string | null;
}

/** What may change of a stored card. Its number never does: another number is another card. */
export interface StoredCardChange {
  readonly expiryMonth?: string;
  readonly expiryYear?: string;
  /** Null: the field is removed. */
  readonly cardholder: { readonly [field in CardholderField]?: string | null };
  /** In place of the whole one; null removes it. */
  readonly consent?: Consent | null;
}

const NAMES = ["first_name", "last_name"] as const;
const ADDRESS = ["street_address_1", "street_address_2", "city", "state", "country", "zip"] as const;

/**
 * The fields of a charge with those of its card where it sent none: names as a whole and the address as a whole, since parts of two addresses
 * are the address of nobody.
 */
export function withCardholder(fields: EchoedFields, cardholder: Cardholder): EchoedFields {
  const brought: { -readonly [field in CardholderField]?: string } = {};
  for (const group of [NAMES, ADDRESS, ["email"], ["mobile_phone"]] as const) {
    if (group.some((field) => fields[field] !== undefined)) continue;
    for (const field of group) if (cardholder[field] !== undefined) brought[field] = cardholder[field];
  }
  return { ...fields, ...brought };
}

/** What a transaction shows as its card on file: null where it would have been stored, and the charge is not approved, or not yet. */
export function cardIdOf(transaction: Transaction): string | null | undefined {
  const { onFile } = transaction;
  if (onFile === undefined) return undefined;
  const { outcome } = chargeOf(transaction);
  const isStored = !onFile.stores || outcome?.kind === "approved" || outcome?.kind === "failed-after-all";
  return isStored ? onFile.cardId : null;
}

/** The card after the change. */
export function changedCard(
  stored: StoredCard,
  { expiryMonth, expiryYear, cardholder, consent }: StoredCardChange,
): StoredCard {
  const { card } = stored;
  const fields: { -readonly [field in CardholderField]?: string } = { ...stored.cardholder };
  for (const field of CARDHOLDER_FIELDS) {
    const value = cardholder[field];
    if (value === null) delete fields[field];
    else if (value !== undefined) fields[field] = value;
  }
  const expiry = { expiryMonth: expiryMonth ?? card.expiryMonth, expiryYear: expiryYear ?? card.expiryYear };
  const agreed = consent === undefined ? stored.consent : consent;
  return { ...stored, card: { ...card, ...expiry }, cardholder: fields, consent: agreed };
}

/** The fields of a charge or a card that are stored with a card. */
export function cardholderIn(fields: EchoedFields): Cardholder {
  const cardholder: { -readonly [field in CardholderField]?: string } = {};
  for (const field of CARDHOLDER_FIELDS) if (fields[field] !== undefined) cardholder[field] = fields[field];
  return cardholder;
}
