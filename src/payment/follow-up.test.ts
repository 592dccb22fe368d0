import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { EVERY_ABILITY, refused } from "../../test/rulings.ts";
import { at, passengerId, shares, told } from "../../test/transactions.ts";
import { type Abilities, type Ask, decideFollowUp, type FollowUpRequest, rulingOn, sharesLeft } from "./follow-up.ts";
import { amountOf } from "./money.ts";
import { type Refused, refuseAll } from "./refusal.ts";
import type { FollowUpType, Share } from "./transaction.ts";

type Events = readonly [string, ...string[]];
interface Circumstances {
  readonly now?: string;
  readonly abilities?: Partial<Abilities>;
}

function decide(
  type: FollowUpType,
  events: Events,
  request: FollowUpRequest,
  { now = "1 12:00", abilities }: Circumstances = {},
): Ask | Refused {
  return decideFollowUp(type, told(...events), request, { ...EVERY_ABILITY, ...abilities }, at(now));
}

/** A request for so much; undefined: for all that remains. */
const minor = (amount: bigint | undefined): FollowUpRequest => ({
  amount: amount === undefined ? undefined : amountOf(amount),
  shares: undefined,
});
const forPassengers = (...parts: readonly bigint[]): FollowUpRequest => ({
  amount: amountOf(parts.reduce((total, part) => total + part, 0n)),
  shares: shares(...parts),
});
const ask = (type: FollowUpType, amount: bigint, parts: readonly Share[] | null = null): Ask => ({
  kind: "ask",
  type,
  amount: amountOf(amount),
  shares: parts,
});
const asks = (type: FollowUpType, ...parts: readonly bigint[]): Ask =>
  ask(
    type,
    parts.reduce((total, part) => total + part, 0n),
    shares(...parts),
  );

const UNDER_WAY = refused("operation-under-way");

type Case = readonly [string, FollowUpType, Events, FollowUpRequest, Ask | Refused, Circumstances?];
function table(rule: string, rows: readonly Case[]): void {
  describe(rule, () => {
    for (const [name, type, events, request, expected, circumstances] of rows)
      test(name, () => assert.deepEqual(decide(type, events, request, circumstances), expected));
  });
}

