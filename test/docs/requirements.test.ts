// The list of security requirements names files that are there, and leaves no row empty.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
const text = readFileSync(join(ROOT, "docs/security/requirements.md"), "utf8");
const rows = text.split("\n").filter((line) => /^\| (?!Requirement|Risk|Chapter)/.test(line));

/** Files of rooms that a gateway may be built without: they are asked for as soon as the room is there. */
const OF_VAULT =
  /^src\/vault\/|master-key|rotate-keys|unneeded-cards|card-number-needed|^test\/journeys\/card-numbers|^docs\/decisions\/vault/;
const OF_WEBHOOKS = /^src\/webhooks\//;
const isDue = (path: string): boolean =>
  (existsSync(join(ROOT, "src/vault")) || !OF_VAULT.test(path)) &&
  (existsSync(join(ROOT, "src/webhooks")) || !OF_WEBHOOKS.test(path));

test("every file that the list names is there", () => {
  const named = [...text.matchAll(/`((?:src|test|docs|bench)\/[^`]+|[A-Z]+\.md)`/g)].map(([, path = ""]) => path);
  assert.ok(named.length > 100, `${named.length}`);
  assert.deepEqual(
    [...new Set(named)].filter((path) => isDue(path) && !existsSync(join(ROOT, path))),
    [],
  );
});

test("every row says how it stands, and what is met says where and which test shows it", () => {
  assert.ok(rows.length > 50, `${rows.length}`);
  for (const row of rows) {
    const [name = "", state = "", where = "", shown = "", ...more] = row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
    assert.deepEqual(more, [], row);
    assert.match(state, /^(met|partly|not met|yours|does not apply|do not apply)\b/, name);
    if (/^(met|partly)\b/.test(state) && !/: see /.test(state)) assert.ok(where !== "" && shown !== "", name);
  }
});
