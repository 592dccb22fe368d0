// The only place that seals and opens card numbers. A sealed number is bound to its row: moved to another merchant, transaction or
// stored card, or with any bit changed, it does not open. CVVs never come here.

import { cardNumber } from "../payment/card.ts";
import type { CardNumber } from "../payment/secret.ts";
import type { DataKeys } from "./data-keys.ts";
import { openBytes, sealBytes } from "./sealed-bytes.ts";

/** All that is kept of a card number beside its mask: this means nothing without the key. */
export interface SealedCard {
  readonly keyId: number;
  readonly sealed: Buffer;
}

/** Of a number that follow-ups of a transaction need. */
export interface RowOfTransaction {
  readonly merchantId: string;
  readonly transactionId: string;
}

/** Of a stored card. */
export interface RowOfStoredCard {
  readonly merchantId: string;
  readonly cardId: string;
}

export type RowOfCard = RowOfTransaction | RowOfStoredCard;

export interface Vault {
  seal(number: CardNumber, row: RowOfCard): Promise<SealedCard>;
  /** @throws CannotOpen */
  open(card: SealedCard, row: RowOfCard): Promise<CardNumber>;
}

/** Seals and opens card numbers under data keys. */
export const vault = (keys: DataKeys): Vault => ({
  async seal(number, row) {
    const { id, key } = await keys.toSeal();
    const digits = Buffer.from(number.reveal(), "latin1");
    const sealed = sealBytes(key, digits, boundTo(row, id));
    digits.fill(0);
    return { keyId: id, sealed };
  },
  async open({ keyId, sealed }, row) {
    const digits = openBytes(await keys.toOpen(keyId), sealed, boundTo(row, keyId));
    const number = cardNumber(digits.toString("latin1"));
    digits.fill(0);
    return number;
  },
});

function boundTo(row: RowOfCard, keyId: number): Buffer {
  const [column, id] = "cardId" in row ? ["cards.sealed", row.cardId] : ["sealed_cards.sealed", row.transactionId];
  return Buffer.from(`${column}|${row.merchantId.toLowerCase()}|${id.toLowerCase()}|${keyId}`);
}
