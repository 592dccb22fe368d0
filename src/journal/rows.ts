// Reads rows of the database into values that are what their types say. A column that holds something else is a fault that
// names the column and never its value, which could be a secret.

/** A value of a column, or a throw. */
export type Reader<T> = (value: unknown) => T;

/** A row's columns by name; those that are not named here are left out. */
export type Columns<Row> = { readonly [name in keyof Row]-?: Reader<Row[name]> };

/**
 * @param table for the fault
 * @returns reads one row, which may come from a join
 */
export function rowReader<Row extends object>(table: string, columns: Columns<Row>): (row: object) => Row {
  const readers = Object.entries(columns) as [string, Reader<unknown>][];
  return (row) => {
    const read: Record<string, unknown> = {};
    for (const [name, reader] of readers) {
      try {
        read[name] = reader((row as Readonly<Record<string, unknown>>)[name]);
      } catch (fault) {
        throw new Error(`broken database: ${table}.${name} ${fault instanceof Error ? fault.message : ""}`);
      }
    }
    return read as Row;
  };
}

const readerOf =
  <T>(what: string, isOne: (value: unknown) => value is T): Reader<T> =>
  (value) => {
    if (!isOne(value)) throw new Error(`is not ${what}`);
    return value;
  };

export const text = readerOf("a text", (value) => typeof value === "string");
export const flag = readerOf("true or false", (value) => typeof value === "boolean");
export const count = readerOf("a whole number", (value): value is number => Number.isSafeInteger(value));
export const instant = readerOf(
  "an instant",
  (value): value is Date => value instanceof Date && !Number.isNaN(value.getTime()),
);
export const bytes = readerOf("bytes", (value) => Buffer.isBuffer(value));
export const texts = readerOf(
  "a list of texts",
  (value): value is string[] => Array.isArray(value) && value.every((one) => typeof one === "string"),
);

/** The schema that it was checked against when it was written may be another one now, so only its outer form is read. */
export const object = readerOf(
  "an object",
  (value): value is Readonly<Record<string, unknown>> =>
    typeof value === "object" && value !== null && !Array.isArray(value),
);

/** Of a bigint or numeric, which comes as text, since it may be more than a number can hold; or within JSON. */
export const wholeNumber: Reader<bigint> = (value) =>
  typeof value === "string" && /^-?\d+$/.test(value) ? BigInt(value) : BigInt(count(value));

/** One of these words. */
export function word<const Word extends string>(words: readonly Word[]): Reader<Word> {
  const known = new Map<unknown, Word>(words.map((one) => [one, one]));
  return (value) => {
    const found = known.get(value);
    if (found === undefined) throw new Error("is none of the words that are known");
    return found;
  };
}

/** Several of these words. */
export const words =
  <Word extends string>(known: readonly Word[]): Reader<Word[]> =>
  (value) =>
    texts(value).map(word(known));

export const list =
  <T>(reader: Reader<T>): Reader<T[]> =>
  (value) => {
    if (!Array.isArray(value)) throw new Error("is not a list");
    return value.map(reader);
  };

/** The value, or null. */
export const orNull =
  <T>(reader: Reader<T>): Reader<T | null> =>
  (value) =>
    value === null ? null : reader(value);
