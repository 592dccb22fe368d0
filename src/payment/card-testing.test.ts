import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type CardTestingSettings,
  DEFAULT_CARD_TESTING,
  type Evidence,
  type Signal,
  slowedMs,
  suspicionOf,
  tellsOfTesting,
  windowMs,
} from "./card-testing.ts";

const WITHOUT_DECLINES: CardTestingSettings = { ...DEFAULT_CARD_TESTING, withoutDeclines: true };
/** A merchant with much else to do. */
const AMONG = 1_000;

/** So many different cards, how many of them are answered, how many of the newest forty of those failed. */
const of = (cards: number, answered: number, declined: number, merchantCards = AMONG, pending = 0): Evidence => ({
  cards,
  answered,
  pending,
  newest: Math.min(answered, 40),
  declined,
  merchantCards,
});

test("many cards of which most are declined are slowed from half the limit on, and refused at it", () => {
  for (const signal of ["range", "address", "token"] as const)
    for (const settings of [DEFAULT_CARD_TESTING, WITHOUT_DECLINES]) {
      const rows: readonly (readonly [Evidence, string])[] = [
        [of(19, 19, 19), "none"],
        [of(20, 20, 18), "none"],
        [of(20, 20, 19), "slow"],
        [of(39, 39, 39), "slow"],
        [of(40, 40, 30), "none"],
        [of(40, 40, 31), "refuse"],
        [of(40, 40, 0), "none"],
        // What was approved long before is of no account.
        [of(240, 240, 30), "none"],
        [of(240, 240, 31), "refuse"],
        // Too few are answered to tell.
        [of(40, 17, 17), "none"],
        [of(30, 18, 18), "slow"],
        [of(40, 18, 18), "refuse"],
      ];
      for (const [evidence, expected] of rows)
        assert.equal(suspicionOf(signal, evidence, settings), expected, `${signal} ${JSON.stringify(evidence)}`);
    }
});

test("of a crowd fewer declines are enough: customers of their own have few", () => {
  for (const [evidence, expected] of [
    [of(20, 20, 16), "none"],
    [of(20, 20, 17), "slow"],
    [of(40, 40, 28), "none"],
    [of(40, 40, 29), "refuse"],
    [{ ...of(60, 60, 34), newest: 50 }, "none"],
    [{ ...of(60, 60, 35), newest: 50 }, "refuse"],
  ] as const)
    assert.equal(suspicionOf("crowd", evidence, DEFAULT_CARD_TESTING), expected, JSON.stringify(evidence));
});

test("many approved cards of one range are no sign, unless the operator takes half of a merchant's cards for one", () => {
  const rows: readonly (readonly [Signal, Evidence, string, string])[] = [
    ["range", of(40, 40, 0, 80), "refuse", "none"],
    ["range", of(40, 40, 0, 81), "none", "none"],
    ["range", of(20, 20, 0, 40), "slow", "none"],
    ["range", of(19, 19, 0, 19), "none", "none"],
    // An address or a token may be all of a merchant's traffic.
    ["address", of(100, 100, 0, 100), "none", "none"],
    ["token", of(100, 100, 0, 100), "none", "none"],
  ];
  for (const [signal, evidence, set, byDefault] of rows)
    assert.deepEqual(
      [suspicionOf(signal, evidence, WITHOUT_DECLINES), suspicionOf(signal, evidence, DEFAULT_CARD_TESTING)],
      [set, byDefault],
    );
});

test("while two thirds of a range's cards are not answered, the next one waits", () => {
  const asked = (pending: number, answered: number) => of(pending + answered, answered, 0, AMONG, pending);
  assert.equal(suspicionOf("range", asked(20, 9), DEFAULT_CARD_TESTING), "wait");
  assert.equal(suspicionOf("range", asked(20, 10), DEFAULT_CARD_TESTING), "none");
  assert.equal(suspicionOf("range", asked(19, 0), DEFAULT_CARD_TESTING), "none");
  assert.equal(suspicionOf("token", asked(200, 0), DEFAULT_CARD_TESTING), "none");
  // What was refused is not being asked.
  assert.equal(suspicionOf("range", of(200, 0, 0), DEFAULT_CARD_TESTING), "none");
});

test("an answer is held back by a tenth of a second a card, and two seconds at most", () => {
  assert.deepEqual(
    [20, 25, 39, 60].map((cards) => slowedMs(of(cards, cards, cards), DEFAULT_CARD_TESTING)),
    [100, 600, 2_000, 2_000],
  );
});

test("a drip from one address adds up over an hour, of a range, a crowd and a token over ten minutes", () => {
  assert.deepEqual(
    (["address", "range", "crowd", "token"] as const).map((signal) => windowMs(signal, DEFAULT_CARD_TESTING)),
    [3_600_000, 600_000, 600_000, 600_000],
  );
});

test("declines that speak of a broken system, or of a known card without money, tell of no card testing", () => {
  for (const category of ["do-not-retry", "wrong-data", "suspected-fraud", "refused"] as const)
    assert.ok(tellsOfTesting(category), category);
  for (const category of [
    "configuration",
    "try-later",
    "wrong-state",
    "already-settled",
    "insufficient-funds",
    "limit-exceeded",
  ] as const)
    assert.ok(!tellsOfTesting(category), category);
});
