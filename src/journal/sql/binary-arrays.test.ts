import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { freshDatabase } from "../../../test/database.ts";
import { ANY_CHARACTER } from "../../../test/fixtures/any-character.ts";
import { ARRAY_OIDS, type ArrayElement } from "./arrays.ts";
import { arrayBytes } from "./binary-arrays.ts";

const instants = fc.date({ min: new Date("0001-01-01Z"), max: new Date("9999-12-31Z"), noInvalidDate: true });
const ELEMENTS: Readonly<Record<keyof typeof ARRAY_OIDS, fc.Arbitrary<ArrayElement>>> = {
  bool: fc.boolean(),
  bytea: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  int4: fc.integer(),
  int8: fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  text: fc.oneof(fc.string({ unit: ANY_CHARACTER, maxLength: 60 }), fc.string({ maxLength: 30 })).map(withoutNul),
  timestamptz: instants,
  uuid: fc.uuid(),
};

/** PostgreSQL, section 8.15.2. */
const literal = (elements: readonly ArrayElement[]): string =>
  `{${elements
    .map((element) => {
      if (element === null) return "NULL";
      if (Buffer.isBuffer(element)) return `"\\\\x${element.toString("hex")}"`;
      const text = element instanceof Date ? element.toISOString() : String(element);
      return `"${text.replace(/["\\]/g, "\\$&")}"`;
    })
    .join(",")}}`;

function withoutNul(text: string): string {
  return text.replaceAll("\0", "");
}

describe("arrays in PostgreSQL's binary format", () => {
  test("are what the same arrays are as text", async () => {
    const { pool, drop } = await freshDatabase();
    try {
      for (const [type, element] of Object.entries(ELEMENTS) as [keyof typeof ARRAY_OIDS, fc.Arbitrary<ArrayElement>][])
        await fc.assert(
          fc.asyncProperty(fc.array(fc.option(element), { maxLength: 40 }), async (elements) => {
            const [row] = await pool.unsafe<[{ same: boolean; dimensions: string | null }]>(
              `select $1::${type}[] is not distinct from $2::text::${type}[] as same, array_dims($1) as dimensions`,
              [pool.typed(elements, ARRAY_OIDS[type]), literal(elements)],
            );
            const dimensions = elements.length === 0 ? null : `[1:${elements.length}]`;
            assert.deepEqual({ ...row }, { same: true, dimensions });
          }),
          { numRuns: 40 },
        );
    } finally {
      await drop();
    }
  });

  test("may be longer than any before", () => {
    const texts = Array.from({ length: 3 }, () => "ü".repeat(100_000));
    const bytes = arrayBytes("text", texts);
    assert.equal(bytes.length, 20 + 3 * (4 + 200_000));
    assert.equal(bytes.toString("utf8", 24, 24 + 200_000), texts[0]);
  });

  test("stay as they are while others are written, however long they are", () => {
    for (const length of [10, 100_000, 1_000_000]) {
      const bytes = arrayBytes("text", ["a".repeat(length), "b"]);
      arrayBytes("text", ["c".repeat(2 * length), "d"]);
      assert.ok(bytes.equals(arrayBytes("text", ["a".repeat(length), "b"])), `${length}`);
    }
  });

  test("have nothing in them that is no value of their type", () => {
    const uuid = "01970000-0000-7000-8000-00000000000a";
    for (const wrong of [
      "",
      uuid.slice(1),
      `${uuid}0`,
      uuid.replace("a", "g"),
      uuid.replace("1", "Ā"),
      uuid.replace("-", "0"),
    ])
      assert.throws(() => arrayBytes("uuid", [wrong]), TypeError, wrong);
    assert.deepEqual(arrayBytes("uuid", [uuid.toUpperCase()]), arrayBytes("uuid", [uuid]));
    const wrong: readonly (readonly [keyof typeof ARRAY_OIDS, unknown])[] = [
      ...[2 ** 31, 1.5, Number.NaN, "1", undefined].map((one) => ["int4", one] as const),
      ...[2n ** 63n, 1.5, 2 ** 53, "", undefined].map((one) => ["int8", one] as const),
      ...["f", 0, undefined].map((one) => ["bool", one] as const),
      ...[5, undefined].map((one) => ["text", one] as const),
      ...["a", undefined].map((one) => ["bytea", one] as const),
      ...[new Date(Number.NaN), new Date("+010000-01-01T00:00:00Z"), new Date("0000-12-31T23:59:59.999Z")].map(
        (one) => ["timestamptz", one] as const,
      ),
    ];
    // As PostgreSQL says of such a text: then the row is tried alone, and those of its group are written.
    for (const [type, one] of wrong)
      assert.throws(
        () => arrayBytes(type, [one as ArrayElement]),
        { name: "TypeError", code: "22P02" },
        `${type} ${one}`,
      );
    arrayBytes("timestamptz", [new Date("0001-01-01T00:00:00Z"), new Date("9999-12-31T23:59:59.999Z")]);
  });
});
