import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { SEED, sized } from "../../test/random.ts";
import { at, PROCESSOR_RESPONSE, shares, told } from "../../test/transactions.ts";
import { asOf } from "./as-of.ts";
import { balances, refundable } from "./balances.ts";
import { type Add, consequenceOf } from "./consequence.ts";
import { amountOf } from "./money.ts";
import type { EventNews, Failed, Heard, Succeeded } from "./news.ts";
import type { ProcessorResponse } from "./outcome.ts";
import { defaultSchedule, settlementTimes } from "./settlement.ts";
import { statuses } from "./status.ts";
import { type Event, newestOf, type Transaction } from "./transaction.ts";

const AFTER = at("1 13:00");
const success = (more: Partial<Succeeded> = {}): Succeeded => ({
  kind: "succeeded",
  processorResponse: PROCESSOR_RESPONSE,
  ...more,
});
const failure = (more: Partial<Failed> = {}): Failed => ({
  kind: "failed",
  processorResponse: PROCESSOR_RESPONSE,
  category: "refused",
  ...more,
});
const REFUSED = failure({ refused: true });
const ENTERED = { entered: true } as const;

/** `succeeded`, `failed for good`, `refused at first`, what an operator entered, and what takes a charge back. */
const NEWS: Readonly<Record<string, EventNews>> = {
  succeeded: success(),
  failed: failure(),
  refused: REFUSED,
  "entered success": success(ENTERED),
  "entered decline": failure(ENTERED),
  reversed: { kind: "reversed" },
  lapsed: { kind: "reversed", lapsed: true },
  known: { kind: "known" },
  settled: { kind: "settled" },
  chargeback: { kind: "chargeback" },
  other: { kind: "other" },
};
const OUTCOMES = ["pending", "", "declined", "already-settled", "not-sent", "unanswered", "failed-after-all"] as const;
const TYPES = ["sale", "auth", "capture", "void", "refund"] as const;
const isChargeWord = (type: string) => type === "sale" || type === "auth";

/** What follows for each outcome on record, in the order of {@link OUTCOMES}. Follow-ups have no outcome `unanswered`. */
const TABLE: Readonly<Record<string, readonly [whose: string, ...string[]][]>> = {
  succeeded: [["each", "end", "known", "add", "add", "add", "still-charged", "add"]],
  failed: [
    ["sale", "end", "late-failure", "known", "known", "known", "known", "known"],
    ["auth", "end", "kept", "known", "known", "known", "known", "known"],
    ["follow-up", "end", "late-failure", "known", "known", "known", "known", "known"],
  ],
  refused: [["each", "end", "kept", "known", "known", "known", "known", "known"]],
  "entered success": [["each", "end", "known", "kept", "kept", "kept", "still-charged", "kept"]],
  "entered decline": [["each", "end", "kept", "known", "known", "known", "known", "known"]],
  reversed: [
    ["sale", "kept", "taken-back", "kept", "kept", "kept", "reversed", "kept"],
    ["auth", "kept", "taken-back", "kept", "kept", "kept", "reversed", "kept"],
    ["follow-up", "kept", "kept", "kept", "kept", "kept", "kept", "kept"],
  ],
  lapsed: [
    ["sale", "known", "known", "known", "known", "known", "reversed", "known"],
    ["auth", "known", "known", "known", "known", "known", "reversed", "known"],
    ["follow-up", "known", "known", "known", "known", "known", "known", "known"],
  ],
  known: [["each", "known", "known", "known", "known", "known", "known", "known"]],
  settled: [["each", "kept", "kept", "kept", "kept", "kept", "kept", "kept"]],
  chargeback: [["each", "kept", "kept", "kept", "kept", "kept", "kept", "kept"]],
  other: [["each", "kept", "kept", "kept", "kept", "kept", "kept", "kept"]],
};

const [CHARGES, FOLLOW_UPS] = [TYPES.filter(isChargeWord), TYPES.filter((type) => !isChargeWord(type))];
const typesOf = (whose: string) =>
  whose === "each" ? TYPES : whose === "follow-up" ? FOLLOW_UPS : CHARGES.filter((type) => type === whose);

/** With its event as the last one. */
function recorded(type: (typeof TYPES)[number], outcome: string): Transaction {
  const step = `${type} 100 ${outcome}`.trim();
  if (isChargeWord(type)) return told(`USD ${step}`);
  return told(`USD ${type === "refund" ? "sale" : "auth"} 100`, step);
}

