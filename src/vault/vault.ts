// The only place that seals and opens card numbers, and the tokens that processors gave for them. A sealed number is bound to its row: moved to another merchant, transaction or
// stored card, or with any bit changed, it does not open. CVVs never come here.

import { cardNumber } from "../payment/card.ts";
import { type CardNumber, Secret } from "../payment/secret.ts";
import type { DataKeys } from "./data-keys.ts";
import { CannotOpen, openBytes, sealBytes } from "./sealed-bytes.ts";

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
  /** Of a card that its processor keeps. */
  sealToken(token: Secret<"processor token">, row: RowOfStoredCard): Promise<SealedCard>;
  /** @throws CannotOpen */
  openToken(card: SealedCard, row: RowOfStoredCard): Promise<Secret<"processor token">>;
  /** Under the newest key, whatever it is. @throws CannotOpen */
  reseal(card: SealedCard, row: RowOfCard): Promise<SealedCard>;
}

/** Before a token, so that no token is taken for a number, nor a number for a token. */
const TOKEN = "token:";

/** Seals and opens card numbers and processors' tokens under data keys. */
export function vault(keys: DataKeys): Vault {
  const sealed = async (plain: Buffer, row: RowOfCard): Promise<SealedCard> => {
    const { id, key } = await keys.toSeal();
    const sealed = sealBytes(key, plain, boundTo(row, id));
    plain.fill(0);
    return { keyId: id, sealed };
  };
  const opened = async ({ keyId, sealed }: SealedCard, row: RowOfCard): Promise<Buffer> =>
    openBytes(await keys.toOpen(keyId), sealed, boundTo(row, keyId));
  const text = (plain: Buffer): string => {
    const read = plain.toString("utf8");
    plain.fill(0);
    return read;
  };
  return {
    seal: (number, row) => sealed(Buffer.from(number.reveal(), "latin1"), row),
    open: async (card, row) => cardNumber(text(await opened(card, row))),
    sealToken: (token, row) => sealed(Buffer.from(TOKEN + token.reveal(), "utf8"), row),
    openToken: async (card, row) => {
      const token = text(await opened(card, row));
      if (!token.startsWith(TOKEN)) throw new CannotOpen("What is sealed is no processor's token.");
      return new Secret("processor token", token.slice(TOKEN.length));
    },
    reseal: async (card, row) => sealed(await opened(card, row), row),
  };
}

function boundTo(row: RowOfCard, keyId: number): Buffer {
  const [column, id] = "cardId" in row ? ["cards.sealed", row.cardId] : ["sealed_cards.sealed", row.transactionId];
  return Buffer.from(`${column}|${row.merchantId.toLowerCase()}|${id.toLowerCase()}|${keyId}`);
}
