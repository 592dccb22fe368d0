// Finds card numbers in an input where none belongs, in values and in names, however deep, and CVVs in fields that nobody
// knows. Says only where: a name that holds a card number shows as dots.

import type { TSchema } from "typebox";
import { parseCardNumber } from "../payment/card.ts";
import { namesCvv } from "../payment/number-context.ts";
import type { CardNumber } from "../payment/secret.ts";
import { digitsOfNumber, holdsCardNumber, isTooShort, type Purpose } from "../payment/stray-card-number.ts";
import { isNumberLiteral, literalOf } from "./number-literal.ts";

/** In a schema: which numbers that look like a card's belong here. "anything" is not searched. */
export const MAY_HOLD = "x-may-hold";

const DOTS = "•••";
const CARD_NUMBER = "must not hold a card number";
const CVV = "must not hold a card verification code";

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
function withoutCardNumber(name: string, own?: CardNumber): string {
  if (!holdsCardNumber(name, { own })) return name;
  if (name.length > LONGEST_TOLD) return DOTS;
  const parts = name.split(".").map((part) => (holdsCardNumber(part, { own }) ? DOTS : part));
  return parts.includes(DOTS) && parts.every((part) => part === DOTS || isPlainName(part)) ? parts.join(".") : DOTS;
}

const MOST_CHARACTERS = 100;
/** Of one that holds a card number, in parts. */
const LONGEST_TOLD = 1_000;

/** As a name is told in a response: without a card number, and cut where it is longer than any that somebody reads. */
export function shownName(name: string, own?: CardNumber): string {
  const shown = withoutCardNumber(name, own);
  return shown.length > MOST_CHARACTERS ? `${shown.slice(0, MOST_CHARACTERS).toWellFormed()}…` : shown;
}

/** As people and programs name fields, and no part of a document. */
export const isPlainName = (name: string): boolean => !/["{}<>]/.test(name);

/** Dotted names of fields, and what each must not do. */
export type Strays = ReadonlyMap<string, string>;

export interface Strictness {
  /** Once so many fields are found the search ends. */
  readonly most: number;
  /** Whether identifiers are searched as free text is: a merchant's setting. */
  readonly strict?: boolean;
  /** Characters of texts and names that are searched: longer ones are looked at only where they might be kept. */
  readonly longest?: number;
}

/** @param ignored dotted names of fields that were left out of the value */
export function strayCardNumbers(
  schema: TSchema,
  value: unknown,
  ignored: readonly string[],
  { most, strict = false, longest = Number.POSITIVE_INFINITY }: Strictness,
): Strays {
  const found = new Map<string, string>();
  const own = ownCardNumber(schema, value);
  // Many of them show alike.
  let hits = 0;
  for (const name of ignored) {
    if (name.length > longest || !holdsCardNumber(name, { own })) continue;
    found.set(shownName(name, own), CARD_NUMBER);
    hits += 1;
    if (hits >= most) return found;
  }
  search(schema as Described, value, null, { own, found, most, strict, longest });
  return found;
}

interface Search {
  readonly own: CardNumber | undefined;
  readonly found: Map<string, string>;
  readonly most: number;
  readonly strict: boolean;
  readonly longest: number;
}

function ownCardNumber(schema: Described, value: unknown): CardNumber | undefined {
  if (schema.properties?.card_number?.format !== "card-number") return undefined;
  const { card_number: text } = value as { readonly card_number?: unknown };
  return typeof text === "string" ? parseCardNumber(text) : undefined;
}

/** @param where this value is, for `found`; made up only where something is found */
function search(schema: Described | undefined, value: unknown, where: Place, looking: Search): void {
  if (typeof value !== "object" || value === null || isNumberLiteral(value)) {
    if (holdsStray(schema, value, where, looking)) looking.found.set(dottedPlace(where), CARD_NUMBER);
    return;
  }
  for (const name of Object.keys(value)) {
    if (looking.found.size >= looking.most) return;
    const inner = (value as Readonly<Record<string, unknown>>)[name];
    const field = ownProperty(schema?.properties, name) ?? schema?.items;
    // Most fields of a charge.
    if (field !== undefined && typeof inner === "string" && isTooShort(inner)) continue;
    searchField(schema, field, inner, { in: where, name }, looking);
  }
}

function searchField(
  schema: Described | undefined,
  field: Described | undefined,
  value: unknown,
  where: Exclude<Place, null>,
  looking: Search,
): void {
  const { own, found } = looking;
  const shown = (): Place => ({ in: where.in, name: field === undefined ? shownName(where.name, own) : where.name });
  // The schema's own names hold none.
  if (field === undefined && holdsCardNumber(where.name, { own })) found.set(dottedPlace(shown()), CARD_NUMBER);
  if (field === undefined && isCvv(where.name, value)) found.set(dottedPlace(shown()), CVV);
  if (schema?.[MAY_HOLD] === "anything") return;
  if (typeof value === "object" && value !== null && !isNumberLiteral(value)) search(field, value, shown(), looking);
  else if (holdsStray(field, value, where, looking)) found.set(dottedPlace(shown()), CARD_NUMBER);
}

function holdsStray(
  schema: Described | undefined,
  value: unknown,
  where: Place,
  { own, strict, longest }: Search,
): boolean {
  const mayHold = schema?.[MAY_HOLD];
  const text = textOf(value);
  if (text === undefined || text.length > longest || mayHold === "anything") return false;
  const purpose = strict && mayHold === "identifier" ? undefined : mayHold;
  // The schema's own fields are free texts or have a purpose; in the merchant's own the name tells.
  const name = schema === undefined && !strict ? nameOf(where) : undefined;
  return holdsCardNumber(text, { own, purpose, name });
}

/** Of the items of a list: that of the list. */
const nameOf = (where: Place): string | undefined =>
  where !== null && /^[0-9]+$/.test(where.name) ? nameOf(where.in) : where?.name;

function isCvv(name: string, value: unknown): boolean {
  const text = textOf(value);
  return text !== undefined && text.length <= 16 && /^[0-9]{3,4}$/.test(plainText(text)) && namesCvv(name);
}

/** Without what stands around or between the digits. */
const plainText = (text: string): string => text.normalize("NFKC").replaceAll(/[^\p{L}\p{N}]/gu, "");

/** Null: the whole input. */
type Place = { readonly in: Place; readonly name: string } | null;

const dotted = (where: Place, name: string): string => (where === null ? name : `${dottedPlace(where)}.${name}`);
const dottedPlace = (where: Place): string => (where === null ? "" : dotted(where.in, where.name));

/** A name such as `constructor` is no property of every object. */
const ownProperty = (properties: Described["properties"], name: string): Described | undefined =>
  properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;

/** Numbers as they were written, too: a card number without quotes is one, and the decimals of a fraction are none. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return digitsOfNumber(String(value));
  return isNumberLiteral(value) ? digitsOfNumber(literalOf(value)) : undefined;
}
