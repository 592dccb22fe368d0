import assert from "node:assert/strict";
import { test } from "node:test";
import { EVERY_CAPABILITY } from "../../test/rulings.ts";
import { CAD_TERMS, defaultTerms, ORDINARY_TERMS, withinTerms } from "./account-terms.ts";
import { CURRENCY_CODES } from "./currency.ts";

test("the specification's rules are the terms of CAD accounts, and all others have ordinary ones", () => {
  for (const currency of CURRENCY_CODES)
    assert.equal(defaultTerms(currency), currency === "CAD" ? CAD_TERMS : ORDINARY_TERMS, currency);
});

test("terms take capabilities away and add none", () => {
  const none = { partialVoid: false, multipleCaptures: false, refundBeforeSettlement: false };
  assert.deepEqual(withinTerms(ORDINARY_TERMS, EVERY_CAPABILITY), EVERY_CAPABILITY);
  assert.deepEqual(withinTerms(ORDINARY_TERMS, none), none);
  assert.deepEqual(withinTerms(CAD_TERMS, none), none);
  assert.deepEqual(withinTerms(CAD_TERMS, EVERY_CAPABILITY), {
    partialVoid: false,
    multipleCaptures: true,
    refundBeforeSettlement: false,
  });
  const capturesAtOnce = { ...none, refundsCapturedAuthorizations: true, voidsWholePaymentsOnly: true };
  assert.deepEqual(withinTerms(ORDINARY_TERMS, capturesAtOnce), capturesAtOnce);
  assert.deepEqual(withinTerms(CAD_TERMS, capturesAtOnce), { ...capturesAtOnce, refundsCapturedAuthorizations: false });
  assert.deepEqual(withinTerms({ ...ORDINARY_TERMS, partialVoid: false }, EVERY_CAPABILITY), {
    partialVoid: false,
    multipleCaptures: true,
    refundBeforeSettlement: true,
  });
});
