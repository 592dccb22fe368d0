// What is said of fares and amounts that do not add up.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fareSum } from "./wrong-charge.ts";

const told = (amount: string, ...fares: readonly (readonly string[])[]) => {
  const legs = fares.map((of) => ({ legs: of.map((fare) => ({ fare })) }));
  return fareSum({ amount, passenger_transport: legs } as unknown as Parameters<typeof fareSum>[0]).amount;
};

test("an amount that is not the sum of all fares is told with both, and nothing is said of what cannot be read", () => {
  for (const [amount, fares, expected] of [
    ["225.25", [["100.00", "50.25"], ["75"]], undefined],
    ["225.24", [["100.00", "50.25"], ["75"]], "must be the sum of all fares, 225.25, but is 225.24"],
    ["75", [["0.01"]], "must be the sum of all fares, 0.01, but is 75.00"],
    ["12.345", [["1"]], undefined],
    ["12", [["1", "x"]], undefined],
    ["12", [["1"], []], undefined],
  ] as const)
    assert.deepEqual(told(amount, ...fares), expected && [expected], amount);
});
