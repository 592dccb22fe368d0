import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, test } from "node:test";
import fc from "fast-check";
import { amountOf } from "../../payment/money.ts";
import type { BookLine } from "../../processors/books.ts";
import { type Operation, Operations } from "./operations.ts";
import { compareLine, compareRest, type Day, type Finding, missingHere } from "./reconcile.ts";

const FROM = Date.parse("2030-05-15T00:00:00Z");
const HOUR = 3_600_000;
const NOON = FROM + 12 * HOUR;
const DAY: Day = { from: FROM, until: FROM + 24 * HOUR, over: true, clockSkewMs: 300_000, currency: "CAD" };

/** Any other name than the event's own will do. */
const referenceOf = (eventId: string): string => `their ${eventId}`;
const eventIdOf = (name: string): string => {
  const hex = hash("sha256", name);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
};

const operation = (name: string, given: Partial<Operation> = {}): Operation => ({
  eventId: eventIdOf(name),
  transactionId: "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77",
  sequence: 1,
  type: "sale",
  amount: amountOf(1250n),
  sentAt: NOON,
  outcome: "approved",
  endedAt: NOON + 200,
  reversal: null,
  ...given,
});

const NOTHING_HELD = ["00", "21", "25"];
const lineOf = ({ eventId, type, amount, outcome }: Operation, given: Partial<BookLine> = {}): BookLine => {
  const { code = outcome === "declined" ? "05" : outcome === "already-settled" ? "A1" : "00" } = given;
  return {
    line: 2,
    operation: type,
    reference: referenceOf(eventId),
    amount,
    currency: DAY.currency,
    approved: code === "00",
    nothingHeld: given.operation === "reversal" && NOTHING_HELD.includes(code),
    transactionId: null,
    ...given,
    code,
  };
};

function found(operations: readonly Operation[], lines: readonly BookLine[], day = DAY): Finding[] {
  const known = new Operations(referenceOf);
  for (const one of operations) known.add(one);
  return [...lines.flatMap((line) => compareLine(known, day, line) ?? [missingHere(line)]), ...compareRest(known, day)];
}
const kinds = (operations: readonly Operation[], lines: readonly BookLine[], day = DAY): string[] =>
  found(operations, lines, day).map(({ kind, operation }) => `${kind} ${operation}`);

