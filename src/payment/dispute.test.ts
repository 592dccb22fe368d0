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
        ...{ stage: "chargeback", state: "needs_response", amount: 70n, currency: "CAD", withdrawn: 100n },
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
      for (const { currency, amount } of disputeMovementsOf(asItCame))
        sums.set(currency, (sums.get(currency) ?? 0n) + amount);
      assert.equal(sums.get(summary.currency) ?? 0n, -summary.withdrawn);
      sums.delete(summary.currency);
      assert.ok([...sums.values()].every((sum) => sum === 0n));
    }),
    { seed: SEED, numRuns: sized(500, 50_000) },
  ));