table("each operation follows its own rule", [
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

table("an operation under way reserves its money", [
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

table("what only an operation under way forbids may be allowed in a moment: 409", [
  ["its charge", "capture", ["USD auth 100 pending"], minor(100n), UNDER_WAY],
  ["a capture too much", "capture", ["USD auth 100", "capture 60 pending"], minor(41n), UNDER_WAY],
  ["a second whole capture", "capture", ["USD auth 100", "capture 100 pending"], minor(undefined), UNDER_WAY],
  ["a capture beside a void", "capture", ["USD auth 100", "void 100 pending"], minor(100n), UNDER_WAY],
  ["a void beside a refund of the same money", "void", ["USD sale 100", "refund 100 pending"], minor(100n), UNDER_WAY],
  ["a refund beside a void of the same money", "refund", ["USD sale 100", "void 100 pending"], minor(1n), UNDER_WAY],
  ["a refund of what is being captured", "refund", ["USD auth 100", "capture 100 pending"], minor(100n), UNDER_WAY],
]);

table("what would be refused however it ends is refused for good: 422", [
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

const ONCE: Circumstances = { abilities: { multipleCaptures: false } };
const WHOLE: Circumstances = { abilities: { partialVoid: false } };

// Granted on what is reserved alone, each of these would be a partial void, or the second capture of a processor that
// takes one: whichever way the operation under way ends.
table("what is asked is right however the operations under way end", [
  [
    "the second capture of a processor that takes one",
    "capture",
    ["USD auth 100", "capture 60 pending"],
    minor(40n),
    UNDER_WAY,
    ONCE,
  ],
  ["a CAD void beside a capture", "void", ["CAD auth 100", "capture 60 pending"], minor(40n), UNDER_WAY],
  [
    "a CAD void without an amount beside a capture",
    "void",
    ["CAD auth 100", "capture 60 pending"],
    minor(undefined),
    UNDER_WAY,
  ],
  ["a whole void beside a refund", "void", ["USD sale 100", "refund 60 pending"], minor(40n), UNDER_WAY, WHOLE],
  [
    "a whole void of all, beside a refund",
    "void",
    ["USD sale 100", "refund 60 pending"],
    minor(100n),
    UNDER_WAY,
    WHOLE,
  ],
  [
    "a CAD refund of what the window holds, beside one of what has settled",
    "refund",
    ["CAD auth 100", "capture 30", "capture 20 at 2 12:00", "refund 10 pending at 2 22:00"],
    minor(40n),
    UNDER_WAY,
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

const TWO_PASSENGERS = "USD auth 100=60+40";
const passenger = (index: number, field: string) => `passenger_transport.${index}.${field}`;

table("with airline data passengers are named, each once, and their parts add up", [
  ["both", "capture", [TWO_PASSENGERS], forPassengers(60n, 40n), asks("capture", 60n, 40n)],
  ["one of them", "capture", [TWO_PASSENGERS], forPassengers(0n, 40n), asks("capture", 0n, 40n)],
  [
    "none, and no amount",
    "capture",
    [TWO_PASSENGERS],
    minor(undefined),
    both(["passengers-required", "passenger_transport"], ["amount-required", "amount"]),
  ],
  ["none", "capture", [TWO_PASSENGERS], minor(60n), refused("passengers-required", "passenger_transport")],
  [
    "no amount",
    "capture",
    [TWO_PASSENGERS],
    { amount: undefined, shares: shares(60n) },
    refused("amount-required", "amount"),
  ],
  [
    "somebody else",
    "capture",
    [TWO_PASSENGERS],
    forPassengers(1n, 1n, 1n),
    refused("passenger-unknown", passenger(2, "passenger_id")),
  ],
  [
    "one of them twice",
    "capture",
    [TWO_PASSENGERS],
    { amount: amountOf(2n), shares: [...shares(1n), ...shares(1n)] },
    refused("passenger-repeated", passenger(1, "passenger_id")),
  ],
  [
    "somebody else twice",
    "capture",
    [TWO_PASSENGERS],
    { amount: amountOf(2n), shares: [...shares(0n, 0n, 1n), ...shares(0n, 0n, 1n)] },
    both(["passenger-unknown", passenger(0, "passenger_id")], ["passenger-unknown", passenger(1, "passenger_id")]),
  ],
  [
    "a cent less than their parts",
    "capture",
    [TWO_PASSENGERS],
    { amount: amountOf(99n), shares: shares(60n, 40n) },
    refused("shares-differ-from-amount", "amount"),
  ],
  [
    "on a transaction without passengers",
    "capture",
    ["USD auth 100"],
    forPassengers(100n),
    refused("passenger-unknown", passenger(0, "passenger_id")),
  ],
  [
    "wrong names win over the rule",
    "capture",
    ["USD sale 100=60+40"],
    minor(1n),
    refused("passengers-required", "passenger_transport"),
  ],
]);

table("no passenger gets more captured than their fares, more refunded than captured", [
  [
    "past the fares",
    "capture",
    [TWO_PASSENGERS],
    forPassengers(61n, 39n),
    refused("share-exceeds-passenger", passenger(0, "amount"), 60n),
  ],
  [
    "past what is left of the fares",
    "capture",
    [TWO_PASSENGERS, "capture 50=50"],
    forPassengers(10n, 40n),
    asks("capture", 10n, 40n),
  ],
  [
    "a cent past it",
    "capture",
    [TWO_PASSENGERS, "capture 50=50"],
    forPassengers(11n, 39n),
    refused("share-exceeds-passenger", passenger(0, "amount"), 10n),
  ],
  [
    "past what was captured",
    "refund",
    [TWO_PASSENGERS, "capture 70=50+20"],
    forPassengers(50n, 20n),
    asks("refund", 50n, 20n),
  ],
  [
    "each who gets too much",
    "refund",
    [TWO_PASSENGERS, "capture 100=60+40", "refund 40=20+20"],
    forPassengers(39n, 21n),
    refused("share-exceeds-passenger", passenger(1, "amount"), 20n),
  ],
  [
    "past what is neither settled nor refunded",
    "void",
    [TWO_PASSENGERS, "capture 100=60+40", "refund 40=20+20"],
    forPassengers(41n, 19n),
    refused("share-exceeds-passenger", passenger(0, "amount"), 40n),
  ],
  [
    "the whole is too much",
    "capture",
    [TWO_PASSENGERS],
    forPassengers(61n, 41n),
    refused("capture-exceeds-authorization", "amount", 100n),
  ],
  ["what is under way counts", "capture", [TWO_PASSENGERS, "capture 50=50 pending"], forPassengers(11n), UNDER_WAY],
]);

test("what is left is told for each passenger who has some, and not where there are none", () => {
  const left = (type: FollowUpType, ...events: Events) => sharesLeft(type, told(...events), at("1 12:00"));
  assert.deepEqual(left("capture", TWO_PASSENGERS, "capture 60=60"), shares(0n, 40n));
  assert.deepEqual(left("void", TWO_PASSENGERS, "capture 60=60", "refund 10=10"), shares(50n, 40n));
  assert.deepEqual(left("refund", TWO_PASSENGERS, "capture 60=60", "refund 10=10"), shares(50n));
  assert.deepEqual(left("refund", TWO_PASSENGERS), []);
  assert.equal(left("void", "USD sale 100"), undefined);
});

test("the ruling on an amount asks for no passengers", () => {
  const ruling = (amount: bigint | undefined, ...events: Events) =>
    rulingOn("refund", told(...events), minor(amount).amount, EVERY_ABILITY, at("1 12:00"));
  assert.deepEqual(ruling(undefined, "USD sale 100=60+40"), { kind: "granted", amount: 100n });
  assert.deepEqual(ruling(101n, "USD sale 100=60+40"), refused("refund-exceeds-captured", "amount", 100n));
  assert.deepEqual(ruling(100n, "USD sale 100=60+40", "void 100=60+40 pending"), UNDER_WAY);
});

test("passengers are known by the ids that the charge gave them", () => {
  assert.deepEqual(
    told(TWO_PASSENGERS).passengers?.map(({ id }) => id),
    [passengerId(1), passengerId(2)],
  );
});

function both(
  ...refusals: readonly (readonly ["passengers-required" | "amount-required" | "passenger-unknown", string])[]
): Refused {
  const all = refuseAll(refusals.map(([name, field]) => ({ name, field })));
  assert.ok(all);
  return all;
}
