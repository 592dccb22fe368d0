import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { capabilitiesIn } from "../../test/rulings.ts";
import { at, PROCESSOR_RESPONSE, shares, told } from "../../test/transactions.ts";
import { actionsOf } from "./actions.ts";
import { balances, refundable } from "./balances.ts";
import { madeByProcessor } from "./made-by-processor.ts";
import { amountOf, renderAmount } from "./money.ts";
import { movementsOf } from "./movements.ts";
import type { Made } from "./news.ts";
import { defaultSchedule, settlementTimes } from "./settlement.ts";
import { statuses } from "./status.ts";
import type { Event, Transaction } from "./transaction.ts";

const NOW = at("1 13:00");
const LATER = at("9 13:00");
const made = (type: Made["type"], minor?: bigint, more: Partial<Made> = {}): Made => ({
  kind: "made",
  type,
  operation: "by-processor",
  payment: null,
  ...(minor !== undefined && { money: { amount: amountOf(minor), currency: "USD" } }),
  end: "succeeded",
  processorResponse: PROCESSOR_RESPONSE,
  ...more,
});
const FAILED = { end: "failed" } as const;
const AGAIN = { again: true } as const;

function inShort(transaction: Transaction, news: Made, now = NOW): string {
  const found = madeByProcessor(transaction, transaction.events[0], news, now);
  if (found.kind !== "add") return found.kind;
  const { type, amount } = found.event;
  return [found.end === "failed" ? "failed" : "add", type, amount, ...(found.exceeds ? ["too much"] : [])].join(" ");
}

