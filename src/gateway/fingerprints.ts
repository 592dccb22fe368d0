// The fingerprint of a stored card: a keyed hash of its number, by which a merchant sees that two of its cards have the same number. Each
// merchant has a key of its own, derived from the installation's secret, so fingerprints of different merchants cannot be compared.

import { createHmac } from "node:crypto";
import type { CardNumber } from "../payment/secret.ts";

export type FingerprintOf = (merchantId: string, number: CardNumber) => string;

/** 128 bits: among a merchant's cards no two numbers share one. */
const BYTES = 16;

/** @param secret the installation's, which the database does not hold and a rotation of data keys does not change */
export function fingerprints(secret: Buffer): FingerprintOf {
  const root = createHmac("sha256", secret).update("faregate card fingerprints").digest();
  return (merchantId, number) => {
    const key = createHmac("sha256", root).update(merchantId.toLowerCase()).digest();
    return createHmac("sha256", key).update(number.reveal()).digest().subarray(0, BYTES).toString("base64url");
  };
}
