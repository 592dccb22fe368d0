// `npm run fuzz -- --inputs 100000 --seed 1`: starts gateways on loopback, one after the other, sends them that many inputs,
// and says what came of them. Fails if anything did harm. The same seed makes the same inputs again, except for the ids in them;
// `--first` begins with a later one.

import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startGateway } from "../../bench/gateway.ts";
import { memoryMiB } from "../../bench/processes.ts";
import { existingPlace } from "../../src/journal/embedded/place.ts";
import { callers } from "../journeys/gateway.ts";
import { SECRET_CARD } from "../journeys/harmless.fixture.ts";
import { fuzz } from "./fuzz.ts";
import { seedsFor } from "./seeds.ts";

const { values } = parseArgs({
  options: { inputs: { type: "string" }, seed: { type: "string" }, first: { type: "string" } },
});
const inputs = Number(values.inputs ?? 20_000);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const first = Number(values.first ?? 0);
const BOUND_MS = 10_000;
const AT_ONCE = 32;
/** After these a new gateway begins with empty tables: lists of all that was stored would take most of the time. */
const INPUTS_A_GATEWAY = 50_000;

console.log(`${inputs} inputs from ${first} on, seed ${seed}`);
const startedAt = performance.now();
const tally = new Map<string, number>();
let [harm, peakMiB] = [0, 0];
for (let done = 0; done < inputs && harm === 0; done += INPUTS_A_GATEWAY) {
  harm += await round(first + done, Math.min(INPUTS_A_GATEWAY, inputs - done));
  console.log(
    `${Math.min(done + INPUTS_A_GATEWAY, inputs)} sent, ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
  );
}
console.log(
  [...tally]
    .sort()
    .map(([status, count]) => `${count} × ${status}`)
    .join(", "),
);
console.log(`a gateway's memory: ${peakMiB.toFixed(0)} MiB at most`);
console.log(harm === 0 ? "no harm was done" : `${harm} did harm`);
process.exitCode = harm === 0 ? 0 : 1;

/** @returns how much harm was done */
async function round(from: number, count: number): Promise<number> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "faregate-fuzz-"));
  const gateway = await startGateway(["src/main.ts"], folder);
  try {
    const { url, sandbox, pid } = gateway;
    const seeds = await seedsFor({ sandbox, ...callers(url, sandbox.api_token, sandbox.operator_token) });
    const fuzzed = await fuzz({ url, seeds, seed, first: from, inputs: count, boundMs: BOUND_MS, atOnce: AT_ONCE });
    for (const [status, times] of fuzzed.tally) tally.set(status, (tally.get(status) ?? 0) + times);
    peakMiB = Math.max(peakMiB, memoryMiB(pid).peak);
    for (const { nth, why } of fuzzed.found) console.log(`input ${nth}: ${why}`);
    const ready = await fetch(`${url}/health/ready`).catch(() => undefined);
    if (ready?.status !== 200) console.log("the gateway does not answer any more");
    const leaks = readFileSync(join(folder, "gateway.log"), "utf8").includes(SECRET_CARD);
    if (leaks) console.log("the card number is in the log");
    return fuzzed.found.length + (ready?.status === 200 ? 0 : 1) + (leaks ? 1 : 0);
  } finally {
    await gateway.stop();
    const place = existingPlace(folder);
    if (place !== undefined) rmSync(place.base, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}
