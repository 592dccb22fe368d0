// PostgreSQL's arrays as text, and their types. Sent as text is only what has no type (binary-arrays.ts); read are arrays of text alone.

export type ArrayElement = string | number | bigint | boolean | Date | Buffer | null;

/** Object identifiers (pg_type.dat). */
export const ARRAY_OIDS = {
  bool: 1000,
  bytea: 1001,
  int4: 1007,
  text: 1009,
  int8: 1016,
  timestamptz: 1185,
  uuid: 2951,
} as const;

/** Of their elements. */
export const ELEMENT_OIDS: Readonly<Record<keyof typeof ARRAY_OIDS, number>> = {
  bool: 16,
  bytea: 17,
  int4: 23,
  text: 25,
  int8: 20,
  timestamptz: 1184,
  uuid: 2950,
};

/** Of what has no type. PostgreSQL, section 8.15.2: the elements between braces, texts between double quotes. */
export const arrayLiteral = (elements: readonly (string | number)[]): string =>
  `{${elements.map((element) => (typeof element === "string" ? textLiteral(element) : String(element))).join(",")}}`;

const textLiteral = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;

/** Of one dimension. */
export function textsFrom(literal: string): (string | null)[] {
  return [...literal.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|[^,]+/gs)].map(([whole, quoted]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, "$1");
    return whole === "NULL" ? null : whole;
  });
}
