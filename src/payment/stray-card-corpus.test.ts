// How often innocent numbers are refused and hidden card numbers are found, on a hundred thousand of the ones and ten
// thousand of the others. The table in docs/decisions/stray-card-numbers.md is of seed 1; CORPUS_TABLE=1 prints it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { HIDDEN } from "../../test/fixtures/hidden-card-numbers.ts";
import { INNOCENTS } from "../../test/fixtures/innocent-numbers.ts";
import { type Chance, chanceOf, type Placed } from "../../test/fixtures/number-pieces.ts";
import { Secret } from "./secret.ts";
import { digitsOfNumber, holdsCardNumber } from "./stray-card-number.ts";

/** Of the request that the value comes with. */
const own = new Secret("card number", "4929939187355598");

const isRefused = ({ place, name, literal, text }: Placed): boolean =>
  holdsCardNumber(literal ? digitsOfNumber(text) : text, {
    own,
    ...(place === "identifier" && { purpose: "identifier" }),
    ...(name !== undefined && { name }),
  });

type Kinds = Readonly<Record<string, (chance: Chance) => Placed>>;

/** Kind → how many of so many were refused. */
function refusedOf(kinds: Kinds, each: number, seed: number, tell: (line: string) => void): Map<string, number> {
  const refused = new Map<string, number>();
  for (const [kind, make] of Object.entries(kinds)) {
    const chance = chanceOf(seed + kind.length * 7_919 + (kind.charCodeAt(3) || 0));
    const examples: string[] = [];
    let count = 0;
    for (let nth = 0; nth < each; nth++) {
      const placed = make(chance);
      const is = isRefused(placed);
      if (is) count += 1;
      if (is === (kinds === INNOCENTS) && examples.length < 5) examples.push(JSON.stringify(placed));
    }
    refused.set(kind, count);
    tell(`${kind} | ${((count / each) * 100).toFixed(3)} %`);
    if (process.env.CORPUS_TABLE === "2") for (const example of examples) tell(`    ${example}`);
  }
  return refused;
}

const sum = (counts: Map<string, number>) => [...counts.values()].reduce((total, count) => total + count, 0);

for (const seed of [1, 20_260_117, 424_242, 9_000_001]) {
  test(`innocent numbers are let through: fewer than one in a thousand, and than three in a thousand of a kind (seed ${seed})`, (t) => {
    const tell = process.env.CORPUS_TABLE ? (line: string) => t.diagnostic(line) : () => undefined;
    const kinds = Object.keys(INNOCENTS).length;
    const each = Math.ceil(100_000 / kinds);
    const refused = refusedOf(INNOCENTS, each, seed, tell);
    tell(`all | ${((sum(refused) / (each * kinds)) * 100).toFixed(3)} %`);
    for (const [kind, count] of refused) assert.ok(count < each * 0.003, `${kind}: ${count} of ${each}`);
    assert.ok(sum(refused) < each * kinds * 0.001, `${sum(refused)} of ${each * kinds}`);
  });

  test(`hidden card numbers are found: 995 of a thousand (seed ${seed})`, (t) => {
    const tell = process.env.CORPUS_TABLE ? (line: string) => t.diagnostic(line) : () => undefined;
    const found = refusedOf(HIDDEN, 1_000, seed, tell);
    tell(`all | ${(sum(found) / 100).toFixed(2)} %`);
    assert.ok(sum(found) >= 9_950, `${sum(found)} of 10000`);
  });
}
