import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { assertProcessorResponse } from "../../../test/conformance/processor-response.ts";
import { type ChargeGiven, chargeQuestion } from "../../../test/conformance/questions.ts";
import type { ThreeDSecure } from "../../payment/three-d-secure.ts";
import { judgeCharge, UNVERIFIABLE_CAVV } from "./charge.ts";

const NOW = new Date("2030-05-15T12:00:00Z");
const FIELDS = { street_address_1: "1 Main St", zip: "95030" };

function judged(given: ChargeGiven) {
  const { answer, timing } = judgeCharge(chargeQuestion("sale", given), NOW);
  assert.ok(answer.kind === "approved" || answer.kind === "declined");
  return { kind: answer.kind, timing, ...answer.processorResponse };
}

describe("the card table", () => {
  const rows: readonly (readonly [string, "approved" | "declined", string, string, string])[] = [
    ["4111111111111111", "approved", "00", "APPROVED", "prompt"],
    ["4000000000000002", "declined", "05", "DO NOT HONOR", "prompt"],
    ["4000000000009995", "declined", "51", "INSUFFICIENT FUNDS", "prompt"],
    ["4000000000000069", "declined", "54", "EXPIRED CARD", "prompt"],
    ["4000000000000127", "declined", "N7", "CVV MISMATCH", "prompt"],
    ["4000000000000010", "approved", "00", "APPROVED", "prompt"],
    ["4000000000005126", "approved", "00", "APPROVED", "prompt"],
    ["4000000000000408", "approved", "00", "APPROVED", "never"],
    ["4000000000000689", "approved", "00", "APPROVED", "late"],
    ["4000000000000911", "declined", "91", "ISSUER UNAVAILABLE", "prompt"],
    ["4000000000000119", "declined", "96", "SYSTEM MALFUNCTION", "prompt"],
    ["4000000000000341", "approved", "00", "APPROVED", "prompt"],
    ["4111111111111112", "declined", "14", "INVALID CARD NUMBER", "prompt"],
  ];
  for (const [number, kind, code, message, timing] of rows) {
    test(`${number}: ${kind} ${code}, ${timing}`, () => {
      const response = judged({ number });
      assert.deepEqual(
        { kind: response.kind, code: response.code, message: response.message, timing: response.timing },
        { kind, code, message, timing },
      );
      assertProcessorResponse(response);
      if (kind === "approved") assert.match(response.authCode ?? "", /^[0-9A-Z]{6}$/);
      else assert.equal(response.authCode, null);
    });
  }
});

test("a card is good through its last month, and declined with 54 from the next instant on", () => {
  const at = (iso: string) => {
    const question = chargeQuestion("auth", { expiryMonth: "05", expiryYear: "2030" });
    const { answer } = judgeCharge(question, new Date(iso));
    return "processorResponse" in answer && answer.processorResponse.code;
  };
  assert.equal(at("2030-05-31T23:59:59.999Z"), "00");
  assert.equal(at("2030-06-01T00:00:00.000Z"), "54");
});

test("the table's decline wins over a failing Luhn check, and that over an expired card", () => {
  const past = { expiryMonth: "01", expiryYear: "2020" };
  assert.equal(judged({ number: "4000000000009995", ...past }).code, "51");
  assert.equal(judged({ number: "4111111111111112", ...past }).code, "14");
  assert.equal(judged({ number: "4111111111111111", ...past }).code, "54");
  assert.equal(judged({ number: "4000000000000010", ...past }).code, "54");
});

