// No text of others' does anything to a terminal but show, and programs still read what was there.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { csvLines } from "./csv-lines.ts";
import { printable, printableJson, printableLines } from "./printable.ts";

const HOSTILE: Readonly<Record<string, string>> = {
  "an escape sequence": "\u001b[2J",
  "an operating system command": "\u001b]0;title\u0007",
  "a link": "\u001b]8;;https://x.example\u001b\\ok\u001b]8;;\u001b\\",
  "a sequence in one character": "\u009b2J",
  "a carriage return": "approved\rdeclined",
  "a backspace": "99\b\b1",
  delete: "\u007f",
  "an override": "\u202egnp.exe\u202c",
  "an embedding": "\u202a\u202b",
  "an isolate": "\u2066x\u2067y\u2068z\u2069",
  "a mark of direction": "\u200e\u200f\u061c",
  "zero width": "ad\u200bm\u200ci\u200dn\u2060\ufeff\u00ad",
  "a line separator": "a\u2028b\u2029c",
  tags: "\u{e0041}\u{e007f}",
  "an annotation": "\ufff9a\ufffab\ufffb",
  "a filler": "\u3164\u115f\uffa0",
  "half a character": "\ud800",
};
const SHOWS_ONLY = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u3164\u115f\uffa0]*$/u;

test("what does anything but show is replaced, and shows as such", () => {
  for (const [what, text] of Object.entries(HOSTILE)) {
    const shown = printable(`<${text}>`);
    assert.match(shown, SHOWS_ONLY, what);
    assert.ok(shown.includes("\ufffd"), what);
    assert.equal(printableLines(`${text}\n`).replace(/\n/g, ""), printable(text), what);
  }
  assert.equal(printable("a\nb"), "a\ufffdb", "a value begins no line");
  assert.equal(printableLines("a\nb"), "a\nb");
});

test("letters of all languages stay, accents and symbols too", () => {
  for (const text of [
    "Zoë Müller",
    "東京 カード",
    "שלום",
    "مرحبا",
    "é",
    "a\u0301",
    "😀👍🏽",
    "❤\ufe0f",
    "₿ £ €",
    "“x” – …",
  ])
    assert.equal(printable(text), text);
});

test("JSON has escapes in their place: it is the same value, and shows only", () => {
  for (const text of Object.values(HOSTILE)) {
    const json = printableJson(JSON.stringify({ [text]: [text] }, null, 2));
    assert.match(json.replaceAll("\n", ""), SHOWS_ONLY);
    assert.deepEqual(JSON.parse(json), { [text]: [text] });
  }
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const json = printableJson(JSON.stringify(value, null, 2));
      assert.match(json.replaceAll("\n", ""), SHOWS_ONLY);
      assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("CSV that is printed shows only, and a CSV file has what was there", async () => {
  async function csv(layout: object): Promise<string> {
    async function* rows() {
      yield Object.values(HOSTILE).map((id) => ({ id: `x${id}` }));
    }
    let text = "";
    for await (const some of csvLines(["id"], rows(), (row) => row, layout)) text += some;
    return text;
  }
  assert.match((await csv({ printed: true })).replaceAll("\r\n", ""), SHOWS_ONLY);
  assert.ok((await csv({})).includes("\u001b"));
});

test("everything that is printed goes through here", () => {
  const root = join(import.meta.dirname, "..");
  const files = globSync("src/**/*.ts", { cwd: root }).filter((file) => !/\.test\.ts$|^src\/api\/reference/.test(file));
  const printing = files.filter((file) =>
    /process\.std(out|err)\.write\(|^\s*(?:else )?console\.\w+\(/m.test(readFileSync(join(root, file), "utf8")),
  );
  assert.ok(printing.includes("src/cli/print.ts"), "the pattern finds what prints");
  for (const file of printing) assert.match(readFileSync(join(root, file), "utf8"), /printable/, file);
});
