import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { history, historyOf, instantsOf } from "../../test/fixtures/histories.ts";
import { ask, askFor, type Told } from "../../test/follow-ups.ts";
import { SEED, sized } from "../../test/random.ts";
import { capabilitiesIn, refused } from "../../test/rulings.ts";
import { at, told } from "../../test/transactions.ts";
import type { Capabilities } from "./account-terms.ts";
import type { Ask } from "./follow-up.ts";
import type { Refused } from "./refusal.ts";
import { decideReversal, decideReversalAfterVoid } from "./reversal.ts";

const decided = (
  decide: typeof decideReversal,
  [charge, ...steps]: Told,
  now: string,
  capabilities: Partial<Capabilities> = {},
) => {
  const transaction = told(charge, ...steps);
  return decide(transaction, capabilitiesIn(transaction.currency, capabilities), at(now));
};

type Row = readonly [string, Told, string, Ask | Refused];

describe("a reversal begins with the void of all that is left, or where there is none to void, the refund", () => {
  const rows: readonly Row[] = [
    ["a sale", ["CAD sale 100"], "1 12:00", ask("void", 100n)],
    ["an auth", ["CAD auth 100"], "1 12:00", ask("void", 100n)],
    ["what is captured and what is not", ["CAD auth 100", "capture 60"], "1 12:00", ask("void", 100n)],
    ["inside the window", ["CAD sale 100"], "1 22:00", ask("void", 100n)],
    ["settled", ["CAD sale 100"], "2 02:20", ask("refund", 100n)],
    ["settled, and refunded in part", ["CAD sale 100", "refund 60 at 2 12:00"], "2 12:00", ask("refund", 40n)],
    ["settled in part, the rest first", ["CAD auth 100", "capture 60"], "2 02:20", ask("void", 40n)],
    ["other currencies alike", ["USD sale 100"], "1 12:00", ask("void", 100n)],
    ["beside a refund", ["USD sale 100", "refund 60"], "1 12:00", ask("void", 40n)],
    ["for each passenger", ["CAD auth 100=60+40", "capture 60=60"], "1 12:00", askFor("void", 60n, 40n)],
    [
      "for each passenger who has some left",
      ["CAD auth 100=60+40", "capture 60=60"],
      "2 02:20",
      askFor("void", 0n, 40n),
    ],
    ["settled, for each passenger", ["CAD sale 100=60+40"], "2 02:20", askFor("refund", 60n, 40n)],
  ];
  for (const [name, events, now, expected] of rows)
    test(name, () => assert.deepEqual(decided(decideReversal, events, now), expected));
});

describe("refusals of a reversal, in the order in which they win", () => {
  const rows: readonly Row[] = [
    ["an operation is in flight", ["CAD sale 100", "void 100 pending"], "1 12:00", refused("operation-in-flight")],
    ["its charge is in flight", ["CAD sale 100 pending"], "1 12:00", refused("operation-in-flight")],
    [
      "a refund is in flight",
      ["CAD sale 100", "refund 100 pending at 2 12:00"],
      "2 12:00",
      refused("operation-in-flight"),
    ],
    ["the charge was declined", ["CAD sale 100 declined"], "1 12:00", refused("charge-not-approved")],
    ["the charge was never answered", ["CAD sale 100 unanswered"], "1 12:00", refused("charge-not-approved")],
    ["all was voided", ["CAD sale 100", "void 100"], "1 12:00", refused("nothing-left-to-reverse")],
    ["all was refunded", ["CAD sale 100", "refund 100 at 2 12:00"], "2 12:00", refused("nothing-left-to-reverse")],
    [
      "all was voided, for each passenger",
      ["CAD sale 100=60+40", "void 100=60+40"],
      "1 12:00",
      refused("nothing-left-to-reverse"),
    ],
  ];
  for (const [name, events, now, expected] of rows)
    test(name, () => assert.deepEqual(decided(decideReversal, events, now), expected));
});

const IN_TWO_BATCHES: Told = ["CAD auth 100", "capture 60", "capture 40 at 2 12:00"];

