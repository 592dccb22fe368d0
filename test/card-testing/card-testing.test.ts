// The default of the card-testing watch by simulation: ordinary days of five kinds of merchants, and attacks on them. The
// tables of docs/card-testing.md are compared with what comes out.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { DEFAULT_CARD_TESTING } from "../../src/payment/card-testing.ts";
import { FULL, SEED, sized } from "../random.ts";
import { ATTACKS, NOT_STOPPED } from "./attacks.ts";
import { attacked, attackTable, besideAttacks, FULL_DAYS, ordinaryTable } from "./figures.ts";
import { MERCHANTS, ordinaryDay } from "./ordinary-days.ts";
import { play } from "./play.ts";
import { thresholdTable } from "./thresholds.ts";

const DOCS = readFileSync(new URL("../../docs/card-testing.md", import.meta.url), "utf8");

const shown = (rows: readonly string[]): void => {
  for (const row of rows) assert.ok(DOCS.includes(`\n${row}\n`), `docs/card-testing.md does not show ${row}`);
};

test("the docs show what the simulation finds of attacks", async () => {
  shown(await attackTable(ATTACKS, DEFAULT_CARD_TESTING));
  if (FULL) shown(await attackTable(NOT_STOPPED, DEFAULT_CARD_TESTING));
});

test("in any currency the same is refused of an attack and of an ordinary day", async () => {
  const [attack] = ATTACKS;
  const [merchant] = MERCHANTS;
  assert.ok(attack && merchant);
  const ordinary = besideAttacks(merchant, 1);
  const inCurrency = (currency: string) => attacked(ordinary, attack, 1, DEFAULT_CARD_TESTING, currency);
  const dollars = await inCurrency("USD");
  assert.ok(dollars.attackThrough <= 50);
  for (const currency of ["JPY", "KWD", "BRL"]) assert.deepEqual(await inCurrency(currency), dollars, currency);
});

for (const merchant of MERCHANTS) {
  test(`${merchant.name}: fewer than one in ten thousand ordinary sales are refused or slowed`, async () => {
    let [sales, held] = [0, 0];
    for (let day = 0; day < sized(1, FULL_DAYS); day++) {
      const all = ordinaryDay(merchant, SEED + day);
      const { ordinary, refused, slowed } = await play(FULL ? all : all.slice(0, 1_500), DEFAULT_CARD_TESTING);
      sales += ordinary;
      held += refused + slowed;
    }
    assert.ok(held * 10_000 < sales, `${held} of ${sales}, seed ${SEED}`);
  });

  test(`${merchant.name}: any attack is stopped within fifty cards, under each of twenty seeds`, {
    skip: !FULL && "at full size only",
  }, async () => {
    for (const attack of ATTACKS) {
      const through: number[] = [];
      for (let seed = 1; seed <= 20; seed++)
        through.push((await attacked(besideAttacks(merchant, seed), attack, seed, DEFAULT_CARD_TESTING)).attackThrough);
      assert.ok(Math.max(...through) <= 50, `${attack.name}: ${through}`);
    }
  });
}

if (FULL)
  test("the docs show what ordinary days and other settings cost", async () => {
    shown(await ordinaryTable(FULL_DAYS, DEFAULT_CARD_TESTING));
    shown(await thresholdTable(1));
  });
