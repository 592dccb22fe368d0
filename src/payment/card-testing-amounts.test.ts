import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { smallAmountIn } from "./card-testing-amounts.ts";
import { CURRENCY_CODES } from "./currency.ts";
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
    ["HUF", "2000.00"],
    ["VES", "10000.00"],
    ["IRR", "10000000.00"],
  ] as const)
    assert.equal(renderAmount(smallAmountIn(ten, currency)), expected, currency);
  assert.equal(renderAmount(smallAmountIn(amountOf(1n), "KWD")), "0.00", "a cent is less than anything can be charged");
});

test("every currency that a record can have is in the table once, and no other", () => {
  const text = readFileSync(new URL("./card-testing-amounts.ts", import.meta.url), "utf8");
  const named = [...text.matchAll(/^ {2}"[\d.]+": "([A-Z ]+)",$/gm)].flatMap(([, list = ""]) => list.split(" "));
  assert.deepEqual(named.sort(), CURRENCY_CODES);
});
