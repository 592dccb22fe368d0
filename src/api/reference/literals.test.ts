// Values of samples mean the same in each language.

import assert from "node:assert/strict";
import { test } from "node:test";
import { literal } from "./literals.ts";

const VALUE = { amount: "3.56", "search[zip]": "$5", enabled: true, none: null, legs: [{ fare: 1 }], meta: {} };

test("a value is written as each language writes it", () => {
  assert.equal(
    literal(VALUE, "javascript"),
    '{\n  amount: "3.56",\n  "search[zip]": "$5",\n  enabled: true,\n  none: null,\n  legs: [\n    {\n      fare: 1,\n    },\n  ],\n  meta: {},\n}',
  );
  assert.equal(literal({ enabled: false, none: null }, "python"), '{\n    "enabled": False,\n    "none": None,\n}');
  assert.equal(literal({ price: "$5", legs: [] }, "php"), '[\n    "price" => "\\$5",\n    "legs" => [],\n]');
});

test("JavaScript reads it back as it was", () => {
  assert.deepEqual(new Function(`return (${literal(VALUE, "javascript", 2)})`)(), VALUE);
});
