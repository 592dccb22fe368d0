import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { candidate, ROUTABLE } from "../../test/routing.ts";
import { refused } from "../../test/rulings.ts";
import type { ToExpress } from "./expressible.ts";
import { amountOf } from "./money.ts";
import { type Refusal, refuseAll } from "./refusal.ts";
import { type Candidate, chooseProcessor, type Draw, type Routable } from "./routing.ts";
import type { RoutingRule } from "./routing-rules.ts";

function chosen(
  charge: Partial<Routable>,
  candidates: readonly Candidate[],
  chance = () => 0,
  draw: Partial<Draw<Candidate>> = {},
) {
  const route = chooseProcessor({ ...ROUTABLE, ...charge }, candidates, { chance, ...draw });
  return route.kind === "refused" ? route : route.candidates.map(({ record }) => record.id);
}
const all = (...refusals: readonly Refusal[]) => refuseAll(refusals);
const chargesIn = (currency: string): Refusal => ({ name: "currency-differs", field: "currency", currency });

const NAMED = { processorId: "a" };
const CPF = "529.982.247-25";
const YEN = candidate("a", { currency: "JPY" });
const NO_CENTS: Refusal = { name: "processor-cannot-express", field: "amount", limit: "whole amounts" };
const LIMITED = {
  cannotExpress: ({ amount = amountOf(0n) }: ToExpress) =>
    amount % 100n === 0n ? [] : [{ field: "amount", limit: "whole amounts" }],
};
const CENTLESS = candidate("a", LIMITED);
const FARES = [150n, 150n].map((fare, leg) => ({
  field: `passenger_transport.0.legs.${leg}.fare`,
  amount: amountOf(fare),
}));

describe("a named processor takes the charge, or it is said why not", () => {
  const rows: readonly (readonly [string, Partial<Routable>, readonly Candidate[], unknown])[] = [
    ["as it is", {}, [candidate("a"), candidate("b")], ["a"]],
    ["out of rotation", {}, [candidate("a", { inRotation: false })], ["a"]],
    ["in its own currency", { currency: "USD" }, [candidate("a")], ["a"]],
    ["unknown", {}, [candidate("b")], refused("processor-unknown", "processor_id")],
    ["switched off", {}, [candidate("a", { enabled: false })], refused("processor-disabled", "processor_id")],
    ["in another currency", { currency: "CAD" }, [candidate("a")], all(chargesIn("USD"))],
    ["of another brand", {}, [candidate("a", { brands: ["amex"] })], refused("brand-not-taken", "card_number")],
    ["with the CVV that it demands", { hasCvv: true }, [candidate("a", { requires: { cvv: ["visa"] } })], ["a"]],
    ["without it", {}, [candidate("a", { requires: { cvv: ["visa"] } })], refused("cvv-required", "card_cvv")],
    ["without one that it demands of other brands", {}, [candidate("a", { requires: { cvv: ["amex"] } })], ["a"]],
    [
      "with names of two characters",
      { firstName: "Li", lastName: "Wu" },
      [candidate("a", { requires: { names: true } })],
      ["a"],
    ],
    [
      "with names beyond the basic plane",
      { firstName: "𠀋𠀋", lastName: "Wu" },
      [candidate("a", { requires: { names: true } })],
      ["a"],
    ],
    [
      "with a name of one character and without the other",
      { firstName: "L" },
      [candidate("a", { requires: { names: true } })],
      all({ name: "name-required", field: "first_name" }, { name: "name-required", field: "last_name" }),
    ],
    [
      "with a name of one character beyond the basic plane",
      { firstName: "𠀋", lastName: "Wu" },
      [candidate("a", { requires: { names: true } })],
      refused("name-required", "first_name"),
    ],
    ["with a CPF", { documentNumber: CPF }, [candidate("a", { requires: { document: true } })], ["a"]],
    [
      "with a CPF whose check digits are wrong",
      { documentNumber: "529.982.247-26" },
      [candidate("a", { requires: { document: true } })],
      refused("document-required", "document_number"),
    ],
    [
      "an amount that is money in its currency",
      { amounts: [{ field: "amount", amount: amountOf(100n) }] },
      [YEN],
      ["a"],
    ],
    ["what its processor can express", {}, [candidate("a", { cannotExpress: () => [] })], ["a"]],
    ["what it cannot express", {}, [CENTLESS], all(NO_CENTS)],
    [
      "neither it nor the currency can",
      {},
      [candidate("a", { ...CENTLESS.record, ...LIMITED, currency: "JPY" })],
      refused("amount-not-in-currency", "amount"),
    ],
    [
      "what it cannot express, and a brand that it does not take",
      {},
      [candidate("a", { ...LIMITED, brands: ["amex"] })],
      all({ name: "brand-not-taken", field: "card_number" }, NO_CENTS),
    ],
    ["an amount that is none", {}, [YEN], refused("amount-not-in-currency", "amount")],
    [
      "fares that are none, all of them named, with what else is wrong",
      { amounts: [...FARES, { field: "amount", amount: amountOf(300n) }] },
      [candidate("a", { currency: "JPY", requires: { cvv: ["visa"] } })],
      all(
        { name: "cvv-required", field: "card_cvv" },
        { name: "amount-not-in-currency", field: "passenger_transport.0.legs.0.fare" },
        { name: "amount-not-in-currency", field: "passenger_transport.0.legs.1.fare" },
      ),
    ],
    ["of its amount nothing in another currency", { currency: "CAD" }, [YEN], all(chargesIn("JPY"))],
    [
      "with all that can be wrong, all of it named",
      { currency: "CAD" },
      [candidate("a", { brands: [], requires: { cvv: ["visa"], names: true, document: true } })],
      all(
        chargesIn("USD"),
        { name: "brand-not-taken", field: "card_number" },
        { name: "cvv-required", field: "card_cvv" },
        { name: "name-required", field: "first_name" },
        { name: "name-required", field: "last_name" },
        { name: "document-required", field: "document_number" },
      ),
    ],
  ];
  for (const [name, charge, candidates, expected] of rows)
    test(name, () => assert.deepEqual(chosen({ ...NAMED, ...charge }, candidates), expected));
});

