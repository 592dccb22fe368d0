import assert from "node:assert/strict";
import { test } from "node:test";
import {
  firstNetworkTransactionId,
  type Initiation,
  mayInitiate,
  networkTransactionIdIn,
  type OnFile,
  REASONS,
  storedCredentialOf,
} from "./stored-credential.ts";

test("a payer begins what may be repeated, and the merchant alone completes what the payer left", () => {
  assert.deepEqual(
    REASONS.map((reason) => [reason, mayInitiate("payer", reason), mayInitiate("merchant", reason)]),
    [
      ["unscheduled", true, true],
      ["recurring", true, true],
      ["installment", true, true],
      ["deposit", true, true],
      ["no-show", false, true],
      ["delayed-charge", false, true],
      ["resubmission", false, true],
    ],
  );
});

const STORES: OnFile = { cardId: "c", stores: true };
const STORED: OnFile = { cardId: "c" };
const KNOWN: OnFile = { cardId: "c", networkTransactionId: "kept" };
const GIVEN: Initiation = { networkTransactionId: "given" };

for (const [what, initiation, onFile, expected] of [
  ["a card that nobody stores", undefined, undefined, undefined],
  ["a card that nobody stores, said to be the payer's", { initiator: "payer" }, undefined, undefined],
  ["a card that the charge stores", undefined, STORES, { initiator: "payer", use: "first" }],
  [
    "the first of a series",
    { reason: "recurring" },
    undefined,
    { initiator: "payer", reason: "recurring", use: "first" },
  ],
  [
    "the first of a series, stored here",
    { initiator: "payer", reason: "deposit" },
    STORES,
    { initiator: "payer", reason: "deposit", use: "first" },
  ],
  ["a card on file, never charged yet", undefined, STORED, { initiator: "payer", use: "later" }],
  ["a card on file", undefined, KNOWN, { initiator: "payer", use: "later", networkTransactionId: "kept" }],
  [
    "a card whose first charge was elsewhere",
    GIVEN,
    undefined,
    { initiator: "payer", use: "later", networkTransactionId: "given" },
  ],
  ["one that is stored here now", GIVEN, STORES, { initiator: "payer", use: "later", networkTransactionId: "given" }],
  [
    "the merchant, without a reason",
    { initiator: "merchant" },
    STORED,
    { initiator: "merchant", reason: "unscheduled", use: "later" },
  ],
  [
    "the merchant, who knows the first charge better",
    { initiator: "merchant", reason: "no-show", ...GIVEN },
    KNOWN,
    { initiator: "merchant", reason: "no-show", use: "later", networkTransactionId: "given" },
  ],
] as const satisfies readonly (readonly [string, Initiation | undefined, OnFile | undefined, unknown])[])
  test(`a processor is told of ${what}`, () => {
    const charge = { ...(initiation && { initiation }), ...(onFile && { onFile }) };
    assert.deepEqual(storedCredentialOf(charge), expected);
  });

for (const [what, initiation, onFile, answered, expected] of [
  ["of a card that nobody stores", undefined, undefined, "answered", undefined],
  ["what the scheme gave", undefined, STORED, "answered", "answered"],
  ["what the scheme gave when the card was stored", undefined, STORES, "answered", "answered"],
  ["what the merchant gave before what the scheme gave", GIVEN, STORED, "answered", "given"],
  ["what the merchant gave where the scheme gave nothing", GIVEN, STORES, null, "given"],
  ["that there is nothing", undefined, STORED, undefined, undefined],
  ["that it was known before", GIVEN, KNOWN, "answered", undefined],
] as const satisfies readonly (readonly [
  string,
  Initiation | undefined,
  OnFile | undefined,
  string | null | undefined,
  string | undefined,
])[])
  test(`after an approval is remembered ${what}`, () => {
    const charge = { ...(initiation && { initiation }), ...(onFile && { onFile }) };
    assert.equal(firstNetworkTransactionId(charge, answered), expected);
  });

test("what could not be sent again is no id", () => {
  const given = ["483297487231504", " MCC123456 0515 ", "a", "Z".repeat(64)];
  assert.deepEqual(given.map(networkTransactionIdIn), ["483297487231504", "MCC123456 0515", "a", "Z".repeat(64)]);
  for (const none of ["", "   ", "Z".repeat(65), "é", "a\u0000b", "-a", null, undefined])
    assert.equal(networkTransactionIdIn(none), null);
});
