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

/** Behind the twenty bytes of the head. */
function textsIn(bytes: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 20; at < bytes.length; ) {
    const end = at + 4 + bytes.readInt32BE(at);
    texts.push(bytes.toString("utf8", at + 4, end));
    at = end;
  }
  return texts;
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
    const texts = Array.from("ab€", (character) => character + "€".repeat(100_000));
    assert.deepEqual(textsIn(arrayBytes("text", texts)), texts);
  });

  test("have room for each element, wherever in them the room was used up", () => {
    for (let pad = 0; pad < 120; pad++) {
      arrayBytes("text", ["a".repeat(1_100_000)]); // after which there is as little room as at first
      const texts = ["a".repeat(65_400 + pad), "€".repeat(24), "b"];
      assert.deepEqual(textsIn(arrayBytes("text", texts)), texts, `${pad}`);
    }
  });

  test("stay as they are while others are written, however long they are", () => {
    for (const length of [10, 100_000, 1_000_000]) {
      const texts = ["a".repeat(length), "b"];
      const bytes = arrayBytes("text", texts);
      arrayBytes("text", ["c".repeat(2 * length), "d"]);
      assert.deepEqual(textsIn(bytes), texts, `${length}`);
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
