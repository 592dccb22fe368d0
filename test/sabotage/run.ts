// `npm run sabotage`: makes each mistake of sabotages.ts in a copy of the project and runs the tests that have to catch it.
// Prints which test did, as the table of docs/torture.md. Ends with exit code 1 if one was not caught.

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { SABOTAGES, type Sabotage } from "./sabotages.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const LEFT_OUT = new Set(["node_modules", ".git", "data", "results"]);
const LONGEST_MS = 120_000;

type Verdict =
  | { readonly kind: "caught"; readonly by: string }
  | { readonly kind: "passed" | "hung" | "broken"; readonly why: string };

const copy = mkdtempSync(join(tmpdir(), "faregate-sabotage-"));
process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(1));
cpSync(ROOT, copy, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) });
symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));

const only = process.argv.slice(2);
const wanted = SABOTAGES.filter(({ mistake }) => only.length === 0 || only.some((word) => mistake.includes(word)));
const untouched = runTests([...new Set(wanted.flatMap(({ tests }) => tests))]);
if (untouched.kind !== "passed") {
  console.error(`Without any mistake these tests do not pass: ${JSON.stringify(untouched)}`);
  process.exit(1);
}
let missed = 0;
console.log("| Mistake | In | Caught by |\n| --- | --- | --- |");
for (const sabotage of wanted) {
  const verdict = tryOut(sabotage);
  if (verdict.kind !== "caught") missed++;
  const told = verdict.kind === "caught" ? verdict.by : `**NOT CAUGHT** (${verdict.kind}: ${verdict.why})`;
  console.log(`| ${sabotage.mistake} | \`${sabotage.file}\` | ${told} |`);
}
console.log(`\n${wanted.length - missed} of ${wanted.length} caught`);
process.exit(missed === 0 ? 0 : 1);

function tryOut({ file, search, replace, tests }: Sabotage): Verdict {
  const path = join(copy, file);
  const before = readFileSync(path, "utf8");
  writeFileSync(
    path,
    before.replace(search, () => replace),
  );
  try {
    return runTests(tests);
  } finally {
    writeFileSync(path, before);
  }
}

function runTests(tests: readonly string[]): Verdict {
  const run = spawnSync(process.execPath, ["--test", "--test-isolation=none", "--test-reporter=spec", ...tests], {
    cwd: copy,
    encoding: "utf8",
    timeout: LONGEST_MS,
    killSignal: "SIGKILL",
  });
  if (run.signal !== null) return { kind: "hung", why: `no end within ${LONGEST_MS / 1000} s` };
  if (run.status === 0) return { kind: "passed", why: tests.join(", ") };
  // The innermost is told first. One that has the name of a file is a file that could not be run at all.
  const [, failed] = /^\s*✖ (.*) \([\d.]+ms\)$/m.exec(run.stdout) ?? [];
  if (failed === undefined || failed.endsWith(".ts")) return { kind: "broken", why: `${run.stdout.slice(-300)}` };
  return { kind: "caught", by: failed };
}
