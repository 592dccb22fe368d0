// `npm run console`: builds the console into console/dist, unless what is there was built from the same files. `npm start` runs it
// beside the gateway, so that nobody waits for it; the npm package comes with it built.

import { hash } from "node:crypto";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const CONSOLE = join(ROOT, "console");
/** What it is built from: its own files, the client that it calls the gateway with, the versions of its parts. */
const SOURCES = [
  "console/{index.html,vite.config.ts}",
  "console/src/**/*.*",
  "packages/client/src/*.ts",
  "package.json",
];
const BUILT = join(CONSOLE, "dist");
const MARK = "built-from";
const CACHE = join(ROOT, "node_modules/.cache/faregate");

/** Resolves when console/dist holds what the files of now make. Nobody sees a half of it. */
export async function buildConsole(): Promise<void> {
  const wanted = sourcesHash();
  if (builtFrom() === wanted) return;
  // Here, so that a start that has nothing to build loads none of it.
  const { build } = await import("vite");
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, "console-"));
  try {
    const made = join(folder, "dist");
    await build({ root: CONSOLE, logLevel: "warn", build: { outDir: made, emptyOutDir: true } });
    writeFileSync(join(made, MARK), wanted);
    swap(made, join(folder, "before"), wanted);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of two builds at once the faster one counts: both made the same. */
function swap(made: string, before: string, wanted: string): void {
  try {
    if (existsSync(BUILT)) renameSync(BUILT, before);
    renameSync(made, BUILT);
  } catch (fault) {
    if (builtFrom() !== wanted) throw fault;
  }
}

function builtFrom(): string | undefined {
  try {
    return readFileSync(join(BUILT, MARK), "utf8");
  } catch {
    return undefined; // not built
  }
}

function sourcesHash(): string {
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).sort();
  return hash("sha256", files.map((file) => `${file}\n${hash("sha256", readFileSync(join(ROOT, file)))}\n`).join(""));
}

if (import.meta.main)
  try {
    await buildConsole();
  } catch (fault) {
    const why = fault instanceof Error ? fault.message : String(fault);
    console.error(`The console could not be built: ${why}\nTo try again: npm run console`);
    process.exitCode = 1;
  }
