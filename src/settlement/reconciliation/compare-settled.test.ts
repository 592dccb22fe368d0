import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, test } from "node:test";
import fc from "fast-check";
import { amountOf } from "../../payment/money.ts";
import { exactOf } from "../../processors/exact-amount.ts";
import { compareTransaction, mustBeThere } from "./compare-settled.ts";
import type { Operation } from "./operations.ts";
import type { OurLine } from "./report-finding.ts";

const TRANSACTION = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";
const NOON = Date.parse("2030-05-15T12:00:00Z");
const NAMED = { currency: "EUR", namesCaptures: true };
const UNNAMED = { currency: "EUR", namesCaptures: false };

const eventIdOf = (name: string): string => {
  const hex = hash("sha256", name);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
};
let sequence = 0;
const operation = (
  name: string,
  type: Operation["type"],
  hundredths: bigint,
  over: Partial<Operation> = {},
): Operation => ({
  ...{ eventId: eventIdOf(name), transactionId: TRANSACTION, sequence: ++sequence, type },
  amount: amountOf(hundredths),
  ...{ sentAt: NOON, outcome: "approved", endedAt: NOON + 200, reversal: null },
  ...over,
});
const line = (name: string, kind: OurLine["kind"], hundredths: bigint, over: Partial<OurLine> = {}): OurLine => ({
  ...{ line: 2, kind, said: kind, id: null, batch: "7", currency: "EUR", netCurrency: "EUR" },
  about: { transactionId: TRANSACTION, eventId: eventIdOf(name) },
  gross: hundredths * 10_000n,
  net: hundredths * 10_000n,
  ...over,
});
const kinds = (lines: readonly OurLine[], operations: readonly Operation[], account = NAMED) =>
  compareTransaction(lines, operations, account).findings.map(({ kind }) => kind);

const SALE = operation("s", "sale", 1000n);
const AUTH = operation("a", "auth", 1000n);
const [FOUR, SIX] = [operation("c4", "capture", 400n), operation("c6", "capture", 600n)];
const REFUND = operation("r", "refund", 300n);
const VOID = operation("v", "void", 1000n);
const VOIDED_PART = operation("p", "void", 300n);
const CAPTURED_AFTER = operation("c7", "capture", 700n);
const LOST = operation("s", "sale", 1000n, { outcome: "unanswered", reversal: { kind: "confirmed", at: NOON } });
const GONE = [line("r", "refunded", -300n)];
const GIVEN_BACK = [line("s", "refunded", -1000n)];
const as = (one: Operation, outcome: Operation["outcome"]): Operation => ({ ...one, outcome });

