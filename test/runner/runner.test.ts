// What `npm test` promises when something goes wrong: it is told, the rest goes on, and count and exit code are right.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { until } from "../journeys/crash.fixture.ts";
import type { Job } from "./jobs.ts";
import { runJobs } from "./lanes.ts";

const RUN = join(import.meta.dirname, "../run.ts");
const CASES = "test/runner/cases/*.case.ts";

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly last: string | undefined;
}

function npmTest(...parameters: string[]): Ended {
  const given = ["--files", CASES, "--shards", "1", ...parameters];
  const { status, stdout } = spawnSync(process.execPath, [RUN, ...given], { encoding: "utf8" });
  return { code: status, output: stdout, last: stdout.trimEnd().split("\n").at(-1) };
}

test("what passes is counted and not told", () => {
  const { code, output, last } = npmTest("good");
  assert.deepEqual({ code, last }, { code: 0, last: "2 passed, 0 failed" });
  assert.doesNotMatch(output, /the first|✖/);
  assert.match(output, /s {2}test\/runner\/cases\/good\.case\.ts/, "among the slowest");
});

test("a failure is told with file, line, suite and test, the difference, and what was said", () => {
  const { code, output, last } = npmTest("wrong");
  assert.deepEqual({ code, last }, { code: 1, last: "1 passed, 1 failed" });
  for (const told of [
    "✖ test/runner/cases/wrong.case.ts:8 > sums > are added",
    "+   sum: 2",
    "-   sum: 3",
    "SEED=77",
    "printed meanwhile",
  ])
    assert.ok(output.includes(told), `${told} in:\n${output}`);
});

const failing = [
  ["throws", "a file that throws at its import", "thrown at the import", "0 passed, 1 failed"],
  ["empty", "a file without tests", "has no tests", "0 passed, 1 failed"],
  ["hook", "a suite whose preparation fails", "the preparation failed", "0 passed, 2 failed"],
  ["exits", "a process that ends by itself", "exit code 0, during or after: leaves", "0 passed, 1 failed"],
  ["killed", "a process that is killed", "by SIGKILL, during or after: kills its process", "1 passed, 1 failed"],
] as const;

for (const [name, what, told, count] of failing)
  test(`${what} is told and fails`, () => {
    const { code, output, last } = npmTest(`cases/${name}`);
    assert.deepEqual({ code, last }, { code: 1, last: count }, output);
    assert.ok(output.includes(`✖ test/runner/cases/${name}.case.ts`) && output.includes(told), output);
  });

test("all of it together: each is reported, and each file that can be run is", () => {
  const names = failing.map(([name]) => `/${name}`);
  const { code, output, last } = npmTest(...names, "/good", "/wrong", "--shards", "2");
  for (const [name, , told] of failing) assert.ok(output.includes(`/${name}.case.ts`) && output.includes(told), output);
  assert.deepEqual({ code, last }, { code: 1, last: "4 passed, 7 failed" }, output);
});

const endless = [
  ["hangs", "a file that never ends"],
  ["spins", "a file that never gives the processor away"],
] as const;

for (const [name, what] of endless)
  test(`${what} fails when its time is over`, () => {
    const { code, output, last } = npmTest(`/${name}`, "--deadline", "4");
    assert.equal(code, 1, output);
    assert.match(last ?? "", /^[01] passed, 1 failed$/, output);
    assert.match(output, new RegExp(`✖ test/runner/cases/${name}.case.ts\n +did not end within 4 s`));
  });

test("what a killed process had started and stored is removed", () => {
  const { output, last } = npmTest("database");
  assert.equal(last, "0 passed, 1 failed", output);
  const [, folder] = /server in (\S+)/.exec(output) ?? [];
  assert.ok(folder !== undefined && !existsSync(folder), output);
});

