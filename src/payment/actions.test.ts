// What is said to be possible is held against the rules that decide when it is asked for: over generated transactions of
// all kinds, at every instant at which the clock could change something, and a moment before each.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type History, history, historyOf, instantsOf, MOMENT_MS, shareOut } from "../../test/fixtures/histories.ts";
import { requestsFor } from "../../test/follow-ups.ts";
import { SEED, sized } from "../../test/random.ts";
import { capabilitiesIn } from "../../test/rulings.ts";
import { at, PROCESSOR_RESPONSE, told } from "../../test/transactions.ts";
import type { Capabilities } from "./account-terms.ts";
import { type Allowed, actionsOf, type NotAllowed, type Possibility, type Terms } from "./actions.ts";
import { balances, settled } from "./balances.ts";
import { MOST_EVENTS } from "./event-limit.ts";
import { type Ask, decideFollowUp } from "./follow-up.ts";
import { type Amount, amountOf } from "./money.ts";
import type { Refused } from "./refusal.ts";
import { decideReversal, decideReversalAfterVoid } from "./reversal.ts";
import { defaultSchedule } from "./settlement.ts";
import { chargeOf, type Event, type FollowUpType, type Transaction, withEvent } from "./transaction.ts";

const CAD: Terms = { capabilities: capabilitiesIn("CAD"), schedule: defaultSchedule("CAD"), cardNumber: "not wanted" };
const FOLLOW_UPS: readonly FollowUpType[] = ["capture", "void", "refund"];
const RUNS = sized(1_000, 100_000);

/** What is asked of each history, at the instant at which it is looked at. */
const holds = (check: (history: History) => void) =>
  fc.assert(
    fc.property(history, (one) => check(historyOf(one))),
    { numRuns: RUNS, seed: SEED },
  );

describe("what is said to be possible is what the rules then do", () => {
  test("the most of all amounts that are granted, in whatever way passengers share them", () =>
    holds(({ transaction, terms, now }) => {
      const actions = actionsOf(transaction, terms, now);
      for (const type of FOLLOW_UPS) {
        const action = actions[type];
        const amounts = amountsGranted(decisionsOn(type, transaction, terms.capabilities, now));
        assert.equal(action.allowed ? action.amount : undefined, amounts.at(-1), type);
        if (!action.allowed || action.amount === 1n) continue;
        assert.equal(action.partial, amounts[0] === 1n, `${type}: less`);
        if (action.partial && !action.uncertain)
          assert.equal(BigInt(new Set(amounts).size), action.amount, `${type}: any`);
      }
    }));

  test("what is not allowed is refused for the reason that it gives", () =>
    holds(({ transaction, terms, now, inFlight }) => {
      const actions = actionsOf(transaction, terms, now);
      for (const type of FOLLOW_UPS) {
        const action = actions[type];
        if (action.allowed) continue;
        const reason = nameOf(shareOut(type, transaction, undefined, terms.capabilities, now));
        // What is in flight, or the most events, is in the way of some amounts only: all that is left need not be one of them.
        const full = transaction.events.length >= MOST_EVENTS.followUp;
        const others = inFlight || full ? decisionsOn(type, transaction, terms.capabilities, now).map(nameOf) : [];
        assert.ok([reason, ...others].includes(action.reason), `${type}: ${action.reason}`);
      }
    }));

  test("a reversal is begun or refused as it says", () =>
    holds(({ transaction, terms, now }) => {
      const action = actionsOf(transaction, terms, now).reversal;
      const decision = decideReversal(transaction, terms.capabilities, now);
      assert.equal(action.allowed ? undefined : action.reason, nameOf(decision));
      if (action.allowed) assert.ok(decision.kind === "ask" && decision.amount <= action.amount);
    }));
});

/** What the rules say of each amount and of each way to share it. */
const decisionsOn = (type: FollowUpType, transaction: Transaction, capabilities: Capabilities, now: Date) =>
  requestsFor(transaction).map((request) => decideFollowUp(type, transaction, request, capabilities, now));