describe("an operation and its line", () => {
  const UNANSWERED = operation("u", { outcome: "unanswered", reversal: { kind: "confirmed", at: NOON + HOUR } });
  const WAITING = operation("w", { outcome: "unanswered", reversal: { kind: "pending" } });
  const PENDING = operation("p", { type: "refund", outcome: null, endedAt: null });
  const SALE = operation("s");
  const FAILED = { type: "capture", outcome: "failed-after-all", endedAt: NOON + HOUR } as const;
  const LINE_OF_FAILED = { operation: "capture", reference: referenceOf(eventIdOf("f")) } as const;
  const REVERSAL = { operation: "reversal" } as const;
  const cases: readonly (readonly [rule: string, Operation | null, BookLine[], string[]])[] = [
    ["an approved one agrees with its approval", SALE, [lineOf(SALE)], []],
    [
      "a declined one with its refusal",
      operation("d", { outcome: "declined" }),
      [lineOf(operation("d", { outcome: "declined" }))],
      [],
    ],
    ["a line without an operation is missing here", null, [lineOf(SALE)], ["missing-here sale"]],
    ["an operation without a line is missing there", SALE, [], ["missing-there sale"]],
    ["a declined one too", operation("d", { outcome: "declined" }), [], ["missing-there sale"]],
    ["another amount", SALE, [lineOf(SALE, { amount: amountOf(1251n) })], ["other-amount sale"]],
    ["another currency", SALE, [lineOf(SALE, { currency: "USD" })], ["other-currency sale"]],
    [
      "both",
      SALE,
      [lineOf(SALE, { currency: "USD", amount: amountOf(1n) })],
      ["other-amount sale", "other-currency sale"],
    ],
    ["approved here and declined there", SALE, [lineOf(SALE, { code: "05" })], ["other-outcome sale"]],
    ["approved here and unclear there", SALE, [lineOf(SALE, { code: "68" })], ["other-outcome sale"]],
    [
      "declined here and approved there",
      operation("d", { outcome: "declined" }),
      [lineOf(operation("d"))],
      ["other-outcome sale"],
    ],
    [
      "too late here and approved there",
      operation("a", { type: "void", outcome: "already-settled" }),
      [lineOf(operation("a", { type: "void" }))],
      ["other-outcome void"],
    ],
    [
      "another code of a refusal is no difference",
      operation("d", { outcome: "declined" }),
      [lineOf(operation("d"), { code: "51" })],
      [],
    ],
    ["another operation under its number", SALE, [lineOf(SALE, { operation: "refund" })], ["other-operation refund"]],
    ["a second line for it", SALE, [lineOf(SALE), lineOf(SALE)], ["booked-twice sale"]],
    ["one that was never sent has no line", operation("n", { outcome: "not-sent" }), [], []],
    [
      "and none may be there",
      operation("n", { outcome: "not-sent" }),
      [lineOf(operation("n"))],
      ["other-outcome sale"],
    ],
    [
      "what failed after all is declined there",
      operation("f", FAILED),
      [lineOf(SALE, { ...LINE_OF_FAILED, code: "05" })],
      [],
    ],
    ["or not there", operation("f", FAILED), [], []],
    ["and not approved", operation("f", FAILED), [lineOf(SALE, LINE_OF_FAILED)], ["other-outcome capture"]],
    [
      "but in books that were written before it failed",
      operation("f", { ...FAILED, endedAt: DAY.until + HOUR }),
      [lineOf(SALE, LINE_OF_FAILED)],
      [],
    ],
    [
      "or within the skew of the clocks",
      operation("f", { ...FAILED, endedAt: DAY.until - DAY.clockSkewMs }),
      [lineOf(SALE, LINE_OF_FAILED)],
      [],
    ],
    [
      "and not a little earlier",
      operation("f", { ...FAILED, endedAt: DAY.until - DAY.clockSkewMs - 1 }),
      [lineOf(SALE, LINE_OF_FAILED)],
      ["other-outcome capture"],
    ],
    ["a reversal of a follow-up", PENDING, [lineOf(PENDING, REVERSAL)], ["other-operation reversal", "pending refund"]],
    [
      "one that was refused there, of what is approved here",
      SALE,
      [lineOf(SALE), lineOf(SALE, { ...REVERSAL, code: "64" })],
      [],
    ],
    ["a reversal of what is approved here", SALE, [lineOf(SALE), lineOf(SALE, REVERSAL)], ["other-outcome reversal"]],
    ["an unanswered charge that never arrived and was reversed", UNANSWERED, [lineOf(UNANSWERED, REVERSAL)], []],
    ["one that was booked and reversed", UNANSWERED, [lineOf(UNANSWERED), lineOf(UNANSWERED, REVERSAL)], []],
    [
      "one that was declined, and nothing to reverse",
      UNANSWERED,
      [lineOf(UNANSWERED, { code: "05" }), lineOf(UNANSWERED, { ...REVERSAL, code: "25" })],
      [],
    ],
    ["one of which the books know nothing", UNANSWERED, [], []],
    [
      "one that stands there although its reversal was confirmed",
      UNANSWERED,
      [lineOf(UNANSWERED)],
      ["other-outcome sale"],
    ],
    [
      "one whose reversal was refused there",
      UNANSWERED,
      [lineOf(UNANSWERED), lineOf(UNANSWERED, { ...REVERSAL, code: "64" })],
      ["other-outcome sale"],
    ],
    [
      "a reversal of another amount",
      UNANSWERED,
      [lineOf(UNANSWERED), lineOf(UNANSWERED, { ...REVERSAL, amount: amountOf(1n) })],
      ["other-amount reversal"],
    ],
    [
      "a second reversal",
      UNANSWERED,
      [lineOf(UNANSWERED, REVERSAL), lineOf(UNANSWERED, REVERSAL)],
      ["booked-twice reversal"],
    ],
    [
      "one whose reversal is not confirmed yet is pending, whatever the books say",
      WAITING,
      [lineOf(WAITING)],
      ["pending sale"],
    ],
    ["also where they know nothing of it", WAITING, [], ["pending sale"]],
    [
      "but not where they have it, and that its reversal was refused",
      WAITING,
      [lineOf(WAITING), lineOf(WAITING, { ...REVERSAL, code: "12" })],
      ["reversal-refused reversal"],
    ],
    [
      "whichever line comes first",
      WAITING,
      [lineOf(WAITING, { ...REVERSAL, code: "12" }), lineOf(WAITING)],
      ["reversal-refused sale"],
    ],
    [
      "an authorization, too",
      { ...WAITING, type: "auth" },
      [lineOf(WAITING, { operation: "auth" }), lineOf(WAITING, { ...REVERSAL, code: "12" })],
      ["reversal-refused reversal"],
    ],
    [
      "a reversal that was refused and then done",
      WAITING,
      [lineOf(WAITING), lineOf(WAITING, { ...REVERSAL, code: "12" }), lineOf(WAITING, REVERSAL)],
      ["pending reversal"],
    ],
    [
      "a reversal that was refused twice is one difference",
      WAITING,
      [lineOf(WAITING), lineOf(WAITING, { ...REVERSAL, code: "12" }), lineOf(WAITING, { ...REVERSAL, code: "96" })],
      ["reversal-refused reversal"],
    ],
    [
      "a refused reversal of what was declined there has nothing to reverse",
      WAITING,
      [lineOf(WAITING, { code: "05" }), lineOf(WAITING, { ...REVERSAL, code: "12" })],
      ["pending reversal"],
    ],
    ["one without an outcome is pending", PENDING, [], ["pending refund"]],
    ["also where it was approved there", PENDING, [lineOf(PENDING)], ["pending refund"]],
    [
      "but its amount is compared",
      PENDING,
      [lineOf(PENDING, { amount: amountOf(1n) })],
      ["other-amount refund", "pending refund"],
    ],
  ];
  for (const [rule, here, lines, expected] of cases)
    test(rule, () => assert.deepEqual(kinds(here ? [here] : [], lines), expected));
});

