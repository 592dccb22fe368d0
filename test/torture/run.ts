// `npm run torture -- --cycles N --seed S --workers 2 --kinds iso8583,simulator`: whether anything is lost, doubled or guessed while processes of
// two gateways are killed and the line to the acquirer is cut. Ends with exit code 1 if so. With CITUS_URL the database is one of that Citus.

import { parseArgs } from "node:util";
import { LEFT_OUT, worker } from "../citus/worker.ts";
import { PROVIDERS } from "./providers.ts";
import { render } from "./report.ts";
import { torture } from "./torture.ts";

const { values } = parseArgs({
  options: {
    cycles: { type: "string", default: "200" },
    seed: { type: "string" },
    "cycles-per-check": { type: "string", default: "5" },
    workers: { type: "string", default: "1" },
    outage: { type: "string" },
    clients: { type: "string" },
    kinds: { type: "string", default: ["iso8583", "simulator", ...PROVIDERS].join() },
  },
});
const whole = (
  name: "cycles" | "seed" | "cycles-per-check" | "workers" | "outage" | "clients",
  fallback: number,
): number => {
  const text = values[name] ?? String(fallback);
  if (!/^\d{1,9}$/.test(text) || (text === "0" && name !== "seed")) {
    console.error(`--${name} is a whole number`);
    process.exit(2);
  }
  return Number(text);
};
/** Of which the first two are always there. */
const kinds = values.kinds.split(",");
const wrong = kinds.find((kind) => !["iso8583", "simulator", ...PROVIDERS].includes(kind));
if (wrong !== undefined) {
  console.error(`--kinds are of iso8583, simulator, ${PROVIDERS.join(", ")}; there is no ${wrong}`);
  process.exit(2);
}
const providers = PROVIDERS.filter((provider) => kinds.includes(provider));
const distributed = process.env.CITUS_URL !== undefined;
/** On Citus a sale takes several times as long, and a database that was killed longer to come back. */
const MOST_MS_A_CYCLE = distributed ? 12_000 : 4_000;
/** Each is one more process to start again, and one more node whose work others take over. */
const MORE_MS_A_WORKER = 4_000;
const START_MS = 60_000;
const MOST_WORKERS = 8;

/** All processors refuse connections for so long, instead of all other faults; then the load goes on for as long again. */
const outage =
  values.outage === undefined ? undefined : { ms: 1_000 * whole("outage", 30), clients: whole("clients", 64) };
const cycles = outage ? Math.ceil((2 * outage.ms) / 1_000) : whole("cycles", 200);
const seed = whole("seed", Date.now() % 1_000_000_000);
const cyclesPerCheck = outage ? cycles : whole("cycles-per-check", 5);
const workers = whole("workers", 1);
if (workers > MOST_WORKERS) {
  console.error(`--workers is at most ${MOST_WORKERS}`);
  process.exit(2);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(1));

console.log(`seed ${seed}`);
if (distributed && worker === undefined) console.log(LEFT_OUT);
const longestMs = START_MS + cycles * (MOST_MS_A_CYCLE + (workers - 1) * MORE_MS_A_WORKER);
const plan = { seed, cycles, cyclesPerCheck, providers, workers, longestMs, outage };
const report = await torture(plan, console.log);
console.log(render(report));
process.exit(report.findings.length === 0 && report.cycles === cycles ? 0 : 1);