const amountsGranted = (decisions: readonly (Ask | Refused)[]): readonly Amount[] =>
  decisions.flatMap((decision) => (decision.kind === "ask" ? [decision.amount] : [])).sort((a, b) => Number(a - b));

const nameOf = (decision: Ask | Refused | undefined): string | undefined =>
  decision?.kind === "refused" ? decision.refusals[0].name : undefined;

describe("a reversal that is certain gives back its amount, and one that is not may give back less", () => {
  const reversed = (
    how: "approved" | "already-settled",
    check: (given: bigint, action: Allowed, history: History) => void,
  ) =>
    holds((history) => {
      const { transaction, terms, now } = history;
      const action = actionsOf(transaction, terms, now).reversal;
      const first = decideReversal(transaction, terms.capabilities, now);
      if (!action.allowed || first.kind === "refused") return;
      if (first.type === "refund") return assert.equal(action.amount, first.amount);
      const ended = withEvent(transaction, voidEnding(transaction, first, how, now));
      const second = decideReversalAfterVoid(ended, terms.capabilities, now);
      const given = (how === "approved" ? first.amount : 0n) + (second.kind === "ask" ? second.amount : 0n);
      check(given, action, history);
    });

  test("where its void comes in time", () => reversed("approved", (given, { amount }) => assert.equal(given, amount)));

  test("where the money has settled in the window", () =>
    reversed("already-settled", (given, { amount, uncertain }, { inWindow, transaction }) => {
      if (!inWindow) assert.equal(uncertain, false);
      else if (given < amount) assert.equal(uncertain, true);
      // Money in parts, or beside an operation in flight, may be called uncertain and be given back whole.
      else if (isWhole(transaction)) assert.equal(uncertain, false);
    }));
});

const isWhole = ({ events }: Transaction): boolean =>
  events.every(({ outcome }) => outcome !== null) && events.filter(({ type }) => type === "capture").length <= 1;

const voidEnding = (
  { events }: Transaction,
  { amount, shares }: Ask,
  kind: "approved" | "already-settled",
  at: Date,
): Event => ({
  ...events[0],
  ...{ id: "01970000-0000-7000-8000-0000000002ff", sequence: events.length + 1, type: "void", amount, shares },
  reversal: true,
  createdAt: at,
  outcome: { kind, at, processorResponse: PROCESSOR_RESPONSE, settlement: null },
});

describe("what the clock does to it", () => {
  test("inside the window it is uncertain where the processor alone knows, and nowhere else", () =>
    holds(({ transaction, terms, now, inWindow }) => {
      const actions = actionsOf(transaction, terms, now);
      const { refundBeforeSettlement, refundsCapturedAuthorizations } = terms.capabilities;
      const atOnce = refundBeforeSettlement || (refundsCapturedAuthorizations && chargeOf(transaction).type === "auth");
      const waits = transaction.currency === "CAD" || !atOnce;
      const seenSettled = settled(balances(transaction, now, "reserved"));
      for (const [name, expected] of [
        ["capture", false],
        ["void", inWindow],
        ["refund", inWindow && waits],
      ] as const) {
        const action = actions[name];
        // A refund of no more than what is seen to be settled is not.
        const certain = name === "refund" && action.allowed && action.amount <= seenSettled;
        if (action.allowed) assert.equal(action.uncertain, expected && !certain, name);
      }
    }));

  test("until then nothing changes, and without an until nothing ever does", () =>
    holds(({ transaction, terms, now }) => {
      const actions = actionsOf(transaction, terms, now);
      for (const [name, action] of Object.entries(actions) as [keyof typeof actions, Possibility][]) {
        if (!action.allowed) continue;
        if (action.until !== null) assert.ok(action.until > now, name);
        for (const instant of instantsOf(transaction, now)) {
          const before = new Date(instant.getTime() - MOMENT_MS);
          for (const then of [before, instant]) {
            if (then < now || (action.until !== null && then >= action.until)) continue;
            assert.deepEqual(withoutUntil(actionsOf(transaction, terms, then)[name]), withoutUntil(action), name);
          }
        }
      }
    }));

  test("from then on it is allowed for certain and not a moment before, and without a from it never is", () =>
    holds(({ transaction, terms, now }) => {
      const actions = actionsOf(transaction, terms, now);
      for (const [name, action] of Object.entries(actions) as [keyof typeof actions, Possibility][]) {
        if (action.allowed) continue;
        if (action.reason === "operation-in-flight") {
          assert.equal(action.from, null, name);
          continue;
        }
        const certain = (then: Date) => isCertain(actionsOf(transaction, terms, then)[name]);
        if (action.from !== null) {
          assert.ok(certain(action.from), `${name} from ${action.from.toISOString()}`);
          assert.ok(!certain(new Date(action.from.getTime() - MOMENT_MS)), `${name} before`);
        }
        for (const instant of instantsOf(transaction, now))
          if (action.from === null || instant < action.from) assert.ok(!certain(instant), name);
      }
    }));
});

