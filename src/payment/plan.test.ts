// Which plans there can be, and what may be moved and canceled of them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { amountOf, sum } from "./money.ts";
import {
  canceledPlan,
  FURTHEST_DAYS,
  MOST_DECLINES,
  movedPlan,
  type PaymentStatus,
  type Plan,
  type PlanPayment,
  planStatusOf,
  type ScheduleFault,
  scheduleOf,
  TOLERANCE_MS,
  type WantedPayment,
} from "./plan.ts";

const NOW = new Date("2031-01-01T12:00:00Z");
const DAY_MS = 86_400_000;
const day = (days: number): Date => new Date(NOW.getTime() + days * DAY_MS);
const of = (hundredths: number) => amountOf(BigInt(hundredths));
const pay = (days: number, hundredths?: number): WantedPayment => ({
  dueAt: day(days),
  amount: hundredths === undefined ? undefined : of(hundredths),
});

const faultsOf = (made: ReturnType<typeof scheduleOf> | ReturnType<typeof movedPlan>): string[] =>
  made !== undefined && "faults" in made
    ? made.faults.map(({ field, fault }: ScheduleFault) => `${field} ${fault}`)
    : [];

describe("a new plan", () => {
  test("has the amounts that were named, and the rest", () => {
    const made = scheduleOf(of(50_000), [pay(0, 10_000), pay(30, 15_000), pay(60)], NOW);
    assert.ok(!("faults" in made));
    assert.deepEqual(
      made.map(({ number, amount, isRest, status, chargeAt }) => [number, amount, isRest, status, chargeAt]),
      [
        [1, 10_000n, false, "scheduled", day(0)],
        [2, 15_000n, false, "scheduled", day(30)],
        [3, 25_000n, true, "scheduled", day(60)],
      ],
    );
  });

  const WRONG: readonly (readonly [string, readonly WantedPayment[], ...string[]])[] = [
    ["a cent too little", [pay(0, 10_000), pay(1, 39_999)], "total sum-differs"],
    ["a cent too much", [pay(0, 10_000), pay(1, 40_001)], "total sum-differs"],
    ["nothing is left for the rest", [pay(0, 50_000), pay(1)], "total nothing-left"],
    ["less than nothing is left", [pay(0, 50_001), pay(1)], "total nothing-left"],
    ["a rest before the end", [pay(0), pay(1, 10_000)], "payments.0.rest rest-not-last"],
    ["two rests", [pay(0), pay(1)], "payments.0.rest rest-not-last"],
    ["the same instant twice", [pay(1, 10_000), pay(1)], "payments.1.due_at not-ascending"],
    ["the later one first", [pay(2, 10_000), pay(1)], "payments.1.due_at not-ascending"],
    ["in the past", [pay(-1, 10_000), pay(1)], "payments.0.due_at in-the-past"],
    ["in a far future", [pay(0, 10_000), pay(FURTHEST_DAYS + 1)], "payments.1.due_at too-far"],
    [
      "several mistakes",
      [pay(-2, 1), pay(-3, 1)],
      "total sum-differs",
      "payments.0.due_at in-the-past",
      "payments.1.due_at in-the-past",
    ],
  ];
  for (const [what, payments, ...faults] of WRONG)
    test(`is refused with ${what}`, () => assert.deepEqual(faultsOf(scheduleOf(of(50_000), payments, NOW)), faults));

  test("may begin a moment ago, and up to the last instant that is allowed", () => {
    const at = (dueAt: number) => scheduleOf(of(100), [{ dueAt: new Date(dueAt), amount: of(100) }], NOW);
    const [earliest, latest] = [NOW.getTime() - TOLERANCE_MS, NOW.getTime() + FURTHEST_DAYS * DAY_MS];
    for (const dueAt of [earliest, latest]) assert.deepEqual(faultsOf(at(dueAt)), []);
    assert.deepEqual(faultsOf(at(earliest - 1)), ["payments.0.due_at in-the-past"]);
    assert.deepEqual(faultsOf(at(latest + 1)), ["payments.0.due_at too-far"]);
    // What is due is charged from now on, not from before it was there.
    const made = at(earliest);
    assert.deepEqual("faults" in made ? null : made[0]?.chargeAt, NOW);
  });

  test("adds up to its total exactly, whatever is named, with or without a rest", () => {
    const amounts = fc.array(fc.bigInt(1n, 999_999_900n), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(amounts, fc.boolean(), (all, withRest) => {
        const total = sum(all.map(amountOf));
        const payments = all.map((one, index) =>
          pay(index, withRest && index === all.length - 1 ? undefined : Number(one)),
        );
        const made = scheduleOf(total, payments, NOW);
        assert.ok(!("faults" in made));
        assert.equal(sum(made.map(({ amount }) => amount)), total);
        assert.deepEqual(
          made.map(({ amount }) => amount),
          all,
        );
      }),
    );
  });
});

const payment = (number: number, status: PaymentStatus, over: Partial<PlanPayment> = {}): PlanPayment => ({
  ...{
    number,
    dueAt: day(number),
    amount: of(100),
    isRest: false,
    status,
    attempts: 0,
    declines: 0,
    declinesBefore: 0,
  },
  ...{ triedAt: null, transactionId: null, reason: null },
  chargeAt: status === "scheduled" || status === "retrying" ? day(number) : null,
  ...over,
});

