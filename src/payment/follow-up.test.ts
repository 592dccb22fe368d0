import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ask, type Circumstances, decisionTable, minor } from "../../test/follow-ups.ts";
import { capabilitiesIn, EVERY_CAPABILITY, refused } from "../../test/rulings.ts";
import { at, told } from "../../test/transactions.ts";
import { balances } from "./balances.ts";
import { fitsCurrency } from "./currency.ts";
import { decideFollowUp, rulingOn } from "./follow-up.ts";
import { sum } from "./money.ts";
import type { FollowUpType } from "./transaction.ts";

const IN_FLIGHT = refused("operation-in-flight");

decisionTable("each operation follows its own rule", [
  ["a capture", "capture", ["USD auth 100"], minor(60n), ask("capture", 60n)],
  ["a void", "void", ["USD auth 100"], minor(60n), ask("void", 60n)],
  ["a refund", "refund", ["USD sale 100"], minor(60n), ask("refund", 60n)],
  [
    "without an amount, all that remains",
    "refund",
    ["USD sale 100", "refund 60"],
    minor(undefined),
    ask("refund", 40n),
  ],
  ["a refusal", "capture", ["USD sale 100"], minor(60n), refused("sale-is-captured")],
]);

decisionTable("in a currency without hundredths an amount is whole", [
  ["a whole one", "capture", ["JPY auth 100000"], minor(50_000n), ask("capture", 50_000n)],
  ["half a yen", "capture", ["JPY auth 100000"], minor(50_050n), refused("amount-not-in-currency", "amount")],
  [
    "before what else is wrong with it",
    "refund",
    ["JPY auth 100000"],
    minor(1n),
    refused("amount-not-in-currency", "amount"),
  ],
  ["without an amount, all that remains", "void", ["JPY auth 100000"], minor(undefined), ask("void", 100_000n)],
  ["hundredths in one that has them", "capture", ["KWD auth 100000"], minor(50_050n), ask("capture", 50_050n)],
  [
    "of a charge from before it was asked of it",
    "capture",
    ["JPY auth 100050"],
    minor(50_050n),
    ask("capture", 50_050n),
  ],
]);

test("whatever is granted in a currency without hundredths, all money of it stays whole", () => {
  const type = fc.constantFrom<FollowUpType>("capture", "void", "refund");
  const step = fc.record({ type, amount: fc.option(fc.bigInt({ min: 1n, max: 1_000n }), { nil: undefined }) });
  fc.assert(
    fc.property(fc.constantFrom("sale", "auth"), fc.array(step, { maxLength: 12 }), (charge, steps) => {
      const done: string[] = [];
      for (const { type, amount } of steps) {
        const before = told(`JPY ${charge} 1000`, ...done);
        const decision = decideFollowUp(type, before, minor(amount), EVERY_CAPABILITY, at("1 12:00"));
        if (decision.kind === "ask") done.push(`${type} ${decision.amount}`);
      }
      const { authorized, captured, voided, refunded, uncaptured, captures } = balances(
        told(`JPY ${charge} 1000`, ...done),
        at("1 12:00"),
        "reserved",
      );
      for (const amount of [captured, voided, refunded, uncaptured, ...captures.map(({ left }) => left)])
        assert.ok(fitsCurrency(amount, "JPY"), `${done}`);
      assert.equal(sum([uncaptured, voided, refunded, ...captures.map(({ left }) => left)]), authorized);
    }),
  );
});

decisionTable("an operation in flight reserves its money", [
  [
    "two captures within the authorization",
    "capture",
    ["USD auth 100", "capture 60 pending"],
    minor(40n),
    ask("capture", 40n),
  ],
  [
    "without an amount, what is not reserved",
    "capture",
    ["USD auth 100", "capture 60 pending"],
    minor(undefined),
    ask("capture", 40n),
  ],
  ["the refund of another part", "refund", ["USD sale 100", "refund 60 pending"], minor(40n), ask("refund", 40n)],
  ["a void beside a refund", "void", ["USD sale 100", "refund 60 pending"], minor(40n), ask("void", 40n)],
]);