test("a reversal that begins with a refund which does not wait is as certain as the refund", () => {
  const capabilities = { ...capabilitiesIn("USD"), voidsWholePaymentsOnly: true };
  const transaction = told("USD auth 100", "capture 60");
  for (const now of ["1 12:00", "1 22:00"]) {
    const { refund, reversal } = actionsOf(transaction, { ...CAD, capabilities }, at(now));
    assert.deepEqual(reversal, { ...refund, partial: false }, now);
  }
});

test("where no void is possible, a reversal waits until all that is left has settled", () => {
  const terms = { ...CAD, capabilities: capabilitiesIn("CAD", { voidsWholePaymentsOnly: true }) };
  const { refund, reversal } = actionsOf(
    told("CAD auth 100", "capture 60", "capture 40 at 2 12:00"),
    terms,
    at("2 12:00"),
  );
  assert.ok(refund.allowed && refund.amount === 60n, "the refund of what has settled does not");
  const [uncertainFrom, from] = [at("2 22:00"), at("3 02:20")];
  assert.deepEqual(reversal, { allowed: false, reason: "reversal-before-settlement", uncertainFrom, from });
});

test("beside a refund in flight a reversal that begins with a refund is as certain as without it", () => {
  const capabilities = { ...capabilitiesIn("USD"), voidsWholePaymentsOnly: true };
  const transaction = told("USD auth 100", "capture 60", "refund 20 pending at 1 22:30");
  const { reversal } = actionsOf(transaction, { ...CAD, capabilities }, at("1 22:30"));
  assert.ok(reversal.allowed && !reversal.uncertain && reversal.amount === 40n, JSON.stringify(reversal.allowed));
});

test("where a refund in flight takes the money that settles first, a reversal can be tried once that has settled", () => {
  const terms = { ...CAD, capabilities: capabilitiesIn("CAD", { voidsWholePaymentsOnly: true }) };
  const before = told("CAD auth 100", "capture 60", "refund 60 pending at 1 22:30");
  // The schedule was another one by then: its window begins before that of the first capture has ended.
  const settlement = { cutoffAt: at("2 01:00"), settledAt: at("3 02:00"), visibleAt: at("3 02:20") };
  const [, capture] = told("CAD auth 100", "capture 40 at 1 23:00").events;
  assert.ok(capture?.outcome?.kind === "approved");
  const transaction = withEvent(before, { ...capture, sequence: 4, outcome: { ...capture.outcome, settlement } });
  const reversalAt = (now: string) => actionsOf(transaction, terms, at(now)).reversal;
  const [uncertainFrom, from] = [at("2 02:20"), settlement.visibleAt];
  const notYet = { allowed: false, reason: "reversal-before-settlement", uncertainFrom, from };
  assert.deepEqual(reversalAt("1 23:00"), notYet);
  const then = reversalAt("2 02:20");
  assert.ok(then.allowed && then.uncertain && then.amount === 40n);
});

