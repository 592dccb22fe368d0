import assert from "node:assert/strict";
import { test } from "node:test";
import { tellsOfTesting } from "../../../payment/card-testing.ts";
import { EVENT_TYPES, type EventType } from "../../../payment/transaction.ts";
import { NOTHING_CHECKED } from "../../../payment/verification.ts";
import { type Fields, Message } from "../codec/message.ts";
import { STANDARD } from "../dialect/standard.ts";
import { readAnswer, readTimeoutReversalAnswer, readVerification, withNetworkTransactionId } from "./read-answer.ts";
import { RESPONSE_CODES, UNDECIDED_CODES } from "./response-codes.ts";

const CHARGE = { brand: "visa", threeDSecure: null } as const;
const answer = (fields: Fields) => new Message("0210", { 37: "RRN000000001", 38: "ABC123", 63: "host-1", ...fields });

/** Every code of two digits or capital letters. */
const ALL_CODES = Array.from({ length: 36 * 36 }, (_, index) => index.toString(36).padStart(2, "0").toUpperCase());
const ofSale = (code: string | undefined) => readAnswer(answer({ 39: code }), "sale", CHARGE, "brand");
const ofFollowUp = (type: EventType, code: string) => readAnswer(answer({ 39: code }), type, null, "brand");

test("only a code that says yes is an approval, and of a charge only with an auth code", () => {
  const approved = (type: EventType) =>
    ALL_CODES.filter((code) => readAnswer(answer({ 39: code }), type, CHARGE, "brand").kind === "approved");
  for (const type of ["sale", "auth", "capture", "void"] as const)
    assert.deepEqual(approved(type), ["00", "08", "11", "16"], type);
  assert.deepEqual(approved("refund"), ["00", "08", "11", "16", "85"]);
  for (const broken of [undefined, "abc123", "ABC12\u0000"])
    assert.equal(readAnswer(answer({ 39: "00", 38: broken }), "sale", CHARGE, "brand").kind, "unanswered");
  assert.equal(readAnswer(answer({ 39: "00", 38: undefined }), "capture", null, "brand").kind, "approved");
});

test("a card is good if a code says so, with an auth code or without; what says neither yes nor no says nothing of it", () => {
  const said = (code: string, over: Fields = {}) => {
    const read = readVerification(answer({ 39: code, ...over }), CHARGE, "brand");
    return read.kind === "verified" ? read.success : read.kind;
  };
  const good = ALL_CODES.filter((code) => said(code) === true);
  assert.deepEqual(good, ["00", "08", "11", "16", "85"]);
  for (const code of good) assert.equal(said(code, { 38: undefined }), true);
  for (const code of ["05", "14", "51", "54", "91", "96", "ZZ"]) assert.equal(said(code), false, code);
  for (const code of ["09", "10", "32", "68", "94", "Y1"]) assert.equal(said(code), "unanswered", code);
  for (const broken of ["", "0", "00\u0000"]) assert.equal(said(broken), "unanswered");
});

const NEITHER = ["09", "10", "32", "68", "85", "87", "94", "Y1", "Y3"];

test("a code that is in no list is a decline without a reason, of whatever operation, and shows itself", () => {
  const unlisted = ALL_CODES.filter((code) => !(code in RESPONSE_CODES) && !(code in UNDECIDED_CODES));
  assert.ok(unlisted.includes("ZZ") && unlisted.includes("99") && unlisted.includes("7X"));
  for (const code of [...unlisted, "zz", "7x"])
    for (const type of EVENT_TYPES) {
      const read = ofFollowUp(type, code);
      assert.ok(read.kind === "declined", `${type} ${code}`);
      assert.deepEqual(
        [read.category, read.processorResponse.code, read.processorResponse.message],
        ["refused", code, "DECLINED FOR AN UNLISTED REASON"],
      );
    }
});

test("of a charge every code is a yes or a no, but for those of which money may be held in part, already or later", () => {
  const neither = ALL_CODES.filter((code) => !["approved", "declined"].includes(ofSale(code).kind));
  assert.deepEqual(neither, NEITHER);
  for (const code of neither) assert.equal(ofSale(code).kind, "undecided", code);
});

test("of a follow-up a host or an issuer out of order is neither yes nor no, too", () => {
  const neither = (type: EventType) => ALL_CODES.filter((code) => ofFollowUp(type, code).kind === "undecided");
  const outOfOrder = [...NEITHER, "20", "22", "90", "91", "96"].toSorted();
  for (const type of ["capture", "void"] as const) assert.deepEqual(neither(type), outOfOrder, type);
  assert.deepEqual(
    neither("refund"),
    outOfOrder.filter((code) => code !== "85"),
  );
});

