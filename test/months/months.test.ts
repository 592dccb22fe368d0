// A month of Canadian-dollar accounts is what the rules say, day by day: random months, held after every step to a small
// model of schedules, captures, windows and batches, to the processor's books, and to what `actions` promised.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { stopDatabases } from "../database-server.ts";
import { sized } from "../random.ts";
import { wished } from "../simulation/threads.ts";
import { monthsInMemory, monthsInPostgres } from "./months.ts";

/** All of them in each full run; ten thousand by `test/months/run.ts`. */
const MUST_BE_MET = [
  "evening",
  "evening in disorder",
  "evening in disorder, killed",
  "schedule changed",
  "killed",
  "database away",
  "follow-up already-settled",
  "void-after-settlement",
  "refund-before-settlement",
  "partial-refund-inside-window",
];

after(stopDatabases);

test("months in memory agree with the model", async (t) => {
  const wish = wished("MONTHS", sized(100, 1_000));
  const met = await monthsInMemory((line) => t.diagnostic(line), wish);
  if (!wish.whole) return;
  const never = MUST_BE_MET.filter((name) => !met.has(name));
  assert.deepEqual(never, [], "what was never met");
});

test("months in PostgreSQL, with real rows of open authorizations and batches, agree with the model", async (t) => {
  await monthsInPostgres((line) => t.diagnostic(line), wished("MONTHS", sized(4, 50)));
});
