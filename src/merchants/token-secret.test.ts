import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import fc from "fast-check";
import { mintSecret, readSecret } from "./token-secret.ts";

describe("the secret of a token", () => {
  test("it tells by its prefix what it is for", () => {
    assert.match(mintSecret("test").secret, /^fg_test_[0-9A-Za-z]{49}$/);
    assert.match(mintSecret("live").secret, /^fg_live_[0-9A-Za-z]{49}$/);
    assert.match(mintSecret("operator").secret, /^fg_operator_[0-9A-Za-z]{49}$/);
  });

  test("it is read with the hash that it is kept under, its SHA-256", () => {
    for (const purpose of ["test", "live", "operator"] as const) {
      const { secret, hash } = mintSecret(purpose);
      assert.deepEqual(readSecret(secret), { purpose, hash });
      assert.deepEqual(hash, createHash("sha256").update(secret).digest());
    }
  });

  test("no two are the same", () => {
    const secrets = new Set(Array.from({ length: 1000 }, () => mintSecret("test").secret));
    assert.equal(secrets.size, 1000);
  });

  test("one wrong character anywhere is noticed", () => {
    const characters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_ é";
    const { secret } = mintSecret("live");
    fc.assert(
      fc.property(fc.nat(secret.length - 1), fc.constantFrom(...characters), (place, character) => {
        fc.pre(secret[place] !== character);
        assert.equal(readSecret(secret.slice(0, place) + character + secret.slice(place + 1)), undefined);
      }),
    );
  });

  test("two exchanged characters, one too few and one too many are noticed", () => {
    const { secret } = mintSecret("test");
    for (let place = 0; place + 1 < secret.length; place++) {
      const [one, other] = [secret[place], secret[place + 1]];
      if (one !== other)
        assert.equal(readSecret(secret.slice(0, place) + other + one + secret.slice(place + 2)), undefined);
      assert.equal(readSecret(secret.slice(0, place) + secret.slice(place + 1)), undefined);
      assert.equal(readSecret(`${secret.slice(0, place)}0${secret.slice(place)}`), undefined);
    }
  });

  test("what is no secret at all is none", () => {
    for (const text of ["", "fg_test_", "Bearer x", "x".repeat(100_000)]) assert.equal(readSecret(text), undefined);
    fc.assert(fc.property(fc.string(), (text) => assert.equal(readSecret(text), undefined)));
  });
});
