// The foreign steps: each can be run, and one whose tools are missing is skipped by name and not in silence.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../runner/jobs.ts";
import { missingFor, STEPS } from "./steps.ts";

test("each step has a name of its own and a file that is there and that no other run takes for a test", () => {
  assert.equal(new Set(STEPS.map(({ name }) => name)).size, STEPS.length);
  for (const { file } of STEPS) assert.ok(existsSync(join(ROOT, file)) && file.endsWith(".foreign.ts"), file);
});

test("what a step lacks is named: programs first, then documents", () => {
  const step = { name: "one", what: "", file: "", programs: ["node", "no-such-program"], documents: ["/no/such/file"] };
  assert.equal(missingFor(step), "no-such-program is not in PATH, there is no /no/such/file");
  assert.equal(missingFor({ ...step, programs: [], documents: [] }), undefined);
});

const foreign = (env: NodeJS.ProcessEnv, ...parameters: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, "test/foreign/run.ts"), ...parameters], {
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  return { status, stderr, lines: stdout.trimEnd().split("\n") };
};

test("a step without its tools is skipped with a line that says what is missing", () => {
  const empty = mkdtempSync(join(tmpdir(), "no-programs-"));
  try {
    const { status, lines } = foreign({ PATH: empty }, "--only", "stripe-mock");
    assert.deepEqual(lines, ["stripe-mock: skipped: go is not in PATH", "", "0 passed, 0 failed"]);
    assert.equal(status, 0);
  } finally {
    rmSync(empty, { recursive: true });
  }
});

test("a run of the tests names the foreign steps that it skips", () => {
  const empty = mkdtempSync(join(tmpdir(), "no-programs-"));
  const run = ["--foreign", "--files", "test/runner/cases/*.case.ts", "--shards", "1", "good"];
  try {
    const { stdout } = spawnSync(process.execPath, [join(ROOT, "test/run.ts"), ...run], {
      encoding: "utf8",
      env: { ...process.env, PATH: empty },
    });
    assert.match(stdout, /The foreign step stripe-mock was skipped: go is not in PATH\./);
  } finally {
    rmSync(empty, { recursive: true });
  }
});

test("a step that is not there, or an option that is not, is an error", () => {
  assert.match(foreign({}, "--only", "nothing").stderr, /^There is no step nothing\. There are: stripe-mock, /);
  assert.deepEqual([foreign({}, "--only", "nothing").status, foreign({}, "--every").status], [2, 2]);
});
