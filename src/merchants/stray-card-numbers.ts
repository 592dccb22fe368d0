// Finds card numbers in an input where none belongs, in values and in names, however deep, and CVVs in fields that nobody
// knows. Says only where: a name that holds a card number shows as dots.

import type { TSchema } from "typebox";
import { parseCardNumber } from "../payment/card.ts";
import type { CardNumber } from "../payment/secret.ts";
import { holdsCardNumber, type Purpose } from "../payment/stray-card-number.ts";

/** In a schema: which numbers that look like a card's belong here. "anything" is not searched. */
export const MAY_HOLD = "x-may-hold";

const DOTS = "•••";
const CARD_NUMBER = "must not hold a card number";
const CVV = "must not hold a card verification code";

/** What a CVV is called where it is put into fields of the merchant's own (PCI DSS 3.3.1.2: it is never kept). */
const CVV_NAME = /^(?:card[_ -]?)?(?:cvv2?|cvc2?|cvn2?|cid|csc|security[_ -]?code)$/i;

interface Described {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
  readonly [MAY_HOLD]?: Purpose | "anything";
}

/**
 * A field's name as it may be told: of a dotted one, the parts that hold no card number. A body that was sent as another
 * type is one long name with all that is in it; nothing of that is told.
 */
export function withoutCardNumber(name: string, own?: CardNumber): string {
  if (!holdsCardNumber(name, { own })) return name;
  const parts = name.split(".").map((part) => (holdsCardNumber(part, { own }) ? DOTS : part));
  return parts.includes(DOTS) && parts.every((part) => part === DOTS || isPlainName(part)) ? parts.join(".") : DOTS;
}

const MOST_CHARACTERS = 100;

/** As a name is told in an answer: without a card number, and cut where it is longer than any that somebody reads. */
export function shownName(name: string, own?: CardNumber): string {
  const shown = withoutCardNumber(name, own);
  return shown.length > MOST_CHARACTERS ? `${shown.slice(0, MOST_CHARACTERS).toWellFormed()}…` : shown;
}

/** As people and programs name fields, and no part of a document. */
export const isPlainName = (name: string): boolean => !/["{}<>]/.test(name);

/** Dotted names of fields, and what each must not do. */
export type Strays = ReadonlyMap<string, string>;

/**
 * @param ignored dotted names of fields that were left out of the value
 * @param most once so many fields are found the search ends
 */
export function strayCardNumbers(schema: TSchema, value: unknown, ignored: readonly string[], most: number): Strays {
  const found = new Map<string, string>();
  const own = ownCardNumber(schema, value);
  for (const name of ignored) {
    if (found.size >= most) return found;
    if (holdsCardNumber(name, { own })) found.set(shownName(name, own), CARD_NUMBER);
  }
  search(schema as Described, value, null, { own, found, most });
  return found;
}

interface Search {
  readonly own: CardNumber | undefined;
  readonly found: Map<string, string>;
  readonly most: number;
}

function ownCardNumber(schema: Described, value: unknown): CardNumber | undefined {
  if (schema.properties?.card_number?.format !== "card-number") return undefined;
  const { card_number: text } = value as { readonly card_number?: unknown };
  return typeof text === "string" ? parseCardNumber(text) : undefined;
}

/** @param where this value is, for `found`; made up only where something is found */
function search(schema: Described | undefined, value: unknown, where: Place, looking: Search): void {
  const { own, found, most } = looking;
  const mayHold = schema?.[MAY_HOLD];
  if (typeof value === "object" && value !== null && !isRawJSON(value)) {
    for (const name of Object.keys(value)) {
      if (found.size >= most) return;
      const inner = (value as Readonly<Record<string, unknown>>)[name];
      const field = ownProperty(schema?.properties, name) ?? schema?.items;
      // The schema's own names hold none.
      const shown = field === undefined ? shownName(name, own) : name;
      if (shown !== name && holdsCardNumber(name, { own })) found.set(dotted(where, shown), CARD_NUMBER);
      if (field === undefined && CVV_NAME.test(name) && /^[0-9]{3,4}$/.test(textOf(inner) ?? ""))
        found.set(dotted(where, shown), CVV);
      if (mayHold === "anything") continue;
      if (typeof inner !== "string") search(field, inner, { in: where, name: shown }, looking);
      else if (holdsStray(field, inner, own)) found.set(dotted(where, shown), CARD_NUMBER);
    }
    return;
  }
  const text = textOf(value);
  if (text !== undefined && holdsStray(schema, text, own)) found.set(dottedPlace(where), CARD_NUMBER);
}

function holdsStray(schema: Described | undefined, text: string, own: CardNumber | undefined): boolean {
  const mayHold = schema?.[MAY_HOLD];
  return mayHold !== "anything" && holdsCardNumber(text, { own, purpose: mayHold });
}

/** Null: the whole input. */
type Place = { readonly in: Place; readonly name: string } | null;

const dotted = (where: Place, name: string): string => (where === null ? name : `${dottedPlace(where)}.${name}`);
const dottedPlace = (where: Place): string => (where === null ? "" : dotted(where.in, where.name));

/** A name such as `constructor` is no property of every object. */
const ownProperty = (properties: Described["properties"], name: string): Described | undefined =>
  properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;

// TypeScript does not know it yet: https://tc39.es/proposal-json-parse-with-source/
const { isRawJSON } = JSON as unknown as { isRawJSON(value: unknown): value is { readonly rawJSON: string } };

/** Numbers as they were written, too: a card number without quotes is one. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  return isRawJSON(value) ? value.rawJSON : undefined;
}
