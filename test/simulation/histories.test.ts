// No order of operations, at once or not, makes or loses a cent: random histories, compared after every step with a small
// model of the rules, with the processor's books, and with what callers were told. A failure tells the seed and the path that run it again,
// shrunk to the shortest history that still fails: `SIMULATION_SEED=… SIMULATION_PATH=… npm test -- tests`.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { REFUSALS } from "../../src/payment/refusal.ts";
import { type FreshDatabase, freshDatabase } from "../database.ts";
import { sized } from "../random.ts";
import { runHistory } from "./history.ts";
import { memoryHouse } from "./house.ts";
import { AMOUNTS_OF_CHARGES, CARDS, type Step, type Wished } from "./steps.ts";
import { inThreads, inWords, type Met, type Wish, wished } from "./threads.ts";

/** Refusals that lie outside: of fields, other merchants' and archived transactions, the choice of a processor, kept cards, many cards. */
const ELSEWHERE = [
  "processor-disabled",
  "brand-not-taken",
  "currency-differs",
  "no-processor-in-rotation",
  "cvv-required",
  "name-required",
  "document-required",
  "transaction-unknown",
  "transaction-archived",
  "card-number-not-kept",
  "card-testing-suspected",
  // A history of hundreds of steps, which the last test is.
  "too-many-events",
];

test("histories in memory agree with the model", async (t) => {
  const wish = wished("SIMULATION", sized(1_000, 10_000));
  const met = await histories(t, wish);
  if (!wish.whole) return;
  const never = REFUSALS.filter((name) => !met.has(name) && !ELSEWHERE.includes(name));
  assert.deepEqual(never, [], "refusals that were never met");
});

test("histories in PostgreSQL, on two nodes, agree with the model", async (t) => {
  const wish = wished("SIMULATION", sized(30, 300));
  const databases = await Promise.all(Array.from({ length: wish.threads }, freshDatabase));
  try {
    await histories(t, wish, databases);
  } finally {
    for (const { drop } of databases) await drop();
  }
});

test("one history to the last event that a transaction takes, and the reversal after it, agrees with the model", async () => {
  const step = (wished: Wished, atOnce = 1): Step => ({
    ...{ step: "burst", seed: 1, noise: 0, end: "none", databaseAway: false },
    operations: Array.from({ length: atOnce }, () => ({ wished, node: 0, keyed: false })),
  });
  const charge = step({
    does: "charge",
    type: "auth",
    amount: HUNDRED,
    card: CAPTURES_DECLINED,
    processor: 0,
    fares: 0,
  });
  const captures = step({ does: "capture", target: 0, amount: "a cent", shares: "fitting" }, 4);
  const met = new Map<string, number>();
  const reversal = step({ does: "reversal", target: 0 });
  const steps = [charge, ...Array.from({ length: 126 }, () => captures), reversal, reversal, captures];
  await runHistory(memoryHouse(), steps, met);
  const [declined, refused] = [met.get("follow-up declined"), met.get("too-many-events")];
  assert.deepEqual([declined, refused, met.get("reversal approved")], [499, 5, 1]);
});

const HUNDRED = AMOUNTS_OF_CHARGES.indexOf(100);
const CAPTURES_DECLINED = CARDS.indexOf("4000000000000341");

/** @param databases one for each thread; none: in memory */
async function histories(t: TestContext, wish: Wish, databases: readonly FreshDatabase[] = []): Promise<Met> {
  t.diagnostic(`SIMULATION_SEED=${wish.seed}`);
  const addresses = databases.map(({ address }) => address);
  const met = await inThreads(new URL("./worker.ts", import.meta.url), wish, addresses);
  t.diagnostic(inWords(met));
  return met;
}
