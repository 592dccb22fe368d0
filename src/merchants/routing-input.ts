// Reads rules of routing: what is wrong with them beyond their schema, how they are stored and shown, and what the payment rules
// make of them.

import { isCurrency } from "../payment/currency.ts";
import { type Amount, parseAmount, renderAmount } from "../payment/money.ts";
import type { CardRange, Conditions, RoutingRule } from "../payment/routing-rules.ts";
import type { Problems } from "../validation/problems.ts";
import { CURRENCY } from "./processor-schema.ts";
import { AMOUNT, CARD_RANGE, type RuleInput, type ShownRule, type When } from "./routing-schema.ts";

/**
 * Beyond the schema, which they fit.
 * @param own the ids of the merchant's processor records
 */
export function problemsOfRules(rules: readonly RuleInput[], own: ReadonlySet<string>): Problems {
  const problems: Record<string, readonly string[]> = {};
  for (const [index, { when = {}, processors }] of rules.entries()) {
    const at = `rules.${index}`;
    for (const [field, text] of problemsOfConditions(when)) problems[`${at}.when.${field}`] = [text];
    const seen = new Set<string>();
    for (const [nth, { id }] of processors.entries()) {
      const lower = id.toLowerCase();
      if (!own.has(lower)) problems[`${at}.processors.${nth}.id`] = ["must be a processor record of this merchant"];
      else if (seen.has(lower)) problems[`${at}.processors.${nth}.id`] = ["must not be repeated in a rule"];
      seen.add(lower);
    }
  }
  return problems;
}

function* problemsOfConditions(when: When): Generator<readonly [field: string, text: string]> {
  for (const [index, currency] of (when.currencies ?? []).entries())
    if (!isCurrency(currency)) yield [`currencies.${index}`, `must be ${CURRENCY}`];
  for (const [index, text] of (when.card_ranges ?? []).entries()) {
    const { from, to } = rangeOf(text);
    if (from.length !== to.length || from > to) yield [`card_ranges.${index}`, `must be ${CARD_RANGE}`];
  }
  const [least, most] = [when.amount_at_least, when.amount_at_most].map(readAmount);
  if (least === "wrong") yield ["amount_at_least", `must be ${AMOUNT}`];
  if (most === "wrong") yield ["amount_at_most", `must be ${AMOUNT}`];
  if (typeof least === "bigint" && typeof most === "bigint" && least > most)
    yield ["amount_at_most", "must not be below amount_at_least"];
}

function readAmount(text: string | undefined): Amount | "wrong" | undefined {
  if (text === undefined) return undefined;
  const parsed = parseAmount(text);
  return parsed.ok ? parsed.amount : "wrong";
}

/** Of rules without problems: with nothing left out, and alike whoever wrote them. */
export const inNormalForm = ({ name, when = {}, processors }: RuleInput): ShownRule => ({
  name,
  when: {
    ...when,
    ...(when.amount_at_least !== undefined && { amount_at_least: renderAmount(amountIn(when.amount_at_least)) }),
    ...(when.amount_at_most !== undefined && { amount_at_most: renderAmount(amountIn(when.amount_at_most)) }),
  },
  processors: processors.map(({ id, weight = 1 }) => ({ id: id.toLowerCase(), weight })),
});

/** As the payment rules take it. */
export const ruleFrom = ({ name, when, processors }: ShownRule): RoutingRule => ({
  name,
  when: conditionsFrom(when),
  processors: processors.map(({ id, weight }) => ({ item: id, weight })),
});

function conditionsFrom(when: When): Conditions {
  const { currencies, brands, card_ranges, countries, amount_at_least, amount_at_most, airline, meta } = when;
  return {
    ...(currencies && { currencies }),
    ...(brands && { brands }),
    ...(card_ranges && { cardRanges: card_ranges.map(rangeOf) }),
    ...(countries && { countries }),
    ...(amount_at_least !== undefined && { amountAtLeast: amountIn(amount_at_least) }),
    ...(amount_at_most !== undefined && { amountAtMost: amountIn(amount_at_most) }),
    ...(airline !== undefined && { airline }),
    ...(meta && { meta }),
  };
}

function rangeOf(text: string): CardRange {
  const [from = text, to = from] = text.split("-");
  return { from, to };
}

function amountIn(text: string): Amount {
  const parsed = parseAmount(text);
  if (!parsed.ok) throw new Error("broken invariant: an amount of a rule that its check let through");
  return parsed.amount;
}
