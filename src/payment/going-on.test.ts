import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { at, PROCESSOR_RESPONSE, told } from "../../test/transactions.ts";
import type { CardBrand } from "./card-brand.ts";
import { DECLINE_CATEGORIES, type DeclineCategory } from "./decline.ts";
import {
  goesOn as goesOnAt,
  LONGEST_TRYING_MS,
  type RepeatLimit,
  repeatLimits,
  type Try,
  withinLimits,
} from "./going-on.ts";
import { amountOf } from "./money.ts";
import type { Declined } from "./outcome.ts";
import { attemptsOf, chargeOf, newestOf, type Transaction, withEvent } from "./transaction.ts";

const of = (brand: CardBrand, transaction: Transaction): Transaction => ({
  ...transaction,
  card: { ...transaction.card, brand },
});

/** At once. */
const goesOn = (transaction: Transaction, attemptsAtMost: number): boolean =>
  goesOnAt(transaction, attemptsAtMost, transaction.createdAt);

/** The newest charge event was declined so. */
function declined(transaction: Transaction, given: Partial<Declined>): Transaction {
  const processorResponse = { ...PROCESSOR_RESPONSE, code: "05" };
  const outcome: Declined = { kind: "declined", at: at("1 12:00"), processorResponse, ...given };
  return withEvent(transaction, { ...newestOf(transaction), outcome });
}

const PENDING = told("USD sale 100 pending");
const refused = (...steps: readonly string[]) =>
  declined(told("USD sale 100 declined", ...steps), { category: "refused" });

describe("a declined charge goes on", () => {
  test("where another processor may approve it: for no reason, or for a reason of the processor's own", () => {
    const goingOn = (brand: CardBrand) =>
      DECLINE_CATEGORIES.filter((category) => goesOn(declined(of(brand, PENDING), { category }), 2));
    const usual: readonly DeclineCategory[] = ["configuration", "try-later", "refused"];
    for (const brand of ["visa", "amex", "elo"] as const) assert.deepEqual(goingOn(brand), usual, brand);
    // Mastercard's "try again later" is an advice, and perhaps a date.
    for (const brand of ["mastercard", "maestro", "unknown"] as const)
      assert.deepEqual(goingOn(brand), ["configuration", "refused"], brand);
  });

  test("never with code 12, which Visa counts among what is never to be tried again", () => {
    const processorResponse = { ...PROCESSOR_RESPONSE, code: "12" };
    assert.equal(goesOn(declined(PENDING, { category: "configuration", processorResponse }), 5), false);
  });

  test("never with code 94: a charge like it was made a moment ago, and the payer could pay twice", () => {
    const processorResponse = { ...PROCESSOR_RESPONSE, code: "94" };
    for (const category of ["try-later", "refused"] as const)
      assert.equal(goesOn(declined(of("visa", PENDING), { category, processorResponse }), 5), false, category);
  });

  test("and one that was not sent, within thirty seconds of the request, so that a caller waits no longer", () => {
    for (const transaction of [refused(), told("USD sale 100 not-sent")]) {
      const after = (ms: number) => goesOnAt(transaction, 5, new Date(transaction.createdAt.getTime() + ms));
      assert.deepEqual([after(LONGEST_TRYING_MS - 1), after(LONGEST_TRYING_MS)], [true, false]);
    }
  });

  test("never without a category, nor where the CVV does not match", () => {
    assert.equal(goesOn(declined(PENDING, {}), 5), false);
    for (const cvv of ["match", "no_match", "not_processed", null] as const) {
      const processorResponse = { ...PROCESSOR_RESPONSE, cvv };
      const after = goesOn(declined(PENDING, { category: "refused", processorResponse }), 5);
      assert.equal(after, cvv !== "no_match", String(cvv));
    }
  });

  test("to as many processors as the setting says: what was not sent does not count", () => {
    const rows: readonly (readonly [Transaction, number, boolean])[] = [
      [refused(), 1, false],
      [refused(), 2, true],
      [refused("sale 100 declined"), 2, false],
      [refused("sale 100 declined"), 3, true],
      [refused("sale 100 not-sent", "sale 100 declined"), 2, false],
      [refused("sale 100 not-sent", "sale 100 declined"), 3, true],
    ];
    for (const [transaction, most, expected] of rows)
      assert.equal(goesOn(declined(transaction, { category: "refused" }), most), expected);
  });

  test("what was not sent goes on with any setting, and after a decline only for another attempt", () => {
    assert.equal(goesOn(told("USD sale 100 not-sent"), 1), true);
    assert.equal(goesOn(told("USD sale 100 not-sent", "sale 100 not-sent"), 1), true);
    assert.equal(goesOn(told("USD sale 100 declined", "sale 100 not-sent"), 2), true);
    assert.equal(goesOn(told("USD sale 100 declined", "sale 100 declined", "sale 100 not-sent"), 2), false);
  });

  test("nothing follows an approval, silence, an answer to come, or a payer who would have to act", () => {
    for (const ending of ["", " unanswered", " pending", " failed-after-all", " already-settled"])
      for (const before of [[], ["sale 100 declined"]]) {
        const [charge = "", ...steps] = [...before, `sale 100${ending}`];
        assert.equal(goesOn(told(`USD ${charge}`, ...steps), 5), false, `${before}${ending}`);
      }
    const processorResponse = PROCESSOR_RESPONSE;
    const outcome = { kind: "action-required", at: at("1 12:00"), processorResponse } as const;
    assert.equal(goesOn(withEvent(PENDING, { ...PENDING.events[0], outcome }), 5), false);
  });
});

