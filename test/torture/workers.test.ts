// The torture with two workers in each of the two gateways: a worker that dies is replaced, one that is silent is taken for dead, and
// the accounts of all agree. The short run of torture.test.ts has two workers with every second seed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FULL, SEED } from "../random.ts";
import { PROVIDERS } from "./providers.ts";
import { render } from "./report.ts";
import { type Plan, torture } from "./torture.ts";

const cycles = 50;
const PLAN: Plan = {
  seed: SEED,
  cycles,
  providers: PROVIDERS,
  workers: 2,
  surely: [
    { afterMs: 100, fault: { what: "worker killed", node: 0, worker: 1 } },
    // Of both: the faults that are drawn may come between.
    { afterMs: 200, fault: { what: "gateway killed at a step", node: 0, point: "after the answer", passes: 0 } },
    { afterMs: 200, fault: { what: "gateway killed at a step", node: 1, point: "after the intent", passes: 0 } },
  ],
  cyclesPerCheck: 5,
  longestMs: 120_000 + 9_000 * cycles,
};

const skip = FULL ? false : "npm run simulate runs it";
test("two gateways of two workers each under fire: workers die at the steps of the money path, and the accounts of all agree", {
  skip,
}, async (t) => {
  const report = await torture(PLAN, (line) => t.diagnostic(line));
  t.diagnostic(`seed ${SEED}`);
  t.diagnostic(render(report));
  assert.deepEqual(report.findings, [], render(report));
  assert.equal(report.cycles, PLAN.cycles);
  assert.ok(report.workersLost > 0, render(report));
  assert.ok(Object.keys(report.killedThemselves).length > 0, render(report));
});
