// What is said to be possible is held against the rules that decide when it is asked for: over generated transactions of
// all kinds, at every instant at which the clock could change something, and a moment before each.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { EVERY_ABILITY } from "../../test/rulings.ts";
import { at, told, VERDICT } from "../../test/transactions.ts";
import { type Allowed, actionsOf, type NotAllowed, type Possibility } from "./actions.ts";
import type { Ask } from "./follow-up.ts";
import { amountOf } from "./money.ts";
import type { Refused } from "./refusal.ts";
import { decideReversal, decideReversalAfterVoid } from "./reversal.ts";
import { instantsOf, MOMENT_MS, shareOut, type Tale, tale, taleTold } from "./tales.fixture.ts";
import { type Event, type FollowUpType, type Transaction, withEvent } from "./transaction.ts";

const FOLLOW_UPS: readonly FollowUpType[] = ["capture", "void", "refund"];
const RUNS = 1_000;
/** Where a change is judged, the same tales judge it that judged the one before; elsewhere they are new each time. */
const SEED = process.env.CI === undefined ? {} : { seed: 1 };

/** What is asked of each tale, at the instant at which it is looked at. */
const holds = (check: (tale: Tale) => void) =>
  fc.assert(
    fc.property(tale, (one) => check(taleTold(one))),
    { numRuns: RUNS, ...SEED },
  );

describe("what is said to be possible is what the rules then do", () => {
  test("the amount is granted, and one cent more is not", () =>
    holds(({ transaction, abilities, now }) => {
      for (const type of FOLLOW_UPS) {
        const action = actionsOf(transaction, abilities, now)[type];
        if (!action.allowed) continue;
        assert.equal(asked(type, action.amount), "ask", `${type} of ${action.amount}`);
        assert.equal(asked(type, action.amount + 1n), "refused", `${type} of ${action.amount + 1n}`);
      }
      function asked(type: FollowUpType, amount: bigint): string {
        return shareOut(type, transaction, amountOf(amount), abilities, now).kind;
      }
    }));

  test("less is granted where it says so, and only there", () =>
    holds(({ transaction, abilities, now }) => {
      for (const type of FOLLOW_UPS) {
        const action = actionsOf(transaction, abilities, now)[type];
        if (!action.allowed || action.amount === 1n) continue;
        const cent = shareOut(type, transaction, amountOf(1n), abilities, now);
        assert.equal(cent.kind, action.partial ? "ask" : "refused", type);
      }
    }));

  test("what is not allowed is refused, with the same reason, whatever the amount", () =>
    holds(({ transaction, abilities, now, underWay }) => {
      for (const type of FOLLOW_UPS) {
        const action = actionsOf(transaction, abilities, now)[type];
        if (action.allowed) continue;
        const { amount: all } = transaction.events[0];
        const refusals = [undefined, 1n, all].map((amount) =>
          shareOut(type, transaction, amount === undefined ? undefined : amountOf(amount), abilities, now),
        );
        assert.deepEqual(
          refusals.map(({ kind }) => kind),
          ["refused", "refused", "refused"],
          type,
        );
        // Passengers are asked for by amounts, and what is under way is under way for some amounts only.
        if (transaction.passengers === null || !underWay) assert.equal(nameOf(refusals[0]), action.reason, type);
      }
    }));

  test("a reversal is begun or refused as it says", () =>
    holds(({ transaction, abilities, now }) => {
      const action = actionsOf(transaction, abilities, now).reversal;
      const decision = decideReversal(transaction, abilities, now);
      assert.equal(action.allowed ? undefined : action.reason, nameOf(decision));
      if (action.allowed) assert.ok(decision.kind === "ask" && decision.amount <= action.amount);
    }));
});

const nameOf = (decision: Ask | Refused | undefined): string | undefined =>
  decision?.kind === "refused" ? decision.refusals[0].name : undefined;