describe("a processor is drawn among those that can, or it is said what is missing", () => {
  const rows: readonly (readonly [string, Partial<Routable>, readonly Candidate[], unknown])[] = [
    [
      "enabled and in rotation",
      {},
      [candidate("a", { enabled: false }), candidate("b", { inRotation: false }), candidate("c")],
      ["c"],
    ],
    ["none is", {}, [candidate("a", { enabled: false })], refused("no-processor-in-rotation", "processor_id")],
    ["none exists", { currency: "CAD" }, [], refused("no-processor-in-rotation", "processor_id")],
    [
      "in the currency that was sent",
      { currency: "CAD" },
      [candidate("a"), candidate("b", { currency: "CAD" })],
      ["b"],
    ],
    ["none in it", { currency: "CAD" }, [candidate("a", { brands: [] })], refused("currency-differs", "currency")],
    ["that takes the brand", {}, [candidate("a", { brands: ["amex"] }), candidate("b")], ["b"]],
    [
      "none takes it",
      {},
      [candidate("a", { brands: [], requires: { names: true } })],
      refused("brand-not-taken", "card_number"),
    ],
    [
      "whose conditional fields are there",
      {},
      [candidate("a", { requires: { cvv: ["visa"] } }), candidate("b")],
      ["b"],
    ],
    [
      "none, and each missing field once",
      {},
      [
        candidate("a", { requires: { cvv: ["visa"] } }),
        candidate("b", { requires: { cvv: ["visa"], document: true } }),
      ],
      all({ name: "cvv-required", field: "card_cvv" }, { name: "document-required", field: "document_number" }),
    ],
    [
      "in two currencies, and none was sent",
      {},
      [candidate("a"), candidate("b", { currency: "CAD" })],
      refused("currency-ambiguous", "currency"),
    ],
    ["in a currency without such an amount", {}, [YEN], refused("amount-not-in-currency", "amount")],
    ["that can express it", {}, [CENTLESS, candidate("b")], ["b"]],
    [
      "all that can express it",
      { amounts: [{ field: "amount", amount: amountOf(1_000n) }] },
      [CENTLESS, candidate("b")],
      ["a", "b"],
    ],
    ["none that can express it: the limit, once", {}, [CENTLESS, candidate("b", LIMITED)], all(NO_CENTS)],
    [
      "one without a field that it needs, and one that cannot express it",
      {},
      [CENTLESS, candidate("b", { requires: { cvv: ["visa"] } })],
      all(NO_CENTS),
    ],
    [
      "in two currencies, of which one cannot express it: what is charged is not drawn by lot",
      {},
      [CENTLESS, candidate("b", { currency: "CAD" })],
      refused("currency-ambiguous", "currency"),
    ],
    [
      "in two currencies, of which one has no such amount: what is charged is not drawn by lot",
      {},
      [YEN, candidate("b")],
      refused("currency-ambiguous", "currency"),
    ],
    [
      "in two currencies, of which one cannot",
      {},
      [candidate("a"), candidate("b", { currency: "CAD", brands: [] })],
      ["a"],
    ],
  ];
  for (const [name, charge, candidates, expected] of rows)
    test(name, () => assert.deepEqual(chosen(charge, candidates), expected));
});

