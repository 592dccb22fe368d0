import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cardNumber } from "./card.ts";
import { amountOf } from "./money.ts";
import { type Conditions, decidingRule, NO_RULES, type RuledCharge, unmetConditions } from "./routing-rules.ts";

const CHARGE: RuledCharge = {
  currency: "CAD",
  brand: "visa",
  number: cardNumber("4111111111111111"),
  country: "CA",
  amount: amountOf(1_000n),
  airline: false,
  meta: '{"channel":"app","cart":17,"gift":true,"note":null,"shop":{"channel":"kiosk"}}',
};
const unmet = (when: Conditions, charge: Partial<RuledCharge> = {}) =>
  unmetConditions({ name: "rule", when, processors: [] }, { ...CHARGE, ...charge });
const ranges = (...texts: readonly (readonly [string, string])[]) => ({
  cardRanges: texts.map(([from, to]) => ({ from, to })),
});
const meta = (name: string, ...values: readonly string[]) => ({ meta: [{ name, values }] });

describe("a condition holds", () => {
  const rows: readonly (readonly [string, Conditions, Partial<RuledCharge>?])[] = [
    ["where there is none", {}],
    ["for one of its currencies", { currencies: ["USD", "CAD"] }],
    ["for one of its brands", { brands: ["amex", "visa"] }],
    ["at the first number of a range", ranges(["411111", "411199"])],
    ["at its last number", ranges(["411000", "411111"])],
    ["in one of several ranges", ranges(["5", "5"], ["4", "4"])],
    ["for one of its countries", { countries: ["FR", "CA"] }],
    ["for a country in small letters", { countries: ["CA"] }, { country: "ca" }],
    ["at the least amount", { amountAtLeast: amountOf(1_000n) }],
    ["at the greatest amount", { amountAtMost: amountOf(1_000n) }],
    ["with airline data", { airline: true }, { airline: true }],
    ["without airline data", { airline: false }],
    ["for one of the values of a field", meta("channel", "web", "app")],
    ["for a number in meta", meta("cart", "17")],
    ["for a flag in meta", meta("gift", "true")],
    [
      "for several fields",
      {
        meta: [
          { name: "channel", values: ["app"] },
          { name: "cart", values: ["17"] },
        ],
      },
    ],
  ];
  for (const [name, when, charge] of rows) test(name, () => assert.deepEqual(unmet(when, charge), []));
});

describe("a condition does not hold, and is named", () => {
  const rows: readonly (readonly [string, Conditions, readonly string[], Partial<RuledCharge>?])[] = [
    ["for another currency", { currencies: ["USD"] }, ["currencies"]],
    ["for another brand", { brands: ["amex"] }, ["brands"]],
    ["just before a range", ranges(["411112", "411199"]), ["cardRanges"]],
    ["just past a range", ranges(["411000", "411110"]), ["cardRanges"]],
    ["for a card that is not known", ranges(["4", "4"]), ["cardRanges"], { number: undefined }],
    ["for a field that is not there, whatever its value is called", meta("shop_id", "undefined"), ["meta"]],
    ["for another country", { countries: ["FR"] }, ["countries"]],
    ["without a country", { countries: ["CA"] }, ["countries"], { country: undefined }],
    ["a cent below the least amount", { amountAtLeast: amountOf(1_001n) }, ["amountAtLeast"]],
    ["a cent above the greatest amount", { amountAtMost: amountOf(999n) }, ["amountAtMost"]],
    ["with airline data where there is none", { airline: true }, ["airline"]],
    ["without airline data where there is some", { airline: false }, ["airline"], { airline: true }],
    ["for another value", meta("channel", "web"), ["meta"]],
    ["for a field that is not there", meta("colour", "red"), ["meta"]],
    ["for a field that every object has", meta("constructor", "Object"), ["meta"]],
    ["for null", meta("note", "null"), ["meta"]],
    ["for a field within another", meta("shop", "kiosk"), ["meta"]],
    ["without meta", meta("channel", "app"), ["meta"], { meta: null }],
    [
      "for one of two fields",
      {
        meta: [
          { name: "channel", values: ["app"] },
          { name: "cart", values: ["18"] },
        ],
      },
      ["meta"],
    ],
    ["with all that is wrong", { currencies: ["USD"], brands: ["visa"], airline: true }, ["currencies", "airline"]],
  ];
  for (const [name, when, expected, charge] of rows) test(name, () => assert.deepEqual(unmet(when, charge), expected));
});

test("a rule that applies and names nobody who can take the charge leaves it to the next", () => {
  const rules = [
    { name: "first", when: {}, processors: [{ item: "away", weight: 1 }] },
    { name: "second", when: { brands: ["amex"] as const }, processors: [{ item: "there", weight: 1 }] },
    {
      name: "third",
      when: {},
      processors: [
        { item: "away", weight: 1 },
        { item: "there", weight: 2 },
      ],
    },
  ];
  const decided = (processor: string) => {
    const found = decidingRule({ ...NO_RULES, rules }, CHARGE, (id) => id === processor);
    return found && [found.rule.name, found.processors];
  };
  assert.deepEqual(decided("there"), ["third", [{ item: "there", weight: 2 }]]);
  assert.deepEqual(decided("away"), ["first", [{ item: "away", weight: 1 }]]);
  assert.equal(decided("another"), undefined);
});
