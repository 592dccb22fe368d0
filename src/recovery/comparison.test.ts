import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { amountOf } from "../payment/money.ts";
import type { Operation } from "../settlement/reconciliation/operations.ts";
import { CLOCK_SKEW_MS, Comparison, type FindingKind, type Placed, type Situation } from "./comparison.ts";

const NOON = Date.parse("2030-05-15T12:00:00Z");
const HOUR = 3_600_000;

const operation = (over: Partial<Operation> = {}): Operation => ({
  ...{ eventId: "e1", transactionId: "t1", sequence: 1, type: "sale", amount: amountOf(1000n), sentAt: NOON },
  ...{ outcome: "approved", endedAt: NOON + 1_000, reversal: null },
  ...over,
});
const booking = (over: Partial<Placed> = {}): Placed => ({
  ...{ line: 2, operation: "sale", reference: "R1", at: new Date(NOON), amount: amountOf(1000n), currency: "EUR" },
  ...{ approved: true, nothingHeld: false, code: "00", transactionId: "t1", eventId: null, ofCharge: null },
  ...{ merchantTransactionId: "order 1", card: null, processorTransactionId: null, authCode: null, trace: null },
  ...{ file: "books.csv" },
  ...over,
});
const situation = (over: Partial<Situation> = {}): Situation => ({
  currency: "EUR",
  window: { from: NOON - HOUR, until: NOON + HOUR },
  missing: [],
  covers: (at) => at >= NOON - HOUR && at <= NOON + HOUR,
  ...over,
});

describe("an operation that is here and booked", () => {
  const cases: [string, Partial<Operation>, Partial<Placed>, FindingKind | undefined][] = [
    ["approved on both sides", {}, {}, undefined],
    ["declined on both sides", { outcome: "declined" }, { approved: false }, undefined],
    ["open here, approved there", { outcome: null }, {}, "open-booked"],
    ["open here, declined there", { outcome: null }, { approved: false }, "open-declined"],
    ["declined here, approved there", { outcome: "declined" }, {}, "declined-booked"],
    ["never sent here, approved there", { outcome: "not-sent" }, {}, "declined-booked"],
    ["too late here, approved there", { outcome: "already-settled" }, {}, "declined-booked"],
    ["approved here, declined there", {}, { approved: false }, "approved-absent"],
    ["given up here, which is reversed by itself", { outcome: "unanswered" }, {}, undefined],
    [
      "another operation comes before another amount",
      {},
      { operation: "auth", amount: amountOf(1n) },
      "other-operation",
    ],
    ["another currency comes before another amount", {}, { currency: "USD", amount: amountOf(1n) }, "other-currency"],
    ["a hundredth more", {}, { amount: amountOf(1001n) }, "other-amount"],
    ["open, and another amount", { outcome: null }, { amount: amountOf(999n) }, "other-amount"],
    ["records that do not say the amount", {}, { amount: null }, undefined],
  ];
  for (const [name, here, there, kind] of cases)
    test(`${name}: ${kind ?? "the same"}`, () => {
      const comparison = new Comparison("EUR");
      comparison.add(booking(there), operation(here));
      const open = here.outcome === null ? [operation(here)] : [];
      const found = comparison.findings(situation(), open, []);
      assert.deepEqual(
        found.map((one) => one.kind),
        kind === undefined ? [] : [kind],
      );
      assert.equal(comparison.totals.equal, kind === undefined ? 1 : 0);
    });

  test("a charge that was taken back there is left to the resolver, and one that is approved here is not", () => {
    for (const [outcome, kinds] of [
      [null, ["open-absent"]],
      ["declined", []],
      ["approved", ["approved-reversed"]],
    ] as const) {
      const comparison = new Comparison("EUR");
      comparison.add(booking(), operation({ outcome }));
      comparison.add(booking({ operation: "reversal", nothingHeld: true, line: 3 }), operation({ outcome }));
      assert.deepEqual(
        comparison.findings(situation(), [], []).map(({ kind }) => kind),
        kinds,
      );
    }
  });

  test("a second line of the same operation is told", () => {
    const comparison = new Comparison("EUR");
    for (const line of [2, 3]) comparison.add(booking({ line }), operation());
    assert.deepEqual(
      comparison.findings(situation(), [], []).map(({ kind, there }) => [kind, there?.line]),
      [["booked-twice", 3]],
    );
  });
});