describe("what a processor made by itself", () => {
  for (const [steps, news, expected] of [
    // An authorization expires or is canceled: what is not captured is gone.
    [["auth 100"], made("void"), "add void 100"],
    [["auth 100", "capture 60"], made("void"), "add void 40"],
    [["auth 100", "capture 100"], made("void"), "known"],
    [["auth 100", "void 100"], made("void"), "known"],
    [["auth 100", "void 30"], made("void"), "add void 70"],
    [["auth 100", "capture 60 pending"], made("void"), "wait"],
    [["auth 100", "void 100 pending"], made("void"), "wait"],
    [["auth 100", "void 100 by-processor"], made("void"), "known"],
    [["auth 100", "capture 60 failed-after-all", "void 40 by-processor"], made("void"), "add void 60"],
    [["sale 100"], made("void"), "add void 100"],
    [["sale 100", "refund 30"], made("void"), "add void 70"],
    [["auth 100 pending"], made("void"), "wait"],
    [["auth 100 declined"], made("void"), "known"],
    [["auth 100 not-sent"], made("void"), "known"],
    [["auth 100 unanswered"], made("void"), "reversed"],
    [["sale 100 unanswered"], made("refund", 100n), "known"],
    // Of a charge that was given up: a part that is released leaves what was captured, which the operator is told.
    [["auth 100 unanswered"], made("void", 70n), "known"],
    [["auth 100 unanswered"], made("void", undefined, FAILED), "known"],
    [["auth 100 unanswered"], made("capture", 30n), "kept"],
    [["auth 100 unanswered"], made("capture", 30n, FAILED), "known"],
    [["auth 100 unanswered"], made("capture", 30n, AGAIN), "kept"],
    // A refund at the processor's site.
    [["sale 100"], made("refund", 100n), "add refund 100"],
    [["sale 100"], made("refund", 30n), "add refund 30"],
    [["sale 100", "refund 30 by-processor"], made("refund", 30n), "known"],
    [["sale 100", "refund 30 by-processor-2"], made("refund", 30n), "add refund 30"],
    [["sale 100", "refund 80"], made("refund", 30n), "add refund 30 too much"],
    [["sale 100", "refund 100 pending"], made("refund", 30n), "add refund 30 too much"],
    [["auth 100"], made("refund", 30n), "add refund 30 too much"],
    [["sale 100 declined"], made("refund", 30n), "kept"],
    [["sale 100"], made("refund", 30n, { money: { amount: amountOf(30n), currency: "EUR" } }), "kept"],
    [["sale 100", "refund 30 by-processor"], made("refund", 30n, FAILED), "late-failure"],
    [["sale 100", "refund 30 by-processor failed-after-all"], made("refund", 30n, FAILED), "known"],
    [["sale 100"], made("refund", 30n, FAILED), "failed refund 30"],
    [["sale 100", "refund 30 by-processor declined"], made("refund", 30n), "known"],
    // A capture at the processor's site.
    [["auth 100"], made("capture", 60n), "add capture 60"],
    [["auth 100", "capture 60"], made("capture", 60n), "add capture 60 too much"],
    [["sale 100"], made("capture", 100n), "known"],
    [["auth 100"], made("capture", 60n, { inAll: true }), "add capture 60"],
    [["auth 100", "capture 40 by-processor-1"], made("capture", 60n, { inAll: true }), "add capture 20"],
    [["auth 100", "capture 60 by-processor-1"], made("capture", 40n, { inAll: true }), "known"],
    // A capture at the processor's site that the processor makes again, in any order with its failure.
    [["auth 100", "capture 60 by-processor failed-after-all"], made("capture", 60n, AGAIN), "add capture 60"],
    [["auth 100", "capture 60 by-processor declined"], made("capture", 60n, AGAIN), "add capture 60"],
    [["auth 100", "capture 60 by-processor"], made("capture", 60n, AGAIN), "late-failure"],
    [["auth 100"], made("capture", 60n, AGAIN), "add capture 60"],
    [["auth 100", "capture 60 by-processor-again"], made("capture", 60n, AGAIN), "known"],
    [["auth 100", "capture 60 by-processor-again"], made("capture", 60n, FAILED), "known"],
    [["auth 100", "capture 60 by-processor-again"], made("capture", 60n), "known"],
    // What a capture at the processor's site leaves is released, whichever is told first.
    [["auth 100", "capture 60 by-processor-1"], made("void", 40n), "add void 40"],
    [["auth 100"], made("void", 40n), "add void 40"],
    [["auth 100", "void 40 by-processor"], made("void", 40n), "known"],
    [["auth 100", "void 40 by-processor-1"], made("capture", 60n), "add capture 60"],
    [["auth 100", "capture 80"], made("void", 40n), "add void 20"],
    // A cancellation or, of what was captured, a refund.
    [["auth 100"], made("reversal"), "add void 100"],
    [["auth 100", "capture 60"], made("reversal"), "add void 100"],
    [["sale 100", "void 100"], made("reversal"), "known"],
    [["sale 100", "refund 30 pending"], made("reversal"), "wait"],
  ] as const)
    test(`${news.type} ${news.money?.amount ?? ""} ${news.end} after [${steps}]: ${expected}`, () => {
      const [charge, ...rest] = steps;
      assert.equal(inShort(told(`USD ${charge}`, ...rest), news), expected);
    });
  test("a reversal of settled money is a refund", () =>
    assert.equal(inShort(told("USD sale 100"), made("reversal"), LATER), "add refund 100"));
});

/** With what follows. */
function after(transaction: Transaction, news: Made): Transaction {
  const found = madeByProcessor(transaction, transaction.events[0], news, NOW);
  if (found.kind !== "add") return transaction;
  const { events } = transaction;
  const settlement = found.event.type === "void" ? null : settlementTimes(defaultSchedule("USD"), NOW);
  const one: Event = {
    ...events[0],
    ...found.event,
    id: `${events.length}`,
    sequence: events.length + 1,
    outcome: { kind: "approved", at: NOW, processorResponse: PROCESSOR_RESPONSE, settlement },
  };
  return { ...transaction, events: [...events, one] };
}

test("several refunds are each one event, in any order and however often they are told", () => {
  const [one, two] = [made("refund", 30n, { operation: "re_1" }), made("refund", 20n, { operation: "re_2" })];
  for (const order of [
    [one, two, one, two],
    [two, one, two, one],
  ])
    assert.equal(refundable(balances(order.reduce(after, told("USD sale 100")), NOW, "failed")), 50n);
});

test("what expired is voided, and its status says so", () => {
  const expired = after(told("USD auth 100"), made("void"));
  assert.deepEqual(statuses(expired, NOW), ["voided", "voided"]);
  assert.equal(balances(expired, NOW, "failed").uncaptured, 0n);
});

