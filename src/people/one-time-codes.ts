// The codes of authenticator apps: TOTP (RFC 6238) with what every app takes: SHA-1, six digits, thirty seconds.

import { createHmac, timingSafeEqual } from "node:crypto";

export const STEP_MS = 30_000;
const DIGITS = 6;
/** A clock may be half a minute off, and typing takes time. */
const STEPS_AROUND = [-1, 0, 1] as const;

/** RFC 4226, section 5.3. */
export function codeAt(secret: Buffer, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** The step whose code this is, or undefined. @param nowMs real time */
export function stepOf(secret: Buffer, code: string, nowMs: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const now = Math.floor(nowMs / STEP_MS);
  let found: number | undefined;
  // All are looked at, so that the time tells nothing.
  for (const around of STEPS_AROUND)
    if (timingSafeEqual(Buffer.from(codeAt(secret, now + around)), Buffer.from(code))) found = now + around;
  return found;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** As apps take a secret (RFC 4648, section 6), without padding. */
export function base32(bytes: Buffer): string {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET.charAt(Number.parseInt(five.padEnd(5, "0"), 2))).join("");
}

/** What an authenticator app reads from a QR code. */
export const otpauthUri = (account: string, secret: Buffer): string =>
  `otpauth://totp/Faregate:${encodeURIComponent(account)}?secret=${base32(secret)}&issuer=Faregate`;
