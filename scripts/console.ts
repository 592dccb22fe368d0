// `npm run console`: builds the console into console/dist, unless what is there was built from the same files. `npm start` runs it
// beside the gateway, so that nobody waits for it; the npm package comes with it built.

import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CONSOLE_MARK, consoleSources, isConsoleBuilt } from "../bin/console-sources.mjs";

const ROOT = join(import.meta.dirname, "..");
const CONSOLE = join(ROOT, "console");
const BUILT = join(CONSOLE, "dist");
const CACHE = join(ROOT, "node_modules/.cache/faregate");

/** Resolves when console/dist holds what the files of now make. Nobody sees a half of it. */
export async function buildConsole(): Promise<void> {
  if (isConsoleBuilt()) return;
  const wanted = consoleSources();
  // Here, so that a start that has nothing to build loads none of it.
  const { build } = await import("vite");
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, "console-"));
  try {
    const made = join(folder, "dist");
    await build({ root: CONSOLE, logLevel: "warn", build: { outDir: made, emptyOutDir: true } });
    writeFileSync(join(made, CONSOLE_MARK), wanted);
    swap(made, join(folder, "before"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of two builds at once the faster one counts: both made the same. */
function swap(made: string, before: string): void {
  try {
    if (existsSync(BUILT)) renameSync(BUILT, before);
    renameSync(made, BUILT);
  } catch (fault) {
    if (!isConsoleBuilt()) throw fault;
  }
}

if (import.meta.main)
  try {
    await buildConsole();
  } catch (fault) {
    const why = fault instanceof Error ? fault.message : String(fault);
    console.error(`The console could not be built: ${why}\nTo try again: npm run console`);
    process.exitCode = 1;
  }
