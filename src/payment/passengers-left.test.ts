// What the processor captured of an authorization with passengers, and named none of them.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { askFor, decisionTable, forPassengers } from "../../test/follow-ups.ts";
import { capabilitiesIn } from "../../test/rulings.ts";
import { at, passengerId, told } from "../../test/transactions.ts";
import { actionsOf } from "./actions.ts";
import { balances, refundable } from "./balances.ts";
import { decideFollowUp } from "./follow-up.ts";
import { amountOf } from "./money.ts";
import { movementsOf } from "./movements.ts";
import type { Refused } from "./refusal.ts";
import { defaultSchedule } from "./settlement.ts";
import type { Transaction } from "./transaction.ts";

const AUTH = "USD auth 100=60+40";
const tooMuchOf = (index: number, most: bigint): Refused => ({
  kind: "refused",
  refusals: [{ name: "share-exceeds-passenger", field: `passenger_transport.${index}.amount`, most: amountOf(most) }],
});
const asked = (first: bigint, second: bigint) => askFor("refund", first, second);
const row = (name: string, steps: readonly string[], first: bigint, second: bigint, refusal?: Refused) =>
  [name, "refund", [AUTH, ...steps], forPassengers(first, second), refusal ?? asked(first, second)] as const;

decisionTable("money that was captured without a name is refunded to whom the merchant names", [
  row("all of it to one of them", ["capture 50 by-processor"], 50n, 0n),
  row("to another one as far as the fares go", ["capture 50 by-processor"], 0n, 40n),
  row("beyond one's fares", ["capture 50 by-processor"], 0n, 41n, tooMuchOf(0, 40n)),
  row("in parts", ["capture 50 by-processor"], 20n, 30n),
  row("what is one's own beside it", ["capture 30=30", "capture 50 by-processor"], 60n, 20n),
  row("not what is another's own", ["capture 30=30", "capture 50 by-processor"], 40n, 40n),
  row("the same money twice", ["capture 30=30", "capture 20 by-processor"], 31n, 20n, {
    kind: "refused",
    refusals: [
      { name: "refund-exceeds-captured", field: "amount", most: amountOf(50n) },
      { name: "share-exceeds-passenger", field: "passenger_transport.1.amount", most: amountOf(19n) },
    ],
  }),
  row("another's own in place of it", ["capture 30=30", "capture 20 by-processor"], 0n, 21n, tooMuchOf(0, 20n)),
  row("once", ["capture 50 by-processor", "refund 50=50"], 0n, 1n, {
    kind: "refused",
    refusals: [
      { name: "nothing-left-to-refund", field: "amount" },
      { name: "share-exceeds-passenger", field: "passenger_transport.0.amount", most: amountOf(0n) },
    ],
  }),
  row("what is left of it", ["capture 50 by-processor", "refund 30=30"], 0n, 20n),
  row("what is left of it to the same one", ["capture 100 by-processor", "refund 50=50"], 11n, 0n, tooMuchOf(0, 10n)),
  row("beside a refund of nobody", ["capture 50 by-processor", "refund 20 by-processor"], 0n, 30n),
  row("beside a refund that failed after all", ["capture 50 by-processor", "refund 50=50 failed-after-all"], 50n, 0n),
  row("more than was authorized", ["capture 130 by-processor"], 90n, 40n),
  row("what failed after all", ["capture 10=10", "capture 50 by-processor failed-after-all"], 11n, 0n, {
    kind: "refused",
    refusals: [
      { name: "refund-exceeds-captured", field: "amount", most: amountOf(10n) },
      { name: "share-exceeds-passenger", field: "passenger_transport.0.amount", most: amountOf(10n) },
    ],
  }),
]);

test("whoever was refunded it, voids and captures no more than the rest of the fares", () => {
  const transaction = told(AUTH, "capture 50 by-processor", "refund 50=50");
  const [first, second] = [1, 2].map((nth) => balances(transaction, at("1 13:00"), "reserved", passengerId(nth)));
  assert.deepEqual([first?.uncaptured, second?.uncaptured], [10n, 40n]);
  assert.deepEqual([first?.captured, first?.refunded], [50n, 50n]);
});

const NOW = at("1 13:00");
const CAPABLE = capabilitiesIn("USD");
const TERMS = { capabilities: CAPABLE, schedule: defaultSchedule("USD"), cardNumber: "not wanted" } as const;
const step = fc.record({
  type: fc.constantFrom("capture", "void", "refund"),
  parts: fc.tuple(fc.nat(60), fc.nat(40), fc.nat(30)),
  who: fc.constantFrom("merchant", "merchant", "processor"),
  ending: fc.constantFrom("", "", "", " failed-after-all", " declined"),
});

test("in any course all that is left is offered, nothing twice, and nobody is refunded more than the fares", () =>
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (course) => {
      const steps: string[] = [];
      let transaction: Transaction = told("USD auth 130=60+40+30");
      for (const { type, parts, who, ending } of course) {
        const minor = parts.map(BigInt);
        const total = minor.reduce((sum, part) => sum + part, 0n);
        if (total === 0n) continue;
        if (who === "processor") {
          // As much as it can by its own books.
          const whole = balances(transaction, NOW, "reserved");
          const most = type === "refund" ? refundable(whole) : whole.uncaptured;
          const amount = total < most ? total : most;
          if (amount === 0n) continue;
          steps.push(`${type} ${amount} by-processor-${steps.length}${ending}`);
        } else {
          const request = forPassengers(...minor);
          if (decideFollowUp(type, transaction, request, CAPABLE, NOW).kind === "refused") continue;
          steps.push(`${type} ${total}=${minor.join("+")}${ending}`);
        }
        transaction = told("USD auth 130=60+40+30", ...steps);
        const whole = balances(transaction, NOW, "reserved");
        const { refund } = actionsOf(transaction, TERMS, NOW);
        assert.equal(refund.allowed ? refund.amount : 0n, refundable(whole), steps.join(", "));
        const failed = steps.some((one) => one.endsWith("failed-after-all"));
        const booked = movementsOf(transaction).reduce((sum, { amount }) => sum + amount, 0n);
        if (!failed) assert.equal(booked, refundable(whole), steps.join(", "));
        const each = [60n, 40n, 30n].map((fares, index) => ({
          fares,
          ...balances(transaction, NOW, "reserved", passengerId(index + 1)),
        }));
        for (const { fares, captured, refunded, uncaptured } of each) {
          assert.ok(captured <= fares && (failed || refunded <= captured), steps.join(", "));
          assert.ok(uncaptured >= 0n);
        }
      }
    }),
    { numRuns: 2_000 },
  ));
