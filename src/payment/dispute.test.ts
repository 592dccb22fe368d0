import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { SEED, sized } from "../../test/random.ts";
import { at } from "../../test/transactions.ts";
import {
  changedAt,
  DISPUTE_STAGES,
  DISPUTE_STATES,
  type DisputeReport,
  disputeMovementsOf,
  historyOf,
  type KnownReport,
  mayPayTwice,
  newsOfDispute,
  orderOfOperator,
  summaryOf,
} from "./dispute.ts";
import { amountOf, renderSigned, ZERO } from "./money.ts";

const usd = (hundredths: number) => ({ amount: amountOf(BigInt(hundredths)), currency: "USD" });
const taken = (hundredths: number) => amountOf(BigInt(hundredths));

type Said = Partial<DisputeReport> & { readonly source?: string | null };

/** One a minute, from 12:00 on, each by the processor unless told otherwise. */
const known = (...reports: readonly Said[]): KnownReport[] =>
  reports.map((report, index) => ({
    order: index,
    at: at(`1 11:${String(index).padStart(2, "0")}`),
    source: `message ${index}`,
    number: index + 1,
    knownAt: at(`1 12:${String(index).padStart(2, "0")}`),
    ...report,
  }));

const OPENED = { order: 1, stage: "chargeback", state: "needs_response", disputed: usd(100) } as const;
const WITHDRAWN = { order: 2, disputed: usd(100), withdrawn: taken(100) } as const;
const WON = { order: 3, state: "won", disputed: usd(100), withdrawn: ZERO } as const;

describe("what reports about a dispute add up to", () => {
  const stands = (...reports: readonly Said[]) => {
    const { stage, state, withdrawn } = summaryOf(known(...reports));
    return `${stage} ${state} ${renderSigned(withdrawn)}`;
  };
  const rules = [
    ["what is opened waits for a response", [OPENED], "chargeback needs_response 0.00"],
    ["what is not said stays as it was", [OPENED, WITHDRAWN], "chargeback needs_response 1.00"],
    ["a later word wins", [OPENED, WITHDRAWN, WON], "chargeback won 0.00"],
    ["also if it came first", [WON, WITHDRAWN, OPENED], "chargeback won 0.00"],
    ["a won alone is of a chargeback", [WON], "chargeback won 0.00"],
    [
      "an inquiry that is lost was a chargeback",
      [
        { ...OPENED, stage: "inquiry" },
        { ...WON, state: "lost" },
      ],
      "chargeback lost 0.00",
    ],
    ["an inquiry that is won was one, too", [{ ...OPENED, stage: "inquiry" }, WON], "chargeback won 0.00"],
    ["an inquiry may be closed", [{ ...OPENED, stage: "inquiry", state: "closed" }], "inquiry closed 0.00"],
    [
      "at the same place the operator's word stands",
      [OPENED, { order: 1, source: null, state: "lost" }],
      "chargeback lost 0.00",
    ],
    [
      "and the operator's later one over the operator's earlier one",
      [OPENED, { order: 1, source: null, state: "lost" }, { order: 1, source: null, state: "won" }],
      "chargeback won 0.00",
    ],
    [
      "which a later word of the processor's wins over",
      [OPENED, { order: 1, source: null, state: "lost" }, WON],
      "chargeback won 0.00",
    ],
  ] as const;
  for (const [rule, reports, expected] of rules) test(rule, () => assert.equal(stands(...reports), expected));

  test("all of it, with its amount, reason, due date and beginning", () =>
    assert.deepEqual(
      summaryOf(
        known(
          { ...OPENED, reason: "Not received", reasonCode: "13.1", respondBy: at("9 12:00") },
          { ...WITHDRAWN, disputed: { amount: taken(70), currency: "CAD" }, at: at("1 10:00") },
        ),
      ),
      {
        ...{ stage: "chargeback", state: "needs_response", amount: 70n, currency: "CAD", withdrawn: 100n, fee: null },
        ...{ reason: "Not received", reasonCode: "13.1", respondBy: at("9 12:00"), openedAt: at("1 10:00") },
      },
    ));

  test("a due date may be taken back", () =>
    assert.equal(summaryOf(known({ ...OPENED, respondBy: at("9 12:00") }, { respondBy: null })).respondBy, null));

  test("what an operator says stands behind everything that is known", () => {
    assert.equal(orderOfOperator([]), 0);
    assert.equal(orderOfOperator(known(WON, OPENED)), 3);
  });
});