describe("what follows from news of an event", () => {
  for (const [news, rows] of Object.entries(TABLE))
    for (const [whose, ...expected] of rows)
      for (const type of typesOf(whose))
        for (const [place, outcome] of OUTCOMES.entries()) {
          if (outcome === "unanswered" && !isChargeWord(type)) continue;
          test(`${news}, of a ${type} that is ${outcome || "approved"}: ${expected[place]}`, () => {
            const transaction = recorded(type, outcome);
            const given = NEWS[news];
            assert.ok(given);
            assert.equal(consequenceOf(transaction, newestOf(transaction), given, []).kind, expected[place]);
          });
        }
});

describe("of one operation a failure for good wins over a success, a success over a refusal, and both over what was entered", () => {
  for (const [what, news, heard, expected] of [
    ["refund 100 declined", success(), [failure()], "known"],
    ["refund 100 declined", success(), [REFUSED], "add"],
    ["refund 100 declined", success(), [failure(ENTERED)], "add"],
    ["refund 100 failed-after-all", success(), [failure()], "known"],
    ["refund 100 failed-after-all", success(), [REFUSED, success(ENTERED)], "add"],
    ["refund 100", failure(), [success()], "late-failure"],
    ["refund 100", REFUSED, [success()], "kept"],
    ["refund 100", REFUSED, [success(ENTERED)], "late-failure"],
    ["refund 100", REFUSED, [success(ENTERED), success()], "kept"],
    ["refund 100 declined", success({ operation: "2" }), [failure({ operation: "1" })], "add"],
    ["refund 100 declined", success({ operation: "1" }), [failure({ operation: "1" })], "known"],
    ["refund 100 failed-after-all", success({ again: true }), [failure()], "add"],
    ["refund 100 failed-after-all", failure(), [success({ again: true })], "known"],
    ["refund 100 declined", success({ operation: "1" }), [success({ operation: "2", again: true })], "known"],
  ] as const)
    test(`${inShort(news)} after [${heard.map(inShort)}] of "${what}": ${expected}`, () => {
      const transaction = told("USD sale 100", what);
      assert.equal(consequenceOf(transaction, newestOf(transaction), news, heard).kind, expected);
    });
});

function inShort(news: Heard): string {
  const { kind, ...rest } = news;
  const marks = Object.entries(rest).filter(([name]) => name !== "processorResponse" && name !== "category");
  return [kind, ...marks.map(([name, value]) => `${name} ${value}`)].join(" ");
}

test("what is kept says in words what it is", () => {
  const transaction = told("USD sale 100");
  const whyOf = (kind: "chargeback" | "settled") => {
    const consequence = consequenceOf(transaction, transaction.events[0], { kind }, []);
    return consequence.kind === "kept" ? consequence.why : "";
  };
  assert.match(whyOf("chargeback"), /^the payer disputes this payment, .* enter the dispute by hand$/);
  assert.match(whyOf("settled"), /^the processor says that this money has settled/);
});

describe("a success that says of how much", () => {
  const after = (what: string, minor: bigint, currency = "USD") => {
    const transaction = what.includes(",") ? told(...(what.split(", ") as [string, string])) : told(what);
    return consequenceOf(
      transaction,
      newestOf(transaction),
      success({ money: { amount: amountOf(minor), currency } }),
      [],
    );
  };
  for (const [what, minor, currency, expected] of [
    ["USD sale 100 pending", 100n, "USD", "end"],
    ["USD sale 100 pending", 40n, "USD", "kept"],
    ["USD sale 100", 40n, "USD", "kept"],
    ["USD sale 100 unanswered", 40n, "USD", "still-charged"],
    ["USD sale 100 pending", 100n, "EUR", "kept"],
    ["USD sale 100, refund 100 declined", 40n, "USD", "add 40"],
    ["USD sale 100, refund 100 declined", 140n, "USD", "add 140"],
    ["USD sale 100, refund 100 pending", 40n, "USD", "add 40 instead"],
    ["USD sale 100, refund 100", 40n, "USD", "kept"],
    ["USD sale 100, refund 100 declined", 100n, "EUR", "kept"],
    ["USD sale 100 declined", 40n, "USD", "add 40"],
  ] as const)
    test(`${minor} ${currency} after "${what}": ${expected}`, () => {
      const found = after(what, minor, currency);
      const added = found.kind === "add" ? ` ${found.event.amount}${found.instead ? " instead" : ""}` : "";
      assert.equal(found.kind + added, expected);
    });
  test("both amounts are told in words", () =>
    assert.deepEqual(after("USD sale 100", 40n), {
      kind: "kept",
      why: "it tells of 0.40 USD, and the sale is of 1.00 USD",
    }));
  test("another amount names no passengers, and the same amount those of the request", () => {
    const declined = told("CAD sale 100=60+40", "refund 100=60+40 declined");
    const sharesOf = (minor: bigint) => {
      const news = success({ money: { amount: amountOf(minor), currency: "CAD" } });
      const found = consequenceOf(declined, newestOf(declined), news, []);
      return found.kind === "add" ? found.event.shares : undefined;
    };
    assert.deepEqual([sharesOf(100n), sharesOf(50n)], [shares(60n, 40n), null]);
  });
});