test("AVS: a letter for what was sent, none for nothing, and no match where the table says so", () => {
  const rows: readonly (readonly [ChargeGiven, string | null, string | null])[] = [
    [{ fields: FIELDS }, "match", "Y"],
    [{ fields: { street_address_1: "1 Main St" } }, "address_match", "A"],
    [{ fields: { zip: "95030" } }, "postal_match", "Z"],
    [{ fields: { city: "Los Gatos" } }, null, null],
    [{ number: "4000000000000010", fields: FIELDS }, "no_match", "N"],
    [{ number: "4000000000000010", fields: {} }, "no_match", "N"],
    [{ number: "4000000000000002", fields: FIELDS }, "match", "Y"],
    [{ number: "4000000000000911", fields: FIELDS }, "unavailable", "U"],
    [{ number: "4000000000000119", fields: { zip: "95030" } }, "unavailable", "U"],
    [{ number: "4111111111111112", fields: FIELDS }, "unavailable", "U"],
    [{ number: "4000000000000911", fields: {} }, null, null],
  ];
  for (const [given, word, letter] of rows) {
    const { avs, rawAvs } = judged(given);
    assert.deepEqual([avs, rawAvs], [word, letter], JSON.stringify(given));
  }
});

test("CVV: a match when it was sent, none when not, a mismatch where the table says so", () => {
  const rows: readonly (readonly [ChargeGiven, string | null, string | null])[] = [
    [{}, "match", "M"],
    [{ cvv: null }, null, null],
    [{ number: "4000000000000127" }, "no_match", "N"],
    [{ number: "4000000000000127", cvv: null }, "no_match", "N"],
    [{ number: "4000000000009995" }, "match", "M"],
    [{ number: "4000000000000911" }, "not_processed", "P"],
    [{ number: "4000000000000911", cvv: null }, null, null],
    [{ number: "4000000000000010" }, "match", "M"],
  ];
  for (const [given, word, letter] of rows) {
    const { cvv, rawCvv } = judged(given);
    assert.deepEqual([cvv, rawCvv], [word, letter], JSON.stringify(given));
  }
});

test("3-D Secure: an outcome, the status as raw value, remarks as the detail", () => {
  const given = (status: ThreeDSecure["status"], eci: string, cavv = "AAABBEg0VhI0VniQEjRWAAAAAAA="): ChargeGiven => ({
    threeDSecure: { xid: "AAAA", eci, cavv, status, version: 2 },
  });
  const oddEci = "ECI 07 does not go with visa and 3DS status Y: expected 05";
  const unverified = "The cavv could not be verified";
  const rows: readonly (readonly [ChargeGiven, string | null, string | null, string | null])[] = [
    [given("Y", "05"), "success", "Y", null],
    [given("A", "06"), "attempted", "A", null],
    [given("N", "07"), "failed", "N", null],
    [given("U", "07"), "unavailable", "U", null],
    [given("Y", "07"), "success", "Y", oddEci],
    [given("Y", "05", UNVERIFIABLE_CAVV), "error", "Y", unverified],
    [given("Y", "07", UNVERIFIABLE_CAVV), "error", "Y", `${oddEci}; ${unverified}`],
    [{ ...given("Y", "05", UNVERIFIABLE_CAVV), number: "4000000000000911" }, "success", "Y", null],
    [{ ...given("Y", "07"), number: "4000000000000911" }, "success", "Y", oddEci],
    [{}, null, null, null],
  ];
  for (const [request, word, raw, remark] of rows) {
    const { threeDSecure, rawThreeDSecure, detail } = judged(request);
    assert.deepEqual([threeDSecure, rawThreeDSecure, detail], [word, raw, remark], JSON.stringify(request));
  }
});

test("an unverifiable cavv is twenty bytes of base64, as a real one", () => {
  assert.equal(Buffer.from(UNVERIFIABLE_CAVV, "base64").toString("latin1"), "CAVV NOT VERIFIABLE!");
});

test("every processor response fits specification 2.2, whatever the card and the reference", () => {
  const digits = fc.stringMatching(/^[0-9]{8,19}$/);
  fc.assert(
    fc.property(digits, fc.string(), (number, reference) => assertProcessorResponse(judged({ number, reference }))),
    { numRuns: 500 },
  );
});