describe("what was settled of a transaction", () => {
  const cases: readonly (readonly [string, OurLine[], Operation[], string[]])[] = [
    ["a sale that came in agrees", [line("s", "captured", 1000n)], [SALE], []],
    [
      "so do captures by their own names",
      [line("c4", "captured", 400n), line("c6", "captured", 600n)],
      [AUTH, FOUR, SIX],
      [],
    ],
    ["and a refund that went out", [line("r", "refunded", -300n)], [SALE, REFUND], []],
    ["what is not there says nothing", [], [SALE, REFUND], []],
    ["another amount", [line("s", "captured", 1001n)], [SALE], ["other-amount"]],
    ["a refund that came in", [line("r", "refunded", 300n)], [SALE, REFUND], ["other-amount"]],
    ["another currency", [line("s", "captured", 1000n, { currency: "USD" })], [SALE], ["other-currency"]],
    ["an operation that the gateway has not", [line("x", "captured", 1n)], [SALE], ["missing-here"]],
    ["a capture that was made elsewhere", [line("a", "captured", 400n)], [AUTH, FOUR], ["missing-here"]],
    ["a refund that was made elsewhere", [line("s", "refunded", -100n)], [SALE], ["missing-here"]],
    ["or of a charge that was declined", [line("s", "refunded", -1000n)], [as(SALE, "declined")], ["missing-here"]],
    ["but of one that is not known yet it may be ours", [line("s", "refunded", -1000n)], [as(SALE, null)], ["pending"]],
    ["money that came in under a refund's name", [line("r", "captured", 300n)], [SALE, REFUND], ["other-operation"]],
    ["the same twice", [line("s", "captured", 1000n), line("s", "captured", 1000n)], [SALE], ["settled-twice"]],
    ["declined here", [line("s", "captured", 1000n)], [as(SALE, "declined")], ["other-outcome"]],
    ["never sent", [line("s", "captured", 1000n)], [as(SALE, "not-sent")], ["other-outcome"]],
    ["too late here", [line("r", "refunded", -300n)], [SALE, as(REFUND, "already-settled")], ["other-outcome"]],
    ["not known yet", [line("r", "refunded", -300n)], [SALE, as(REFUND, null)], ["pending"]],
    ["not answered, and not given back in this report", [line("s", "captured", 1000n)], [LOST], ["not-closed"]],
    ["not answered, and given back", [line("s", "captured", 1000n), line("s", "refunded", -1000n)], [LOST], []],
    [
      "not answered, and given back once more since the first refund failed",
      [line("s", "captured", 1000n), ...GIVEN_BACK, line("s", "undone", 1000n), ...GIVEN_BACK],
      [LOST],
      [],
    ],
    [
      "and once too often",
      [...GIVEN_BACK, line("s", "undone", 1000n), ...GIVEN_BACK, ...GIVEN_BACK],
      [LOST],
      ["settled-twice"],
    ],
    ["not answered, and only the half given back", [line("s", "refunded", -500n)], [LOST], ["other-amount"]],
    [
      "a refund that failed later",
      [line("r", "refunded", -300n)],
      [SALE, as(REFUND, "failed-after-all")],
      ["not-closed"],
    ],
    [
      "and is back",
      [line("r", "refunded", -300n), line("r", "undone", 300n)],
      [SALE, as(REFUND, "failed-after-all")],
      [],
    ],
    [
      "a refund that was accepted and failed",
      [line("r", "refunded", -300n)],
      [SALE, as(REFUND, "declined")],
      ["other-outcome"],
    ],
    ["and is back, too", [line("r", "refunded", -300n), line("r", "undone", 300n)], [SALE, as(REFUND, "declined")], []],
    ["a refund that is back there and approved here", [line("r", "undone", 300n)], [SALE, REFUND], ["other-outcome"]],
    [
      "a refund that is back twice",
      [...GONE, line("r", "undone", 300n), line("r", "undone", 300n)],
      [SALE, as(REFUND, "failed-after-all")],
      ["settled-twice"],
    ],
    [
      "a refund of which another amount is back",
      [line("r", "undone", 301n)],
      [SALE, as(REFUND, "failed-after-all")],
      ["other-amount"],
    ],
    [
      "a refund that is back and went out, too",
      [line("r", "undone", -300n)],
      [SALE, as(REFUND, "failed-after-all")],
      ["wrong-sign"],
    ],
    [
      "a capture that failed, here and there",
      [line("s", "captured", 1000n), line("s", "capture-failed", -1000n)],
      [as(SALE, "failed-after-all")],
      [],
    ],
    [
      "a capture that failed here, and not in this report",
      [line("s", "captured", 1000n)],
      [as(SALE, "failed-after-all")],
      ["not-closed"],
    ],
    [
      "a capture that failed there alone",
      [line("s", "captured", 1000n), line("s", "capture-failed", -1000n)],
      [SALE],
      ["other-outcome"],
    ],
    ["a capture that failed there, of another amount", [line("s", "capture-failed", -999n)], [SALE], ["other-amount"]],
    [
      "a capture that failed and that the gateway has not",
      [line("x", "capture-failed", -1000n)],
      [SALE],
      ["missing-here"],
    ],
    ["a void of what was captured", [line("s", "captured", 1000n), line("v", "refunded", -1000n)], [SALE, VOID], []],
    [
      "of what was captured in part, that part",
      [line("c4", "captured", 400n), line("v", "refunded", -400n)],
      [AUTH, FOUR, VOID],
      [],
    ],
    [
      "and nothing of a capture that was declined",
      [line("v", "refunded", -400n)],
      [AUTH, FOUR, as(SIX, "declined"), VOID],
      [],
    ],
    ["of what was refunded in part, the rest", [line("v", "refunded", -700n)], [SALE, REFUND, VOID], []],
    ["of what was voided in part, that part", [line("p", "refunded", -300n)], [SALE, VOIDED_PART], []],
    [
      "and nothing of what was captured after it",
      [line("p", "refunded", -300n)],
      [AUTH, VOIDED_PART, CAPTURED_AFTER],
      ["other-amount"],
    ],
    ["of what was only held, nothing", [line("v", "refunded", -1000n)], [AUTH, VOID], ["other-amount"]],
    ["a chargeback that is not on record", [line("s", "chargeback", -1000n)], [SALE], ["unknown-dispute"]],
    ["a correction", [line("s", "other", -1000n)], [SALE], ["unaccounted"]],
    ["a reserve", [line("s", "reserve", -1000n)], [SALE], []],
    ["fees of a payment are no movement", [line("s", "fee", -10n)], [SALE], []],
  ];
  for (const [rule, lines, operations, expected] of cases)
    test(rule, () => assert.deepEqual(kinds(lines, operations), expected));
});