test("from its uncertain_from on an operation is allowed, and at no moment before", () =>
  holds(({ transaction, terms, now }) => {
    const actions = actionsOf(transaction, terms, now);
    for (const [name, action] of Object.entries(actions) as [keyof typeof actions, Possibility][]) {
      if (action.allowed || action.reason === "operation-in-flight") continue;
      const { uncertainFrom, from } = action;
      const then = (instant: Date) => actionsOf(transaction, terms, instant)[name];
      if (uncertainFrom !== null) {
        assert.ok(now < uncertainFrom && from !== null && uncertainFrom < from, name);
        assert.ok(then(uncertainFrom).allowed, `${name} from ${uncertainFrom.toISOString()}`);
        assert.ok(!then(new Date(uncertainFrom.getTime() - MOMENT_MS)).allowed, `${name} before`);
      }
      const end = uncertainFrom ?? from;
      for (const instant of instantsOf(transaction, now))
        if (end === null || instant < end) assert.ok(!then(instant).allowed, `${name} at ${instant.toISOString()}`);
    }
  }));

const withoutUntil = (action: Possibility) => ({ ...action, until: null });

/** Some amount surely: what the processor alone knows is then only the rest. */
const isCertain = (action: Possibility): boolean => action.allowed && (!action.uncertain || action.partial);

test("terms decide and not the currency: the same history in another one has the same possibilities", () =>
  holds(({ transaction, terms, now }) => {
    for (const currency of ["CAD", "USD", "EUR"])
      assert.deepEqual(actionsOf({ ...transaction, currency }, terms, now), actionsOf(transaction, terms, now));
  }));

describe("a CAD sale through its day", () => {
  const sale = told("CAD sale 100");
  const yes = (given: Partial<Allowed>): Allowed => ({
    ...{ allowed: true, amount: amountOf(100n), partial: false, uncertain: false, until: null },
    ...given,
  });
  const no = (
    reason: NotAllowed["reason"],
    from: Date | null = null,
    uncertainFrom: Date | null = null,
  ): NotAllowed => ({ allowed: false, reason, uncertainFrom, from });
  const [cutoff, visible] = [at("1 22:00"), at("2 02:20")];
  const captured = no("sale-is-captured");
  for (const [name, now, expected] of [
    [
      "before the cut-off",
      "1 21:59:59.999",
      { void: yes({ until: cutoff }), refund: no("refund-before-settlement", visible, cutoff) },
    ],
    [
      "inside the window",
      "1 22:00",
      { void: yes({ uncertain: true, until: visible }), refund: yes({ uncertain: true, until: visible }) },
    ],
    [
      "to its end",
      "2 02:19:59.999",
      { void: yes({ uncertain: true, until: visible }), refund: yes({ uncertain: true, until: visible }) },
    ],
    ["settled", "2 02:20", { void: no("void-after-settlement"), refund: yes({ partial: true }) }],
  ] as const)
    test(name, () =>
      assert.deepEqual(actionsOf(sale, CAD, at(now)), { capture: captured, ...expected, reversal: yes({}) }),
    );
});

describe("the most that a refund may ask", () => {
  const TWO_BATCHES = ["CAD auth 100", "capture 30 at 1 21:59:59", "capture 20 at 1 22:00"] as const;
  const SETTLED_AND_WINDOW = ["capture 50 at 1 12:00", "capture 45 at 2 12:00"] as const;
  for (const [name, now, [charge, ...steps], most] of [
    ["nothing before the cut-off", "1 21:59:59", ["CAD sale 100"], "refund-before-settlement"],
    ["what is inside its window", "1 22:00", TWO_BATCHES, 30n],
    ["what has settled", "2 02:20", TWO_BATCHES, 30n],
    ["what has settled with what is inside its window", "2 22:00", TWO_BATCHES, 50n],
    ["what refunds left", "1 12:00", ["USD sale 100", "refund 1"], 99n],
    [
      "beside a refund in flight only what has settled, since all may turn out to be a part",
      "2 22:00",
      ["CAD auth 100", ...SETTLED_AND_WINDOW, "refund 40 pending at 2 02:20"],
      10n,
    ],
    [
      "of passengers, nobody's by what another has settled in a refund in flight",
      "2 22:00",
      ["CAD auth 100=60+40", "capture 40=40+0", "refund 40=40+0 pending at 2 02:20", "capture 40=0+40 at 2 12:00"],
      "operation-in-flight",
    ],
  ] as const)
    test(name, () => {
      const transaction = told(charge, ...steps);
      const { refund } = actionsOf(
        transaction,
        { ...CAD, capabilities: capabilitiesIn(transaction.currency) },
        at(now),
      );
      assert.equal(refund.allowed ? refund.amount : refund.reason, most);
    });
});

