import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type CsvRecord, CsvRecords } from "./csv-records.ts";

const read = (...pieces: readonly string[]): CsvRecord[] => {
  const records = new CsvRecords();
  return [...pieces.flatMap((piece) => records.push(piece)), ...records.end()];
};
const BROKEN = "a quote is where none may be, or is not closed";
const quoted = (field: string) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
const field = fc.string({ unit: fc.constantFrom("a", "é", " ", '"', ",", "\n", "\r", "0"), maxLength: 4 });

test("what is written by RFC 4180 is read as it was, in whatever pieces it comes", () => {
  const rows = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { maxLength: 8 });
  const cuts = fc.array(fc.nat(60), { maxLength: 8 });
  fc.assert(
    fc.property(rows, cuts, fc.constantFrom("\n", "\r\n"), (rows, cuts, end) => {
      const text = rows.map((row) => row.map(quoted).join(",") + end).join("");
      const at = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
      const pieces = at.slice(1).map((to, index) => text.slice(at[index], to));
      const found = read(...pieces).map((record) => ("fields" in record ? record.fields : record.fault));
      assert.deepEqual(found, rows);
    }),
    { numRuns: 1_000 },
  );
});

test("records have the number of their first line, empty lines are none, and the last needs no end", () => {
  assert.deepEqual(read('a,b\r\n\r\n"c\nd",e\nf,g'), [
    { line: 1, fields: ["a", "b"] },
    { line: 3, fields: ["c\nd", "e"] },
    { line: 5, fields: ["f", "g"] },
  ]);
  assert.deepEqual(read(""), []);
});

for (const [what, broken] of [
  ["a quote that is not closed", 'a,"b'],
  ["a quote within a field", 'a,b"c'],
  ["text after a quoted field", 'a,"b"c'],
] as const)
  test(`${what} breaks its line and no other`, () => {
    const others = Array.from({ length: 50 }, (_, index) => `x,${index}`);
    const found = read([...others.slice(0, 25), broken, ...others.slice(25), ""].join("\n"));
    assert.equal(found.length, 51);
    assert.deepEqual(found[25], { line: 26, fault: BROKEN });
    assert.deepEqual(
      found.flatMap((record) => ("fields" in record ? [record.fields.join(",")] : [])),
      others,
    );
  });

test("two lines with an open quote each are both broken, and what is between them is read", () => {
  assert.deepEqual(read('a,"b\nc,d\ne,"f\ng,h\n'), [
    { line: 1, fault: BROKEN },
    { line: 2, fields: ["c", "d"] },
    { line: 3, fault: BROKEN },
    { line: 4, fields: ["g", "h"] },
  ]);
});

test("a line that is too long is broken however it comes, and the next is read", () => {
  const long = "x".repeat(70_000);
  for (const pieces of [[`a,b\n${long}\nc,d\n`], ["a,b\n", long, long, "\nc,d\n"]])
    assert.deepEqual(read(...pieces), [
      { line: 1, fields: ["a", "b"] },
      { line: 2, fault: "the line is longer than 65536 characters" },
      { line: 3, fields: ["c", "d"] },
    ]);
});