describe("where the processor voids whole payments only, a reversal of others begins with the refund", () => {
  const rows: readonly Row[] = [
    ["as it was charged", ["USD auth 100"], "1 12:00", ask("void", 100n)],
    ["captured in part", ["USD auth 100", "capture 60"], "1 12:00", ask("refund", 60n)],
    ["refunded in part", ["USD sale 100", "refund 60"], "1 12:00", ask("refund", 40n)],
    [
      "all that was captured is refunded",
      ["USD auth 100", "capture 60", "refund 60"],
      "1 12:00",
      refused("nothing-left-to-reverse"),
    ],
    ["voided in part before", ["USD auth 100", "void 40"], "1 12:00", refused("nothing-left-to-reverse")],
    ["not settled yet", ["CAD auth 100", "capture 60"], "1 12:00", refused("reversal-before-settlement")],
    ["inside the window", ["CAD auth 100", "capture 60"], "1 22:00", ask("refund", 60n)],
    ["settled", ["CAD auth 100", "capture 60"], "2 02:20", ask("refund", 60n)],
    ["settled in part", IN_TWO_BATCHES, "2 12:00", refused("reversal-before-settlement")],
    ["settled in part, the rest inside the window", IN_TWO_BATCHES, "2 22:00", ask("refund", 100n)],
    [
      "a part refunded inside the window",
      ["CAD auth 100=60+40", "capture 60=60+0", "capture 40=0+40 at 1 22:30", "refund 60=60+0 at 1 22:40"],
      "1 22:50",
      refused("reversal-before-settlement"),
    ],
    [
      "settled for one passenger whose refund is in flight, and not for the other",
      ["CAD auth 100=60+40", "capture 60=60+0", "refund 60=60+0 pending at 2 12:00", "capture 40=0+40 at 2 12:30"],
      "2 13:00",
      refused("reversal-before-settlement"),
    ],
  ];
  for (const [name, events, now, expected] of rows)
    test(name, () =>
      assert.deepEqual(decided(decideReversal, events, now, { voidsWholePaymentsOnly: true }), expected),
    );
});

test("where nothing is left to reverse, waiting does not help", () =>
  fc.assert(
    fc.property(history, (drawn) => {
      const { transaction, terms, now } = historyOf(drawn);
      const reversal = (at: Date) => decideReversal(transaction, terms.capabilities, at);
      const nothingLeft = refused("nothing-left-to-reverse");
      fc.pre(isDeepStrictEqual(reversal(now), nothingLeft));
      for (const instant of instantsOf(transaction, now)) assert.deepEqual(reversal(instant), nothingLeft);
    }),
    { numRuns: sized(100, 10_000), seed: SEED },
  ));

describe("after the void follows the refund of what is left, where the rules allow one", () => {
  const rows: readonly Row[] = [
    ["the void came too late", ["CAD sale 100", "void 100 already-settled"], "1 22:00", ask("refund", 100n)],
    [
      "too late at the processor, before the cut-off",
      ["CAD sale 100", "void 100 already-settled"],
      "1 12:00",
      ask("refund", 100n),
    ],
    [
      "for each passenger, too late at the processor",
      ["CAD auth 100=60+40", "capture 60=60+0", "void 100=60+40 already-settled"],
      "1 12:00",
      askFor("refund", 60n, 0n),
    ],
    ["the void was declined inside the window", ["CAD sale 100", "void 100 declined"], "1 22:00", ask("refund", 100n)],
    [
      "the void was declined before the cut-off",
      ["CAD sale 100", "void 100 declined"],
      "1 12:00",
      refused("refund-before-settlement"),
    ],
    ["the void took all", ["CAD sale 100", "void 100"], "1 12:00", refused("nothing-left-to-refund")],
    ["the void took what had not settled", ["CAD auth 100", "capture 60", "void 40"], "2 02:20", ask("refund", 60n)],
    ["the void took what was never captured", ["CAD auth 100", "void 100"], "2 02:20", refused("nothing-captured")],
    ["the void has no outcome yet", ["CAD sale 100", "void 100 pending"], "1 22:00", refused("operation-in-flight")],
    ["other currencies need no settlement", ["USD sale 100", "void 100 declined"], "1 12:00", ask("refund", 100n)],
    ["for each passenger", ["CAD sale 100=60+40", "void 100=60+40 declined"], "1 22:00", askFor("refund", 60n, 40n)],
  ];
  for (const [name, events, now, expected] of rows)
    test(name, () => assert.deepEqual(decided(decideReversalAfterVoid, events, now), expected));
});
