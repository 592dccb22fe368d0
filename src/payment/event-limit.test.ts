// A transaction takes so many events, and what gives all of its money back has places of its own.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { capabilitiesIn, EVERY_CAPABILITY } from "../../test/rulings.ts";
import { at, told } from "../../test/transactions.ts";
import { actionsOf, type Terms } from "./actions.ts";
import { decideAutoCapture } from "./auto-capture.ts";
import { type Ask, decideFollowUp } from "./follow-up.ts";
import { amountOf } from "./money.ts";
import type { Refused } from "./refusal.ts";
import { decideReversal, decideReversalAfterVoid } from "./reversal.ts";
import { defaultSchedule } from "./settlement.ts";
import type { FollowUpType, Transaction } from "./transaction.ts";

const NOW = at("1 13:00");

/** With so many events: the charge, what is told of it, and captures that were declined. */
const crowded = (events: number, charge: string, ...steps: readonly string[]): Transaction =>
  told(charge, ...Array.from({ length: events - 1 - steps.length }, () => "capture 1 declined"), ...steps);

const wordOf = (decision: Ask | Refused): string =>
  decision.kind === "ask" ? `${decision.type} ${decision.amount}` : decision.refusals[0].name;

const asked = (type: FollowUpType, transaction: Transaction, amount = 1n): string =>
  wordOf(
    decideFollowUp(
      type,
      transaction,
      { amount: amountOf(amount), shares: undefined },
      capabilitiesIn(transaction.currency),
      NOW,
    ),
  );

describe("a capture, a void and a refund are the last at 499 events, and refused at 500", () => {
  for (const [type, ...steps] of [
    ["capture", "USD auth 100"],
    ["void", "USD auth 100"],
    ["refund", "USD auth 100", "capture 50"],
  ] as const)
    test(type, () => {
      const [charge, ...rest] = steps;
      assert.equal(asked(type, crowded(499, charge, ...rest)), `${type} 1`);
      assert.equal(asked(type, crowded(500, charge, ...rest)), "too-many-events");
    });
});

test("every other refusal wins", () => {
  for (const [type, amount, name, ...steps] of [
    ["capture", 1n, "sale-is-captured", "USD sale 100"],
    ["refund", 101n, "refund-exceeds-captured", "USD sale 100"],
    ["refund", 1n, "refund-before-settlement", "CAD sale 100"],
    ["void", 1n, "nothing-left-to-void", "USD auth 100", "void 100"],
    ["capture", 60n, "operation-in-flight", "USD auth 100", "capture 50 pending"],
  ] as const) {
    const [charge, ...rest] = steps;
    assert.equal(asked(type, crowded(500, charge, ...rest), amount), name);
  }
});

test("a reversal has twenty places that nothing else takes, and its second step always has one", () => {
  const reversal = (events: number) => wordOf(decideReversal(crowded(events, "USD auth 100"), EVERY_CAPABILITY, NOW));
  assert.deepEqual([500, 519, 520].map(reversal), ["void 100", "void 100", "too-many-events"]);
  const voided = crowded(520, "USD sale 100", "void 100 reversal already-settled");
  assert.equal(wordOf(decideReversalAfterVoid(voided, EVERY_CAPABILITY, NOW)), "refund 100");
});

test("the automatic capture has ten before it", () => {
  const captured = (events: number) =>
    wordOf(decideAutoCapture(crowded(events, "CAD auth 100"), capabilitiesIn("CAD"), NOW));
  assert.deepEqual([500, 509, 510].map(captured), ["capture 100", "capture 100", "too-many-events"]);
});

test("with 520 events no time is told from which a reversal is allowed", () => {
  const terms: Terms = {
    capabilities: capabilitiesIn("CAD", { voidsWholePaymentsOnly: true }),
    ...{ schedule: defaultSchedule("CAD"), cardNumber: "not wanted" },
  };
  const fromAt = (events: number) => {
    const { reversal } = actionsOf(crowded(events, "CAD auth 100", "capture 60"), terms, NOW);
    assert.ok(!reversal.allowed && reversal.reason === "reversal-before-settlement");
    return reversal.from;
  };
  assert.deepEqual([519, 520].map(fromAt), [at("2 02:20"), null]);
});

test("with 500 events no time is told from which a refund is allowed", () => {
  const terms = {
    capabilities: capabilitiesIn("CAD"),
    schedule: defaultSchedule("CAD"),
    cardNumber: "not wanted",
  } as const;
  const from = (events: number) => {
    const { refund } = actionsOf(crowded(events, "CAD sale 100"), terms, NOW);
    return refund.allowed || refund.from;
  };
  assert.deepEqual([499, 500].map(from), [at("2 02:20"), null]);
});

test("actions say so", () => {
  const terms: Terms = { capabilities: EVERY_CAPABILITY, schedule: defaultSchedule("USD"), cardNumber: "not wanted" };
  const shown = (events: number) =>
    Object.entries(actionsOf(crowded(events, "USD auth 100", "capture 40"), terms, NOW)).map(([name, action]) =>
      action.allowed ? `${name} ${action.amount}` : `${name} ${action.reason}`,
    );
  assert.deepEqual(shown(499), ["capture 60", "void 100", "refund 40", "reversal 100"]);
  const full = ["capture too-many-events", "void too-many-events", "refund too-many-events"];
  assert.deepEqual(shown(500), [...full, "reversal 100"]);
  assert.deepEqual(shown(520), [...full, "reversal too-many-events"]);
});
