import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { BLOCKS } from "../../../test/fixtures/documented-messages.ts";

const PAGE = join(import.meta.dirname, "../../../docs/iso8583.md");
const BLOCK = /(<!-- from the format's data: ([a-z-]+) -->\n)([\s\S]*?)(\n<!-- end -->)/g;

test("the tables and examples of docs/iso8583.md are those of the format's data (UPDATE_DOCS=1 writes them)", () => {
  const page = readFileSync(PAGE, "utf8");
  const names: string[] = [];
  const expected = page.replaceAll(BLOCK, (_, start: string, name: string, _before: string, end: string) => {
    names.push(name);
    return start + (BLOCKS[name]?.() ?? "no such block") + end;
  });
  assert.deepEqual(names.toSorted(), Object.keys(BLOCKS).toSorted());
  if (process.env.UPDATE_DOCS) writeFileSync(PAGE, expected);
  else assert.equal(page, expected);
});