test("what has no end yet is shown with what the books have of it", () => {
  const pending = operation("p", { type: "refund", outcome: null, endedAt: null });
  const line = lineOf(pending, { line: 7, code: "05" });
  assert.deepEqual(
    found([pending], [line]).map(({ kind, there }) => [kind, there]),
    [["pending", line]],
  );
  assert.deepEqual(
    found([pending], []).map(({ kind, there }) => [kind, there]),
    [["pending", null]],
  );
});

test("of a day that is not over, what was sent lately is not there yet, and is not near midnight", () => {
  const today: Day = { ...DAY, until: NOON, over: false };
  const SKEW = DAY.clockSkewMs;
  for (const [rule, sentAt, endedAt, expected] of [
    ["ended more than the skew ago", NOON - HOUR, NOON - SKEW - 1, ["missing-there sale"]],
    ["ended within it", NOON - HOUR, NOON - SKEW, ["too-recent sale"]],
    ["ended a moment ago", NOON - 2, NOON - 1, ["too-recent sale"]],
    ["begun within the skew after midnight, and ended lately", FROM, NOON - 1, ["near-midnight sale"]],
    ["begun before midnight", FROM - HOUR, FROM - SKEW, ["near-midnight sale"]],
  ] as const)
    assert.deepEqual(kinds([operation("m", { sentAt, endedAt })], [], today), expected, rule);
  const little: Day = { ...DAY, until: FROM + 60_000, over: false };
  const first = operation("m", { sentAt: FROM + 1_000, endedAt: FROM + 2_000 });
  assert.deepEqual(kinds([first], [], little), ["near-midnight sale"], "a minute after midnight it is both");
});

test("amounts are compared in the units of the books' currency", () => {
  const sale = operation("y", { amount: amountOf(120_000n) });
  for (const [currency, minor] of [
    ["JPY", 1_200n],
    ["KWD", 1_200_000n],
  ] as const) {
    const compared = (amount: bigint) => kinds([sale], [lineOf(sale, { currency, amount })], { ...DAY, currency });
    assert.deepEqual(compared(minor), [], currency);
    assert.deepEqual(compared(120_000n), ["other-amount sale"], currency);
  }
});

