import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { at, passengerId, told } from "../../test/transactions.ts";
import { balances } from "./balances.ts";
import { renderSigned, sum } from "./money.ts";
import { movementsOf } from "./movements.ts";
import type { Event, Transaction } from "./transaction.ts";

const lines = (transaction: Transaction): string[] =>
  movementsOf(transaction).map(({ event, amount, submitted, passenger, reversing }) => {
    const whose = passenger === null ? "" : ` ${passenger.passenger_name}`;
    const cancels = submitted === event ? "" : ` of ${submitted.sequence}`;
    return `${event.sequence} ${event.type} ${renderSigned(amount)}${cancels}${whose}${reversing ? " reversing" : ""}`;
  });

describe("the movements of a transaction", () => {
  const rules: readonly (readonly [rule: string, transaction: Transaction, expected: readonly string[]])[] = [
    ["a sale is one", told("USD sale 100"), ["1 sale 1.00"]],
    ["an authorization, declines and what is pending move nothing", told("USD auth 100", "capture 60 declined"), []],
    ["a void of what was not captured moves nothing", told("USD auth 100", "void 100"), []],
    [
      "captures and refunds are of their own",
      told("USD auth 100", "capture 60", "capture 40", "refund 70"),
      ["2 capture 0.60", "3 capture 0.40", "4 refund -0.70"],
    ],
    [
      "a void is of what it cancels: what settles last before the others",
      told("USD auth 100", "capture 60 at 1 12:00", "capture 40 at 1 23:00", "void 70 at 1 23:30"),
      ["2 capture 0.60", "3 capture 0.40", "4 void -0.30 of 2", "4 void -0.40 of 3"],
    ],
    [
      "each passenger's part is one",
      told("USD sale 100=60+40", "refund 50=30+20"),
      [
        "1 sale 0.60 PASSENGER 1",
        "1 sale 0.40 PASSENGER 2",
        "2 refund -0.30 PASSENGER 1",
        "2 refund -0.20 PASSENGER 2",
      ],
    ],
    [
      "who is not named has none",
      told("USD sale 100=60+40", "refund 40=0+40"),
      ["1 sale 0.60 PASSENGER 1", "1 sale 0.40 PASSENGER 2", "2 refund -0.40 PASSENGER 2"],
    ],
  ];
  for (const [rule, transaction, expected] of rules) test(rule, () => assert.deepEqual(lines(transaction), expected));

  test("names the passenger", () =>
    assert.equal(movementsOf(told("USD sale 100=60+40"))[1]?.passenger?.id, passengerId(2)));

  test("what failed after all is taken back when that was known, and the first movement stays", () => {
    const failed = failedLater(told("USD sale 100", "refund 30 at 2 12:00"), 2, "3 12:00");
    assert.deepEqual(lines(failed), ["1 sale 1.00", "2 refund -0.30", "2 refund 0.30 reversing"]);
    assert.deepEqual(
      movementsOf(failed).map((movement) => movement.at),
      [at("1 12:00"), at("2 12:00"), at("3 12:00")],
    );
  });

  test("a void of what failed after all is taken back with it", () => {
    const failed = failedLater(told("USD sale 100", "void 100 at 1 13:00"), 1, "1 14:00");
    assert.deepEqual(lines(failed), [
      "1 sale 1.00",
      "2 void -1.00 of 1",
      "1 sale -1.00 reversing",
      "2 void 1.00 of 1 reversing",
    ]);
  });

  test("a void turns to what is not captured when the capture that it cancelled failed after all", () => {
    const captured = told("USD auth 100", "capture 50 at 1 12:00", "capture 50 at 1 23:00", "void 70 at 1 23:30");
    assert.deepEqual(lines(failedLater(captured, 3, "1 23:40")).slice(2), [
      "4 void -0.20 of 2",
      "4 void -0.50 of 3",
      "3 capture -0.50 reversing",
      "4 void 0.50 of 3 reversing",
    ]);
  });
});

/** Steps of which each is done as far as it can be; then some fail after all. */
const steps = fc.array(
  fc.record({
    type: fc.constantFrom("capture", "void", "refund"),
    percent: fc.integer({ min: 1, max: 100 }),
    hours: fc.integer({ min: 0, max: 30 }),
    fails: fc.integer({ min: 0, max: 4 }).map((chance) => chance === 0),
  }),
  { maxLength: 9 },
);

describe("the sums of movements", () => {
  test("are what of each capture is left and what each refund gave back", () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9_999 }), steps, (authorized, some) => {
        const transaction = historyOf(authorized, some);
        const movements = movementsOf(transaction);
        const { captures } = balances(transaction, at("9 12:00"), "failed");
        const expected = new Map(captures.map((one) => [one.sequence, one.amount - one.voided]));
        for (const { type, outcome, sequence, amount } of transaction.events)
          if (type === "refund" && outcome?.kind === "approved") expected.set(sequence, -amount as typeof amount);
        const found = new Map<number, bigint>();
        for (const { submitted, amount } of movements)
          found.set(submitted.sequence, (found.get(submitted.sequence) ?? 0n) + amount);
        const shown = (sums: ReadonlyMap<number, bigint>) =>
          [...sums].filter(([, amount]) => amount !== 0n).sort(([one], [other]) => one - other);
        assert.deepEqual(shown(found), shown(expected));
        const times = movements.map((one) => one.at.getTime());
        assert.deepEqual(
          times,
          times.toSorted((one, other) => one - other),
        );
      }),
      { numRuns: 1_000 },
    ));
});

type Step = { readonly type: string; readonly percent: number; readonly hours: number; readonly fails: boolean };

function historyOf(authorized: number, some: readonly Step[]): Transaction {
  const story = [`USD auth ${authorized}`];
  let hours = 0;
  for (const { type, percent, hours: later } of some) {
    hours += later;
    const { uncaptured, captures } = balances(told(story[0] ?? "", ...story.slice(1)), at("1 12:00"), "failed");
    const left = sum(captures.map((one) => one.left));
    const most = type === "capture" ? uncaptured : type === "refund" ? left : sum([uncaptured, left]);
    const amount = (most * BigInt(percent)) / 100n;
    const day = 1 + Math.floor((12 + hours) / 24);
    if (amount > 0n) story.push(`${type} ${amount} at ${day} ${String((12 + hours) % 24).padStart(2, "0")}:00`);
  }
  const [charge = "", ...others] = story;
  return some.reduce(
    (transaction, { fails }, index) =>
      fails && transaction.events[index + 1] !== undefined
        ? failedLater(transaction, index + 2, "29 12:00")
        : transaction,
    told(charge, ...others),
  );
}

function failedLater(transaction: Transaction, sequence: number, when: string): Transaction {
  const failing = (event: Event): Event => {
    const { outcome } = event;
    if (event.sequence !== sequence || outcome?.kind !== "approved") return event;
    const { processorResponse } = outcome;
    return {
      ...event,
      outcome: { kind: "failed-after-all", at: at(when), processorResponse, category: "refused", approval: outcome },
    };
  };
  const [first, ...rest] = transaction.events;
  return { ...transaction, events: [failing(first), ...rest.map(failing)] };
}
