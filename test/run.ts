// `npm test`: types, lint and the direction of imports, then every test, then the black-box checks of a running gateway
// where they lie beside the project. Ends in one line, `N passed, N failed`.

import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { withGateway } from "./gateway-under-test.ts";

const ROOT = join(import.meta.dirname, "..");
const ACCEPTANCE = join(ROOT, "../shared/acceptance");

interface Count {
  readonly passed: number;
  readonly failed: number;
}

/** A command as one check: it passes with exit code 0. */
function command(name: string, program: string, ...args: string[]): Count {
  console.log(`\n# ${name}`);
  const { status } = spawnSync(process.execPath, [join(ROOT, "node_modules", program), ...args], {
    cwd: ROOT,
    stdio: "inherit",
  });
  console.log(status === 0 ? "✔ passed" : "✖ failed");
  return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1 };
}

/** A pattern that matches nothing would pass in silence, so no files is a failure. */
async function tests(name: string, files: readonly string[], isolation: "none" | "process"): Promise<Count> {
  console.log(`\n# ${name}: ${files.length} files`);
  if (files.length === 0) return { passed: 0, failed: 1 };
  let passed = 0;
  let failed = 0;
  const stream = run({ files: [...files], isolation, concurrency: isolation === "process" ? 1 : true });
  stream.on("test:pass", ({ skip, todo, details }) => {
    if (details.type !== "suite" && !skip && !todo) passed++;
  });
  stream.on("test:fail", ({ details }) => {
    if (details.type !== "suite") failed++;
  });
  await new Promise<void>((resolve) => stream.compose(spec).on("end", resolve).pipe(process.stdout, { end: false }));
  return { passed, failed: passed === 0 ? Math.max(failed, 1) : failed };
}

async function acceptance(): Promise<Count> {
  if (!existsSync(ACCEPTANCE)) {
    console.log("\n# acceptance: not there, left out");
    return { passed: 0, failed: 0 };
  }
  const files = globSync("*.test.mjs", { cwd: ACCEPTANCE }).sort();
  return withGateway(async (sandboxFile) => {
    process.env.FAREGATE_SANDBOX = sandboxFile;
    return tests(
      "acceptance",
      files.map((file) => join(ACCEPTANCE, file)),
      "process",
    );
  });
}

const only = process.argv[2];
const steps: Record<string, () => Count | Promise<Count>> = {
  types: () => command("types", "typescript/bin/tsc", "-p", "."),
  lint: () => command("lint and the direction of imports", "@biomejs/biome/bin/biome", "ci", "."),
  tests: () =>
    tests(
      "tests",
      globSync("{src,test,bench,acquirer}/**/*.test.ts", { cwd: ROOT })
        .sort()
        .map((file) => join(ROOT, file)),
      "none",
    ),
  acceptance,
};
if (only !== undefined && !(only in steps)) {
  console.error(`There is no step ${only}: npm test -- ${Object.keys(steps).join(" | ")}`);
  process.exit(2);
}

let [passed, failed] = [0, 0];
for (const [name, step] of Object.entries(steps)) {
  if (only !== undefined && name !== only) continue;
  const count = await step();
  passed += count.passed;
  failed += count.failed;
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
