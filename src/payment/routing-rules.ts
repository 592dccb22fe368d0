// The operator's rules for where a merchant's charges go: in their order, the first that applies and whose processors can take
// the charge decides. Pure; how rules are set and kept is merchants/routing.ts.

import type { CardBrand } from "./card-brand.ts";
import type { Weighted } from "./draw.ts";
import type { Amount } from "./money.ts";
import type { CardNumber } from "./secret.ts";

/** A merchant's routing as it stands. */
export interface Routing {
  /** Counts the changes; 0: there was none. */
  readonly version: number;
  readonly rules: readonly RoutingRule[];
  /** To how many processors a charge may be sent that is declined; absent: to one, whose decline ends it. */
  readonly attemptsAtMost?: number;
}

/** Every processor that can take a charge is as likely as any other (decision R7). */
export const NO_RULES: Routing = { version: 0, rules: [] };

export interface RoutingRule {
  readonly name: string;
  readonly when: Conditions;
  /** Ids of processor records. */
  readonly processors: readonly Weighted<string>[];
}

/** All that are there must hold; of each list one entry. */
export interface Conditions {
  /** ISO 4217 */
  readonly currencies?: readonly string[];
  readonly brands?: readonly CardBrand[];
  readonly cardRanges?: readonly CardRange[];
  /** Of the billing address, ISO 3166-1: two capitals. */
  readonly countries?: readonly string[];
  readonly amountAtLeast?: Amount;
  readonly amountAtMost?: Amount;
  /** Whether the charge has passengers. */
  readonly airline?: boolean;
  readonly meta?: readonly MetaCondition[];
}

/** Both ends included, of one length: the first digits of a card number. */
export interface CardRange {
  readonly from: string;
  readonly to: string;
}

export interface MetaCondition {
  /** Of a field of the merchant's object itself, not of one within. */
  readonly name: string;
  /** A number or a flag counts as its text. */
  readonly values: readonly string[];
}

/** What rules look at. */
export interface RuledCharge {
  /** That of the processors that can take it, all of which have the same. */
  readonly currency: string;
  readonly brand: CardBrand;
  readonly number: CardNumber | undefined;
  readonly country: string | undefined;
  readonly amount: Amount | undefined;
  readonly airline: boolean;
  /** The merchant's JSON object, as its text. */
  readonly meta: string | null;
}

export type ConditionName = keyof Conditions;

/** The conditions of a rule that do not hold; none: the rule applies. */
export const unmetConditions = ({ when }: RoutingRule, charge: RuledCharge): ConditionName[] =>
  (Object.keys(when) as ConditionName[]).filter((name) => !holds(name, when, charge));

/** The first rule that applies and names one of these processors, with those of them that it names; undefined: none does. */
export function decidingRule(
  { rules }: Routing,
  charge: RuledCharge,
  canTake: (processorId: string) => boolean,
): { readonly rule: RoutingRule; readonly processors: readonly Weighted<string>[] } | undefined {
  for (const rule of rules) {
    if (unmetConditions(rule, charge).length > 0) continue;
    const processors = rule.processors.filter(({ item }) => canTake(item));
    if (processors.length > 0) return { rule, processors };
  }
  return undefined;
}

function holds(name: ConditionName, when: Conditions, charge: RuledCharge): boolean {
  switch (name) {
    case "currencies":
      return when.currencies?.includes(charge.currency) ?? true;
    case "brands":
      return when.brands?.includes(charge.brand) ?? true;
    case "cardRanges":
      return when.cardRanges?.some((range) => charge.number !== undefined && isWithin(charge.number, range)) ?? true;
    case "countries":
      return when.countries?.includes(charge.country?.toUpperCase() ?? "") ?? true;
    case "amountAtLeast":
      return when.amountAtLeast === undefined || (charge.amount ?? -1n) >= when.amountAtLeast;
    case "amountAtMost":
      return when.amountAtMost === undefined || (charge.amount !== undefined && charge.amount <= when.amountAtMost);
    case "airline":
      return when.airline === undefined || when.airline === charge.airline;
    case "meta":
      return when.meta === undefined || (charge.meta !== null && hasAll(charge.meta, when.meta));
  }
}

function isWithin(number: CardNumber, { from, to }: CardRange): boolean {
  const prefix = number.reveal().slice(0, from.length);
  return from <= prefix && prefix <= to;
}

function hasAll(meta: string, conditions: readonly MetaCondition[]): boolean {
  const fields = JSON.parse(meta) as Readonly<Record<string, unknown>>;
  return conditions.every(({ name, values }) => Object.hasOwn(fields, name) && values.includes(textOf(fields[name])));
}

/** Of an object, a list or null a text that no condition names. */
const textOf = (value: unknown): string => (typeof value === "object" ? "" : String(value));