describe("near midnight nothing is taken for missing", () => {
  const SKEW = DAY.clockSkewMs;
  for (const [rule, sentAt, endedAt, expected] of [
    ["begun the skew after the day did", FROM + SKEW, FROM + SKEW, ["missing-there sale"]],
    ["begun a little less after it", FROM + SKEW - 1, FROM + SKEW, ["near-midnight sale"]],
    ["ended within the skew before it", FROM - HOUR, FROM - SKEW, ["near-midnight sale"]],
    ["ended a little earlier", FROM - HOUR, FROM - SKEW - 1, []],
    ["ended a little more than the skew before the day did", NOON, DAY.until - SKEW - 1, ["missing-there sale"]],
    ["ended within it", NOON, DAY.until - SKEW, ["near-midnight sale"]],
    ["repeated until the next day", NOON, DAY.until + 5 * HOUR, ["near-midnight sale"]],
    ["begun within the skew after it", DAY.until + SKEW - 1, DAY.until + SKEW, ["near-midnight sale"]],
    ["begun later", DAY.until + SKEW, DAY.until + SKEW, []],
  ] as const)
    test(rule, () => assert.deepEqual(kinds([operation("m", { sentAt, endedAt })], []), expected));

  test("what is in the books is compared, whenever it was sent", () => {
    const before = operation("b", { sentAt: FROM - 48 * HOUR, endedAt: FROM + HOUR });
    assert.deepEqual(kinds([before], [lineOf(before)]), []);
    assert.deepEqual(kinds([before], [lineOf(before, { amount: amountOf(1n) })]), ["other-amount sale"]);
  });

  test("a charge of this day that was reversed on another", () => {
    for (const at of [DAY.until + HOUR, null]) {
      const late = operation("l", { outcome: "unanswered", reversal: { kind: "confirmed", at } });
      assert.deepEqual(kinds([late], [lineOf(late)]), ["near-midnight sale"]);
    }
  });

  test("a charge that stands in the books of a day on which it was neither sent nor reversed", () => {
    const [sentAt, endedAt] = [FROM - 48 * HOUR, FROM - 47 * HOUR];
    const before = operation("b", {
      ...{ sentAt, endedAt, outcome: "unanswered" },
      reversal: { kind: "confirmed", at: FROM - 46 * HOUR },
    });
    assert.deepEqual(kinds([before], [lineOf(before)]), ["near-midnight sale"]);
  });

  test("what is pending is told on the day on which it was sent", () => {
    const pending = (sentAt: number) => operation("p", { sentAt, outcome: null, endedAt: null });
    assert.deepEqual(kinds([pending(FROM)], []), ["pending sale"]);
    assert.deepEqual(kinds([pending(DAY.until - 1)], []), ["pending sale"]);
    for (const sentAt of [FROM - 1, DAY.until]) assert.deepEqual(kinds([pending(sentAt)], []), []);
  });
});

describe("of books made from a journal", () => {
  type Injected = "nothing" | "line lost" | "operation lost" | "amount" | "currency" | "outcome" | "twice";
  const EXPECTED: Readonly<Record<Injected, string | null>> = {
    nothing: null,
    "line lost": "missing-there",
    "operation lost": "missing-here",
    amount: "other-amount",
    currency: "other-currency",
    outcome: "other-outcome",
    twice: "booked-twice",
  };
  const made = fc.record({
    type: fc.constantFrom("sale", "auth", "capture", "void", "refund"),
    outcome: fc.constantFrom("approved", "declined"),
    amount: fc.bigInt({ min: 1n, max: 999_999_900n }),
    sentAt: fc.integer({ min: FROM + DAY.clockSkewMs, max: DAY.until - 2 * DAY.clockSkewMs }),
    injected: fc.constantFrom<Injected[]>(
      ...(Object.keys(EXPECTED) as Injected[]),
      ...Array<Injected>(10).fill("nothing"),
    ),
  });

  test("exactly the differences are found that were put in", () => {
    fc.assert(
      fc.property(fc.array(made, { maxLength: 60 }), fc.integer(), (all, seed) => {
        const operations: Operation[] = [];
        const lines: BookLine[] = [];
        const expected: string[] = [];
        for (const [index, { injected, amount, ...given }] of all.entries()) {
          const one = operation(`${seed} ${index}`, {
            ...given,
            amount: amountOf(amount),
            endedAt: given.sentAt + 900,
          });
          const line = lineOf(one);
          if (injected !== "operation lost") operations.push(one);
          if (injected === "amount") lines.push({ ...line, amount: amountOf(amount + 1n) });
          else if (injected === "currency") lines.push({ ...line, currency: "USD" });
          else if (injected === "outcome") lines.push(lineOf(one, { code: line.code === "00" ? "51" : "00" }));
          else if (injected === "twice") lines.push(line, line);
          else if (injected !== "line lost") lines.push(line);
          const kind = EXPECTED[injected];
          if (kind !== null) expected.push(`${kind} ${referenceOf(one.eventId)}`);
        }
        // In the books they stand in another order.
        lines.sort((a, b) => (a.reference < b.reference ? -1 : 1));
        assert.deepEqual(
          found(operations, lines)
            .map(({ kind, reference }) => `${kind} ${reference}`)
            .sort(),
          expected.sort(),
        );
      }),
      { numRuns: 300 },
    );
  });
});