describe("what merchants are told", () => {
  const told = (...reports: readonly Said[]) => {
    const history = historyOf(known(...reports));
    return history.map((after, index) => newsOfDispute(history[index - 1], after).join(" and ")).join(", ");
  };
  for (const [reports, expected] of [
    [[OPENED], "opened"],
    [[OPENED, OPENED], "opened, "],
    [[OPENED, WITHDRAWN, WON], "opened, updated, won"],
    [[WON, WITHDRAWN, OPENED], "opened and won, , "],
    [[OPENED, { ...WON, state: "lost" }, { ...WON, order: 4 }], "opened, lost, won"],
    [[OPENED, WON, { ...WON, order: 4, state: "under_review" }], "opened, won, updated"],
    [[OPENED, WON, { ...WON, order: 4, reason: "not as described" }], "opened, won, updated"],
  ] as const)
    test(`${expected}: ${JSON.stringify(reports.at(-1), ["order", "state", "reason"])} last`, () =>
      assert.equal(told(...reports), expected));

  test("a change is as old as the report that made it", () => {
    assert.deepEqual(changedAt(known(OPENED, WON, WITHDRAWN)), at("1 12:01"));
    assert.deepEqual(changedAt(known(OPENED)), at("1 12:00"));
  });

  test("a refund may pay twice while a dispute is open, and when its money is gone", () => {
    const warns = (...reports: readonly Said[]) => mayPayTwice(summaryOf(known(...reports)));
    assert.deepEqual(
      [warns(OPENED), warns(OPENED, WITHDRAWN, { ...WON, state: "lost", withdrawn: taken(100) }), warns(OPENED, WON)],
      [true, true, false],
    );
  });
});

describe("the money that a dispute moves", () => {
  const moved = (...reports: readonly Said[]) =>
    disputeMovementsOf(known(...reports)).map(
      ({ amount, currency, reversing }) => `${renderSigned(amount)} ${currency}${reversing ? " reversing" : ""}`,
    );
  for (const [rule, reports, expected] of [
    ["an inquiry moves nothing", [OPENED], []],
    [
      "what is withdrawn leaves the merchant, and what is won comes back",
      [OPENED, WITHDRAWN, WON],
      ["-1.00 USD", "1.00 USD reversing"],
    ],
    ["what came back before it was known to be gone moves nothing", [WON, WITHDRAWN, OPENED], []],
    ["a part may come back", [WITHDRAWN, { order: 3, withdrawn: taken(40) }], ["-1.00 USD", "0.60 USD reversing"]],
    ["more may be withdrawn than was charged", [{ ...WITHDRAWN, withdrawn: taken(12_000) }], ["-120.00 USD"]],
    [
      "another currency is other money",
      [WITHDRAWN, { order: 3, disputed: { amount: taken(90), currency: "CAD" }, withdrawn: taken(90) }],
      ["-1.00 USD", "1.00 USD reversing", "-0.90 CAD"],
    ],
  ] as const)
    test(rule, () => assert.deepEqual(moved(...reports), expected));
});