/** A run whose test has started a gateway, and that is sent a signal then. */
async function endedBy(t: TestContext, name: NodeJS.Signals): Promise<{ folder: string; group: number }> {
  const folder = mkdtempSync(join(tmpdir(), "faregate-runner-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "told.json");
  const run = spawn(process.execPath, [RUN, "--files", CASES, "--shards", "1", "cases/gateway"], {
    env: { ...process.env, CASE_TELLS: file },
    stdio: "ignore",
  });
  const ended = once(run, "exit");
  t.after(() => run.kill("SIGTERM"));
  await until("a gateway is launched", () => existsSync(file));
  const launched = JSON.parse(readFileSync(file, "utf8")) as { readonly folder: string; readonly group: number };
  assert.ok(runs(launched.group));
  run.kill(name);
  await ended;
  return launched;
}

test("Ctrl-C ends the run, and the gateways that its tests had started", async (t) => {
  const { folder, group } = await endedBy(t, "SIGINT");
  await until("it is gone", () => !runs(group));
  assert.ok(!existsSync(folder));
});

test("of a run that is killed nothing is left, neither its gateways nor its folder", async (t) => {
  const { folder, group } = await endedBy(t, "SIGKILL");
  await until("it is gone", () => !runs(group));
  const ofRun = dirname(dirname(folder));
  assert.match(basename(ofRun), /^faregate-run-/);
  await until("its folder is gone", () => !existsSync(ofRun));
});

/** Any process of this group. */
function runs(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

test("an error that nobody catches fails its file, and the other tests go on", () => {
  const { code, output, last } = npmTest("uncaught");
  assert.deepEqual({ code, last }, { code: 1, last: "3 passed, 2 failed" }, output);
  for (const told of [
    "Error: thrown from a timer",
    "nobody caught it, during or after: throws where nobody catches",
    "Error: rejected unseen",
    "nobody caught it, during or after: leaves a promise alone",
  ])
    assert.ok(output.includes(told), `${told} in:\n${output}`);
});

test("a pattern that matches no file fails", () => {
  const { code, output, last } = npmTest("good", "no-such-file");
  assert.deepEqual({ code, last }, { code: 1, last: "0 passed, 1 failed" });
  assert.match(output, /no-such-file/);
});

test("acceptance files that are not there are said to be left out, and a run of them alone fails", () => {
  const beside = npmTest("good", "acceptance", "--acceptance", "/nowhere");
  assert.deepEqual({ code: beside.code, last: beside.last }, { code: 0, last: "2 passed, 0 failed" });
  assert.match(beside.output, /The acceptance files were not run: there are none in \/nowhere/);
  const alone = npmTest("acceptance", "--acceptance", "/nowhere");
  assert.deepEqual({ code: alone.code, last: alone.last }, { code: 1, last: "0 passed, 0 failed" });
  assert.match(alone.output, /The acceptance files were not run/);
});

test("what wants the machine to itself is said to be left out, unless --siege or its path asks for it", () => {
  const files = ["--files", "test/runner/cases/{good,besieged.alone}.case.ts"];
  const without = npmTest("tests", ...files);
  assert.deepEqual({ code: without.code, last: without.last }, { code: 0, last: "2 passed, 0 failed" });
  assert.match(without.output, /The siege was not run/);
  for (const asked of [["tests", "--siege"], ["good", "--siege"], ["cases"]]) {
    const { code, output, last } = npmTest(...asked, ...files);
    assert.deepEqual({ code, last }, { code: 0, last: "3 passed, 0 failed" }, output);
    assert.doesNotMatch(output, /not run/);
  }
});

test("what wants the machine to itself runs last, after the foreign steps, which have a lane of their own; what is patient runs beside it, or else beside all", async () => {
  const running = new Set<string>();
  const met = new Map<string, string[]>();
  const ends: string[] = [];
  const job = (name: string, place: Partial<Pick<Job, "place">>, isOver = () => true): Job => ({
    ...{ name, ...place },
    run: async () => {
      running.add(name);
      await until(`${name} may end`, isOver);
      met.set(name, [...running].sort());
      running.delete(name);
      return [];
    },
  });
  const shard = { run: async () => assert.fail("no file"), close: async () => undefined, kill: async () => undefined };
  const jobs = [
    job("types", { place: "patient" }, () => running.has("siege")),
    job("siege", { place: "alone" }, () => ends.includes("types")),
    job("one", {}),
    job("two", {}),
    job("compilers", { place: "foreign" }, () => ends.includes("one") && ends.includes("two")),
  ];
  const options = { openShard: () => shard, onStart: () => undefined, onEnd: ({ name }: Job) => void ends.push(name) };
  await runJobs(jobs, { ...options, lanes: 2 });
  assert.deepEqual(ends.slice(2), ["compilers", "types", "siege"]);
  assert.deepEqual([met.get("types"), met.get("siege")], [["siege", "types"], ["siege"]]);
  const others = [
    job("lint", { place: "patient" }, () => ends.includes("three")),
    job("three", {}, () => running.has("lint")),
    job("four", {}, () => ends.includes("lint")),
  ];
  await runJobs(others, { ...options, lanes: 1 });
  assert.deepEqual(ends.slice(5), ["three", "lint", "four"]);
});

test("an option that is none is refused with what would be right", () => {
  const { status, stderr } = spawnSync(process.execPath, [RUN, "--shards", "0"], { encoding: "utf8" });
  assert.equal(status, 2);
  assert.match(stderr, /--shards is a whole number from 1 on, not 0/);
});
