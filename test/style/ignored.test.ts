// What the test hosts write into the folder in which they are started is never committed.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");

test("each folder that a host writes its books into by default is ignored by git", () => {
  const ignored = readFileSync(join(ROOT, ".gitignore"), "utf8").split("\n");
  const folders = globSync(["hosts/*/options.ts", "acquirer/options.ts"], { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(join(ROOT, file), "utf8").matchAll(/default: "([\w-]+-books)"/g)].map(([, folder]) => folder),
  );
  assert.ok(folders.length >= 2, folders.join());
  for (const folder of folders) assert.ok(ignored.includes(`${folder}/`), folder);
});
