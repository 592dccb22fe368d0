// `node test/driver-faults/run.ts --runs 10000 --seed 1`: faults at the messages between the gateway and its database, and
// what became of the questions that were in flight.

import { parseArgs } from "node:util";
import { createDatabase, stopDatabases } from "../database-server.ts";
import { faultRuns } from "./runs.ts";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "10000" }, seed: { type: "string", default: "1" } },
});
const HANG_MS = 2_000;
const EVERY = 500;

const uncaught: string[] = [];
process.on("uncaughtException", (fault) => uncaught.push(`uncaught: ${fault.stack}`));
process.on("unhandledRejection", (fault) => uncaught.push(`unhandled: ${fault}`));

const database = await createDatabase("template1");
const started = performance.now();
const totals = await faultRuns(database, {
  runs: Number(values.runs),
  seed: Number(values.seed),
  hangMs: HANG_MS,
  progress: (done, { wrong }, { kind, way }) => {
    for (const what of wrong) console.log(`  run ${done - 1}, ${kind} ${way}: ${what}`);
    if (done % EVERY === 0) console.log(`${done} runs, ${((performance.now() - started) / 1000).toFixed(0)} s`);
  },
});
const wrong = [...totals.wrong, ...uncaught];
const places = [...totals.fell].sort(([, one], [, other]) => other - one).map(([place, count]) => `${place} ${count}`);
console.log(`faults fell on: ${places.join(", ")}`);
console.log(
  `${values.runs} runs with seed ${values.seed}: ${totals.answered} questions answered, ${totals.failed} failed, ` +
    `the longest after ${totals.longestMs.toFixed(0)} ms, ${uncaught.length} uncaught, ${wrong.length} wrong`,
);
for (const what of uncaught) console.log(what);
await database.drop();
await stopDatabases();
process.exitCode = wrong.length === 0 ? 0 : 1;
