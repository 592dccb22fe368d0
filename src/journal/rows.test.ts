import assert from "node:assert/strict";
import { test } from "node:test";
import * as rows from "./rows.ts";

const AT = new Date("2030-05-15T12:00:00Z");
const CASES: readonly (readonly [column: string, reader: rows.Reader<unknown>, good: unknown[], bad: unknown[]])[] = [
  ["a text", rows.text, ["", "a"], [1, null, undefined, AT]],
  ["a flag", rows.flag, [true, false], ["true", 0, null]],
  ["a count", rows.count, [0, -1, 2 ** 31], ["1", 1.5, Number.NaN, 2 ** 60, null]],
  ["an instant", rows.instant, [AT], [new Date(Number.NaN), AT.toISOString(), AT.getTime(), null]],
  ["bytes", rows.bytes, [Buffer.from("a")], ["a", new Uint8Array(1), null]],
  ["texts", rows.texts, [[], ["a"]], ["a", [1], null]],
  ["an object", rows.object, [{}, { a: 1 }], [[], null, "{}"]],
  ["a word", rows.word(["sale", "auth"]), ["sale"], ["SALE", "void", null, 0]],
  ["words", rows.words(["sale", "auth"]), [["auth", "sale"], []], [["void"], "sale"]],
  ["a list", rows.list(rows.count), [[1, 2]], [["1"], 1, null]],
  ["a text or null", rows.orNull(rows.text), ["a", null], [undefined, 1]],
];

for (const [column, reader, good, bad] of CASES)
  test(`${column} is read as it is, and nothing else is taken for one`, () => {
    for (const value of good) assert.deepEqual(reader(value), value);
    for (const value of bad) assert.throws(() => reader(value), /^Error: is /);
  });

test("a whole number comes as text or within JSON, of any size", () => {
  assert.deepEqual(["9007199254740993", "-1", 5].map(rows.wholeNumber), [9007199254740993n, -1n, 5n]);
  for (const wrong of ["1.5", "", "1e3", 1.5, null]) assert.throws(() => rows.wholeNumber(wrong), /a whole number/);
});

test("of a row the named columns are read; a fault names table and column and never the value", () => {
  const read = rows.rowReader<{ readonly id: string; readonly secret: Buffer }>("tokens", {
    id: rows.text,
    secret: rows.bytes,
  });
  const secret = Buffer.from("s");
  assert.deepEqual(read({ id: "1", secret, more: 1 }), { id: "1", secret });
  assert.throws(() => read({ id: "1", secret: "very secret" }), {
    message: "broken database: tokens.secret is not bytes",
  });
});
