import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDatabase } from "../database.ts";
import { SEED } from "../random.ts";
import { faultRuns } from "./runs.ts";

/** Tells what is slow from what hangs. */
const HANG_MS = 20_000;

test("whatever befalls a message between gateway and database, nobody gets another's rows, and nobody waits for ever", async () => {
  const database = await freshDatabase();
  const { wrong, answered, fell } = await faultRuns(database, {
    runs: 150,
    seed: SEED,
    hangMs: HANG_MS,
  });
  assert.deepEqual(wrong, []);
  assert.ok(answered > 500, `${answered} answers`);
  assert.ok(fell.size > 8, `${fell.size} kinds of messages`);
  await database.drop();
});
