import assert from "node:assert/strict";
import { test } from "node:test";
import { at, told } from "../../test/transactions.ts";
import { CARD_NUMBER_KEPT_DAYS, cardNumberNeed } from "./card-number-needed.ts";
import type { Transaction } from "./transaction.ts";

const NOW = at("1 13:00");
const hoursLater = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000);
const remove = { kind: "remove" } as const;
const keep = (hours: number) => ({ kind: "keep", lookAt: hoursLater(hours) }) as const;

const cases: readonly [rule: string, transaction: Transaction, unresolved: boolean, expected: object][] = [
  ["a declined charge needs its number no more", told("USD sale 100 declined"), false, remove],
  ["nor does one that was never sent", told("USD sale 100 not-sent"), false, remove],
  ["an unanswered charge needs it until its reversal is confirmed", told("USD sale 100 unanswered"), true, keep(1)],
  ["and then no more", told("USD sale 100 unanswered"), false, remove],
  ["a charge in flight needs it", told("USD auth 100 pending"), false, keep(1)],
  ["an authorization needs it", told("USD auth 100"), false, keep(24)],
  ["a sale needs it", told("USD sale 100"), false, keep(24)],
  ["what another processor approved needs it", told("USD sale 100 not-sent", "sale 100"), false, keep(24)],
  ["a part that was voided leaves the rest", told("USD auth 100", "void 99"), false, keep(24)],
  ["what is wholly voided needs it no more", told("USD auth 100", "void 100"), false, remove],
  ["a void in flight needs it", told("USD auth 100", "void 100 pending"), false, keep(1)],
  ["a void that was declined left all there", told("USD auth 100", "void 100 declined"), false, keep(24)],
  ["what is wholly refunded needs it no more", told("USD sale 100", "refund 40", "refund 60"), false, remove],
  ["a cent that is left needs it", told("USD sale 100", "refund 99"), false, keep(24)],
  [
    "void of the rest and refund of what was captured end it",
    told("USD auth 9", "capture 4", "void 5", "refund 4"),
    false,
    remove,
  ],
  ["each passenger's money counts", told("USD sale 100=60+40", "refund 60=60+0"), false, keep(24)],
];
for (const [rule, transaction, unresolved, expected] of cases)
  test(rule, () => assert.deepEqual(cardNumberNeed(transaction, unresolved, NOW), expected));

test("a number is kept for 180 days after the last event to the millisecond, and then removed", () => {
  const transaction = told("USD auth 100 at 1 10:00", "capture 40 at 1 12:00");
  const end = at("1 12:00").getTime() + CARD_NUMBER_KEPT_DAYS * 24 * 3_600_000;
  assert.deepEqual(cardNumberNeed(transaction, false, new Date(end - 1)), { kind: "keep", lookAt: new Date(end) });
  assert.deepEqual(cardNumberNeed(transaction, false, new Date(end)), remove);
  assert.equal(cardNumberNeed(transaction, true, new Date(end)).kind, "keep", "an unresolved event keeps it longer");
});