describe("a success contrary to the record is one event, named by the processor", () => {
  const name = (transaction: Transaction, news: Succeeded) => {
    const found = consequenceOf(transaction, transaction.events[1] ?? transaction.events[0], news, []);
    return found.kind === "add" ? found.event.byProcessor : found.kind;
  };
  test("it has the event's id and the operation's", () => {
    const transaction = told("USD sale 100", "refund 100 declined");
    const id = transaction.events[1]?.id;
    assert.deepEqual([name(transaction, success()), name(transaction, success({ operation: "R1" }))], [id, `${id} R1`]);
  });
  test("the merchant's next refund does not stop it: both have gone out, and nothing more is refunded", () => {
    const transaction = told("USD sale 100", "refund 100 declined", "refund 100");
    const news = consequenceOf(transaction, transaction.events[1] as Event, success(), []);
    assert.equal(news.kind, "add");
    const after = addedTo(transaction, news as Add);
    const { captured, refunded } = balances(after, AFTER, "failed");
    assert.deepEqual([captured, refunded, refundable(balances(after, AFTER, "failed"))], [100n, 200n, 0n]);
    assert.equal(consequenceOf(after, after.events[1] as Event, success(), []).kind, "known");
  });
  test("of a charge that another one has paid for, the operator is told to take it back", () => {
    const transaction = told("USD sale 100 declined", "sale 100");
    assert.equal(consequenceOf(transaction, transaction.events[0], success(), []).kind, "kept");
  });
  test("another payment under the reference of an approved charge is for the operator", () => {
    const own = { ...PROCESSOR_RESPONSE, transactionId: "P1" };
    const [charge] = told("USD sale 100").events;
    const approved = { ...charge, outcome: { ...charge.outcome, processorResponse: own } as Event["outcome"] };
    const transaction: Transaction = { ...told("USD sale 100"), events: [approved] };
    const after = (operation: string) => consequenceOf(transaction, approved, success({ operation }), []).kind;
    assert.deepEqual([after("P1"), after("P2")], ["known", "kept"]);
  });
});

test("what was made again and fails again", () => {
  const [made, fails] = [success({ operation: "1" }), failure({ operation: "1" })];
  const left = (recordedAs: "pending" | "approved", ...news: readonly (Succeeded | Failed)[]) =>
    balances(course(recordedAs, news), AFTER, "failed").refunded;
  const again = success({ operation: "2", again: true });
  for (const recordedAs of ["pending", "approved"] as const) {
    assert.equal(left(recordedAs, made, fails, again), 100n);
    assert.equal(left(recordedAs, made, fails, again, failure({ operation: "2" })), 0n);
    assert.equal(left(recordedAs, made, again, failure({ operation: "2" }), fails), 0n);
    assert.equal(left(recordedAs, made, failure({ operation: "2" }), fails, again), 0n);
  }
  const sameName = success({ operation: "1", again: true });
  const transaction = course("pending", [made, fails, sameName]);
  const after = (heard: readonly Heard[]) =>
    consequenceOf(transaction, transaction.events[1] as Event, failure({ operation: "1" }), heard).kind;
  assert.deepEqual([after([made, sameName]), after([made, fails, sameName])], ["known", "kept"]);
});

