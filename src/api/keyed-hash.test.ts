import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { keyedHash } from "./keyed-hash.ts";

/** Also halves of characters, which no UTF-8 has. */
const anyUnits = fc.array(fc.nat(0xffff), { maxLength: 150 }).map((units) => String.fromCharCode(...units));
const texts = fc.oneof(fc.string({ unit: "grapheme", maxLength: 150 }), anyUnits);

test("it is HMAC-SHA-256, for secrets shorter and longer than a block and for texts in any script", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 130 }), texts, (bytes, text) => {
      const secret = Buffer.from(bytes);
      assert.deepEqual(keyedHash(secret)(text), createHmac("sha256", secret).update(text).digest());
    }),
  );
});

test("RFC 4231, test cases 2 and 6", () => {
  const hex = (secret: Buffer, text: string) => keyedHash(secret)(text).toString("hex");
  assert.equal(
    hex(Buffer.from("Jefe"), "what do ya want for nothing?"),
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  );
  assert.equal(
    hex(Buffer.alloc(131, 0xaa), "Test Using Larger Than Block-Size Key - Hash Key First"),
    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
  );
});
