// What is promised of a siege is kept only if somebody looked.

import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "./judge.ts";
import { planOfTest } from "./plan.ts";
import type { Findings } from "./siege.ts";
import type { Reading } from "./watch.ts";

const LOOKED: Omit<Reading, "phase"> = {
  ...{ memoryMiB: 300, heavyMiB: 100, databaseMiB: 50, openFiles: 90, connections: 0 },
  ...{ sessions: 20, sessionsAtWork: 1, gatewayCpu: 0.1, databaseCpu: 0.1, hostileCpu: 0 },
};

/** A siege without attackers in which nothing happened. */
function broken(readings: readonly Reading[]): readonly string[] {
  const findings: Findings = {
    plan: planOfTest(1, []),
    victim: { phases: {}, sales: 0, failed: 0, faults: [], looksFailed: 0 },
    compared: { sold: 0, listed: 0, missing: 0, twice: 0, seconds: 1, fault: null },
    ...{ health: {}, healthFaults: [], tallies: {}, gone: false, readings },
    logged: { counts: {}, first: [] },
  };
  return judge(findings).flatMap(({ promise, kept, dependsOnSpeed }) => (kept || dependsOnSpeed ? [] : [promise]));
}

const MEMORY = "memory under 400 MiB";
const CONNECTIONS = "five seconds after it the attackers' connections are closed";

for (const [what, readings, expected] of [
  [
    "looked at, nothing is broken",
    [
      { ...LOOKED, phase: "siege" },
      { ...LOOKED, phase: "calm" },
    ],
    [],
  ],
  ["a connection that is left", [{ ...LOOKED, phase: "calm", connections: 1 }], [CONNECTIONS]],
  ["as much memory as it may not have", [{ ...LOOKED, phase: "calm", memoryMiB: 400 }], [MEMORY]],
  ["no look in the calm", [{ ...LOOKED, phase: "siege" }], [CONNECTIONS]],
  ["no look at all", [], [MEMORY, CONNECTIONS]],
] as const)
  test(`a siege's promises: ${what}`, () => {
    assert.deepEqual(broken(readings), expected);
  });