describe("an operation that is open here and not booked", () => {
  const kindAt = (sentAt: number, over: Partial<Situation> = {}) =>
    new Comparison("EUR").findings(situation(over), [operation({ outcome: null, sentAt })], [])[0]?.kind;

  test("is absent only where the records cover it with a margin for the clocks", () => {
    assert.equal(kindAt(NOON), "open-absent");
    assert.equal(kindAt(NOON + HOUR - CLOCK_SKEW_MS), "open-absent");
    assert.equal(kindAt(NOON + HOUR - CLOCK_SKEW_MS + 1), "no-evidence");
    assert.equal(kindAt(NOON - HOUR + CLOCK_SKEW_MS), "open-absent");
    assert.equal(kindAt(NOON - HOUR + CLOCK_SKEW_MS - 1), "no-evidence");
    assert.equal(kindAt(NOON, { covers: () => false }), "no-evidence");
  });
});

describe("a booking that is absent here", () => {
  const found = (some: readonly Partial<Placed>[], over: Partial<Situation> = {}, isChargeHere = false) => {
    const comparison = new Comparison("EUR");
    for (const [index, one] of some.entries()) comparison.addAbsent(booking({ line: index + 2, ...one }), isChargeHere);
    const findings = comparison.findings(situation(over), [], []);
    return { kinds: findings.map(({ kind }) => kind), lacks: findings.map(({ lacks }) => lacks), ...comparison.totals };
  };

  test("was lost if it is of the time that was lost, to the millisecond", () => {
    for (const [at, kind] of [
      [NOON - HOUR - 1, "unexplained"],
      [NOON - HOUR, "lost"],
      [NOON + HOUR, "lost"],
      [NOON + HOUR + 1, "unexplained"],
    ] as const)
      assert.deepEqual(found([{ at: new Date(at) }]).kinds, [kind]);
    assert.deepEqual(found([{ at: null }]).kinds, ["unexplained"]);
    assert.deepEqual(found([{}], { window: undefined }).kinds, ["unexplained"]);
  });

  test("was declined or taken back there: it is only counted", () => {
    assert.equal(found([{ approved: false }]).lost_declined, 1);
    const taken = found([{}, { operation: "reversal", nothingHeld: true, ofCharge: "R1" }]);
    assert.deepEqual([taken.kinds, taken.lost_reversed], [[], 1]);
    assert.deepEqual(found([{}, { operation: "reversal", nothingHeld: false, ofCharge: "R1" }]).kinds, ["lost"]);
  });

  test("is incomplete without the merchant's reference, its amount, the record's currency or its charge", () => {
    assert.deepEqual(found([{ merchantTransactionId: null }]).lacks, ["the merchant's reference"]);
    assert.deepEqual(found([{ amount: null, merchantTransactionId: null }]).lacks, [
      "the amount and the merchant's reference",
    ]);
    assert.match(found([{ currency: "USD" }]).lacks[0] ?? "", /record's currency: it is in USD/);
    const refund = { operation: "refund", reference: "R2", ofCharge: "R1" } as const;
    assert.deepEqual(found([refund]).lacks, ["its charge: adopt that first"]);
    assert.deepEqual(found([refund], {}, true).kinds, ["lost"]);
    assert.deepEqual(found([{}, refund]).kinds, ["lost", "lost"]);
    assert.deepEqual(found([{ merchantTransactionId: null }, refund]).kinds, ["lost-incomplete", "lost-incomplete"]);
  });

  test("stands there twice: the second is no second operation", () => {
    assert.deepEqual(found([{}, {}]).kinds, ["lost", "booked-twice"]);
  });
});

test("a void here is there, where its charge was released and the void has no line of its own", () => {
  const comparison = new Comparison("EUR");
  comparison.add(booking({ canceled: true }), operation());
  const voids = [operation({ eventId: "void", type: "void" }), operation({ eventId: "capture", type: "capture" })];
  assert.deepEqual(
    comparison.findings(situation(), [], voids).map(({ kind, here }) => [kind, here?.type]),
    [["approved-absent", "capture"]],
  );
});

test("a void that is open here is the one that only the payment's state shows: it is adopted, and none is lost", () => {
  const comparison = new Comparison("EUR");
  comparison.add(booking({ canceled: true }), operation());
  const { transactionId } = operation();
  comparison.addAbsent(booking({ operation: "void", eventId: null, transactionId, reference: "pi_1/cancel" }), true);
  const open = operation({ eventId: "void", type: "void", outcome: null });
  assert.deepEqual(
    comparison.findings(situation(), [open], []).map(({ kind, here }) => [kind, here?.eventId]),
    [["open-booked", "void"]],
  );
});

test("what was approved here and is not booked is told only where the records cover all of it", () => {
  const kinds = (over: Partial<Operation>, covers?: Situation["covers"]) =>
    new Comparison("EUR").findings(situation(covers && { covers }), [], [operation(over)]).map(({ kind }) => kind);
  assert.deepEqual(kinds({}), ["approved-absent"]);
  assert.deepEqual(kinds({ outcome: "declined" }), []);
  assert.deepEqual(kinds({ byProcessor: "elsewhere" }), []);
  assert.deepEqual(kinds({ endedAt: NOON + HOUR }), []);
  assert.deepEqual(
    kinds({}, () => false),
    [],
  );
});

describe("records that overlap", () => {
  const name = { transactionId: "t9", eventId: "e9" };
  const kindsOf = (lines: readonly Partial<Placed>[], here?: Partial<Operation>) => {
    const comparison = new Comparison("EUR", true);
    for (const line of lines) {
      if (here === undefined) comparison.addAbsent(booking({ ...name, ...line }), false);
      else comparison.add(booking(line), operation(here));
    }
    const open = here?.outcome === null ? [operation(here)] : [];
    return { findings: comparison.findings(situation(), open, []), totals: comparison.totals };
  };

  test("an operation that several lines tell is one, and the line that has most of it is taken", () => {
    const card = { mask: "************1111", brand: "visa", expiryMonth: null, expiryYear: null };
    const { findings } = kindsOf([
      { merchantTransactionId: null, processorTransactionId: "P1", card },
      { processorTransactionId: null },
      { processorTransactionId: "P1", line: 4 },
      { processorTransactionId: "P1", card, line: 5 },
    ]);
    assert.deepEqual(
      findings.map(({ kind, there }) => [kind, there?.line]),
      [["lost", 5]],
    );
  });

  test("two captures of one payment are two", () => {
    const capture = { operation: "capture", ofCharge: "R1" } as const;
    const { findings } = kindsOf([
      {},
      { ...capture, eventId: "e10" },
      { ...capture, eventId: "e11" },
      { ...capture, eventId: "e11" },
    ]);
    assert.deepEqual(
      findings.map(({ kind, there }) => [kind, there?.eventId]),
      [
        ["lost", "e9"],
        ["lost", "e10"],
        ["lost", "e11"],
      ],
    );
  });

  test("what one line says was canceled is not held, whichever comes first", () => {
    for (const lines of [
      [{}, { canceled: true }],
      [{ canceled: true }, {}],
    ] as const) {
      const { findings } = kindsOf(lines);
      assert.deepEqual(findings, []);
    }
  });

  test("what was refused and then approved is approved, whichever comes first", () => {
    for (const lines of [
      [{ approved: false }, {}],
      [{}, { approved: false }],
    ] as const) {
      assert.deepEqual(
        kindsOf(lines, { outcome: null }).findings.map(({ kind }) => kind),
        ["open-booked"],
      );
      const { findings, totals } = kindsOf(lines, {});
      assert.deepEqual([findings, totals.equal], [[], 1]);
      const failed = kindsOf(lines, { outcome: "declined" });
      assert.deepEqual([failed.findings.map(({ kind }) => kind), failed.totals.equal], [["declined-booked"], 0]);
    }
  });
});
