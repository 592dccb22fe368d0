// What becomes of a payment that is due, after each end that its charge may have.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DECLINE_CATEGORIES, type DeclineCategory } from "./decline.ts";
import { limitsOf, withinLimits } from "./going-on.ts";
import { amountOf } from "./money.ts";
import type { Outcome, ProcessorResponse } from "./outcome.ts";
import { MOST_DECLINES, type PlanPayment } from "./plan.ts";
import {
  endOfCharge,
  endOfRefused,
  LATEST_MS,
  notToCharge,
  PAUSES_AFTER_DECLINE_MS,
  paymentAfter,
  UNSENT_AT_MOST_MS,
} from "./plan-charge.ts";
import type { Transaction } from "./transaction.ts";

const NOW = new Date("2031-01-01T12:00:00Z");
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const after = (ms: number): Date => new Date(NOW.getTime() + ms);
const ACTIVE = { canceledAt: null };

const PAYMENT: PlanPayment = {
  ...{ number: 1, dueAt: NOW, amount: amountOf(100n), isRest: false, status: "pending", attempts: 1, declines: 0 },
  ...{ declinesBefore: 0, triedAt: NOW, chargeAt: null, transactionId: "t", reason: null },
};

const response = (code: string) => ({ code, message: "" }) as ProcessorResponse;
const charged = (outcome: Outcome | null) =>
  ({ id: "t", events: [{ id: "e", sequence: 1, type: "sale", outcome }] }) as unknown as Transaction;
const declined = (category?: DeclineCategory, code = "05") =>
  charged({ kind: "declined", at: NOW, processorResponse: response(code), ...(category && { category }) });
const end = (
  transaction: Transaction,
  over: Partial<PlanPayment> = {},
  takenBack = false,
  plan = ACTIVE as { canceledAt: Date | null },
) => endOfCharge(plan, { ...PAYMENT, ...over }, transaction, takenBack, NOW);

describe("the end of a charge", () => {
  test("is not known while there is no outcome, and then nothing is charged", () =>
    assert.deepEqual(end(charged(null)), { kind: "pending" }));

  test("is an approval", () =>
    assert.deepEqual(end(charged({ kind: "approved", at: NOW, processorResponse: response("00"), settlement: null })), {
      kind: "charged",
    }));

  for (const kind of ["unanswered", "action-required"] as const)
    test(`is not known of one that is ${kind}, until its processor confirms that it took nothing`, () => {
      const transaction = charged({ kind, at: NOW, processorResponse: response("91") });
      assert.deepEqual(end(transaction), { kind: "pending" });
      assert.equal(end(transaction, {}, true).kind, kind === "unanswered" ? "again" : "failed");
    });

  const AGAIN = new Set<DeclineCategory>([
    "insufficient-funds",
    "limit-exceeded",
    "configuration",
    "try-later",
    "already-settled",
    "refused",
  ]);
  for (const category of DECLINE_CATEGORIES)
    test(`after a decline as ${category} is ${AGAIN.has(category) ? "another try" : "final"}`, () =>
      assert.deepEqual(
        end(declined(category)),
        AGAIN.has(category)
          ? { kind: "again", at: after(DAY_MS), reason: category, declined: true }
          : { kind: "failed", reason: category, declined: true },
      ));

  test("is final after 12, which Visa counts among what is never to be tried again, whatever its category", () =>
    assert.deepEqual(end(declined("refused", "12")), { kind: "failed", reason: "refused", declined: true }));

  test("without a category is another try", () => assert.equal(end(declined()).kind, "again"));

  test("is final after the fourth decline, eleven days after the first", () => {
    const pauses = [0, 1, 2, 3].map((declines) => end(declined("refused"), { declines }));
    assert.deepEqual(
      pauses.map((one) => (one.kind === "again" ? one.at.getTime() - NOW.getTime() : one.kind)),
      [DAY_MS, 3 * DAY_MS, 7 * DAY_MS, "failed"],
    );
    assert.equal(
      PAUSES_AFTER_DECLINE_MS.reduce((one, other) => one + other, 0),
      11 * DAY_MS,
    );
  });

  test("of a payment that was moved has its tries anew", () =>
    assert.deepEqual(end(declined("refused"), { declines: 4, declinesBefore: 4 }), {
      ...{ kind: "again", at: after(DAY_MS), reason: "refused", declined: true },
    }));

  test("of a plan that was canceled meanwhile is final, whatever came of it", () => {
    for (const transaction of [
      declined("refused"),
      charged({ kind: "not-sent", at: NOW, processorResponse: response("") }),
    ])
      assert.equal(end(transaction, {}, false, { canceledAt: NOW }).kind, "failed");
  });

  test("of one that could not be sent is another try soon, up to three days after the first, and no decline", () => {
    const notSent = charged({ kind: "not-sent", at: NOW, processorResponse: response("") });
    const tries = [1, 2, 3, 4, 9].map((attempts) => end(notSent, { attempts }));
    assert.deepEqual(
      tries.map((one) => one.kind === "again" && [one.at.getTime() - NOW.getTime(), one.declined]),
      [60_000, 600_000, HOUR_MS, 6 * HOUR_MS, 6 * HOUR_MS].map((pauseMs) => [pauseMs, false]),
    );
    const since = (ms: number) => end(notSent, { triedAt: after(-ms) });
    assert.equal(since(UNSENT_AT_MOST_MS - 1).kind, "again");
    assert.deepEqual(since(UNSENT_AT_MOST_MS), { kind: "failed", reason: "not-sent", declined: false });
  });
});