describe("what is captured by itself is the merchant's to capture or void until then", () => {
  const untilOf = (transaction: Transaction, now: Date, terms = CAD) => {
    const actions = actionsOf(transaction, terms, now);
    return [actions.capture, actions.void].map((action) => (action.allowed ? action.until : action.reason));
  };
  const [today, tomorrow] = [at("1 20:30"), at("2 20:30")];

  for (const [name, now, [charge, ...steps], toCapture, toVoid] of [
    ["an authorization", "1 20:29:59.999", ["CAD auth 100"], today, today],
    ["at that time itself, the next", "1 20:30", ["CAD auth 100"], tomorrow, tomorrow],
    ["whose capture was declined", "1 13:00", ["CAD auth 100", "capture 1 declined"], today, today],
    ["but not where something was captured", "1 13:00", ["CAD auth 100", "capture 1"], null, at("1 22:00")],
    ["nor where a capture failed after all", "1 13:00", ["CAD auth 100", "capture 1 failed-after-all"], null, null],
    ["nor beside a capture", "1 13:00", ["CAD auth 100", "capture 1 pending"], null, "operation-in-flight"],
  ] as const)
    test(name, () => assert.deepEqual(untilOf(told(charge, ...steps), at(now)), [toCapture, toVoid]));

  test("nor where nothing is captured by itself", () => {
    const schedule = { ...CAD.schedule, auto_capture_at: null };
    assert.deepEqual(untilOf(told("CAD auth 100"), at("1 13:00"), { ...CAD, schedule }), [null, null]);
  });
});

describe("where the processor wants the card number", () => {
  const actionsWith = (cardNumber: Terms["cardNumber"], now: string, charge: string, ...steps: readonly string[]) =>
    actionsOf(told(charge, ...steps), { ...CAD, cardNumber }, at(now));

  test("without it nothing is allowed, and what the rules refuse is refused for their reasons", () =>
    assert.deepEqual(actionsWith("gone", "1 13:00", "CAD sale 100"), {
      capture: { allowed: false, reason: "sale-is-captured", uncertainFrom: null, from: null },
      void: { allowed: false, reason: "card-number-not-kept", uncertainFrom: null, from: null },
      refund: { allowed: false, reason: "refund-before-settlement", uncertainFrom: null, from: null },
      reversal: { allowed: false, reason: "card-number-not-kept", uncertainFrom: null, from: null },
    }));

  test("while it is kept they are allowed until it is removed, or the clock changes them before", () => {
    const removedAt = new Date(at("5 12:00").getTime() + 180 * 86_400_000);
    const untilOf = (now: string) => {
      const { void: cancel, refund, reversal } = actionsWith("kept", now, "CAD sale 100", "refund 1 at 5 12:00");
      return [cancel, refund, reversal].map((action) => (action.allowed ? action.until : action.reason));
    };
    assert.deepEqual(untilOf("6 12:00"), ["void-after-settlement", removedAt, removedAt]);
    const { void: cancel } = actionsWith("kept", "1 13:00", "CAD sale 100");
    assert.ok(cancel.allowed);
    assert.deepEqual(cancel.until, at("1 22:00"));
  });
});
