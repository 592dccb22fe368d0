// A short run of the torture with a fixed plan: gateways, their database and the acquirer's host are killed, the line
// between them is cut, and nothing is lost, doubled or guessed. `npm run torture` runs it at length.

import assert from "node:assert/strict";
import { test } from "node:test";
import { render } from "./report.ts";
import { torture } from "./torture.ts";

const PLAN = { seed: 99, cycles: 6, cyclesPerCheck: 3, longestMs: 120_000 } as const;

test("two gateways, their database, the acquirer's host and the line to it under fire: the accounts of all agree", async (t) => {
  const report = await torture(PLAN, (line) => t.diagnostic(line));
  assert.deepEqual(report.findings, [], render(report));
  assert.equal(report.cycles, PLAN.cycles);
  assert.ok(report.gatewayDeaths > 0 && report.hostDeaths > 0, render(report));
  assert.ok(report.operations > 50, render(report));
  t.diagnostic(render(report));
});