describe("in whatever order and however often news come, the money ends up in the same places", () => {
  const first = [success({ operation: "1" }), failure({ operation: "1", refused: true })];
  const fails = failure({ operation: "1" });
  /** What a processor says of operations under one reference. */
  const courses: Readonly<Record<string, readonly (Succeeded | Failed)[]>> = {
    "made once": [...first, fails],
    "made again under the same name": [...first, fails, success({ operation: "1", again: true })],
    "made again under another name": [...first, fails, success({ operation: "2", again: true })],
    "made again under another name, and failed again": [
      ...[...first, fails, success({ operation: "2", again: true })],
      failure({ operation: "2" }),
    ],
    "made twice": [...first, success({ operation: "2" })],
    "made once, and entered as approved": [...first, fails, success(ENTERED)],
    "made once, and entered as declined": [...first, fails, failure(ENTERED)],
  };
  for (const [what, all] of Object.entries(courses))
    for (const recordedAs of ["pending", "declined", "approved"] as const)
      test(`${what}, of a refund on record as ${recordedAs}`, () => {
        // An operator enters how an open operation ended.
        const possible = all.filter(({ entered }) => recordedAs === "pending" || !entered);
        // What was made again first of all gives the operation its name: then nobody can tell which of the two failures is the later one.
        if (what.endsWith("failed again") && recordedAs !== "approved") return;
        const facts = fc.uniqueArray(fc.nat({ max: possible.length - 1 }), { maxLength: possible.length });
        fc.assert(
          fc.property(facts, fc.infiniteStream(fc.nat()), (few, chance) => {
            const told = few.map((one) => possible[one] as Succeeded | Failed);
            const shuffled = [...told, ...told]
              .map((one) => ({ one, place: chance.next().value }))
              .sort((a, b) => a.place - b.place)
              .map(({ one }) => one);
            const [expected, actual] = [course(recordedAs, told), course(recordedAs, shuffled)];
            assert.equal(
              balances(actual, AFTER, "failed").refunded,
              balances(expected, AFTER, "failed").refunded,
              `${told.map(inShort)} | ${shuffled.map(inShort)}`,
            );
          }),
          { seed: SEED, numRuns: sized(1_000, 100_000) },
        );
      });
});

/** As the gateway applies it: each once, with what it has heard by then, and until nothing more follows. */
function course(recordedAs: "pending" | "declined" | "approved", all: readonly (Succeeded | Failed)[]): Transaction {
  const first = told("USD sale 300", `refund 100 ${recordedAs === "approved" ? "" : recordedAs}`.trim());
  const own = { ...PROCESSOR_RESPONSE, transactionId: "1" };
  const begun = recordedAs === "approved" ? ended(first, first.events[1] as Event, own) : first;
  const heard: (Succeeded | Failed)[] = [];
  return all.reduce((transaction, news) => {
    if (heard.includes(news)) return transaction;
    const before = [...heard];
    heard.push(news);
    return applied(transaction, news, before);
  }, begun);
}

function applied(transaction: Transaction, news: Succeeded | Failed, heard: readonly Heard[]): Transaction {
  const event = transaction.events[1] as Event;
  const consequence = consequenceOf(transaction, event, news, heard);
  switch (consequence.kind) {
    case "end": {
      const response = { ...PROCESSOR_RESPONSE, transactionId: consequence.news.operation ?? null };
      if (consequence.news.kind === "succeeded") return ended(transaction, event, response);
      return put(transaction, event, { kind: "declined", at: AFTER, processorResponse: response });
    }
    case "late-failure": {
      const { outcome } = consequence.event;
      assert.ok(outcome?.kind === "approved");
      const ending = { at: AFTER, processorResponse: PROCESSOR_RESPONSE, category: "refused" } as const;
      const after = put(transaction, consequence.event, { kind: "failed-after-all", ...ending, approval: outcome });
      return consequence.goesOn ? applied(after, news, heard) : after;
    }
    case "add":
      return addedTo(transaction, consequence);
    default:
      return transaction;
  }
}

const ended = (transaction: Transaction, event: Event, processorResponse: ProcessorResponse): Transaction => {
  const settlement = settlementTimes(defaultSchedule("USD"), AFTER);
  return put(transaction, event, { kind: "approved", at: AFTER, processorResponse, settlement });
};

function put(transaction: Transaction, event: Event, outcome: Event["outcome"]): Transaction {
  const [first, ...rest] = transaction.events.map((one) => (one === event ? { ...event, outcome } : one));
  assert.ok(first);
  return { ...transaction, events: [first, ...rest] };
}

function addedTo(transaction: Transaction, { event, news }: Add): Transaction {
  const { events } = transaction;
  const one: Event = { ...events[0], ...event, id: event.byProcessor, sequence: events.length + 1 };
  const operation = { ...PROCESSOR_RESPONSE, transactionId: news.operation ?? null };
  return ended({ ...transaction, events: [...events, one] }, one, operation);
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

test("a payer who can complete a challenge no more ends the charge that waits for it", () => {
  const challenge = { checkoutUrl: "https://x/", page: { url: "https://b/" }, expiresAt: new Date() };
  const waiting = recorded("sale", "pending");
  const event = { ...newestOf(waiting), challenge };
  assert.equal(event.outcome, null);
  const { kind } = consequenceOf(waiting, event, { kind: "reversed", lapsed: true }, []);
  assert.equal(kind, "end");
});
