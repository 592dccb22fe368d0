// What the addresses of payers are made of: the merchant and the transaction, signed, so that nobody guesses one; nothing is stored for it.
// And the secret of a merchant, by which it knows that a payer was sent back by the gateway.

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { isUuid } from "../uuid.ts";

export interface Place {
  readonly merchantId: string;
  readonly transactionId: string;
}

export interface CheckoutTokens {
  /** For an address: letters, digits, `-` and `_`. */
  of(merchantId: string, transactionId: string): string;
  /** Undefined of anything that was not made here. */
  read(token: string): Place | undefined;
  /** `fgret_…`, the n-th of the merchant. */
  returnSecret(merchantId: string, nth: number): string;
}

const ID_BYTES = 16;
const SIGNATURE_BYTES = 16;
const TOKEN = /^[0-9A-Za-z_-]{64}$/;

/** @param secret the installation's */
export function checkoutTokens(secret: Buffer): CheckoutTokens {
  const keyFor = (what: string) => Buffer.from(hkdfSync("sha256", secret, "", what, 32));
  const [key, returns] = [keyFor("faregate checkout addresses"), keyFor("faregate returns of payers")];
  const signatureOf = (ids: Buffer) => createHmac("sha256", key).update(ids).digest().subarray(0, SIGNATURE_BYTES);
  return {
    of: (merchantId, transactionId) => {
      const ids = Buffer.concat([bytesOf(merchantId), bytesOf(transactionId)]);
      return Buffer.concat([ids, signatureOf(ids)]).toString("base64url");
    },
    read: (token) => {
      if (!TOKEN.test(token)) return undefined;
      const bytes = Buffer.from(token, "base64url");
      const ids = bytes.subarray(0, 2 * ID_BYTES);
      if (!timingSafeEqual(signatureOf(ids), bytes.subarray(2 * ID_BYTES))) return undefined;
      return { merchantId: idIn(ids.subarray(0, ID_BYTES)), transactionId: idIn(ids.subarray(ID_BYTES)) };
    },
    returnSecret: (merchantId, nth) =>
      `fgret_${createHmac("sha256", returns).update(`${merchantId.toLowerCase()} ${nth}`).digest("base64url")}`,
  };
}

/** What a payer's return is signed with: HMAC-SHA-256 under the whole secret, of the id, a point and the status, as base64url. */
export const returnSignature = (secret: string, transactionId: string, status: string): string =>
  createHmac("sha256", secret).update(`${transactionId}.${status}`).digest("base64url");

function bytesOf(id: string): Buffer {
  if (!isUuid(id)) throw new Error("broken invariant: an id that is no UUID");
  return Buffer.from(id.replaceAll("-", ""), "hex");
}

const idIn = (bytes: Buffer): string =>
  bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
