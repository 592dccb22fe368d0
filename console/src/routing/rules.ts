// Rules of routing as people read and edit them. Pure; what a rule may say is the API's to judge, and its words about a field find
// their rule here.

import { brandOf } from "../words/answers.ts";
import { amountSent, numberSent } from "../words/typed.ts";

export interface When {
  readonly currencies?: readonly string[];
  readonly brands?: readonly string[];
  readonly card_ranges?: readonly string[];
  readonly countries?: readonly string[];
  readonly amount_at_least?: string;
  readonly amount_at_most?: string;
  readonly airline?: boolean;
  readonly meta?: readonly { readonly name: string; readonly values: readonly string[] }[];
}

export interface Rule {
  readonly name: string;
  readonly when: When;
  readonly processors: readonly { readonly id: string; readonly weight: number }[];
}

export interface Routing {
  readonly version: number;
  /** How many processors a charge is sent to, one after another, while they decline it. */
  readonly attempts_at_most: number;
  readonly rules: readonly Rule[];
}

const either = (values: readonly string[]): string =>
  values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;

/** Each condition in words; none: the rule is for every charge. */
export function conditionsOf(when: When): readonly string[] {
  const { currencies, brands, card_ranges, countries, amount_at_least: least, amount_at_most: most, airline } = when;
  return [
    ...(currencies ? [`in ${either(currencies)}`] : []),
    ...(brands ? [either(brands.map(brandOf))] : []),
    ...(card_ranges ? [`card begins with ${either(card_ranges)}`] : []),
    ...(countries ? [`billed to ${either(countries)}`] : []),
    ...(least !== undefined ? [`at least ${least}`] : []),
    ...(most !== undefined ? [`at most ${most}`] : []),
    ...(airline === undefined ? [] : [airline ? "with airline data" : "without airline data"]),
    ...(when.meta ?? []).map(({ name, values }) => `${name} is ${either(values)}`),
  ];
}

/** How often each is drawn first, in percent. With weights of 0 alone, they are tried in their order. */
export function drawnFirst(processors: Rule["processors"]): readonly number[] {
  const all = processors.reduce((sum, { weight }) => sum + weight, 0);
  return processors.map(({ weight }, index) => (all === 0 ? (index === 0 ? 100 : 0) : (100 * weight) / all));
}

/** What becomes of a charge that is declined. */
export const goingOnInWords = (attempts: number): string =>
  attempts === 1
    ? "A charge that is declined goes on to no other processor."
    : `While processors decline it, a charge is sent to up to ${attempts} of them, as far as its decline and its card's scheme allow.`;

/** A rule while it is edited: nothing is left out, and weights are as they were typed. */
export interface Draft {
  /** Which it is while the list changes. */
  readonly key: number;
  readonly name: string;
  readonly currencies: readonly string[];
  readonly brands: readonly string[];
  readonly card_ranges: readonly string[];
  readonly countries: readonly string[];
  readonly amount_at_least: string;
  readonly amount_at_most: string;
  readonly airline: "" | "yes" | "no";
  readonly meta: readonly { readonly key: number; readonly name: string; readonly values: readonly string[] }[];
  readonly processors: readonly { readonly id: string; readonly weight: string }[];
}

export function draftOf({ name, when, processors }: Rule, key: number): Draft {
  return {
    ...{ key, name },
    currencies: when.currencies ?? [],
    brands: when.brands ?? [],
    card_ranges: when.card_ranges ?? [],
    countries: when.countries ?? [],
    amount_at_least: when.amount_at_least ?? "",
    amount_at_most: when.amount_at_most ?? "",
    airline: when.airline === undefined ? "" : when.airline ? "yes" : "no",
    meta: (when.meta ?? []).map((one, nth) => ({ key: nth, ...one })),
    processors: processors.map(({ id, weight }) => ({ id, weight: String(weight) })),
  };
}

export const newDraft = (key: number): Draft => draftOf({ name: "", when: {}, processors: [] }, key);

const there = <T>(name: string, values: readonly T[]) => (values.length === 0 ? {} : { [name]: values });
const said = (name: string, text: string) => (text.trim() === "" ? {} : { [name]: text.trim() });

/** As the API takes it. A weight that is no number goes as it is: the API says what is wrong with it. */
export function requestOf(draft: Draft): object {
  const { name, airline, processors } = draft;
  return {
    name: name.trim(),
    when: {
      ...there("currencies", draft.currencies),
      ...there("brands", draft.brands),
      ...there("card_ranges", draft.card_ranges),
      ...there("countries", draft.countries),
      ...said("amount_at_least", amountSent(draft.amount_at_least)),
      ...said("amount_at_most", amountSent(draft.amount_at_most)),
      ...(airline !== "" && { airline: airline === "yes" }),
      ...there(
        "meta",
        draft.meta.map(({ name: field, values }) => ({ name: field, values })),
      ),
    },
    processors: processors.map(({ id, weight }) => ({ id, weight: numberSent(weight) })),
  };
}

/** Of the API's words by field (`rules.1.when.currencies.0`), those about one field of one rule, with what is below it. */
export function wrongIn(fields: Readonly<Record<string, string>>, index: number, field: string): string | undefined {
  const place = `rules.${index}.${field}`;
  const texts = Object.entries(fields)
    .filter(([name]) => name === place || name.startsWith(`${place}.`))
    .map(([, text]) => text);
  return texts.length === 0 ? undefined : [...new Set(texts)].join(" ");
}

/** The same list with one of its items further up (-1) or down (1). */
export function moved<T>(items: readonly T[], index: number, by: -1 | 1): readonly T[] {
  const [one, other] = [items[index], items[index + by]];
  if (one === undefined || other === undefined) return items;
  return items.map((item, at) => (at === index ? other : at === index + by ? one : item));
}