describe("where lines name the charge alone, its captures are told apart by their amounts", () => {
  const all = [AUTH, FOUR, SIX];
  for (const [rule, lines, operations, expected] of [
    ["in any order", [line("a", "captured", 600n), line("a", "captured", 400n)], all, []],
    ["one of them only", [line("a", "captured", 600n)], all, []],
    ["of one amount that none has", [line("a", "captured", 500n)], all, ["missing-here"]],
    [
      "where one is left it is about that",
      [line("a", "captured", 400n), line("a", "captured", 599n)],
      all,
      ["other-amount"],
    ],
    [
      "one more than there are",
      [line("a", "captured", 400n), line("a", "captured", 400n)],
      [AUTH, FOUR],
      ["missing-here"],
    ],
    [
      "a declined one of that amount",
      [line("a", "captured", 400n)],
      [AUTH, as(FOUR, "declined"), SIX],
      ["other-outcome"],
    ],
    [
      "what names its capture has it, also where it comes after another of the same amount",
      [line("a", "captured", 400n), line("c4", "captured", 400n)],
      [AUTH, FOUR, operation("c4 again", "capture", 400n)],
      [],
    ],
    [
      "one that was taken before one of that amount that was declined",
      [line("a", "captured", 400n)],
      [AUTH, as(FOUR, "declined"), operation("c4 again", "capture", 400n)],
      [],
    ],
  ] as const)
    test(rule, () => assert.deepEqual(kinds(lines, operations, UNNAMED), expected));
});

test("of any captures each is found once by a report that has them in any order, and what was put in is told", () => {
  const amounts = fc.array(fc.bigInt({ min: 1n, max: 50n }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(amounts, fc.infiniteStream(fc.nat()), fc.boolean(), (given, order, doubled) => {
      const captures = given.map((amount, index) => operation(`c${index}`, "capture", amount));
      const lines = given.map((amount) => line("a", "captured", amount));
      const shuffled = lines
        .map((one) => ({ one, at: order.next().value ?? 0 }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ one }) => one);
      const [first] = shuffled;
      const reported = doubled && first ? [...shuffled, first] : shuffled;
      const { findings, settled } = compareTransaction(reported, [AUTH, ...captures], UNNAMED);
      assert.deepEqual(
        findings.map(({ kind }) => kind),
        doubled ? ["missing-here"] : [],
      );
      assert.equal(settled.size, given.length);
    }),
  );
});

test("a report of a day must have the money that was moved, but not what was voided, held, declined or is not known", () => {
  assert.deepEqual(
    [SALE, FOUR, REFUND, AUTH, VOID, as(SALE, "declined"), as(SALE, null), LOST].map((one) => mustBeThere(one, [one])),
    [true, true, true, false, false, false, false, false],
  );
  assert.equal(mustBeThere(SALE, [SALE, VOID]), false);
  for (const nothing of ["declined", "not-sent"] as const)
    assert.equal(mustBeThere(SALE, [SALE, as(VOID, nothing)]), true, nothing);
  // It may have been voided there.
  for (const perhaps of [null, "unanswered", "failed-after-all"] as const)
    assert.equal(mustBeThere(SALE, [SALE, as(VOID, perhaps)]), false, String(perhaps));
  assert.equal(exactOf(SALE.amount), 10_000_000n);
});
