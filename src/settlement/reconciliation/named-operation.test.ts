// What a processor made by itself, against a report that has it.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, test } from "node:test";
import { amountOf } from "../../payment/money.ts";
import { compareTransaction, mustBeThere } from "./compare-settled.ts";
import type { Operation } from "./operations.ts";
import type { OurLine } from "./report-finding.ts";

const TRANSACTION = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";
const DAY = 86_400_000;
const NOON = Date.parse("2030-05-15T12:00:00Z");

const idOf = (name: string): string => {
  const hex = hash("sha256", name);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
};
let sequence = 0;
const operation = (name: string, type: Operation["type"], hundredths: bigint, over: Partial<Operation> = {}) => ({
  ...{ eventId: idOf(name), transactionId: TRANSACTION, sequence: ++sequence, type, amount: amountOf(hundredths) },
  ...{ sentAt: NOON, outcome: "approved" as const, endedAt: NOON + 200, reversal: null },
  ...over,
});
/** By itself, under this name. */
const made = (byProcessor: string, type: Operation["type"], hundredths: bigint, over: Partial<Operation> = {}) =>
  operation(byProcessor, type, hundredths, { byProcessor, processorName: byProcessor.split(" ")[0] ?? "", ...over });
const line = (
  name: string,
  kind: OurLine["kind"],
  hundredths: bigint,
  operation?: string,
  over: object = {},
): OurLine => ({
  ...{ line: 2, kind, said: kind, id: null, batch: "7", currency: "EUR", netCurrency: "EUR" },
  about: { transactionId: TRANSACTION, eventId: idOf(name) },
  ...(operation !== undefined && { operation }),
  ...{ gross: hundredths * 10_000n, net: hundredths * 10_000n },
  ...over,
});

const SALE = operation("s", "sale", 1000n, { processorName: "PAY" });
const AUTH = operation("a", "auth", 1000n, { processorName: "PAY" });
const CAPTURE = operation("c", "capture", 1000n, { processorName: "CAP" });
const FAILED = { ...CAPTURE, outcome: "failed-after-all" as const };
const again = (name: string) => made(`${CAPTURE.eventId} ${name} again`, "capture", 1000n);
const DASHBOARD = made("re_1", "refund", 300n);
const at = (days: number) => ({ at: NOON + days * DAY });

const captured = (name?: string, over?: object) => line("c", "captured", 1000n, name, over);
const failed = (name?: string, over?: object) => line("c", "capture-failed", -1000n, name, over);

describe("what the processor made by itself", () => {
  for (const [rule, lines, operations, expected] of [
    ["a refund agrees by the processor's name", [line("s", "refunded", -300n, "re_1")], [SALE, DASHBOARD], []],
    ["of another amount", [line("s", "refunded", -301n, "re_1")], [SALE, DASHBOARD], ["other-amount"]],
    ["another one that is not on record", [line("s", "refunded", -300n, "re_2")], [SALE, DASHBOARD], ["missing-here"]],
    ["without a name", [line("s", "refunded", -300n)], [SALE, DASHBOARD], ["missing-here"]],
    [
      "twice",
      [line("s", "refunded", -300n, "re_1"), line("s", "refunded", -300n, "re_1")],
      [SALE, DASHBOARD],
      ["settled-twice"],
    ],
    [
      "two of the same amount, of which one is not on record",
      [line("s", "refunded", -300n, "re_2"), line("s", "refunded", -300n, "re_1")],
      [SALE, DASHBOARD],
      ["missing-here"],
    ],
    [
      "beside one of ours of the same amount",
      [line("s", "refunded", -300n, "re_1"), line("r", "refunded", -300n, "re_3")],
      [SALE, DASHBOARD, operation("r", "refund", 300n, { processorName: "re_3" })],
      [],
    ],
    [
      "a refund that failed, there and here",
      [line("s", "refunded", -300n, "re_1"), line("s", "undone", 300n, "re_1")],
      [SALE, { ...DASHBOARD, outcome: "failed-after-all" }],
      [],
    ],
    ["that failed there alone", [line("s", "undone", 300n, "re_1")], [SALE, DASHBOARD], ["other-outcome"]],
    [
      "that failed here alone, so far",
      [line("s", "refunded", -300n, "re_1")],
      [SALE, { ...DASHBOARD, outcome: "failed-after-all" }],
      ["not-closed"],
    ],
    [
      "one that failed and is not on record",
      [line("s", "refunded", -300n, "re_2"), line("s", "undone", 300n, "re_2")],
      [SALE],
      ["missing-here", "missing-here"],
    ],
    ["a capture", [line("a", "captured", 700n, "CAP9")], [AUTH, made("CAP9", "capture", 700n)], []],
    [
      "a capture that is not on record",
      [line("a", "captured", 700n, "CAP8")],
      [AUTH, made("CAP9", "capture", 700n)],
      ["missing-here"],
    ],
    [
      "a void of a sale",
      [line("s", "captured", 1000n, "CAP"), line("s", "refunded", -1000n, "VOID1")],
      [SALE, made("VOID1", "void", 1000n)],
      [],
    ],
    [
      "an expiry, which moves nothing",
      [line("c", "captured", 400n, "CAP")],
      [AUTH, { ...CAPTURE, amount: amountOf(400n) }, made("EXP", "void", 600n)],
      [],
    ],
    [
      "what an expiry took back all the same",
      [line("a", "refunded", -600n, "EXP")],
      [AUTH, made("EXP", "void", 600n)],
      ["other-amount"],
    ],
    [
      "a charge that the processor took back",
      [line("s", "refunded", -1000n, "REV")],
      [SALE, made(`${SALE.eventId} taken back`, "void", 1000n)],
      [],
    ],
    [
      "a refund that is on record as declined and that it carried out",
      [line("r", "refunded", -300n, "re_5")],
      [SALE, operation("r", "refund", 300n, { outcome: "declined" }), made(`${idOf("r")} re_5`, "refund", 300n)],
      [],
    ],
    [
      "a sale that is on record as declined and that it charged, named by its payment",
      [line("s", "captured", 1000n, "PAYC", { payment: "PAY" })],
      [{ ...SALE, outcome: "declined" }, made(`${SALE.eventId} PAY`, "sale", 1000n)],
      [],
    ],
    [
      "or named by nothing",
      [line("s", "captured", 1000n)],
      [{ ...SALE, outcome: "declined" }, made(SALE.eventId, "sale", 1000n)],
      [],
    ],
    [
      "a refund of ours that was made twice",
      [line("r", "refunded", -300n, "re_5"), line("r", "refunded", -300n, "re_6")],
      [SALE, operation("r", "refund", 300n, { processorName: "re_5" }), made(`${idOf("r")} re_6`, "refund", 300n)],
      [],
    ],
  ] as const satisfies readonly (readonly [string, readonly OurLine[], readonly Operation[], readonly string[]])[])
    test(rule, () => assert.deepEqual(found(lines, operations), expected));
});

