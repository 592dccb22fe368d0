import assert from "node:assert/strict";
import { test } from "node:test";
import { aboutTheCard, defaultCardTesting, type Evidence, type Signal, slowedMs, suspicionOf } from "./card-testing.ts";

const LIVE = defaultCardTesting("live");
const SANDBOX = defaultCardTesting("sandbox");
/** A merchant with much else to do. */
const AMONG = 1_000;

const of = (cards: number, answered: number, declined: number, merchantCards = AMONG, pending = 0): Evidence => ({
  cards,
  answered,
  pending,
  declined,
  merchantCards,
});

test("many cards of which most are declined are slowed from half the limit on, and refused at it", () => {
  for (const signal of ["range", "address", "token"] as const)
    for (const settings of [LIVE, SANDBOX]) {
      const rows: readonly (readonly [Evidence, string])[] = [
        [of(19, 19, 19), "none"],
        [of(20, 20, 14), "none"],
        [of(20, 20, 15), "slow"],
        [of(39, 39, 39), "slow"],
        [of(40, 40, 29), "none"],
        [of(40, 40, 30), "refuse"],
        [of(40, 40, 0), "none"],
        // Too few are answered to tell.
        [of(30, 10, 10), "slow"],
        [of(40, 10, 10), "refuse"],
      ];
      for (const [evidence, expected] of rows)
        assert.equal(suspicionOf(signal, evidence, settings), expected, `${signal} ${JSON.stringify(evidence)}`);
    }
});

test("in live mode many cards of one range are refused though they are approved, where they are half of the merchant's", () => {
  const rows: readonly (readonly [Signal, Evidence, string, string])[] = [
    ["range", of(40, 40, 0, 80), "refuse", "none"],
    ["range", of(40, 40, 0, 81), "none", "none"],
    ["range", of(20, 20, 0, 40), "slow", "none"],
    ["range", of(19, 19, 0, 19), "none", "none"],
    // An address or a token may be all of a merchant's traffic.
    ["address", of(100, 100, 0, 100), "none", "none"],
    ["token", of(100, 100, 0, 100), "none", "none"],
  ];
  for (const [signal, evidence, live, sandbox] of rows)
    assert.deepEqual([suspicionOf(signal, evidence, LIVE), suspicionOf(signal, evidence, SANDBOX)], [live, sandbox]);
});

test("while three quarters of a range's cards are not answered, the next one waits", () => {
  const asked = (pending: number, answered: number) => of(pending + answered, answered, 0, AMONG, pending);
  assert.equal(suspicionOf("range", asked(20, 6), SANDBOX), "wait");
  assert.equal(suspicionOf("range", asked(20, 7), SANDBOX), "none");
  assert.equal(suspicionOf("range", asked(19, 0), SANDBOX), "none");
  assert.equal(suspicionOf("token", asked(200, 0), SANDBOX), "none");
  // What was refused is not being asked.
  assert.equal(suspicionOf("range", of(200, 0, 0), SANDBOX), "none");
});

test("an answer is held back by a tenth of a second a card, and two seconds at most", () => {
  assert.deepEqual(
    [20, 25, 39, 60].map((cards) => slowedMs(of(cards, cards, cards), LIVE)),
    [100, 600, 2_000, 2_000],
  );
});

test("declines that speak of a broken system tell nothing about a card", () => {
  for (const category of ["do-not-retry", "insufficient-funds", "wrong-data", "refused"] as const)
    assert.ok(aboutTheCard(category), category);
  for (const category of ["configuration", "try-later", "wrong-state", "already-settled"] as const)
    assert.ok(!aboutTheCard(category), category);
});
