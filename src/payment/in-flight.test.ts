import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { history, historyOf } from "../../test/fixtures/histories.ts";
import { ask, askFor, decisionTable, forPassengers, minor, requestsFor, type Told } from "../../test/follow-ups.ts";
import { SEED, sized } from "../../test/random.ts";
import { refused } from "../../test/rulings.ts";
import { PROCESSOR_RESPONSE } from "../../test/transactions.ts";
import { decideFollowUp, type FollowUpRequest } from "./follow-up.ts";
import { MOST_LOOKED_AT } from "./in-flight.ts";
import { type Schedule, settlementTimes } from "./settlement.ts";
import { type Event, type FollowUpType, type Transaction, withEvent } from "./transaction.ts";

const FOLLOW_UPS: readonly FollowUpType[] = ["capture", "void", "refund"];
const IN_FLIGHT = refused("operation-in-flight");
const IN_WINDOW = { now: "2 22:00" };

/** CAD: 60 have settled, of which these refunds are in flight, and 10 are in their window. */
const beside = (...refunds: readonly number[]): Told => [
  "CAD auth 80",
  "capture 60",
  ...refunds.map((amount) => `refund ${amount} pending at 2 12:00`),
  "capture 10 at 2 13:00",
];
/** The same, where another passenger's refund came before the last capture. */
const OF_PASSENGERS: Told = [
  "CAD auth 80=20+60",
  "capture 70=10+60",
  "refund 10=10+0 pending at 2 12:00",
  "capture 10=10+0 at 2 13:00",
  "refund 10=0+10 pending at 2 22:00",
];

// If only the 15 are refunded, 45 are left that have settled, and 55 with the window: 50 are a part. If only the 5 are, 65 are all.
decisionTable("beside CAD refunds of which one may succeed and another fail", [
  ["all that is left if both succeed", "refund", beside(15, 5), minor(50n), IN_FLIGHT, IN_WINDOW],
  ["all that is left if one succeeds", "refund", beside(15, 5), minor(65n), IN_FLIGHT, IN_WINDOW],
  ["never all that is left", "refund", beside(15, 5), minor(61n), refused("partial-refund-inside-window"), IN_WINDOW],
  ["what has settled in any case", "refund", beside(15, 5), minor(40n), ask("refund", 40n), IN_WINDOW],
  ["all that passengers have left", "refund", OF_PASSENGERS, forPassengers(10n, 50n), IN_FLIGHT, IN_WINDOW],
  [
    "what one's settled in any case",
    "refund",
    OF_PASSENGERS,
    forPassengers(0n, 50n),
    askFor("refund", 0n, 50n),
    IN_WINDOW,
  ],
]);

const CALLED_SETTLED: Told = ["CAD auth 80", "capture 20 pending", "void 60 already-settled", "capture 60"];

decisionTable("beside a CAD capture in flight when the processor called its money settled", [
  ["all else inside the window", "refund", CALLED_SETTLED, minor(60n), IN_FLIGHT, { now: "1 22:00" }],
  ["all else once it has settled", "refund", CALLED_SETTLED, minor(60n), ask("refund", 60n), { now: "2 02:20" }],
]);

const MANY = beside(...Array.from({ length: MOST_LOOKED_AT + 1 }, () => 2));

decisionTable("beside more refunds than are looked at one by one", [
  ["what depends on them", "refund", MANY, minor(56n), IN_FLIGHT, IN_WINDOW],
  ["what has settled in any case", "refund", MANY, minor(46n), ask("refund", 46n), IN_WINDOW],
  ["too much in any case", "refund", MANY, minor(71n), refused("refund-exceeds-captured", "amount", 70n), IN_WINDOW],
]);

test("what is granted beside operations in flight is granted however each of them ends", () =>
  fc.assert(
    fc.property(history, (drawn) => {
      const { transaction, terms, now, inFlight } = historyOf(drawn);
      fc.pre(inFlight);
      const requests = requestsFor(transaction);
      const decide = (one: Transaction, type: FollowUpType, request: FollowUpRequest) =>
        decideFollowUp(type, one, request, terms.capabilities, now).kind;
      const granted = FOLLOW_UPS.flatMap((type) =>
        requests.flatMap((request) => (decide(transaction, type, request) === "ask" ? [{ type, request }] : [])),
      );
      for (const ended of endingsOf(transaction, terms.schedule, now))
        for (const { type, request } of granted)
          assert.equal(decide(ended, type, request), "ask", `${type} ${request.amount}`);
    }),
    { numRuns: sized(300, 20_000), seed: SEED },
  ));

/** Each way in which all that is in flight ends now. */
function endingsOf(transaction: Transaction, schedule: Schedule, at: Date): readonly Transaction[] {
  const [first, ...rest] = transaction.events;
  return rest.reduce<readonly Transaction[]>(
    (ways, event) => ways.flatMap((way) => endsOf(event, schedule, at).map((end) => withEvent(way, end))),
    endsOf(first, schedule, at).map((end) => ({ ...transaction, events: [end] })),
  );
}

function endsOf(event: Event, schedule: Schedule, at: Date): readonly Event[] {
  if (event.outcome !== null) return [event];
  const settles = event.type !== "auth" && event.type !== "void";
  const said = { at, processorResponse: PROCESSOR_RESPONSE };
  const settlement = settles ? settlementTimes(schedule, at) : null;
  return [
    { ...event, outcome: { kind: "approved", ...said, settlement } },
    { ...event, outcome: { kind: "declined", ...said } },
  ];
}
