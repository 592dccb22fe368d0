import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { CARD_BRANDS, type CardBrand } from "./card-brand.ts";
import {
  type AuthenticationStatus,
  type CavvResult,
  eciNote,
  isBase64,
  type ThreeDSecure,
  type ThreeDSecureOutcome,
  threeDSecureOutcome,
} from "./three-d-secure.ts";

const STATUSES: readonly AuthenticationStatus[] = ["Y", "A", "N", "U"];
const given = (status: AuthenticationStatus): ThreeDSecure => ({
  xid: "MDAwMDAw",
  eci: "05",
  cavv: "AAABBEg0",
  status,
  version: 2,
});

describe("the status becomes the outcome, unless the processor cannot verify the cavv", () => {
  const rows: readonly (readonly [AuthenticationStatus, CavvResult, ThreeDSecureOutcome])[] = [
    ["Y", "verified", "success"],
    ["A", "verified", "attempted"],
    ["N", "verified", "failed"],
    ["U", "verified", "unavailable"],
    ["Y", "not-checked", "success"],
    ["A", "not-checked", "attempted"],
    ["N", "not-checked", "failed"],
    ["U", "not-checked", "unavailable"],
    ["Y", "unverifiable", "error"],
    ["A", "unverifiable", "error"],
    ["N", "unverifiable", "error"],
    ["U", "unverifiable", "error"],
  ];
  for (const [status, cavv, outcome] of rows) {
    test(`${status}, cavv ${cavv}: ${outcome}`, () => assert.equal(threeDSecureOutcome(given(status), cavv), outcome));
  }
});

test("without 3-D Secure there is no outcome, whatever the processor says", () => {
  for (const cavv of ["verified", "not-checked", "unverifiable"] as const)
    assert.equal(threeDSecureOutcome(null, cavv), null);
});

describe("an ECI that goes with brand and status is not remarked on, every other is", () => {
  type Fitting = Record<AuthenticationStatus, readonly string[]>;
  const visa: Fitting = { Y: ["05"], A: ["06"], N: ["07"], U: ["07"] };
  const mastercard: Fitting = { Y: ["02", "07"], A: ["01"], N: ["00", "04", "06"], U: ["00", "04", "06"] };
  const brands: Partial<Record<CardBrand, Fitting>> = {
    visa,
    amex: visa,
    discover: visa,
    diners: visa,
    jcb: visa,
    unionpay: visa,
    elo: visa,
    mastercard,
    maestro: mastercard,
  };
  const allEcis = Array.from({ length: 100 }, (_, eci) => String(eci).padStart(2, "0"));
  for (const [brand, fitting] of Object.entries(brands) as [CardBrand, Fitting][]) {
    test(brand, () => {
      for (const status of STATUSES) {
        assert.deepEqual(
          allEcis.filter((eci) => eciNote(brand, status, eci) === null),
          fitting[status],
          status,
        );
      }
    });
  }
});

test("of brands without a published table nothing is remarked", () => {
  for (const brand of ["hipercard", "unknown"] as const) assert.equal(eciNote(brand, "Y", "99"), null);
});

test("a remark names what was sent and what was expected, and is short", () => {
  assert.equal(eciNote("visa", "Y", "02"), "ECI 02 does not go with visa and 3DS status Y: expected 05");
  assert.equal(
    eciNote("mastercard", "Y", "05"),
    "ECI 05 does not go with mastercard and 3DS status Y: expected 02 or 07",
  );
  for (const brand of CARD_BRANDS)
    for (const status of STATUSES) assert.ok((eciNote(brand, status, "99")?.length ?? 0) <= 100);
});

test("base64 is the standard alphabet with its padding, and not empty", () => {
  for (const text of ["MDAwMDAwMDAwMDAwMDAwMDAwMDE=", "AAABBEg0VhI0VniQEjRWAAAAAAA=", "AA==", "AAA=", "AAAA", "+/+/"])
    assert.ok(isBase64(text), text);
  for (const text of [
    "",
    "%%%",
    "not base64!",
    "A",
    "AA",
    "AAA",
    "AA=",
    "A===",
    "====",
    "=AAA",
    "AA==AA==",
    "AAAA\n",
    " AAAA",
    "-_-_",
  ]) {
    assert.ok(!isBase64(text), text);
  }
});

test("whatever encodes to base64 passes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), (bytes) =>
      assert.ok(isBase64(Buffer.from(bytes).toString("base64"))),
    ),
  );
});