describe("a charge that the gateway refuses", () => {
  for (const name of [
    "processor-disabled",
    "no-processor-in-rotation",
    "processor-unknown",
    "currency-differs",
  ] as const)
    test(`as ${name} waits for an operator, and is no decline`, () =>
      assert.deepEqual(endOfRefused(ACTIVE, PAYMENT, name, NOW), {
        ...{ kind: "again", at: after(60_000), reason: name, declined: false },
      }));
  for (const name of ["stored-card-unknown", "cvv-required", "card-of-another-processor", "own-card-number"] as const)
    test(`as ${name} has failed`, () =>
      assert.deepEqual(endOfRefused(ACTIVE, PAYMENT, name, NOW), { kind: "failed", reason: name, declined: false }));
});

describe("a payment that is due", () => {
  test("is charged, up to a week late", () => {
    assert.equal(notToCharge(NOW, NOW, null), undefined);
    assert.equal(notToCharge(NOW, after(LATEST_MS), null), undefined);
    assert.equal(notToCharge(NOW, after(LATEST_MS + 1), null), "overdue");
    assert.equal(notToCharge(NOW, after(365 * DAY_MS), null), "overdue");
  });

  test("and fell due before the end of recovery mode is not charged by itself: it may have been, in what was lost", () => {
    assert.equal(notToCharge(NOW, after(1), NOW), "after-recovery");
    assert.equal(notToCharge(after(1), after(1), NOW), undefined);
  });
});

test("what follows is kept: the status, the next charge, and how often it was declined", () => {
  const again = paymentAfter(PAYMENT, { kind: "again", at: after(1), reason: "refused", declined: true }, false);
  assert.deepEqual([again.status, again.chargeAt, again.declines, again.reason], ["retrying", after(1), 1, "refused"]);
  const unsent = paymentAfter(PAYMENT, { kind: "again", at: after(1), reason: "not-sent", declined: false }, false);
  assert.deepEqual([unsent.status, unsent.declines], ["retrying", 0]);
  const failed = { kind: "failed", reason: "refused", declined: true } as const;
  assert.equal(paymentAfter(PAYMENT, failed, false).status, "failed");
  assert.equal(paymentAfter(PAYMENT, failed, true).status, "canceled");
  assert.deepEqual(paymentAfter({ ...PAYMENT, reason: "refused" }, { kind: "charged" }, true), {
    ...{ ...PAYMENT, status: "charged", chargeAt: null, reason: null },
  });
});

test("no payment, however often it is moved, is declined as often as a scheme forbids", () => {
  for (const brand of ["visa", "mastercard", "amex", "unknown"] as const) {
    const tries = Array.from({ length: MOST_DECLINES - 1 }, (_, nth) => ({
      at: after(-nth * DAY_MS * 2),
      amount: PAYMENT.amount,
    }));
    assert.ok(withinLimits(limitsOf(brand, PAYMENT.amount), tries, NOW), brand);
  }
});
