// Programs as `npm start` runs them: compiled, which starts in half of the time that the sources take. Those of tests are made the same
// way; where nothing can compile them, either is its source.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const MADE = join(ROOT, "node_modules/.cache/faregate/programs");

const MARK = "made-of";

let folder: string | undefined;
let sourcesHash: string | undefined;
const made = new Map<string, string>();

/** @param program of the gateway, such as `main` */
export function compiled(program: string): string {
  folder ??= run("compile.mjs");
  return folder === "" ? join(ROOT, "src", `${program}.ts`) : join(folder, `${program}.js`);
}

/** The gateway as `npm start` runs it once it is launched, for `bench/gateway.ts`. @returns a path from the project's folder */
export const compiledGateway = (): string => relative(ROOT, compiled("main"));

/** @param program of tests, such as `test/toy/gateway.ts` @returns a path from the project's folder, too */
export function compiledForTests(program: string): string {
  if (compiled("main").endsWith(".ts")) return program;
  const known = made.get(program) ?? make(program);
  made.set(program, known);
  return known;
}

function make(program: string): string {
  const place = join(MADE, program.replaceAll("/", "-").replace(/\.ts$/, ""));
  if (textOf(join(place, MARK)) !== sources()) replace(place, program);
  return join(relative(ROOT, place), `${basename(program, ".ts")}.js`);
}

function replace(place: string, program: string): void {
  mkdirSync(MADE, { recursive: true });
  const draft = mkdtempSync(join(MADE, "draft-"));
  run("bundle.mjs", join(draft, "made"), program);
  // What is the same stays: another process may have made it just now, and run it.
  if (contentOf(place) === contentOf(join(draft, "made"))) writeFileSync(join(place, MARK), sources());
  else {
    writeFileSync(join(draft, "made", MARK), sources());
    if (existsSync(place)) renameSync(place, join(draft, "before"));
    renameSync(join(draft, "made"), place);
  }
  rmSync(draft, { recursive: true });
}

function sources(): string {
  sourcesHash ??= hashOf([
    join(ROOT, "compiled/compiled-from"),
    join(ROOT, "bin/bundle.mjs"),
    ...["test", "bench", "acquirer", "hosts"].flatMap((name) => globSync(join(ROOT, name, "**/*.ts")).sort()),
  ]);
  return sourcesHash;
}

const contentOf = (place: string): string => hashOf(globSync(join(place, "*.js")).sort(), (file) => basename(file));

function hashOf(files: readonly string[], nameOf = (file: string) => file): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(nameOf(file)).update(readFileSync(file));
  return hash.digest("hex");
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

const run = (script: string, ...words: string[]): string =>
  execFileSync(process.execPath, [join(ROOT, "bin", script), ...words], { encoding: "utf8" });
