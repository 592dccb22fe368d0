import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { base32, codeAt, otpauthUri, STEP_MS, stepOf } from "./one-time-codes.ts";

/** RFC 6238, appendix B, the key of SHA-1. */
const KEY = Buffer.from("12345678901234567890");

describe("one-time codes are those of RFC 6238, appendix B", () => {
  for (const [seconds, code] of [
    [59, "94287082"],
    [1111111109, "07081804"],
    [1111111111, "14050471"],
    [1234567890, "89005924"],
    [2000000000, "69279037"],
    [20000000000, "65353130"],
  ] as const)
    test(`${seconds} seconds: ${code}`, () => {
      assert.equal(codeAt(KEY, Math.floor(seconds / 30), 8), code);
      assert.equal(stepOf(KEY, code.slice(2), seconds * 1_000), Math.floor(seconds / 30));
    });
});

test("a code is taken half a minute early and late, and no longer", () => {
  const now = 1_000 * STEP_MS;
  const taken = [-2, -1, 0, 1, 2].map((around) => stepOf(KEY, codeAt(KEY, 1_000 + around), now));
  assert.deepEqual(taken, [undefined, 999, 1_000, 1_001, undefined]);
});

test("what is not six digits is no code", () => {
  const code = codeAt(KEY, 1);
  for (const text of ["", "12345", `${code}0`, ` ${code}`, "١٢٣٤٥٦", "abcdef", "x".repeat(100_000)])
    assert.equal(stepOf(KEY, text, STEP_MS), undefined);
});

test("apps get the secret in base 32 (RFC 4648, section 10), and a name that is encoded", () => {
  for (const [text, coded] of [
    ["", ""],
    ["f", "MY"],
    ["fo", "MZXQ"],
    ["foo", "MZXW6"],
    ["foob", "MZXW6YQ"],
    ["fooba", "MZXW6YTB"],
    ["foobar", "MZXW6YTBOI"],
  ] as const)
    assert.equal(base32(Buffer.from(text)), coded);
  assert.equal(
    otpauthUri("jane+a@example.com", Buffer.from("foobar")),
    "otpauth://totp/Faregate:jane%2Ba%40example.com?secret=MZXW6YTBOI&issuer=Faregate",
  );
});
