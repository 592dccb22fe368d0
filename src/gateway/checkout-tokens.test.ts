import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { test } from "node:test";
import { checkoutTokens } from "./checkout-tokens.ts";

const tokens = checkoutTokens(randomBytes(32));
const [merchantId, transactionId] = [randomUUID(), randomUUID()];

test("an address of a payer names merchant and transaction, and nobody else makes one", () => {
  const token = tokens.of(merchantId, transactionId);
  assert.match(token, /^[0-9A-Za-z_-]{64}$/);
  assert.deepEqual(tokens.read(token), { merchantId, transactionId });
  assert.equal(checkoutTokens(randomBytes(32)).read(token), undefined, "another installation's");
  for (const other of [
    token.slice(1),
    `${token}A`,
    "",
    "x".repeat(64),
    token.toLowerCase() === token ? "" : token.toUpperCase(),
  ])
    assert.equal(tokens.read(other), undefined, other);
  const bytes = Buffer.from(token, "base64url");
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.equal(tokens.read(changed.toString("base64url")), undefined, `byte ${at}`);
  }
});

test("the secret of returns is another one for each merchant, and each time it is made", () => {
  const secrets = [0, 1, 2].map((nth) => tokens.returnSecret(merchantId, nth));
  assert.equal(new Set([...secrets, tokens.returnSecret(randomUUID(), 1)]).size, 4);
  assert.equal(tokens.returnSecret(merchantId.toUpperCase(), 1), secrets[1]);
  assert.match(secrets[0] ?? "", /^fgret_[0-9A-Za-z_-]{43}$/);
});