describe("with airline data nobody's part is guessed", () => {
  const fares = "CAD auth 100=60+40";
  const money = (minor: bigint) => ({ money: { amount: amountOf(minor), currency: "CAD" } });
  const sharesOf = (transaction: Transaction, news: Made) => {
    const found = madeByProcessor(transaction, transaction.events[0], news, NOW);
    return found.kind === "add" ? found.event.shares : undefined;
  };
  test("all that is left is each passenger's, and a part of it is nobody's", () => {
    assert.deepEqual(sharesOf(told(fares), made("void")), shares(60n, 40n));
    assert.deepEqual(sharesOf(told(fares, "capture 60=60+0"), made("void")), shares(0n, 40n));
    assert.deepEqual(sharesOf(told("CAD sale 100=60+40"), made("refund", 100n, money(100n))), shares(60n, 40n));
    assert.equal(sharesOf(told("CAD sale 100=60+40"), made("refund", 50n, money(50n))), null);
  });
  test("a refund of nobody counts in the whole, so that no more is refunded than was captured", () => {
    const refunded = after(told("CAD sale 100=60+40"), made("refund", 70n, money(70n)));
    const whole = balances(refunded, NOW, "failed");
    assert.deepEqual([whole.captured, whole.refunded, refundable(whole)], [100n, 70n, 30n]);
    const first = refunded.passengers?.[0]?.id;
    assert.equal(renderAmount(balances(refunded, NOW, "failed", first).captured), "0.60");
  });
  const SALE = "USD sale 100=60+40";
  const AUTH = "USD auth 100=60+40";
  /** What is left in all, what the ledger adds up to, and what is offered. */
  const stands = (charge: string, ...steps: readonly string[]) => {
    const transaction = told(charge, ...steps);
    const whole = balances(transaction, NOW, "reserved");
    const terms = {
      capabilities: capabilitiesIn("USD"),
      schedule: defaultSchedule("USD"),
      cardNumber: "not wanted",
    } as const;
    const shown = Object.values(actionsOf(transaction, terms, NOW)).map((one) =>
      one.allowed ? one.amount : one.reason,
    );
    const booked = movementsOf(transaction).reduce((total, { amount }) => total + amount, 0n);
    return { left: refundable(whole), booked, shown };
  };
  const NOTHING = ["nothing-left-to-void", "nothing-left-to-refund", "nothing-left-to-reverse"];
  for (const [charge, steps, left, shown] of [
    [SALE, ["refund 30 by-processor"], 70n, ["sale-is-captured", 70n, 70n, "passengers-required"]],
    [SALE, ["refund 30 by-processor", "refund 60=60"], 10n, ["sale-is-captured", 10n, 10n, "passengers-required"]],
    [SALE, ["refund 30 by-processor", "void 70 by-processor"], 0n, ["sale-is-captured", ...NOTHING]],
    [SALE, ["refund 100 by-processor"], 0n, ["sale-is-captured", ...NOTHING]],
    [AUTH, ["capture 50 by-processor"], 50n, [50n, 100n, 50n, 100n]],
    [AUTH, ["capture 50 by-processor", "void 100=60+40"], 0n, ["nothing-left-to-capture", ...NOTHING]],
    [AUTH, ["capture 50 by-processor", "void 100=60+40 by-processor"], 0n, ["nothing-left-to-capture", ...NOTHING]],
    [
      AUTH,
      ["capture 50 by-processor", "void 50 by-processor"],
      50n,
      ["nothing-left-to-capture", 50n, 50n, "passengers-required"],
    ],
    [AUTH, ["capture 60=60", "void 20=20", "refund 10 by-processor"], 30n, [40n, 70n, 30n, "passengers-required"]],
    [
      AUTH,
      ["capture 70=50+20", "refund 50 by-processor", "void 50=40+10"],
      0n,
      ["nothing-left-to-capture", ...NOTHING],
    ],
    [AUTH, ["capture 60=60", "void 20 by-processor"], 60n, [20n, 80n, 60n, 60n]],
    [
      AUTH,
      ["capture 60=60", "void 20=20", "void 40=0+40", "refund 10 by-processor"],
      30n,
      ["nothing-left-to-capture", 30n, 30n, "passengers-required"],
    ],
  ] as const)
    test(`of ${charge} after [${steps}] ${left} is left, and as much is booked and offered`, () =>
      assert.deepEqual(stands(charge, ...steps), { left, booked: left, shown }));
});