test("every order of the eligible ones comes up as often as any other", () => {
  const candidates = ["a", "b", "c"].map((id) => candidate(id));
  const steps = [0, 1, 2, 3, 4, 5].map((step) => (step + 0.5) / 6);
  const orders = steps
    .flatMap((first) => steps.map((second) => [first, second, 0] as const))
    .map((chances) => {
      const left = [...chances];
      return chosen({}, candidates, () => left.shift() ?? 0);
    });
  const times = Map.groupBy(orders, (order) => String(order));
  assert.deepEqual([...times.keys()].sort(), ["a,b,c", "a,c,b", "b,a,c", "b,c,a", "c,a,b", "c,b,a"]);
  for (const [order, { length }] of times) assert.equal(length, 6, order);
});

test("a chance just below one draws the last, not one past it", () => {
  assert.deepEqual(
    chosen({}, [candidate("a"), candidate("b")], () => 1 - Number.EPSILON / 2),
    ["b", "a"],
  );
});

/** `a:3 b` is a with a weight of 3, and b with a weight of 1. */
const rule = (processors: string, when: RoutingRule["when"] = {}): RoutingRule => ({
  name: processors,
  when,
  processors: processors.split(" ").map((one) => {
    const [item = "", weight = "1"] = one.split(":");
    return { item, weight: Number(weight) };
  }),
});

describe("the first rule that applies, and names a processor that can take the charge, decides", () => {
  const [A, B, C] = [candidate("a"), candidate("b"), candidate("c")];
  const ALL = [A, B, C];
  const rows: readonly (readonly [string, Partial<Routable>, readonly Candidate[], readonly RoutingRule[], unknown])[] =
    [
      ["the first of two that apply", {}, ALL, [rule("b"), rule("c")], ["b"]],
      ["one that does not apply is passed over", {}, ALL, [rule("b", { airline: true }), rule("c")], ["c"]],
      ["no rule applies: any that can", {}, ALL, [rule("b", { airline: true })], ["a", "b", "c"]],
      ["those that it does not name are not tried", {}, ALL, [rule("c b")], ["c", "b"]],
      ["without weights the order of the rule", {}, ALL, [rule("c:0 a:0 b:0")], ["c", "a", "b"]],
      ["one without a weight comes last", {}, ALL, [rule("c:0 b:1")], ["b", "c"]],
      ["of its processors those that can", {}, [A, candidate("b", { brands: [] })], [rule("b a")], ["a"]],
      [
        "one none of whose processors can is passed over",
        {},
        [A, candidate("b", { inRotation: false }), candidate("c", { enabled: false })],
        [rule("b c"), rule("a")],
        ["a"],
      ],
      ["a processor that the charge names is asked whatever the rules say", NAMED, ALL, [rule("b")], ["a"]],
      [
        "what is charged is not left to a rule: two currencies and none sent",
        {},
        [A, candidate("b", { currency: "CAD" })],
        [rule("a")],
        refused("currency-ambiguous", "currency"),
      ],
      ["the currency is that of those that can", {}, [A, B], [rule("b", { currencies: ["USD"] })], ["b"]],
      [
        "its amount is that of the whole charge, and of no fare in it",
        { amounts: [...FARES, { field: "amount", amount: amountOf(300n) }, ...FARES] },
        ALL,
        [rule("a", { amountAtMost: amountOf(299n) }), rule("b", { amountAtLeast: amountOf(300n) }), rule("c")],
        ["b"],
      ],
      [
        "a rule widens nothing",
        { brand: "amex" },
        [candidate("a", { brands: ["visa"] })],
        [rule("a")],
        refused("brand-not-taken", "card_number"),
      ],
    ];
  for (const [name, charge, candidates, rules, expected] of rows)
    test(name, () =>
      assert.deepEqual(
        chosen(charge, candidates, () => 0, { routing: { version: 1, rules } }),
        expected,
      ),
    );
});

describe("a processor that fails is out of the draw", () => {
  const ALL = ["a", "b", "c"].map((id) => candidate(id));
  const without = (...ids: readonly string[]) => ({ admits: ({ record }: Candidate) => !ids.includes(record.id) });
  const order = (draw: Partial<Draw<Candidate>>, charge: Partial<Routable> = {}) => chosen(charge, ALL, () => 0, draw);

  test("it comes after all others, and they are in the order in which they were drawn", () => {
    assert.deepEqual(order(without("a")), ["b", "c", "a"]);
    assert.deepEqual(order(without("a", "b")), ["c", "a", "b"]);
  });

  test("also after those of its rule that have no weight", () => {
    const routing = { version: 1, rules: [rule("c:0 a:2 b:1")] };
    assert.deepEqual(order({ routing, ...without("a", "b") }), ["c", "a", "b"]);
  });

  test("where all fail they are drawn as ever", () => {
    assert.deepEqual(order(without("a", "b", "c")), ["a", "b", "c"]);
  });

  test("one that is named is asked all the same", () => {
    assert.deepEqual(order(without("a"), NAMED), ["a"]);
  });
});
