import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { SEED, sized } from "../../test/random.ts";
import { at, PROCESSOR_RESPONSE, told } from "../../test/transactions.ts";
import { asOf } from "./as-of.ts";
import { balances } from "./balances.ts";
import { amountOf } from "./money.ts";
import { consequenceOf, type EventNews } from "./news.ts";
import { defaultSchedule, settlementTimes } from "./settlement.ts";
import { statuses } from "./status.ts";
import type { Event, Transaction } from "./transaction.ts";

const BEFORE = at("1 11:00");
/** When the outcome became known. */
const WITH_IT = at("1 12:00");
const AFTER = at("1 13:00");
const SUCCEEDED: EventNews = { kind: "succeeded", processorResponse: PROCESSOR_RESPONSE };
const FAILED: EventNews = { kind: "failed", processorResponse: PROCESSOR_RESPONSE, category: "refused" };
/** By an operator. */
const ENTERED: EventNews = { ...FAILED, entered: true };

describe("what follows from news of an event", () => {
  for (const [what, news, occurredAt, expected] of [
    ["sale 100 pending", SUCCEEDED, AFTER, "end"],
    ["sale 100 pending", FAILED, AFTER, "end"],
    ["sale 100", SUCCEEDED, AFTER, "known"],
    ["sale 100", FAILED, AFTER, "late-failure"],
    ["sale 100", FAILED, BEFORE, "late-failure"],
    ["auth 100", FAILED, AFTER, "kept"],
    ["sale 100 pending", ENTERED, AFTER, "end"],
    ["sale 100", ENTERED, AFTER, "kept"],
    ["sale 100 declined", ENTERED, AFTER, "known"],
    ["sale 100 failed-after-all", FAILED, AFTER, "known"],
    ["sale 100 failed-after-all", SUCCEEDED, AFTER, "known"],
    ["sale 100 declined", FAILED, AFTER, "known"],
    ["sale 100 declined", SUCCEEDED, BEFORE, "known"],
    ["sale 100 declined", SUCCEEDED, WITH_IT, "known"],
    ["sale 100 declined", SUCCEEDED, AFTER, "kept"],
    ["sale 100 not-sent", SUCCEEDED, AFTER, "kept"],
    ["sale 100 unanswered", FAILED, AFTER, "known"],
    ["sale 100 unanswered", SUCCEEDED, AFTER, "still-charged"],
    ["sale 100 unanswered", { kind: "reversed" }, AFTER, "reversed"],
    ["sale 100", { kind: "reversed" }, AFTER, "kept"],
    ["sale 100 pending", { kind: "reversed" }, AFTER, "kept"],
    ["sale 100", { kind: "chargeback" }, AFTER, "kept"],
    ["sale 100 pending", { kind: "settled" }, AFTER, "kept"],
    ["sale 100 pending", { kind: "other" }, AFTER, "kept"],
  ] as const) {
    const when = occurredAt < WITH_IT ? "before" : occurredAt > WITH_IT ? "after" : "together with";
    test(`${news.kind} ${when} "${what}": ${expected}`, () => {
      const transaction = told(`USD ${what}`);
      assert.equal(consequenceOf(transaction, transaction.events[0], news, occurredAt).kind, expected);
    });
  }
});

test("what is kept says in words what it is", () => {
  const transaction = told("USD sale 100");
  const whyOf = (kind: "chargeback" | "settled") => {
    const consequence = consequenceOf(transaction, transaction.events[0], { kind }, AFTER);
    return consequence.kind === "kept" ? consequence.why : "";
  };
  assert.match(whyOf("chargeback"), /^the payer disputes this payment, .* enter the dispute by hand$/);
  assert.match(whyOf("settled"), /^the processor says that this money has settled/);
});

describe("a success that says of how much is one of that much only", () => {
  const whatFollows = (what: string, minor: bigint, currency: string) => {
    const transaction = told(what);
    const news = { ...SUCCEEDED, money: { amount: amountOf(minor), currency } };
    return consequenceOf(transaction, transaction.events[0], news, AFTER);
  };
  test("the amount and the currency of the event", () =>
    assert.equal(whatFollows("USD sale 100 pending", 100n, "USD").kind, "end"));
  for (const [what, kind] of [
    ["sale 100 pending", "kept"],
    ["sale 100", "kept"],
    ["sale 100 unanswered", "still-charged"],
  ] as const)
    test(`another amount of "${what}": ${kind}, with both in words`, () =>
      assert.deepEqual(whatFollows(`USD ${what}`, 40n, "USD"), {
        kind,
        why: "it tells of 0.40 USD, and the sale is of 1.00 USD",
      }));
  test("another currency is kept", () => assert.equal(whatFollows("USD sale 100 pending", 100n, "EUR").kind, "kept"));
});

