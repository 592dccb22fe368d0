// What is made before the first test begins, on all processors at once: else its processes would all wait for one, or each make its own.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { type Job, ROOT } from "./jobs.ts";
import { COMPILE_CACHE } from "./worker-process.ts";

/** So many files are worth it; what fewer need, the first of them makes. */
const MANY = 100;

/** @param jobs of the run */
export async function prepare(jobs: readonly Job[], signal: AbortSignal): Promise<void> {
  // Every gateway that starts beside tests would begin to build it as long as it is not there.
  const showsConsole = jobs.some(({ name }) => /^test\/.*\.test\.ts$|^acceptance$/.test(name));
  await Promise.all([
    showsConsole && ran("scripts/console.ts", signal),
    jobs.length >= MANY && ran("test/runner/warm-up.ts", signal),
  ]);
}

/** If it fails it has said why, and so will the tests that need it. */
function ran(program: string, signal: AbortSignal): Promise<void> {
  const env = { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE };
  const child = spawn(process.execPath, [join(ROOT, program)], { env, signal, stdio: ["ignore", "ignore", "inherit"] });
  return new Promise((resolve) => child.once("error", () => resolve()).once("close", () => resolve()));
}
