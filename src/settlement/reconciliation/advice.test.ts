// What to do about each kind of difference: all have it, and docs/reconciliation.md says the same.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ADVICE, adviceFor } from "./advice.ts";
import { KEPT_KINDS } from "./kept-finding.ts";

const NO_DIFFERENCES = ["pending", "not-closed", "chargeback"];

test("each kind of difference has advice, and nothing else has", () => {
  assert.deepEqual(KEPT_KINDS.filter((kind) => !NO_DIFFERENCES.includes(kind)).sort(), Object.keys(ADVICE).sort());
});

test("the docs say the same", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/reconciliation.md"), "utf8");
  const rows = page.split("\n").filter((row) => row.startsWith("| `"));
  for (const [kind, advice] of Object.entries(ADVICE)) assert.ok(rows.includes(`| \`${kind}\` | ${advice} |`), kind);
});

test("the command line says it once for each kind that was found, without marks", () => {
  assert.deepEqual(adviceFor(new Set(["unbalanced", "pending", "booked-twice"])), [
    "booked-twice: Ask the processor to take one of them back.",
    "unbalanced: Get the whole report again: lines are missing, or the payout is. Else ask the processor.",
  ]);
});
