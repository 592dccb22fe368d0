// Why a charge would go where it goes, in sentences for the operator: by the same rules as the choice itself.

import { shareOf } from "./draw.ts";
import { type Amount, renderAmount } from "./money.ts";
import type { Refused } from "./refusal.ts";
import {
  type Candidate,
  type Choice,
  choiceAmong,
  chooseProcessor,
  type Draw,
  drawAmong,
  eligibleFor,
  missingFields,
  type Routable,
  ruled,
  unexpressed,
} from "./routing.ts";
import {
  type ConditionName,
  NO_RULES,
  type Routing,
  type RoutingRule,
  type RuledCharge,
  unmetConditions,
} from "./routing-rules.ts";

export interface ExplainedRoute<C extends Candidate> {
  readonly refused: Refused | undefined;
  /** In the order in which they would be tried; empty if it is refused. */
  readonly order: readonly Drawn<C>[];
  readonly rule: RoutingRule | undefined;
  readonly why: readonly string[];
}

export interface Drawn<C extends Candidate> {
  readonly candidate: C;
  readonly weight: number;
  /** How often it comes first: from 0 to 1. */
  readonly share: number;
}

/** @param candidates all records of the merchant */
export function explainRoute<C extends Candidate>(
  charge: Routable,
  candidates: readonly C[],
  draw: Draw<C>,
): ExplainedRoute<C> {
  if (charge.processorId !== undefined) return explainNamed(charge, candidates, draw);
  const eligible = eligibleFor(charge, candidates);
  const others = candidates.flatMap((one) => obstacles(charge, one));
  if ("kind" in eligible) {
    const ambiguous = eligible.refusals.some(({ name }) => name === "currency-ambiguous");
    const why = [...others, ...(ambiguous ? [AMBIGUOUS] : [])];
    return { refused: eligible, order: [], rule: undefined, why };
  }
  const { routing = NO_RULES, admits = () => true } = draw;
  const choice = choiceAmong(eligible, charge, routing);
  const why = [
    ...rulesInWords(routing, ruled(charge, eligible[0].record.currency), choice.rule),
    ...others,
    ...choice.weighted.flatMap(({ item }) => (admits(item) ? [] : [`${item.record.name} ${IS_OUT}`])),
    ...afterDecline(choice.weighted.length, routing),
  ];
  return { refused: undefined, order: drawn(choice, draw), rule: choice.rule, why };
}

const afterDecline = (candidates: number, { attemptsAtMost = 1 }: Routing): string[] =>
  attemptsAtMost === 1 || candidates === 1
    ? []
    : [
        `After a decline that another may not give, the next one is asked: ${Math.min(attemptsAtMost, candidates)} at most.`,
      ];

const IS_OUT = "is out of the draw, because charges fail there: it is tried last.";
const AMBIGUOUS = "Those that can take it have several currencies, and the charge names none.";

function explainNamed<C extends Candidate>(
  charge: Routable,
  candidates: readonly C[],
  draw: Draw<C>,
): ExplainedRoute<C> {
  const route = chooseProcessor(charge, candidates, draw);
  const why = ["The charge names its processor, so nothing is drawn and no rule is asked."];
  if (route.kind === "refused") return { refused: route, order: [], rule: undefined, why };
  const order = route.candidates.map((candidate) => ({ candidate, weight: 1, share: 1 }));
  return { refused: undefined, order, rule: undefined, why };
}

function drawn<C extends Candidate>({ weighted }: Choice<C>, draw: Draw<C>): Drawn<C>[] {
  const admitted = weighted.filter(({ item }) => draw.admits?.(item) ?? true);
  const inDraw = admitted.length > 0 ? admitted : weighted;
  return drawAmong(weighted, draw).flatMap((candidate) => {
    const one = weighted.find(({ item }) => item === candidate);
    if (one === undefined) return [];
    return [{ candidate, weight: one.weight, share: inDraw.includes(one) ? shareOf(one, inDraw) : 0 }];
  });
}

function obstacles<C extends Candidate>(charge: Routable, candidate: C): string[] {
  const { record, takes } = candidate;
  const why = () => {
    if (!record.enabled) return "it is switched off";
    if (!record.inRotation) return "it is not in rotation";
    if (charge.currency !== undefined && charge.currency !== record.currency)
      return `its currency is ${record.currency}`;
    if (!takes(charge.brand)) return `it does not take the brand ${charge.brand}`;
    const missing = missingFields(charge, record).map(({ field }) => field);
    if (missing.length > 0) return `it needs ${missing.join(" and ")}`;
    const [refusal] = unexpressed(charge, candidate);
    return refusal === undefined ? undefined : `it cannot express ${refusal.field}: ${refusal.limit}`;
  };
  const obstacle = why();
  return obstacle === undefined ? [] : [`${record.name} cannot take the charge: ${obstacle}.`];
}

/** All rules up to the one that decides. */
function rulesInWords({ rules }: Routing, charge: RuledCharge, deciding: RoutingRule | undefined): string[] {
  if (rules.length === 0) return ["There are no rules: all that can take the charge are equally likely."];
  const asked = deciding === undefined ? rules : rules.slice(0, rules.indexOf(deciding) + 1);
  const words = asked.map((rule, index) => {
    const name = `Rule ${index + 1} (${rule.name})`;
    if (rule === deciding) return `${name} decides.`;
    const unmet = unmetConditions(rule, charge);
    if (unmet.length === 0) return `${name} applies, but none of its processors can take the charge.`;
    return `${name} does not apply: ${unmet.map((condition) => inWords(condition, rule, charge)).join("; ")}.`;
  });
  if (deciding !== undefined) return words;
  return [...words, "No rule decides: all that can take the charge are equally likely."];
}

/** That the condition does not hold. */
function inWords(condition: ConditionName, { when }: RoutingRule, charge: RuledCharge): string {
  switch (condition) {
    case "currencies":
      return `the currency is ${charge.currency}`;
    case "brands":
      return `the brand is ${charge.brand}`;
    case "cardRanges":
      return "the card is in none of its ranges";
    case "countries":
      return charge.country === undefined ? "there is no country" : `the country is ${charge.country}`;
    case "amountAtLeast":
      return `the amount is below ${limit(when.amountAtLeast)}`;
    case "amountAtMost":
      return `the amount is above ${limit(when.amountAtMost)}`;
    case "airline":
      return charge.airline ? "there is airline data" : "there is no airline data";
    case "meta":
      return "meta has other values";
  }
}

const limit = (amount: Amount | undefined): string => (amount === undefined ? "none" : renderAmount(amount));
