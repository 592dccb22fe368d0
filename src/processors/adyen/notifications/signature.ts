// Whether a standard webhook comes from Adyen: each of its items is signed with the account's HMAC key, and the whole may be
// under basic authentication. Only eight fields are signed, so nothing else of an item decides about money.
//
// docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures: HMAC-SHA256 in Base64 over these
// fields with colons between, what is missing as nothing.

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Item } from "./item.ts";

export const signedText = (item: Item): string =>
  [
    item.pspReference,
    item.originalReference ?? "",
    item.merchantAccountCode,
    item.merchantReference,
    item.amount?.value ?? "",
    item.amount?.currency ?? "",
    item.eventCode,
    item.success,
  ].join(":");

/** @param key 64 hexadecimal digits */
export const signatureOf = (item: Item, key: string): string =>
  createHmac("sha256", Buffer.from(key, "hex")).update(signedText(item), "utf8").digest("base64");

export const isSigned = (item: Item, keys: readonly string[]): boolean =>
  keys.some((key) => same(item.additionalData?.hmacSignature ?? "", signatureOf(item, key)));

/** RFC 7617 */
export const isAuthorized = (header: unknown, user: string, password: string): boolean =>
  typeof header === "string" && same(header, `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`);

function same(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
