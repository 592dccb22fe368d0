// The list of mistakes keeps in step with the code: each place is there exactly once, and so are the tests that have to
// catch it. `npm run sabotage` tries them out.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SABOTAGES } from "./sabotages.ts";

const ROOT = join(import.meta.dirname, "../..");

test("the page about torture lists the same mistakes, each with its place", () => {
  const page = readFileSync(join(ROOT, "docs/torture.md"), "utf8");
  const [, table = ""] = page.split("| Mistake | In | Caught by |\n| --- | --- | --- |\n");
  const listed = table
    .trimEnd()
    .split("\n")
    .map((row) => row.split(" | ").slice(0, 2).join(" | "));
  assert.deepEqual(
    listed,
    SABOTAGES.map(({ mistake, file }) => `| ${mistake} | \`${file}\``),
  );
});

for (const { mistake, file, search, replace, tests } of SABOTAGES)
  test(`can be tried out: ${mistake}`, () => {
    assert.equal(
      readFileSync(join(ROOT, file), "utf8").split(search).length,
      2,
      `${file} has it exactly once: ${search}`,
    );
    assert.notEqual(search, replace);
    for (const one of tests) assert.ok(existsSync(join(ROOT, one)), one);
  });