describe("what a processor charges for a dispute", () => {
  const fee = (name: string, hundredths: number, currency = "USD") => ({
    ...{ name, amount: BigInt(hundredths), currency },
  });
  const entered = (hundredths: number, currency = "USD") => ({
    ...{ order: 9, source: null, feeInAll: { amount: taken(hundredths), currency } },
  });
  const [TOOK, GAVE_BACK] = [fee("txn_1", 1500), fee("txn_2", -1500)];
  const shown = (...reports: readonly Said[]) => {
    const { fee: found } = summaryOf(known(...reports));
    const lines = disputeMovementsOf(known(...reports)).filter(({ kind }) => kind === "dispute_fee");
    return [
      found === null ? "none" : `${renderSigned(found.amount)} ${found.currency}`,
      ...lines.map((one) => `${renderSigned(one.amount)} ${one.currency}${one.reversing ? " reversing" : ""}`),
    ].join(", ");
  };
  for (const [rule, reports, expected] of [
    ["no fee known is no line, and no 0.00", [OPENED, WITHDRAWN, WON], "none"],
    ["a fee leaves the merchant", [{ ...WITHDRAWN, fees: [TOOK] }], "15.00 USD, -15.00 USD"],
    [
      "a fee that is given back comes back",
      [
        { ...WITHDRAWN, fees: [TOOK] },
        { ...WON, fees: [TOOK, GAVE_BACK] },
      ],
      "0.00 USD, -15.00 USD, 15.00 USD reversing",
    ],
    ["charged and given back in one report moves nothing", [{ ...WON, fees: [TOOK, GAVE_BACK] }], "0.00 USD"],
    [
      "the same name again is the same fee, whoever reports it",
      [
        { ...WITHDRAWN, fees: [TOOK] },
        { order: 0, fees: [TOOK] },
        { ...WON, fees: [TOOK] },
      ],
      "15.00 USD, -15.00 USD",
    ],
    [
      "each chargeback has a fee of its own",
      [WITHDRAWN, { order: 0, fees: [fee("first", 1500)] }, { order: 0, fees: [fee("second", 2500)] }],
      "40.00 USD, -15.00 USD, -25.00 USD",
    ],
    [
      "given back before it is known to be charged",
      [WITHDRAWN, { order: 0, fees: [GAVE_BACK] }, { order: 0, fees: [TOOK] }],
      "0.00 USD, 15.00 USD reversing, -15.00 USD",
    ],
    ["in the currency of the account", [{ ...WITHDRAWN, fees: [fee("txn_1", 1400, "EUR")] }], "14.00 EUR, -14.00 EUR"],
    [
      "several currencies have no sum, and each its line",
      [{ ...WITHDRAWN, fees: [TOOK, fee("txn_2", 1400, "EUR")] }],
      "none, -15.00 USD, -14.00 EUR",
    ],
    ["an operator enters it in all", [WITHDRAWN, entered(1500)], "15.00 USD, -15.00 USD"],
    [
      "and corrects it",
      [WITHDRAWN, entered(1500), entered(2000), entered(0)],
      "0.00 USD, -15.00 USD, -5.00 USD, 20.00 USD reversing",
    ],
    [
      "the processor's word for what was entered before is not a second fee",
      [WITHDRAWN, entered(1500), { order: 0, fees: [TOOK] }],
      "15.00 USD, -15.00 USD",
    ],
    [
      "the processor's word wins over what was entered before, also in its currency",
      [WITHDRAWN, entered(1500), { order: 0, fees: [fee("txn_1", 1400, "EUR")] }],
      "14.00 EUR, -15.00 USD, 15.00 USD reversing, -14.00 EUR",
    ],
    [
      "what an operator enters about fees that are known stays, until another one is named",
      [
        { ...WITHDRAWN, fees: [TOOK] },
        entered(1000),
        { ...WITHDRAWN, order: 10, fees: [TOOK] },
        { ...WON, order: 11, fees: [TOOK, GAVE_BACK] },
      ],
      "0.00 USD, -15.00 USD, 5.00 USD reversing, 10.00 USD reversing",
    ],
  ] as const)
    test(rule, () => assert.equal(shown(...reports), expected));

  test("is not what is withdrawn, and is news", () => {
    const [without, having] = [summaryOf(known(WITHDRAWN)), summaryOf(known({ ...WITHDRAWN, fees: [TOOK] }))];
    assert.deepEqual({ ...having, fee: null }, without);
    assert.deepEqual(newsOfDispute(without, having), ["updated"]);
  });
});

const reports = fc.array(
  fc.record(
    {
      order: fc.integer({ min: 0, max: 9 }),
      source: fc.integer({ min: 0, max: 9 }).map((id) => `message ${id}`),
      stage: fc.constantFrom(...DISPUTE_STAGES),
      state: fc.constantFrom(...DISPUTE_STATES),
      disputed: fc.record({
        amount: fc.integer({ min: 1, max: 999 }).map(taken),
        currency: fc.constantFrom("USD", "CAD"),
      }),
      withdrawn: fc.integer({ min: 0, max: 999 }).map(taken),
      fees: fc
        .uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 4 })
        .map((all) => all.map((one) => ({ name: `txn_${one}`, amount: BigInt(one * 100 - 500), currency: "EUR" }))),
    },
    { requiredKeys: ["order", "source", "disputed"] },
  ),
  { minLength: 1, maxLength: 8 },
);

test("in whatever order and however often reports come, they add up to the same, and the ledger to what is withdrawn", () =>
  fc.assert(
    fc.property(reports, fc.infiniteStream(fc.nat()), (given, chance) => {
      // A message is what it is, and the same one again is not taken.
      const once = [...new Map(given.map((report) => [report.source, report])).values()];
      const shuffled = once
        .map((report) => ({ report, place: chance.next().value }))
        .sort((a, b) => a.place - b.place)
        .map(({ report }) => report);
      const time = { at: at("1 11:00") };
      const [inOrder, asItCame] = [once, shuffled].map((some) => known(...some.map((one) => ({ ...one, ...time }))));
      assert.ok(inOrder && asItCame);
      const summary = summaryOf(asItCame);
      assert.deepEqual(summary, summaryOf(inOrder));
      const sums = new Map<string, bigint>();
      for (const { currency, amount } of disputeMovementsOf(asItCame).filter((one) => one.kind === "chargeback"))
        sums.set(currency, (sums.get(currency) ?? 0n) + amount);
      assert.equal(sums.get(summary.currency) ?? 0n, -summary.withdrawn);
      sums.delete(summary.currency);
      assert.ok([...sums.values()].every((sum) => sum === 0n));
      const fees = disputeMovementsOf(asItCame).filter(({ kind }) => kind === "dispute_fee");
      assert.equal(
        fees.reduce((sum, { amount }) => sum + amount, 0n),
        -(summary.fee?.amount ?? 0n),
      );
    }),
    { seed: SEED, numRuns: sized(500, 50_000) },
  ));
