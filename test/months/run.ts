// Months in memory by themselves, as many as wanted: `node test/months/run.ts --months 10000 --seed 1`, and with `--path`
// the one that failed.

import { parseArgs } from "node:util";
import { months } from "./months.ts";

const option = { type: "string" } as const;
const { values } = parseArgs({ options: { months: option, seed: option, path: option } });
const { months: runs = "10000", seed, path } = values;
process.env.MONTHS_RUNS = runs;
if (seed !== undefined) process.env.MONTHS_SEED = seed;
if (path !== undefined) process.env.MONTHS_PATH = path;

const since = performance.now();
await months(console.log, Number(runs));
const cpu = process.cpuUsage();
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
console.log(
  `agree with the model: ${seconds(performance.now() - since)}, CPU ${seconds((cpu.user + cpu.system) / 1000)}`,
);
