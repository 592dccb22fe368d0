// A short run of the torture: gateways of one process or of two workers, their database and the acquirer's host are killed, the line
// between them is cut, and nothing is lost, doubled or guessed. `npm run torture` runs it at length.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FULL, SEED, sized } from "../random.ts";
import { PROVIDERS } from "./providers.ts";
import { render } from "./report.ts";
import { type Plan, torture } from "./torture.ts";

const cycles = sized(4, 100);
const PLAN: Plan = {
  seed: SEED,
  cycles,
  // Each is one more program to start and to wait for.
  providers: FULL ? PROVIDERS : [],
  // workers.test.ts has a full run with two.
  workers: FULL || process.platform !== "linux" ? 1 : 1 + (SEED % 2),
  surely: [
    { afterMs: 300, fault: { what: "gateway killed", node: 0 } },
    { afterMs: 500, fault: { what: "host killed" } },
    // Of both: another fault may come between.
    { afterMs: 600, fault: { what: "gateway killed at a step", node: 0, point: "after the intent", passes: 0 } },
    { afterMs: 600, fault: { what: "gateway killed at a step", node: 1, point: "after the intent", passes: 0 } },
  ],
  cyclesPerCheck: sized(4, 5),
  longestMs: 120_000 + 8_000 * cycles,
};

test("two gateways, their database, the acquirer's host and the line to it under fire: the accounts of all agree", async (t) => {
  const report = await torture(PLAN, (line) => t.diagnostic(line));
  t.diagnostic(`seed ${SEED}`);
  assert.deepEqual(report.findings, [], render(report));
  assert.equal(report.cycles, PLAN.cycles);
  assert.ok(report.gatewayDeaths > 0 && report.hostDeaths > 0, render(report));
  assert.ok(Object.keys(report.killedThemselves).length > 0, render(report));
  assert.ok(report.operations > 8 * cycles, render(report));
  t.diagnostic(render(report));
});
