// The secrets of tokens: 256 random bits between a prefix that tells what they are for and a checksum. Prefix and
// checksum let scanners find a leaked one, and let a mistyped one be refused without a question to the database.
import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/** `test` and `live` are API tokens of the two modes (decision 7); `session` is what a browser has after signing in. */
export type TokenPurpose = "test" | "live" | "operator" | "session";

export interface MintedSecret {
  /** Shown once and never kept. */
  readonly secret: string;
  /** SHA-256. Neither salt nor stretching: nobody guesses 256 random bits. */
  readonly hash: Buffer;
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_BYTES = 32;
/** 62 to the power of 43 is the first that exceeds 2 to the power of 256. */
const RANDOM_DIGITS = 43;
/** CRC-32 in base 62, as in GitHub's tokens. */
const CHECKSUM_DIGITS = 6;
const SECRET = /^(fg_(test|live|operator|session)_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/** A new one: nothing is like it. */
export function mintSecret(purpose: TokenPurpose): MintedSecret {
  const random = BigInt(`0x${randomBytes(RANDOM_BYTES).toString("hex")}`);
  const body = `fg_${purpose}_${base62(random, RANDOM_DIGITS)}`;
  const secret = body + checksum(body);
  return { secret, hash: hashOf(secret) };
}

/** What the secret is for and the hash that it is kept under, or undefined for what no `mintSecret` ever gave. */
export function readSecret(secret: string): { purpose: TokenPurpose; hash: Buffer } | undefined {
  const [, body, purpose, check] = SECRET.exec(secret) ?? [];
  if (body === undefined || check !== checksum(body)) return undefined;
  return { purpose: purpose as TokenPurpose, hash: hashOf(secret) };
}

const hashOf = (secret: string): Buffer => hash("sha256", secret, "buffer");

/** Every request computes one: plain numbers, since bigints are slow. */
function checksum(body: string): string {
  let text = "";
  let left = crc32(body);
  for (let digit = 0; digit < CHECKSUM_DIGITS; digit++) {
    text = ALPHABET.charAt(left % 62) + text;
    left = Math.floor(left / 62);
  }
  return text;
}

function base62(number: bigint, digits: number): string {
  let text = "";
  for (let left = number; left > 0n; left /= 62n) text = ALPHABET.charAt(Number(left % 62n)) + text;
  return text.padStart(digits, "0");
}
