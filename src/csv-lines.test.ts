import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { csvLines, defused } from "./csv-lines.ts";

const NAMES = ["one", "two", "three"] as const;
type Values = readonly [string, string, string];

async function written(rows: readonly Values[]): Promise<string> {
  const portions = [rows.slice(0, 2), [], rows.slice(2)];
  const lines = csvLines(NAMES, ReadableStream.from(portions), ([one, two, three]: Values) => ({ one, two, three }));
  return (await Array.fromAsync(lines)).join("");
}

const AWKWARD = [..."=+-@＝＋－＠;|,\t\r\n\"' a1\u00a0\ufeff\u200b\0", "\r\n", '""', ";=", "é", "\u{1f600}"];
const value = fc.array(fc.constantFrom(...AWKWARD), { maxLength: 8 }).map((parts) => parts.join(""));
const rows = fc.array(fc.tuple(value, value, value), { maxLength: 5 });

/** How readers skip what stands before a value, and what they run. */
const FORMULA = /^[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠]/u;

describe("CSV", () => {
  test("comes back through a reader as it was written, whatever is in it", () =>
    fc.assert(
      fc.asyncProperty(rows, async (some) => {
        const text = await written(some);
        assert.deepEqual(parse(text, { relax_column_count: false }), [
          [...NAMES],
          ...some.map((row) => row.map(defused)),
        ]);
      }),
      { numRuns: 2_000 },
    ));

  test("begins no cell with a formula, whatever its reader parts lines and cells at", () =>
    fc.assert(
      fc.asyncProperty(rows, async (some) => {
        const text = await written(some);
        const ofCommas: string[] = parse(text).flat();
        // Whoever parts at something else sees no quotes, for they stand within a cell: each line and cell is on its own.
        const others = [";", "\t", "|"].flatMap((part) => text.split(/[\r\n]/).flatMap((line) => line.split(part)));
        for (const cell of [...ofCommas, ...others]) assert.doesNotMatch(cell, FORMULA);
      }),
      { numRuns: 2_000 },
    ));

  test("has an apostrophe nowhere else", () => {
    for (const plain of ["", "a", "'", "O'Hara; x--", "1-2", "a+b@c.example", "a, -1", "two\nlines", "a;b"])
      assert.equal(defused(plain), plain);
  });

  const laidOut = async (values: Values, forSpreadsheet: boolean) => {
    const layout = { amounts: ["one"], codes: ["two"], forSpreadsheet } as const;
    const line = ([one, two, three]: Values) => ({ one, two, three });
    const text = await Array.fromAsync(csvLines(NAMES, ReadableStream.from([[values]]), line, layout));
    return parse(text.join(""))[1];
  };

  test("keeps the sign of an amount, and of nothing else that begins with a minus", async () => {
    assert.deepEqual(await laidOut(["-1.50", "-1.50", "-1.50"], false), ["-1.50", "'-1.50", "'-1.50"]);
    assert.deepEqual(await laidOut(["-1.50+1", "", ""], false), ["'-1.50+1", "", ""]);
  });

  test("for a spreadsheet has an apostrophe before codes with a digit, and only once", async () => {
    for (const [code, written] of [
      ["00123", "'00123"],
      ["MAR1", "'MAR1"],
      ["order", "order"],
      ["", ""],
      ["=1", "'=1"],
    ] as const) {
      assert.deepEqual(await laidOut(["1.50", code, "00123"], true), ["1.50", written, "00123"]);
      assert.equal((await laidOut(["1.50", code, ""], false))?.[1], defused(code));
    }
  });
});
