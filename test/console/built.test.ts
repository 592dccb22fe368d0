// The console's files as they are built: what each needs of the others.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { buildConsole } from "../../scripts/console.ts";

const BUILT = join(import.meta.dirname, "../../console/dist");

before(() => buildConsole());

test("a file that is loaded later needs none but those that are there from the beginning, and no style of its own", () => {
  const page = readFileSync(join(BUILT, "index.html"), "utf8");
  const files = readdirSync(join(BUILT, "assets"));
  const later = files.filter((name) => /\.(js|css)$/.test(name) && !page.includes(name));
  assert.ok(later.length > 10, `${later}`);
  assert.deepEqual(
    later.filter((name) => name.endsWith(".css")),
    [],
  );
  // Asked for again under another address, a file is another module than the one that others import.
  const needed = later.flatMap((name) =>
    [...readFileSync(join(BUILT, "assets", name), "utf8").matchAll(/\b(?:from|import)\s*["']\.\/([^"']+)["']/g)].map(
      ([, other = ""]) => other,
    ),
  );
  assert.ok(needed.length > 10, `${needed}`);
  assert.deepEqual(
    needed.filter((name) => !page.includes(name)),
    [],
  );
});