test("the charge that counts is the approved one, else the last that was sent; the others are its attempts", () => {
  const rows: readonly (readonly [Transaction, number, readonly number[]])[] = [
    [told("USD sale 100 declined", "sale 100"), 2, [1]],
    [told("USD sale 100 declined", "sale 100 declined"), 2, [1]],
    [told("USD sale 100 declined", "sale 100 pending"), 2, [1]],
    [told("USD sale 100 declined", "sale 100 unanswered"), 2, [1]],
    [told("USD sale 100 declined", "sale 100 not-sent"), 1, [2]],
    [told("USD sale 100 not-sent", "sale 100 declined", "sale 100 not-sent"), 2, [1, 3]],
    [told("USD sale 100 not-sent", "sale 100 not-sent"), 2, [1]],
    [told("USD sale 100 declined", "sale 100", "refund 100"), 2, [1]],
  ];
  for (const [transaction, charge, attempts] of rows) {
    assert.equal(chargeOf(transaction).sequence, charge);
    assert.deepEqual(
      attemptsOf(transaction).map(({ sequence }) => sequence),
      attempts,
    );
  }
});

describe("the schemes' limits on repeats", () => {
  const limitsOf = (brand: CardBrand) => repeatLimits(of(brand, refused())) ?? [];
  const NOW = at("31 12:00");
  const HOUR_MS = 3_600_000;
  const before = (hours: number, minor = 100n): Try => ({
    at: new Date(NOW.getTime() - hours * HOUR_MS),
    amount: amountOf(minor),
  });
  const times = (count: number, one: Try): Try[] => Array.from({ length: count }, () => one);
  const within = (limits: readonly RepeatLimit[], tries: readonly Try[]) => withinLimits(limits, tries, NOW);

  test("Visa: 15 reattempts of one amount in 30 days", () => {
    const limits = limitsOf("visa");
    assert.equal(within(limits, times(15, before(700))), true);
    assert.equal(within(limits, times(16, before(700))), false);
    assert.equal(within(limits, times(16, before(720))), true, "thirty days ago");
    assert.equal(within(limits, [...times(15, before(1)), ...times(50, before(1, 101n))]), true, "another amount");
  });

  test("Mastercard and Maestro: 10 in 24 hours, 35 in 30 days, whatever the amount", () => {
    for (const brand of ["mastercard", "maestro"] as const) {
      const limits = limitsOf(brand);
      assert.equal(within(limits, times(9, before(23))), true);
      assert.equal(within(limits, times(10, before(23, 7n))), false);
      assert.equal(within(limits, times(34, before(24))), true);
      assert.equal(within(limits, [...times(34, before(24)), before(1)]), false);
      assert.equal(within(limits, times(35, before(720))), true);
    }
  });

  test("other brands have Visa's for whatever amount, and a card of no known brand has all", () => {
    for (const brand of ["amex", "discover", "jcb", "elo"] as const) {
      assert.equal(within(limitsOf(brand), times(15, before(1, 7n))), true);
      assert.equal(within(limitsOf(brand), times(16, before(1, 7n))), false);
    }
    assert.equal(within(limitsOf("unknown"), times(10, before(1))), false);
    assert.equal(within(limitsOf("unknown"), times(16, before(100))), false);
  });

  test("a charge that was sent nowhere yet repeats nothing", () => {
    assert.equal(repeatLimits(told("USD sale 100 not-sent")), undefined);
    assert.notEqual(repeatLimits(told("USD sale 100 not-sent", "sale 100 declined")), undefined);
  });
});
