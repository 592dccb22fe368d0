// Bytes sealed with AES-256-GCM, and opened again: version (1 byte), initialization vector (12, random), tag (16),
// ciphertext. What they are bound to is not among them and must be the same when they are opened.

import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const VERSION = 1;
const IV_BYTES = 12;
/** NIST SP 800-38D, 5.2.1.2: the longest. A shorter one could be guessed sooner, and is never taken. */
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + IV_BYTES + TAG_BYTES;

/**
 * With random vectors of 96 bits NIST SP 800-38D, 8.3, allows 2^32 messages under one key; half of them are allowed here.
 */
export const MOST_MESSAGES_UNDER_A_KEY = 2 ** 31 - 1;

/** The sealed bytes were changed, or are bound to something else, or another key sealed them. Says nothing of what is in them. */
export class CannotOpen extends Error {}

/** Out of reach of whatever prints values; @throws RangeError unless there are 32 bytes */
export function secretKey(bytes: Buffer): KeyObject {
  if (bytes.length !== 32) throw new RangeError("A key of AES-256 has 32 bytes.");
  return createSecretKey(bytes);
}

/** @param bound what opening has to name again, byte for byte */
export function sealBytes(key: KeyObject, plain: Buffer, bound: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(bound);
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), iv, cipher.getAuthTag(), ciphertext]);
}

/** @throws CannotOpen */
export function openBytes(key: KeyObject, sealed: Buffer, bound: Buffer): Buffer {
  if (sealed.length <= HEAD_BYTES || sealed[0] !== VERSION) throw new CannotOpen("The sealed bytes have another form.");
  const iv = sealed.subarray(1, 1 + IV_BYTES);
  const tag = sealed.subarray(1 + IV_BYTES, HEAD_BYTES);
  return decipher(key, iv, tag, sealed.subarray(HEAD_BYTES), bound);
}

/** @throws CannotOpen */
export function decipher(key: KeyObject, iv: Buffer, tag: Buffer, ciphertext: Buffer, bound: Buffer): Buffer {
  if (iv.length !== IV_BYTES || tag.length !== TAG_BYTES)
    throw new CannotOpen(`The vector must have ${IV_BYTES} bytes and the tag ${TAG_BYTES}.`);
  const opening = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(bound).setAuthTag(tag);
  const plain = opening.update(ciphertext);
  try {
    opening.final();
  } catch {
    plain.fill(0);
    throw new CannotOpen("The sealed bytes are not what was sealed here under this key.");
  }
  return plain;
}
