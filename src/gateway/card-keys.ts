// What a merchant's cards are known by where their tries are counted durably: a keyed hash of the number, made as those against card
// testing (charge-groups.ts), under a key of its own.

import { createHmac } from "node:crypto";
import type { CardNumber } from "../payment/secret.ts";

/** The same card has another key at each merchant. */
export type CardKeyOf = (merchantId: string, number: CardNumber) => Buffer;

/** @param secret the installation's, which the database does not hold */
export function cardKeys(secret: Buffer): CardKeyOf {
  const key = createHmac("sha256", secret).update("faregate charged cards").digest();
  return (merchantId, number) => createHmac("sha256", key).update(`${merchantId} ${number.reveal()}`).digest();
}
