// No order of operations, at once or not, makes or loses a cent: random histories, compared after every step with a small
// model of the rules, with the processor's books, and with what callers were told.

import assert from "node:assert/strict";
import { test } from "node:test";
import { REFUSALS } from "../../src/payment/refusal.ts";
import { freshDatabase } from "../database.ts";
import { histories } from "./histories.ts";
import { THREADS, wished } from "./threads.ts";

/** Refusals that lie outside: of fields, other merchants' transactions, the choice of a processor, kept cards, many cards. */
const ELSEWHERE = [
  "processor-disabled",
  "brand-not-taken",
  "currency-differs",
  "no-processor-in-rotation",
  "cvv-required",
  "name-required",
  "document-required",
  "transaction-unknown",
  "card-number-not-kept",
  "card-testing-suspected",
];

test("ten thousand histories in memory agree with the model", async (t) => {
  const met = await histories(t, 10_000);
  if (!wished("SIMULATION", 0).whole) return;
  const never = REFUSALS.filter((name) => !met.has(name) && !ELSEWHERE.includes(name));
  assert.deepEqual(never, [], "refusals that were never met");
});

test("three hundred histories in PostgreSQL, on two nodes, agree with the model", async (t) => {
  const databases = await Promise.all(Array.from({ length: THREADS }, freshDatabase));
  try {
    await histories(t, 300, databases);
  } finally {
    for (const { drop } of databases) await drop();
  }
});