describe("a reversal that is certain gives back its amount, and one that is not may give back less", () => {
  const reversed = (how: "approved" | "already-settled", check: (given: bigint, action: Allowed, tale: Tale) => void) =>
    holds((tale) => {
      const { transaction, abilities, now } = tale;
      const action = actionsOf(transaction, abilities, now).reversal;
      const first = decideReversal(transaction, abilities, now);
      if (!action.allowed || first.kind === "refused") return;
      if (first.type === "refund") return assert.equal(action.amount, first.amount);
      const ended = withEvent(transaction, voidEnding(transaction, first, how, now));
      const second = decideReversalAfterVoid(ended, abilities, now);
      const given = (how === "approved" ? first.amount : 0n) + (second.kind === "ask" ? second.amount : 0n);
      check(given, action, tale);
    });

  test("where its void comes in time", () => reversed("approved", (given, { amount }) => assert.equal(given, amount)));

  test("where the money has settled in the window", () =>
    reversed("already-settled", (given, { amount, uncertain }, { inWindow, transaction }) => {
      if (!inWindow) assert.equal(uncertain, false);
      else if (given < amount) assert.equal(uncertain, true);
      // Money in parts, or beside an operation under way, may be called uncertain and be given back whole.
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
  outcome: { kind, at, verdict: VERDICT, settlement: null },
});

describe("what the clock does to it", () => {
  test("inside the window it is uncertain where the processor alone knows, and nowhere else", () =>
    holds(({ transaction, abilities, now, inWindow }) => {
      const actions = actionsOf(transaction, abilities, now);
      const waits = transaction.currency === "CAD" || !abilities.refundBeforeSettlement;
      for (const [name, expected] of [
        ["capture", false],
        ["void", inWindow],
        ["refund", inWindow && waits],
      ] as const) {
        const action = actions[name];
        if (action.allowed) assert.equal(action.uncertain, expected, name);
      }
    }));

  test("until then nothing changes, and without an until nothing ever does", () =>
    holds(({ transaction, abilities, now }) => {
      const actions = actionsOf(transaction, abilities, now);
      for (const [name, action] of Object.entries(actions) as [keyof typeof actions, Possibility][]) {
        if (!action.allowed) continue;
        if (action.until !== null) assert.ok(action.until > now, name);
        for (const instant of instantsOf(transaction, now)) {
          const before = new Date(instant.getTime() - MOMENT_MS);
          for (const then of [before, instant]) {
            if (then < now || (action.until !== null && then >= action.until)) continue;
            assert.deepEqual(withoutUntil(actionsOf(transaction, abilities, then)[name]), withoutUntil(action), name);
          }
        }
      }
    }));

  test("from then on it is allowed for certain and not a moment before, and without a from it never is", () =>
    holds(({ transaction, abilities, now }) => {
      const actions = actionsOf(transaction, abilities, now);
      for (const [name, action] of Object.entries(actions) as [keyof typeof actions, Possibility][]) {
        if (action.allowed) continue;
        if (action.reason === "operation-under-way") {
          assert.equal(action.from, null, name);
          continue;
        }
        const certain = (then: Date) => isCertain(actionsOf(transaction, abilities, then)[name]);
        if (action.from !== null) {
          assert.ok(certain(action.from), `${name} from ${action.from.toISOString()}`);
          assert.ok(!certain(new Date(action.from.getTime() - MOMENT_MS)), `${name} before`);
        }
        for (const instant of instantsOf(transaction, now))
          if (action.from === null || instant < action.from) assert.ok(!certain(instant), name);
      }
    }));
});

const withoutUntil = (action: Possibility) => ({ ...action, until: null });

/** Some amount surely: what the processor alone knows is then only the rest. */
const isCertain = (action: Possibility): boolean => action.allowed && (!action.uncertain || action.partial);

describe("a CAD sale through its day", () => {
  const sale = told("CAD sale 100");
  const yes = (given: Partial<Allowed>): Allowed => ({
    ...{ allowed: true, amount: amountOf(100n), partial: false, uncertain: false, until: null },
    ...given,
  });
  const no = (reason: NotAllowed["reason"], from: Date | null = null): NotAllowed => ({ allowed: false, reason, from });
  const [cutoff, visible] = [at("1 22:00"), at("2 02:20")];
  const captured = no("sale-is-captured");
  for (const [name, now, expected] of [
    [
      "before the cut-off",
      "1 21:59:59.999",
      { void: yes({ until: cutoff }), refund: no("refund-before-settlement", visible) },
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
      assert.deepEqual(actionsOf(sale, EVERY_ABILITY, at(now)), { capture: captured, ...expected, reversal: yes({}) }),
    );
});
