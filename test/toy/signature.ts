// How the toy processor signs what it sends: HMAC-SHA256 over the very bytes, in hexadecimal digits.

import { createHmac, timingSafeEqual } from "node:crypto";

export const SIGNATURE_HEADER = "toy-signature";

export const signatureOf = (secret: string, body: Buffer): string =>
  createHmac("sha256", secret).update(body).digest("hex");

export function signs(signature: unknown, secret: string, body: Buffer): boolean {
  if (typeof signature !== "string") return false;
  const [given, right] = [Buffer.from(signature), Buffer.from(signatureOf(secret, body))];
  return given.length === right.length && timingSafeEqual(given, right);
}
