// The texts of a filter as conditions on columns. Times are not here: they are ranges of numbers, see span.ts.

import { isUuid } from "../../uuid.ts";
import { EXACT_FIELDS, type ExactField, type ListFilter, PREFIX_FIELDS, type PrefixField } from "./list-filter.ts";

export interface Condition {
  readonly column: PrefixField | ExactField;
  /** Those of its values that fulfil it: at least `from`, and less than `before`. */
  readonly from: string;
  /** Null: no end. The same as `from`: that value alone. */
  readonly before: string | null;
}

/** Undefined: nothing can match. */
export function conditionsOf({
  startsWith = {},
  equals = {},
  authCode = "",
}: ListFilter): readonly Condition[] | undefined {
  const conditions = [
    ...PREFIX_FIELDS.flatMap((column): Condition[] => {
      const from = startsWith[column];
      return from === undefined ? [] : [{ column, from, before: endOfPrefix(from) }];
    }),
    ...EXACT_FIELDS.flatMap((column): Condition[] => {
      const value = equals[column];
      return value === undefined ? [] : [{ column, from: value, before: value }];
    }),
  ];
  return conditions.every(storable) && isStorable(authCode) ? conditions : undefined;
}

/** In a table of their own, with an index each. */
const OF_PASSENGERS = new Set<Condition["column"]>(["passenger_name", "ticket_number"]);

/** Whether the column is one of passengers, and not of transactions. */
export const ofPassengers = ({ column }: Condition): boolean => OF_PASSENGERS.has(column);

/** Whether the words of a block have it (block-words.ts): what no column of transactions is has an index instead. */
export const inWords = (condition: Condition): boolean => !ofPassengers(condition) && condition.column !== "card_id";

const IDS = new Set<Condition["column"]>(["user_id", "card_id"]);

/** Could such a value be in the database? Where it could not, PostgreSQL would refuse the question. Ids are in small letters. */
const storable = ({ column, from }: Condition): boolean =>
  IDS.has(column) ? isUuid(from) && from === from.toLowerCase() : isStorable(from);

const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** Columns with an index of their own; the others are beside the number in its index (0001-journal.sql). */
const INDEXED = new Set<Condition["column"]>([
  "merchant_transaction_id",
  "email",
  "last_name",
  "mobile_phone",
  "zip",
  "shipping_city",
  "shipping_zip",
  "card_id",
  ...OF_PASSENGERS,
]);

export const indexed = ({ column }: Condition): boolean => INDEXED.has(column);

/** @param next the number of the first parameter */
export function conditionSql(conditions: readonly Condition[], next: number): { text: string; values: string[] } {
  const values: string[] = [];
  const parameter = (value: string) => `$${next + values.push(value) - 1}`;
  const text = conditions.map(({ column, from, before }) => {
    if (column === "user_id") return `user_id = ${parameter(from)}::uuid`;
    if (column === "card_id") return `details -> 'onFile' ->> 'cardId' = ${parameter(from)}`;
    if (column === "amount") return `amount = ${parameter(from)}::int8`;
    if (before === from) return `${column} = ${parameter(from)}`;
    const start = `${column} >= ${parameter(from)}`;
    return before === null ? start : `${start} and ${column} < ${parameter(before)}`;
  });
  return { text: text.join(" and "), values };
}

/**
 * The least text that comes after every text with this prefix, in the order of code points, which is the order of the
 * bytes of UTF-8 and so of `COLLATE "C"`. Null: nothing comes after them.
 */
export function endOfPrefix(prefix: string): string | null {
  const codePoints = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (codePoints.at(-1) === LAST) codePoints.pop();
  const last = codePoints.pop();
  if (last === undefined) return null;
  return String.fromCodePoint(...codePoints, last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1);
}

const LAST = 0x10ffff;
/** Surrogates are halves of characters in UTF-16 and none in UTF-8. */
const BEFORE_SURROGATES = 0xd7ff;
const AFTER_SURROGATES = 0xe000;
