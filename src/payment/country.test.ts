import assert from "node:assert/strict";
import { test } from "node:test";
import { countryOf } from "./country.ts";

test("a country is known by its two letters in any case, and other letters are none", () => {
  for (const code of ["US", "us", "Ca", "GB", "TW", "PS", "ZW", "AX"])
    assert.equal(countryOf(code), code.toUpperCase());
  for (const code of ["UK", "EU", "XX", "ZZ", "XK", "", "USA", undefined])
    assert.equal(countryOf(code), undefined, code);
});

test("there are as many as ISO 3166-1 has", () => {
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const all = letters.flatMap((one) => letters.map((other) => one + other)).filter((code) => countryOf(code));
  assert.equal(all.length, 249);
});
