import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { smallAmountIn } from "./card-testing-amounts.ts";
import { CURRENCY_CODES, exponentOf, isCurrency } from "./currency.ts";
import { amountOf, renderAmount } from "./money.ts";

test("ten dollars are as much in other currencies, by magnitude", () => {
  const ten = amountOf(1_000n);
  for (const [currency, expected] of [
    ["USD", "10.00"],
    ["EUR", "10.00"],
    ["CAD", "10.00"],
    ["JPY", "2000.00"],
    ["KRW", "10000.00"],
    ["KWD", "2.00"],
    ["BHD", "5.00"],
    ["IDR", "200000.00"],
    ["BRL", "50.00"],
    ["HUF", "5000.00"],
  ] as const)
    assert.equal(renderAmount(smallAmountIn(ten, currency)), expected, currency);
  assert.equal(renderAmount(smallAmountIn(amountOf(1n), "KWD")), "0.00", "a cent is less than anything can be charged");
});

test("every currency without a minor unit has a rate, and none is in the table twice or unknown", () => {
  const text = readFileSync(new URL("./card-testing-amounts.ts", import.meta.url), "utf8");
  const named = [...text.matchAll(/^ {2}"[\d.]+": "([A-Z ]+)",$/gm)].flatMap(([, list = ""]) => list.split(" "));
  assert.ok(named.length > 100);
  assert.equal(new Set(named).size, named.length);
  assert.deepEqual(
    named.filter((currency) => !isCurrency(currency)),
    [],
  );
  const wholeOnly = CURRENCY_CODES.filter((currency) => exponentOf(currency) === 0);
  assert.deepEqual(
    wholeOnly.filter((currency) => !named.includes(currency)),
    [],
  );
});
