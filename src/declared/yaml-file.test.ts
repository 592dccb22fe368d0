import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { stringify } from "yaml";
import { NotYaml, readYaml } from "./yaml-file.ts";

const wrongIn = (text: string): readonly string[] => {
  try {
    readYaml(text);
    return [];
  } catch (fault) {
    assert.ok(fault instanceof NotYaml, String(fault));
    return fault.problems.map(({ line, column, text: said }) => `${line}:${column} ${said}`);
  }
};

describe("a text as YAML", () => {
  const refused: readonly (readonly [rule: string, text: string, line: RegExp])[] = [
    ["a name that comes twice", "a: 1\nb: 2\na: 3\n", /^3:1 has a name that was there already/],
    ["a tab for blanks", "a:\n\tb: 1\n", /^2:\d /],
    ["a quote that is never closed", 'a: "x\nb: 1\n', /lacks a character here/],
    ["two documents", "a: 1\n---\na: 2\n", /more than one document/],
    ["a tag that nobody knows", "a: !secret x\n", /^1:4 has a tag that is not known/],
    ["a tag of another language", "a: !!python/object:os.system x\n", /has a tag that is not known/],
    ["YAML 1.1, where no is false", "%YAML 1.1\n---\na: no\n", /must be YAML 1\.2/],
    ["a merge key", "a: &x {b: 1}\nc:\n  <<: *x\n", /^3:3 has a merge key/],
    ["a name that is a number", "1: a\n", /^1:1 has a name that is no text/],
    ["a name that is a list", "? [a]\n: b\n", /has a name that is no text/],
    ["a prototype", "__proto__: {x: 1}\n", /has a name that is no text/],
    ["an alias of nothing", "a: *x\n", /^1:4 is an alias \(\*\) of nothing before it/],
    ["what is nested too deeply", `${"[".repeat(200)}${"]".repeat(200)}`, /is nested too deeply/],
    ["what is nested as deep as the text", "[".repeat(50_000), /./],
    ["an anchor that holds its own alias", "a: &x [*x]\n", /is nested too deeply|is not the name of an alias/],
  ];
  for (const [rule, text, line] of refused)
    test(`is refused for ${rule}`, () => assert.match(wrongIn(text).join("\n"), line));

  test("an alias in an alias in an alias is no bomb", () => {
    const levels = Array.from(
      { length: 12 },
      (_, n) =>
        `a${n}: &a${n} [${Array(10)
          .fill(n === 0 ? "x" : `*a${n - 1}`)
          .join(", ")}]`,
    );
    assert.match(wrongIn(levels.join("\n")).join(), /has more than 200000 values/);
  });

  test("fifty kilobytes of anything end", () => {
    for (const piece of ["- a\n", "a: ", "&a ", "? ", "{", "- - ", "'", "\n", "# x\n", "*a\n"])
      wrongIn(piece.repeat(Math.floor(50_000 / piece.length)));
  });

  test("a byte order mark and line ends of Windows are no part of it", () =>
    assert.deepEqual(readYaml("\ufeffa: x\r\nb:\r\n  - y\r\n").tree, { a: "x", b: ["y"] }));

  test("words and numbers are what they look like", () =>
    assert.deepEqual(readYaml("a: [no, yes, on, NO, 012, 0x10, 22:00, 2031-01-01, ~, true, 1e3, '1', .5]").tree, {
      a: ["no", "yes", "on", "NO", 12, 16, "22:00", "2031-01-01", null, true, 1000, "1", 0.5],
    }));

  test("each value has its place, and one that is missing that of what is around it", () => {
    const { placeOf, placeOfName } = readYaml("a:\n  - b: x\n    c: y\n  - d: {e: z}\n");
    assert.deepEqual(placeOf("a.0.c"), { line: 3, column: 8 });
    assert.deepEqual(placeOfName("a.0.c"), { line: 3, column: 5 });
    assert.deepEqual(placeOf("a.1.d.e"), { line: 4, column: 12 });
    assert.deepEqual(placeOf("a.1.missing"), { line: 4, column: 5 });
    assert.deepEqual(placeOf("nothing.of.it"), { line: 1, column: 1 });
  });

  test("what a writer of YAML writes is read as it was", () =>
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const tree = { value };
        if (JSON.stringify(tree).includes("__proto__") || JSON.stringify(tree).includes('"<<"')) return;
        const text = stringify(tree, { version: "1.2", compat: "yaml-1.1", aliasDuplicateObjects: false });
        assert.equal(JSON.stringify(readYaml(text).tree), JSON.stringify(tree));
      }),
    ));
});