test("every code that is neither yes nor no ends after so many repeats", () => {
  for (const code of Object.keys(UNDECIDED_CODES)) {
    const read = ofFollowUp("capture", code);
    assert.ok(read.kind === "undecided" && read.repeats >= 1 && read.repeats <= 60, code);
    assert.match(read.why, new RegExp(`^the answer's code is ${code}: `));
  }
});

test("what is no response code is no answer", () => {
  for (const broken of [undefined, "", "0", "000", "  ", "0 ", " 0", "0-", "Ä1", "__", "constructor"])
    for (const type of EVENT_TYPES)
      assert.equal(readAnswer(answer({ 39: broken }), type, CHARGE, "brand").kind, "unanswered", `${type} ${broken}`);
});

for (const [code, category] of [
  ["1A", "authentication-required"],
  ["R0", "do-not-retry"],
  ["R1", "do-not-retry"],
  ["R3", "do-not-retry"],
  ["N5", "do-not-retry"],
  ["83", "suspected-fraud"],
  ["6P", "wrong-data"],
  ["5C", "not-permitted"],
  ["9G", "not-permitted"],
  ["P9", "limit-exceeded"],
  ["Z3", "try-later"],
  ["91", "try-later"],
  ["17", "refused"],
] as const)
  test(`a sale with ${code}: ${category}`, () => {
    const read = ofSale(code);
    assert.equal(read.kind === "declined" && read.category, category);
  });

test("every code has two characters and a message that fits an event", () => {
  for (const [code, { message }] of Object.entries({ ...RESPONSE_CODES, ...UNDECIDED_CODES })) {
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
  assert.deepEqual(readAnswer(answer({ 39: "05" }), "capture", null, "brand"), {
    kind: "declined",
    processorResponse,
    category: "refused",
  });
  assert.deepEqual(readAnswer(answer({ 39: "A1" }), "void", null, "brand"), {
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
    const read = readAnswer(answer({ 39: "00", 44: results }), "sale", { brand, threeDSecure: null }, letters);
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
    const read = readAnswer(answer({ 39: "00", 44: results }), "sale", { brand: "visa", threeDSecure }, "brand");
    assert.ok(read.kind === "approved");
    assert.deepEqual([read.processorResponse.threeDSecure, read.processorResponse.rawThreeDSecure], [word, raw]);
  }
});

test("a reversal is confirmed by 00, 21 and 25 and by nothing else", () => {
  const told = (code: string) => readTimeoutReversalAnswer(answer({ 39: code }));
  assert.deepEqual(
    ALL_CODES.filter((code) => told(code).kind === "confirmed"),
    ["00", "21", "25"],
  );
  for (const code of ALL_CODES) {
    const read = told(code);
    if (read.kind !== "confirmed") assert.ok(read.kind === "undecided" && read.repeats >= 1, code);
  }
  assert.equal(told("0 ").kind, "unanswered");
});

test("a decline tells of card testing, unless its code speaks of the system, the merchant, the message or too little money", () => {
  const declines = Object.entries(RESPONSE_CODES).flatMap(([code, said]) =>
    said.meaning === "declined" && !tellsOfTesting(said.category) ? [code] : [],
  );
  const ofOthers =
    "03 06 12 13 19 20 21 22 23 25 28 30 31 40 51 58 61 65 75 84 90 91 92 96 A1 A2 B1 B2 N0 N4 P2 P9 Z3 Z5";
  assert.deepEqual(declines.sort(), ofOthers.split(" "));
});

test("an approved charge has the scheme's identifier where the host gives one that can be sent again, and nothing else has", () => {
  const read = (fields: Fields) => {
    const message = answer(fields);
    const given = withNetworkTransactionId(readAnswer(message, "sale", CHARGE, "brand"), message, STANDARD);
    return "processorResponse" in given ? given.processorResponse.networkTransactionId : given.kind;
  };
  assert.equal(read({ 39: "00", 48: "NT015483297487231504" }), "483297487231504");
  assert.equal(read({ 39: "00", 48: "TI001xNT015MCCABC123 0515 " }), "MCCABC123 0515");
  for (const none of [
    { 39: "00" },
    { 39: "00", 48: "TI001x" },
    { 39: "00", 48: "NT003 ? " },
    { 39: "05", 48: "NT003123" },
  ])
    assert.equal(read(none), undefined);
});
