// A JSON number as it was written: the one place that knows how JavaScript keeps it.

/** `1.10`, `1e400`. It prints that way in `JSON.stringify`, too. */
export interface NumberLiteral {
  readonly [literal]: true;
}
declare const literal: unique symbol;

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
