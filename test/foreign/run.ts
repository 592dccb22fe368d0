// `npm run foreign`: every step of steps.ts, one after the other, or with `--only <name>` one of them. Each passes, fails, or is skipped
// with a line that says what is missing. The last line is `N passed, N failed`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { ROOT } from "../runner/jobs.ts";
import { missingFor, STEPS, type Step } from "./steps.ts";

/** Several times what the slowest takes on a busy machine, with its tools to be installed. */
const LONGEST_MS = 15 * 60_000;

const steps = stepsBy(process.argv.slice(2));
const counts = { passed: 0, failed: 0 };
for (const step of steps) {
  const missing = missingFor(step);
  if (missing !== undefined) {
    console.log(`${step.name}: skipped: ${missing}`);
    continue;
  }
  const result = await resultOf(step);
  counts[result]++;
  console.log(`${step.name}: ${result}: ${step.what}`);
}
console.log(`\n${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed === 0 ? 0 : 1);

function stepsBy(parameters: string[]): readonly Step[] {
  const named = onlyIn(parameters);
  const found = STEPS.filter(({ name }) => named === undefined || name === named);
  if (found.length > 0) return found;
  console.error(`There is no step ${named}. There are: ${STEPS.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}

function onlyIn(parameters: string[]): string | undefined {
  try {
    return parseArgs({ args: parameters, options: { only: { type: "string" } } }).values.only;
  } catch (fault) {
    console.error(`${fault instanceof Error ? fault.message : fault}\nnpm run foreign -- [--only <name>]`);
    process.exit(2);
  }
}

async function resultOf({ file }: Step): Promise<"passed" | "failed"> {
  const child = spawn(process.execPath, ["--test", "--test-isolation=none", "--test-reporter=spec", file], {
    cwd: ROOT,
    stdio: "inherit",
    timeout: LONGEST_MS,
  });
  const [code] = await once(child, "exit");
  return code === 0 ? "passed" : "failed";
}
