// The plain tree that a body or a query becomes, whatever format it came in. Its values have not been checked for
// meaning: that is the work of the schema.

/** A JSON number as it was written: `1.10`, `1e400`. It prints that way in `JSON.stringify` too. */
export interface NumberLiteral {
  readonly [literal]: true;
}
declare const literal: unique symbol;

export type BodyValue = string | boolean | null | NumberLiteral | readonly BodyValue[] | BodyTree;

/** Without a prototype: no key is there that was not sent. A form has strings, lists and trees only. */
export interface BodyTree {
  readonly [key: string]: BodyValue;
}

// TypeScript does not know these yet: https://tc39.es/proposal-json-parse-with-source/
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): NumberLiteral;
  isRawJSON(value: unknown): boolean;
};

/** @param text a number as JSON writes it */
export function numberLiteral(text: string): NumberLiteral {
  return rawJSON(text);
}

/** No body can pass an object off as a number: only `numberLiteral` makes one. */
export function isNumberLiteral(value: unknown): value is NumberLiteral {
  return isRawJSON(value);
}

/** The number as it was sent. */
export function literalOf(number: NumberLiteral): string {
  return (number as unknown as { readonly rawJSON: string }).rawJSON;
}

export function isBodyTree(value: BodyValue | undefined): value is BodyTree {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawJSON(value);
}

export function emptyTree(): BodyTree {
  return Object.create(null) as BodyTree;
}

/** Absent (decision R2). */
export const isEmpty = (value: BodyValue | undefined): boolean => value === undefined || value === null || value === "";
