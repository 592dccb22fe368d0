import assert from "node:assert/strict";
import { createCipheriv, randomBytes } from "node:crypto";
import { test } from "node:test";
import { CannotOpen, decipher, openBytes, sealBytes, secretKey } from "./sealed-bytes.ts";

const KEY = secretKey(randomBytes(32));
const BOUND = Buffer.from("a row");
const PLAIN = Buffer.from("4111111111111111");

test("what was sealed opens again, and the same bytes are never sealed twice alike", () => {
  const sealed = Array.from({ length: 100 }, () => sealBytes(KEY, PLAIN, BOUND));
  for (const one of sealed) assert.deepEqual(openBytes(KEY, one, BOUND), PLAIN);
  const vectors = new Set(sealed.map((one) => one.subarray(1, 13).toString("hex")));
  assert.equal(vectors.size, 100);
});

for (const length of [4, 8, 12, 13, 14, 15])
  test(`a tag of ${length} bytes is refused, though it is right as far as it goes`, () => {
    const iv = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", KEY, iv, { authTagLength: length }).setAAD(BOUND);
    const ciphertext = Buffer.concat([cipher.update(PLAIN), cipher.final()]);
    const tag = cipher.getAuthTag();
    assert.equal(tag.length, length);
    assert.throws(() => decipher(KEY, iv, tag, ciphertext, BOUND), CannotOpen);
  });

test("a vector of another length is refused", () => {
  const iv = randomBytes(16);
  const cipher = createCipheriv("aes-256-gcm", KEY, iv, { authTagLength: 16 }).setAAD(BOUND);
  const ciphertext = Buffer.concat([cipher.update(PLAIN), cipher.final()]);
  assert.throws(() => decipher(KEY, iv, cipher.getAuthTag(), ciphertext, BOUND), CannotOpen);
});

test("bytes that were cut off at any place do not open", () => {
  const sealed = sealBytes(KEY, PLAIN, BOUND);
  for (let length = 0; length < sealed.length; length++)
    assert.throws(() => openBytes(KEY, sealed.subarray(0, length), BOUND), CannotOpen, String(length));
});

test("a key of another length is none", () => {
  for (const bytes of [0, 16, 24, 31, 33]) assert.throws(() => secretKey(Buffer.alloc(bytes)), RangeError);
});