decisionTable("what only an operation in flight forbids may be allowed in a moment: 409", [
  ["its charge", "capture", ["USD auth 100 pending"], minor(100n), IN_FLIGHT],
  ["a capture too much", "capture", ["USD auth 100", "capture 60 pending"], minor(41n), IN_FLIGHT],
  ["a second whole capture", "capture", ["USD auth 100", "capture 100 pending"], minor(undefined), IN_FLIGHT],
  ["a capture beside a void", "capture", ["USD auth 100", "void 100 pending"], minor(100n), IN_FLIGHT],
  ["a void beside a refund of the same money", "void", ["USD sale 100", "refund 100 pending"], minor(100n), IN_FLIGHT],
  ["a refund beside a void of the same money", "refund", ["USD sale 100", "void 100 pending"], minor(1n), IN_FLIGHT],
  ["a refund of what is being captured", "refund", ["USD auth 100", "capture 100 pending"], minor(100n), IN_FLIGHT],
]);

decisionTable("what would be refused however it ends is refused for good: 422", [
  [
    "more than was ever authorized",
    "capture",
    ["USD auth 100", "capture 60 pending"],
    minor(101n),
    refused("capture-exceeds-authorization", "amount", 100n),
  ],
  ["the capture of a sale", "capture", ["USD sale 100", "void 100 pending"], minor(1n), refused("sale-is-captured")],
  [
    "a CAD refund before its cut-off",
    "refund",
    ["CAD sale 100", "void 100 pending"],
    minor(100n),
    refused("refund-before-settlement"),
  ],
]);

const ONCE: Circumstances = { capabilities: { multipleCaptures: false } };
const WHOLE: Circumstances = { capabilities: { partialVoid: false } };

// Granted on what is reserved alone, each of these would be a partial void, or the second capture of a processor that
// takes one: however the operation in flight ends.
decisionTable("what is asked is right however the operations in flight end", [
  [
    "the second capture of a processor that takes one",
    "capture",
    ["USD auth 100", "capture 60 pending"],
    minor(40n),
    IN_FLIGHT,
    ONCE,
  ],
  ["a CAD void beside a capture", "void", ["CAD auth 100", "capture 60 pending"], minor(40n), IN_FLIGHT],
  [
    "a CAD void without an amount beside a capture",
    "void",
    ["CAD auth 100", "capture 60 pending"],
    minor(undefined),
    IN_FLIGHT,
  ],
  ["a whole void beside a refund", "void", ["USD sale 100", "refund 60 pending"], minor(40n), IN_FLIGHT, WHOLE],
  [
    "a whole void of all, beside a refund",
    "void",
    ["USD sale 100", "refund 60 pending"],
    minor(100n),
    IN_FLIGHT,
    WHOLE,
  ],
  [
    "a CAD refund of what the window holds, beside one of what has settled",
    "refund",
    ["CAD auth 100", "capture 30", "capture 20 at 2 12:00", "refund 10 pending at 2 22:00"],
    minor(40n),
    IN_FLIGHT,
    { now: "2 22:00" },
  ],
  [
    "a CAD void of what is open, beside a refund of what has settled",
    "void",
    ["CAD auth 100", "capture 30", "capture 70 at 2 12:00", "refund 30 pending at 2 12:00"],
    minor(70n),
    ask("void", 70n),
    { now: "2 12:00" },
  ],
]);

test("the ruling on an amount asks for no passengers", () => {
  const ruling = (amount: bigint | undefined, ...events: readonly [string, ...string[]]) =>
    rulingOn("refund", told(...events), minor(amount).amount, capabilitiesIn(told(...events).currency), at("1 12:00"));
  assert.deepEqual(ruling(undefined, "USD sale 100=60+40"), { kind: "granted", amount: 100n });
  assert.deepEqual(ruling(101n, "USD sale 100=60+40"), refused("refund-exceeds-captured", "amount", 100n));
  assert.deepEqual(ruling(100n, "USD sale 100=60+40", "void 100=60+40 pending"), IN_FLIGHT);
});
