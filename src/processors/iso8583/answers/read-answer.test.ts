import assert from "node:assert/strict";
import { test } from "node:test";
import { tellsOfTesting } from "../../../payment/card-testing.ts";
import { NOTHING_CHECKED } from "../../../payment/verification.ts";
import { type Fields, Message } from "../codec/message.ts";
import { readAnswer, readTimeoutReversalAnswer } from "./read-answer.ts";
import { RESPONSE_CODES, responseCode } from "./response-codes.ts";

const CHARGE = { brand: "visa", threeDSecure: null } as const;
const answer = (fields: Fields) => new Message("0210", { 37: "RRN000000001", 38: "ABC123", 63: "host-1", ...fields });

test("only a code that says yes is an approval, and of a charge only with an auth code", () => {
  for (let first = 0; first < 36; first++)
    for (let second = 0; second < 36; second++) {
      const code = `${first.toString(36)}${second.toString(36)}`.toUpperCase();
      const expected = ["00", "08", "11", "16"].includes(code);
      assert.equal(readAnswer(answer({ 39: code }), CHARGE, "brand").kind === "approved", expected, code);
    }
  for (const broken of [undefined, "abc123", "ABC12\u0000"])
    assert.equal(readAnswer(answer({ 39: "00", 38: broken }), CHARGE, "brand").kind, "unanswered");
  assert.equal(readAnswer(answer({ 39: "00", 38: undefined }), null, "brand").kind, "approved");
  assert.equal(readAnswer(answer({}), CHARGE, "brand").kind, "unanswered");
});

test("a code without a known meaning, or with none yet, is neither yes nor no", () => {
  for (const code of ["09", "10", "68", "94", "ZZ", "00 ", "__", "constructor"]) {
    assert.equal(responseCode(code).meaning, "unclear");
    assert.equal(readAnswer(answer({ 39: code }), null, "brand").kind, "unanswered", code);
  }
});

test("every code has two characters and a message that fits an event", () => {
  for (const [code, { message }] of Object.entries(RESPONSE_CODES)) {
    assert.match(code, /^[0-9A-Z]{2}$/);
    assert.ok(message.length >= 1 && message.length <= 255);
  }
});

test("a decline carries its code and no auth code; that of settled money says so", () => {
  const processorResponse = {
    code: "05",
    message: "DO NOT HONOR",
    transactionId: "host-1",
    authCode: null,
    ...NOTHING_CHECKED,
  };
  assert.deepEqual(readAnswer(answer({ 39: "05" }), null, "brand"), {
    kind: "declined",
    processorResponse,
    category: "refused",
  });
  assert.deepEqual(readAnswer(answer({ 39: "A1" }), null, "brand"), {
    kind: "declined",
    processorResponse: { ...processorResponse, code: "A1", message: "ALREADY SETTLED: USE REFUND" },
    category: "already-settled",
  });
});

test("field 44 is read by the letters of the brand or of the simulator, a space is none", () => {
  for (const [results, brand, letters, expected] of [
    ["YM", "visa", "brand", ["match", "Y", "match", "M"]],
    ["YM", "discover", "brand", ["address_match", "Y", "match", "M"]],
    ["YM", "discover", "simulator", ["match", "Y", "match", "M"]],
    [" N", "visa", "brand", [null, null, "no_match", "N"]],
    ["Z ", "visa", "brand", ["postal_match", "Z", null, null]],
    ["?!", "visa", "brand", [null, "?", null, "!"]],
    [undefined, "visa", "brand", [null, null, null, null]],
  ] as const) {
    const read = readAnswer(answer({ 39: "00", 44: results }), { brand, threeDSecure: null }, letters);
    assert.ok(read.kind === "approved");
    const { avs, rawAvs, cvv, rawCvv } = read.processorResponse;
    assert.deepEqual([avs, rawAvs, cvv, rawCvv], expected);
  }
});

test("3-D Secure: the outcome follows from the status, but for a CAVV that could not be verified", () => {
  const threeDSecure = { xid: "AAAA", eci: "05", cavv: "AAAA", status: "Y", version: 2 } as const;
  for (const [results, word, raw] of [
    ["  V", "success", "V"],
    ["  U", "error", "U"],
    ["YM", "success", null],
  ] as const) {
    const read = readAnswer(answer({ 39: "00", 44: results }), { brand: "visa", threeDSecure }, "brand");
    assert.ok(read.kind === "approved");
    assert.deepEqual([read.processorResponse.threeDSecure, read.processorResponse.rawThreeDSecure], [word, raw]);
  }
});

test("a reversal is confirmed by 00, 21 and 25 and by nothing else", () => {
  const confirmed = [...Object.keys(RESPONSE_CODES), "ZZ"].filter(
    (code) => readTimeoutReversalAnswer(answer({ 39: code })).kind === "confirmed",
  );
  assert.deepEqual(confirmed.sort(), ["00", "21", "25"]);
});

test("a decline tells of card testing, unless its code speaks of the system, the merchant, the message or too little money", () => {
  const declines = Object.entries(RESPONSE_CODES).flatMap(([code, said]) =>
    said.meaning === "declined" && !tellsOfTesting(said.category) ? [code] : [],
  );
  assert.deepEqual(declines.sort(), [
    "03",
    "06",
    "12",
    "13",
    "19",
    "21",
    "25",
    "30",
    "31",
    "40",
    "51",
    "58",
    "61",
    "65",
    "75",
    "91",
    "92",
    "96",
    "A1",
    "A2",
  ]);
});
