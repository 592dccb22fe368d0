// Cards that are stored while, or before, cards are tested: refused as charges are, and no sign by themselves.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cardNumber } from "../payment/card.ts";
import { DEFAULT_CARD_TESTING } from "../payment/card-testing.ts";
import { amountOf } from "../payment/money.ts";
import { cardTestingWatch } from "./card-testing.ts";

const ADDRESS = "203.0.113.7";

function bench() {
  const held: number[] = [];
  const wait = async (ms: number) => void held.push(ms);
  const watch = cardTestingWatch(Buffer.alloc(32, 7), DEFAULT_CARD_TESTING, { nowMs: () => 0, wait });
  const of = (digits: string, ipAddress: string, tokenId: string) => ({
    ...{ merchantId: "merchant", tokenId, settings: null, card: cardNumber(digits), ipAddress },
  });
  return {
    watch,
    held,
    /** A small charge that is declined. @returns whether it went on */
    tested: async (digits: string, tokenId = "token"): Promise<boolean> => {
      const admitted = await watch.admit({ ...of(digits, ADDRESS, tokenId), amount: amountOf(100n), currency: "USD" });
      admitted?.ended({ kind: "declined", category: "wrong-data" });
      return admitted !== undefined;
    },
    mayStore: (digits: string, ipAddress = ADDRESS) => watch.mayStore(of(digits, ipAddress, "token")),
  };
}

const guessed = (count: number, range = "411111") =>
  Array.from({ length: count }, (_, nth) => `${range}${String(nth).padStart(10, "0")}`);

test("while cards are being tested, none that they have something in common with is stored, and others are", async () => {
  const { watch, tested, mayStore } = bench();
  for (const digits of guessed(60)) await tested(digits, "other token");
  assert.equal(await mayStore("4111119999999999", "10.0.0.1"), false, "of the range");
  assert.equal(await mayStore("5555550000000000"), false, "from the address");
  assert.equal(await mayStore("5555550000000000", "10.0.0.1"), true);
  assert.ok(watch.takeReports().some(({ refused }) => refused > 0));
});

test("cards that are only stored are never refused for their number, and hide no attack", async () => {
  const { tested, mayStore, held } = bench();
  for (const digits of guessed(300)) assert.ok(await mayStore(digits));
  assert.deepEqual(held, []);
  const passed: boolean[] = [];
  for (const digits of guessed(100)) {
    for (const stored of guessed(3, `4111${digits.slice(-2)}`)) await mayStore(stored);
    passed.push(await tested(digits));
  }
  assert.deepEqual(passed, [...Array(40).fill(true), ...Array(60).fill(false)]);
});