describe("a capture that failed and was made again", () => {
  for (const name of ["CAP", "CAP2"]) {
    const both = [AUTH, FAILED, again(name)];
    for (const [rule, lines, operations, expected] of [
      ["all three in one report", [captured("CAP", at(0)), failed("CAP", at(1)), captured(name, at(4))], both, []],
      ["the last alone", [captured(name, at(4))], both, []],
      ["the failure and the last", [failed("CAP", at(1)), captured(name, at(4))], both, []],
      ["the first and its failure", [captured("CAP", at(0)), failed("CAP", at(1))], both, []],
      [
        "once more than on record",
        [captured("CAP", at(0)), captured(name, at(4)), captured(name, at(5))],
        both,
        ["not-closed", "settled-twice"],
      ],
      ["of another amount", [line("c", "captured", 999n, name, at(4))], both, ["other-amount"]],
      // What the processor told of it did not come.
      [
        "all three, and not on record",
        [captured("CAP", at(0)), failed("CAP", at(1)), captured(name, at(4))],
        [AUTH, FAILED],
        ["settled-twice"],
      ],
      [
        "the failure and the last, and not on record",
        [failed("CAP", at(1)), captured(name, at(4))],
        [AUTH, FAILED],
        ["other-outcome"],
      ],
      ["the last alone, days later, and not on record", [captured(name, at(4))], [AUTH, FAILED], ["other-outcome"]],
    ] as const)
      test(`${rule} (${name})`, () => assert.deepEqual(found(lines, operations), expected));
  }
  test("the first alone is taken back by another report", () =>
    assert.deepEqual(found([captured("CAP", at(0))], [AUTH, FAILED]), ["not-closed"]));
});

test("what is made by itself need not be in the report of the day on which it was told", () => {
  assert.equal(mustBeThere(DASHBOARD, [SALE, DASHBOARD]), false);
  assert.equal(mustBeThere(SALE, [SALE, DASHBOARD]), true);
});

function found(lines: readonly OurLine[], operations: readonly Operation[]): readonly string[] {
  return compareTransaction(lines, operations, { currency: "EUR", namesCaptures: true }).findings.map(
    ({ kind }) => kind,
  );
}

test("a capture in the Customer Area that was made again under the same name has two events, and two lines", () => {
  const area = made("AREA", "capture", 700n, { outcome: "failed-after-all" });
  const again = made("AREA again", "capture", 700n);
  const captured = () => line("a", "captured", 700n, "AREA");
  const failed = line("a", "capture-failed", -700n, "AREA");
  const kinds = (...lines: OurLine[]) =>
    compareTransaction(lines, [AUTH, area, again], { currency: "EUR", namesCaptures: true }).findings.map(
      ({ kind }) => kind,
    );
  assert.deepEqual(kinds(captured(), failed, captured()), []);
  assert.deepEqual(kinds(captured()), []);
  assert.deepEqual(kinds(captured(), captured(), failed, captured()), ["settled-twice"]);
});