const plan = (statuses: readonly (PaymentStatus | PlanPayment)[], over: Partial<Plan> = {}): Plan => ({
  ...{ merchantId: "m", id: "p", userId: "u", createdAt: NOW, updatedAt: NOW, cardId: "c", merchantTransactionId: "o" },
  ...{ processorId: null, currency: "USD", total: of(100 * statuses.length), fields: {}, passengers: null },
  canceledAt: null,
  payments: statuses.map((one, index) => (typeof one === "string" ? payment(index + 1, one) : one)),
  ...over,
});

describe("the status of a plan", () => {
  const STATUSES: readonly (readonly [string, readonly PaymentStatus[], Date | null])[] = [
    ["completed", ["charged", "charged"], null],
    ["completed", ["charged"], NOW],
    ["canceled", ["charged", "canceled"], NOW],
    ["canceled", ["pending", "canceled"], NOW],
    ["active", ["charged", "scheduled"], null],
    ["active", ["failed", "scheduled"], null],
    ["active", ["charged", "retrying"], null],
    ["active", ["charged", "pending"], null],
    ["failed", ["charged", "failed"], null],
    ["failed", ["failed", "failed"], null],
  ];
  for (const [status, payments, canceledAt] of STATUSES)
    test(`of ${payments.join(", ")}${canceledAt ? ", canceled" : ""} is ${status}`, () =>
      assert.equal(planStatusOf(plan(payments, { canceledAt })), status));
});

test("a canceled plan keeps what is charged, being charged or failed, and nothing else is charged", () => {
  const canceled = canceledPlan(plan(["charged", "failed", "pending", "retrying", "scheduled"]), day(1));
  assert.deepEqual(
    canceled?.payments.map(({ status, chargeAt }) => [status, chargeAt]),
    [
      ["charged", null],
      ["failed", null],
      ["pending", null],
      ["canceled", null],
      ["canceled", null],
    ],
  );
  assert.deepEqual([canceled?.canceledAt, canceled && planStatusOf(canceled)], [day(1), "canceled"]);
});

test("a plan of which nothing is left is not canceled", () => {
  for (const statuses of [["charged"], ["failed"], ["charged", "failed"]] as const)
    assert.equal(canceledPlan(plan(statuses), NOW), undefined, statuses.join());
  assert.equal(canceledPlan(plan(["canceled"], { canceledAt: NOW }), NOW), undefined);
});

describe("a payment is moved", () => {
  const move = (number: number, days: number) => ({ number, dueAt: day(days) });

  test("to a date between those of its neighbors, and begins anew there", () => {
    const retrying = payment(2, "retrying", {
      attempts: 2,
      declines: 2,
      triedAt: day(0),
      reason: "refused",
      transactionId: "t",
    });
    const moved = movedPlan(plan(["charged", retrying, "scheduled"]), [move(2, 2.5)], NOW);
    assert.ok(moved !== undefined && !("faults" in moved));
    const anew = { status: "scheduled", triedAt: null, reason: null, declinesBefore: 2 } as const;
    assert.deepEqual(moved.payments[1], { ...retrying, ...anew, dueAt: day(2.5), chargeAt: day(2.5) });
  });

  const WRONG: readonly (readonly [string, Plan, readonly (readonly [number, number])[], ...string[]])[] = [
    ["one that is charged", plan(["charged", "scheduled"]), [[1, 1.5]], "payments.0.number not-movable"],
    ["one that is being charged", plan(["pending", "scheduled"]), [[1, 1.5]], "payments.0.number not-movable"],
    ["one that is not there", plan(["scheduled"]), [[2, 3]], "payments.0.number no-such-payment"],
    [
      "one twice",
      plan(["scheduled", "scheduled"]),
      [
        [1, 1.2],
        [1, 1.3],
      ],
      "payments.1.number named-twice",
    ],
    ["behind the next", plan(["scheduled", "scheduled"]), [[1, 2]], "payments.0.due_at not-ascending"],
    ["before the one before", plan(["scheduled", "scheduled"]), [[2, 1]], "payments.0.due_at not-ascending"],
    ["into the past", plan(["scheduled"]), [[1, -1]], "payments.0.due_at in-the-past"],
    [
      "a card that is never to be tried again",
      plan([payment(1, "failed", { declines: 1, reason: "do-not-retry" })]),
      [[1, 2]],
      "payments.0.number not-movable",
    ],
    [
      "one that was declined too often",
      plan([payment(1, "failed", { declines: MOST_DECLINES, reason: "refused" })]),
      [[1, 2]],
      "payments.0.number not-movable",
    ],
  ];
  for (const [what, before, moves, ...faults] of WRONG)
    test(`but not ${what}`, () =>
      assert.deepEqual(
        faultsOf(
          movedPlan(
            before,
            moves.map(([number, days]) => move(number, days)),
            NOW,
          ),
        ),
        faults,
      ));

  test("also after it failed, and then the plan goes on", () => {
    const failed = payment(2, "failed", { declines: MOST_DECLINES - 1, reason: "insufficient-funds" });
    const moved = movedPlan(plan(["charged", failed]), [move(2, 9)], NOW);
    assert.ok(moved !== undefined && !("faults" in moved));
    assert.equal(planStatusOf(moved), "active");
  });

  test("together with the next, past its old date", () => {
    const moved = movedPlan(plan(["scheduled", "scheduled"]), [move(1, 5), move(2, 6)], NOW);
    assert.ok(moved !== undefined && !("faults" in moved));
  });

  test("not in a plan that is canceled or complete", () => {
    assert.equal(movedPlan(plan(["canceled"], { canceledAt: NOW }), [move(1, 2)], NOW), undefined);
    assert.equal(movedPlan(plan(["charged"]), [move(1, 2)], NOW), undefined);
  });
});
