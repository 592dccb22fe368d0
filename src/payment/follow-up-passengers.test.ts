import assert from "node:assert/strict";
import { test } from "node:test";
import { askFor, decisionTable, forPassengers, minor, type Told } from "../../test/follow-ups.ts";
import { capabilitiesIn, refused } from "../../test/rulings.ts";
import { at, shares, told } from "../../test/transactions.ts";
import { alsoWrong, sharesLeft } from "./follow-up.ts";
import { amountOf } from "./money.ts";
import { type RefusalName, type Refused, refuseAll } from "./refusal.ts";
import type { FollowUpType } from "./transaction.ts";

const IN_FLIGHT = refused("operation-in-flight");
const TWO_PASSENGERS = "USD auth 100=60+40";
const passenger = (index: number, field: string) => `passenger_transport.${index}.${field}`;

decisionTable("with airline data passengers are named, each once, and their parts add up", [
  ["both", "capture", [TWO_PASSENGERS], forPassengers(60n, 40n), askFor("capture", 60n, 40n)],
  ["one of them", "capture", [TWO_PASSENGERS], forPassengers(0n, 40n), askFor("capture", 0n, 40n)],
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
    "parts of a currency that has no such money, each named, and the sum is not",
    "capture",
    ["JPY auth 1000=600+400"],
    forPassengers(150n, 150n),
    both(["amount-not-in-currency", passenger(0, "amount")], ["amount-not-in-currency", passenger(1, "amount")]),
  ],
  [
    "a cent less than their parts",
    "capture",
    [TWO_PASSENGERS],
    { amount: amountOf(99n), shares: shares(60n, 40n) },
    { kind: "refused", refusals: [{ name: "shares-differ-from-amount", field: "amount", sum: amountOf(100n) }] },
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

const SETTLED = { now: "2 02:20" };
const VOID_AFTER_SETTLEMENT = refused("void-after-settlement");

decisionTable("a void of what has settled is refused as too late, whatever is wrong with its passengers", [
  ["none, and no amount", "void", ["CAD sale 100=60+40"], minor(undefined), VOID_AFTER_SETTLEMENT, SETTLED],
  ["none", "void", ["USD sale 100=60+40"], minor(100n), VOID_AFTER_SETTLEMENT, SETTLED],
  [
    "no amount",
    "void",
    ["CAD sale 100=60+40"],
    { amount: undefined, shares: shares(60n, 40n) },
    VOID_AFTER_SETTLEMENT,
    SETTLED,
  ],
  ["somebody else", "void", ["CAD sale 100=60+40"], forPassengers(1n, 1n, 1n), VOID_AFTER_SETTLEMENT, SETTLED],
  ["half a yen", "void", ["JPY sale 1000"], minor(50n), VOID_AFTER_SETTLEMENT, SETTLED],
  [
    "while some of it has not settled, they are named",
    "void",
    [TWO_PASSENGERS, "capture 60=60"],
    minor(40n),
    refused("passengers-required", "passenger_transport"),
    SETTLED,
  ],
]);

decisionTable("no passenger gets more captured than their fares, more refunded than captured", [
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
    askFor("capture", 10n, 40n),
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
    askFor("refund", 50n, 20n),
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
    together(
      refused("capture-exceeds-authorization", "amount", 100n),
      refused("share-exceeds-passenger", passenger(0, "amount"), 60n),
      refused("share-exceeds-passenger", passenger(1, "amount"), 40n),
    ),
  ],
  [
    "the whole and the shares of a request that also names somebody else",
    "capture",
    [TWO_PASSENGERS],
    forPassengers(61n, 1n, 39n),
    together(
      refused("passenger-unknown", passenger(2, "passenger_id")),
      refused("capture-exceeds-authorization", "amount", 100n),
      refused("share-exceeds-passenger", passenger(0, "amount"), 60n),
    ),
  ],
  ["what is in flight counts", "capture", [TWO_PASSENGERS, "capture 50=50 pending"], forPassengers(11n), IN_FLIGHT],
]);

// The transaction as a whole has settled money enough: the money of the second passenger has not settled.
const ONE_SETTLED: Told = ["CAD auth 100=60+40", "capture 60=60", "capture 40=0+40 at 2 12:00"];

decisionTable("a CAD passenger's money is refunded after it settled itself", [
  ["settled", "refund", ONE_SETTLED, forPassengers(40n), askFor("refund", 40n), { now: "2 12:00" }],
  [
    "not settled",
    "refund",
    ONE_SETTLED,
    forPassengers(0n, 40n),
    refused("share-exceeds-passenger", passenger(0, "amount"), 0n),
    { now: "2 12:00" },
  ],
  [
    "all of it, the second inside the window",
    "refund",
    ONE_SETTLED,
    forPassengers(60n, 40n),
    askFor("refund", 60n, 40n),
    { now: "2 22:00" },
  ],
  [
    "a part of it while the second is inside the window",
    "refund",
    ONE_SETTLED,
    forPassengers(0n, 40n),
    refused("share-exceeds-passenger", passenger(0, "amount"), 0n),
    { now: "2 22:00" },
  ],
  [
    "the second has settled too",
    "refund",
    ONE_SETTLED,
    forPassengers(0n, 40n),
    askFor("refund", 0n, 40n),
    { now: "3 02:20" },
  ],
  ["in other currencies at once", "refund", ["USD sale 100=60+40"], forPassengers(0n, 40n), askFor("refund", 0n, 40n)],
]);

test("amounts that are too much are told beside fields that cannot be read", () => {
  const [jane, john] = shares(60n, 40n);
  const wrong = (
    type: FollowUpType,
    amount: bigint | undefined,
    ...some: (readonly [string | undefined, bigint?])[]
  ) => {
    const readable = {
      hasAmount: true,
      amount: minor(amount).amount,
      shares: some.map(([passengerId, share]) => ({ passengerId, amount: minor(share).amount })),
    };
    const transaction = told(TWO_PASSENGERS, "capture 60=60");
    return alsoWrong(type, transaction, readable, capabilitiesIn(transaction.currency), at("1 12:00"));
  };
  const excess = (index: number, most: bigint) => refused("share-exceeds-passenger", passenger(index, "amount"), most);
  assert.deepEqual(
    wrong("capture", undefined, [jane?.passengerId, 1n], [john?.passengerId, 41n]),
    together(excess(0, 0n), excess(1, 40n)),
  );
  assert.deepEqual(
    wrong("refund", 61n, [jane?.passengerId], [john?.passengerId, 1n]),
    together(refused("refund-exceeds-captured", "amount", 60n), excess(1, 0n)),
  );
  assert.deepEqual(wrong("refund", 60n, [jane?.passengerId, 60n], [undefined, 99n]), undefined);
  assert.deepEqual(
    wrong("capture", undefined, [undefined, 1n], ["nobody", 1n]),
    refused("passenger-unknown", passenger(1, "passenger_id")),
  );
  assert.deepEqual(
    wrong("void", undefined, [jane?.passengerId, 61n], [jane?.passengerId, 61n]),
    together(refused("passenger-repeated", passenger(1, "passenger_id")), excess(0, 60n), excess(1, 60n)),
  );
});

test("what is left if an operation in flight fails is not too much, beside fields that cannot be read", () => {
  const transaction = told(TWO_PASSENGERS, "capture 50=50 pending");
  const wrong = (share: bigint) => {
    const readable = { hasAmount: true, amount: undefined, shares: shares(share) };
    return alsoWrong("capture", transaction, readable, capabilitiesIn("USD"), at("1 12:00"));
  };
  assert.equal(wrong(60n), undefined);
  assert.deepEqual(wrong(61n), refused("share-exceeds-passenger", passenger(0, "amount"), 60n));
});

test("that a void comes after the settlement is told beside fields that cannot be read", () => {
  const transaction = told("CAD sale 100=60+40");
  const readable = { hasAmount: false, amount: undefined, shares: undefined };
  const wrong = (now: string) =>
    alsoWrong("void", transaction, readable, capabilitiesIn(transaction.currency), at(now));
  assert.deepEqual(wrong("2 02:20"), VOID_AFTER_SETTLEMENT);
  assert.deepEqual(
    wrong("2 02:19:59"),
    both(["passengers-required", "passenger_transport"], ["amount-required", "amount"]),
  );
});

test("what is left is told for each passenger who has some, and not where there are none", () => {
  const left = (type: FollowUpType, ...events: Told) => sharesLeft(type, told(...events), at("1 12:00"));
  assert.deepEqual(left("capture", TWO_PASSENGERS, "capture 60=60"), shares(0n, 40n));
  assert.deepEqual(left("void", TWO_PASSENGERS, "capture 60=60", "refund 10=10"), shares(50n, 40n));
  assert.deepEqual(left("refund", TWO_PASSENGERS, "capture 60=60", "refund 10=10"), shares(50n));
  assert.deepEqual(left("refund", TWO_PASSENGERS), []);
  assert.equal(left("void", "USD sale 100"), undefined);
});

function both(...refusals: readonly (readonly [RefusalName, string])[]): Refused {
  const all = refuseAll(refusals.map(([name, field]) => ({ name, field })));
  assert.ok(all);
  return all;
}

function together(...all: readonly Refused[]): Refused {
  const refused = refuseAll(all.flatMap(({ refusals }) => refusals));
  assert.ok(refused);
  return refused;
}
