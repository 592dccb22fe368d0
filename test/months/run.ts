// Months by themselves, as many as wanted: `node test/months/run.ts --months 10000 --seed 1`, with `--postgres` in PostgreSQL
// and with `--path` the one that failed.

import { parseArgs } from "node:util";
import { type Undo, undoing } from "../../bench/undo.ts";
import { stopDatabases } from "../database-server.ts";
import { wished } from "../simulation/threads.ts";
import { monthsInMemory, monthsInPostgres } from "./months.ts";

/** So many have databases of their own: a month takes longer the more there is in its tables. */
const PORTION = 300;

const option = { type: "string" } as const;
const { values } = parseArgs({
  options: { months: option, seed: option, path: option, postgres: { type: "boolean", default: false } },
});
const wish = wished("MONTHS", 10_000);
const { months = wish.runs, seed: first = wish.seed, path = wish.path, postgres } = values;
const [runs, threads] = path === undefined ? [Number(months), 2] : [1, 1];

const since = performance.now();
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
if (postgres) await undoing((undo) => inPortions(undo, Number(first)));
else await monthsInMemory(console.log, { runs, threads, seed: Number(first), path });
const { user, system } = process.cpuUsage();
console.log(`agree with the model: ${seconds(performance.now() - since)}, CPU ${seconds((user + system) / 1000)}`);

async function inPortions(undo: Undo, first: number): Promise<void> {
  undo.add(stopDatabases);
  for (let done = 0, seed = first; done < runs; done += PORTION, seed += threads) {
    await monthsInPostgres(console.log, { runs: Math.min(PORTION, runs - done), threads, seed, path });
    console.log(`${Math.min(runs, done + PORTION)} of ${runs}: ${seconds(performance.now() - since)}`);
  }
}
