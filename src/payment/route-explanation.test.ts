import assert from "node:assert/strict";
import { test } from "node:test";
import { candidate, ROUTABLE } from "../../test/routing.ts";
import { amountOf } from "./money.ts";
import { explainRoute } from "./route-explanation.ts";
import { type Candidate, chooseProcessor, type Routable } from "./routing.ts";
import { NO_RULES, type RoutingRule } from "./routing-rules.ts";

const rule = (name: string, when: RoutingRule["when"], ...ids: readonly string[]): RoutingRule => ({
  name,
  when,
  processors: ids.map((item) => ({ item, weight: 1 })),
});

const chance = () => 0;

function explained(
  charge: Partial<Routable>,
  candidates: readonly Candidate[],
  rules: readonly RoutingRule[] = [],
  failing: readonly string[] = [],
) {
  const whole = { ...ROUTABLE, ...charge };
  const routing = rules.length === 0 ? NO_RULES : { version: 1, rules };
  const draw = { chance, routing, admits: ({ record }: Candidate) => !failing.includes(record.id) };
  const explanation = explainRoute(whole, candidates, draw);
  const route = chooseProcessor(whole, candidates, draw);
  // What it says is what happens.
  assert.deepEqual(
    explanation.order.map(({ candidate }) => candidate),
    route.kind === "route" ? route.candidates : [],
  );
  assert.deepEqual(explanation.refused, route.kind === "refused" ? route : undefined);
  return explanation;
}

test("without rules", () => {
  const { why, order, rule: deciding } = explained({}, [candidate("a"), candidate("b")]);
  assert.deepEqual(why, ["There are no rules: all that can take the charge are equally likely."]);
  assert.deepEqual(
    order.map(({ weight, share }) => [weight, share]),
    [
      [1, 0.5],
      [1, 0.5],
    ],
  );
  assert.equal(deciding, undefined);
});

test("each rule up to the one that decides, with every condition that does not hold", () => {
  const rules = [
    rule(
      "Everything wrong",
      {
        currencies: ["CAD"],
        brands: ["amex"],
        cardRanges: [{ from: "5", to: "5" }],
        countries: ["CA"],
        amountAtLeast: amountOf(2_000n),
        airline: true,
        meta: [{ name: "channel", values: ["app"] }],
      },
      "a",
    ),
    rule("Small", { amountAtMost: amountOf(1_000n), countries: ["CA"], airline: false }, "a"),
    rule("Nobody there", {}, "c"),
    rule("The rest", {}, "b"),
    rule("Never asked", {}, "a"),
  ];
  const candidates = [candidate("a"), candidate("b"), candidate("c", { inRotation: false })];
  const { why, rule: deciding } = explained({ country: "FR" }, candidates, rules);
  assert.deepEqual(why, [
    "Rule 1 (Everything wrong) does not apply: the currency is USD; the brand is visa; the card is in none of its ranges; " +
      "the country is FR; the amount is below 20.00; there is no airline data; meta has other values.",
    "Rule 2 (Small) does not apply: the amount is above 10.00; the country is FR.",
    "Rule 3 (Nobody there) applies, but none of its processors can take the charge.",
    "Rule 4 (The rest) decides.",
    "c cannot take the charge: it is not in rotation.",
  ]);
  assert.equal(deciding?.name, "The rest");
});

test("a record whose processor cannot express the charge is left out, with the limit", () => {
  const cannotExpress = () => [{ field: "threeds_cavv", limit: "at most 100 characters" }];
  const { order, why } = explained({}, [candidate("a", { cannotExpress }), candidate("b")], []);
  assert.deepEqual(
    order.map(({ candidate: { record } }) => record.id),
    ["b"],
  );
  assert.ok(why.includes("a cannot take the charge: it cannot express threeds_cavv: at most 100 characters."));
});

test("no rule decides", () => {
  const { why } = explained(
    { passengers: 1 },
    [candidate("a")],
    [rule("Not flying", { airline: false, countries: ["CA"] }, "a")],
  );
  assert.deepEqual(why, [
    "Rule 1 (Not flying) does not apply: there is airline data; there is no country.",
    "No rule decides: all that can take the charge are equally likely.",
  ]);
});

test("why each record cannot take the charge, and what it is refused for", () => {
  const candidates = [
    candidate("off", { enabled: false }),
    candidate("out", { inRotation: false }),
    candidate("yen", { currency: "JPY" }),
    candidate("other", { brands: ["amex"] }),
    candidate("needy", { requires: { cvv: ["visa"], document: true } }),
  ];
  const { why, order, refused } = explained({ currency: "USD" }, candidates);
  assert.deepEqual(why, [
    "off cannot take the charge: it is switched off.",
    "out cannot take the charge: it is not in rotation.",
    "yen cannot take the charge: its currency is JPY.",
    "other cannot take the charge: it does not take the brand visa.",
    "needy cannot take the charge: it needs card_cvv and document_number.",
  ]);
  assert.deepEqual(order, []);
  assert.deepEqual(
    refused?.refusals.map(({ name }) => name),
    ["cvv-required", "document-required"],
  );
});

test("several currencies and none sent", () => {
  const { why } = explained({}, [candidate("a"), candidate("b", { currency: "CAD" })]);
  assert.deepEqual(why, ["Those that can take it have several currencies, and the charge names none."]);
});

test("a named processor", () => {
  const { why, order } = explained(
    { processorId: "a" },
    [candidate("a", { inRotation: false })],
    [rule("Any", {}, "b")],
  );
  assert.deepEqual(why, ["The charge names its processor, so nothing is drawn and no rule is asked."]);
  assert.deepEqual(
    order.map(({ share }) => share),
    [1],
  );
  assert.equal(explained({ processorId: "z" }, []).refused?.refusals[0].name, "processor-unknown");
});

test("a record that is out of the draw", () => {
  const candidates = [candidate("a"), candidate("b"), candidate("c")];
  const { why, order } = explained({}, candidates, [rule("Any", {}, "a", "b", "c")], ["a"]);
  assert.deepEqual(why, [
    "Rule 1 (Any) decides.",
    "a is out of the draw, because charges fail there: it is tried last.",
  ]);
  assert.deepEqual(
    order.map(({ candidate: { record }, share }) => [record.id, share]),
    [
      ["b", 0.5],
      ["c", 0.5],
      ["a", 0],
    ],
  );
});