test("in whatever order and however often news come, the money ends up in the same places", () => {
  const news = ["succeeded", "failed"] as const;
  const about = fc.record({ sequence: fc.integer({ min: 2, max: 4 }), kind: fc.constantFrom(...news) });
  fc.assert(
    fc.property(fc.array(about, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (told, chance) => {
      const shuffled = [...told, ...told]
        .map((one) => ({ one, place: chance.next().value }))
        .sort((a, b) => a.place - b.place)
        .map(({ one }) => one);
      // Whoever tells first what ends an event has it succeed before it fails.
      const inOrder = told.toSorted((a, b) => news.indexOf(a.kind) - news.indexOf(b.kind));
      const [expected, actual] = [inOrder.reduce(applied, ACCEPTED), shuffled.reduce(applied, ACCEPTED)];
      assert.deepEqual(balances(actual, AFTER, "failed"), balances(expected, AFTER, "failed"));
      assert.deepEqual(statuses(actual, AFTER), statuses(expected, AFTER));
    }),
    { seed: SEED, numRuns: sized(300, 30_000) },
  );
});

const ACCEPTED = told("USD auth 100", "capture 40 pending", "capture 30 pending", "capture 20 pending");

/** As the gateway applies it: by the time at which it happened, whenever it is told. */
function applied(transaction: Transaction, { sequence, kind }: { sequence: number; kind: "succeeded" | "failed" }) {
  const event = transaction.events[sequence - 1];
  assert.ok(event);
  const consequence = consequenceOf(transaction, event, kind === "succeeded" ? SUCCEEDED : FAILED, BEFORE);
  const { events } = transaction;
  const put = (outcome: Event["outcome"]): Transaction => {
    const [first, ...rest] = events.map((one) => (one === event ? { ...event, outcome } : one));
    assert.ok(first);
    return { ...transaction, events: [first, ...rest] };
  };
  const ending = { at: AFTER, processorResponse: PROCESSOR_RESPONSE };
  switch (consequence.kind) {
    case "end":
      return put(
        kind === "failed"
          ? { kind: "declined", ...ending }
          : { kind: "approved", ...ending, settlement: settlementTimes(defaultSchedule("USD"), AFTER) },
      );
    case "late-failure":
      assert.ok(event.outcome?.kind === "approved");
      return put({ kind: "failed-after-all", ...ending, category: "refused", approval: event.outcome });
    default:
      return transaction;
  }
}

describe("what failed after all has failed, as far as money goes", () => {
  for (const [what, charge, steps, expected] of [
    ["a sale", "USD sale 100 failed-after-all", [], { authorized: 0n, captured: 0n, refunded: 0n, uncaptured: 0n }],
    [
      "a capture: its money can be captured again",
      "USD auth 100",
      ["capture 60 failed-after-all"],
      { authorized: 100n, captured: 0n, refunded: 0n, uncaptured: 100n },
    ],
    [
      "a refund: its money can be refunded again",
      "USD sale 100",
      ["refund 40 failed-after-all"],
      { authorized: 100n, captured: 100n, refunded: 0n, uncaptured: 0n },
    ],
    [
      "a capture of which something was refunded: what was given back stays given",
      "USD auth 100",
      ["capture 60 failed-after-all", "refund 50", "capture 30"],
      { authorized: 100n, captured: 30n, refunded: 50n, uncaptured: 70n },
    ],
    [
      "a sale that was refunded before",
      "USD sale 100 failed-after-all",
      ["refund 100"],
      { authorized: 0n, captured: 0n, refunded: 100n, uncaptured: 0n },
    ],
  ] as const) {
    test(what, () => {
      const { authorized, captured, refunded, uncaptured } = balances(told(charge, ...steps), AFTER, "failed");
      assert.deepEqual({ authorized, captured, refunded, uncaptured }, expected);
    });
  }

  test("its status is declined, and what was told of the time before stays as it was", () => {
    const transaction = told("USD auth 100", "capture 60 failed-after-all at 1 12:30");
    assert.deepEqual(statuses(transaction, AFTER), ["authorized", "declined"]);
    const later = transaction.events[1]?.outcome;
    assert.ok(later?.kind === "failed-after-all");
    const failed = { ...later, at: at("1 12:45") };
    const [charge, capture] = transaction.events;
    assert.ok(capture);
    const known = { ...transaction, events: [charge, { ...capture, outcome: failed }] } as const;
    const told1 = asOf(known, { at: at("1 12:30"), sequence: 2, concluded: true });
    assert.deepEqual(statuses(told1, AFTER), ["authorized", "pending_settlement"]);
    const told2 = asOf(known, { at: at("1 12:45"), sequence: 2, concluded: true });
    assert.deepEqual(statuses(told2, AFTER), ["authorized", "declined"]);
  });
});
