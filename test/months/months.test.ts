// A month of Canadian-dollar accounts is what the rules say, day by day: random months, held after every step to a small
// model of schedules, captures, windows and batches, to the processor's books, and to what `actions` promised.

import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDatabase } from "../database.ts";
import { THREADS, wished } from "../simulation/threads.ts";
import { months } from "./months.ts";

/** All of them in every run; ten thousand by `node test/months/run.ts`. */
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

test("a thousand months in memory agree with the model", async (t) => {
  const met = await months((line) => t.diagnostic(line), 1_000);
  if (!wished("MONTHS", 0).whole) return;
  const never = MUST_BE_MET.filter((name) => !met.has(name));
  assert.deepEqual(never, [], "what was never met");
});

test("fifty months in PostgreSQL, with real rows of open authorizations and batches, agree with the model", async (t) => {
  const databases = await Promise.all(Array.from({ length: THREADS }, freshDatabase));
  try {
    await months((line) => t.diagnostic(line), 50, databases);
  } finally {
    for (const { drop } of databases) await drop();
  }
});
