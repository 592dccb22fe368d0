// Compiles src/ to compiled/, unless that was compiled from the same files. Node runs the sources too, but then keeps its compiler of
// types in memory: 15 MiB of 77 for each process of an idle gateway, and starts a second later.
// As a program it does that and prints where they are then; nothing if it could not.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { follow } from "./follow.mjs";
import { root } from "./install.mjs";
import { holdLock } from "./install-lock.mjs";

const SOURCES = join(root, "src");
const BUNDLER = join(root, "node_modules/rolldown");
const BUNDLE = "bin/bundle.mjs";
const CACHE = join(root, "node_modules/.cache/faregate");
export const COMPILED = "compiled";
const MARK = "compiled-from";

/** Resolves with whether compiled/ holds what the sources of now make; false where nothing can compile them, or nothing be written. */
export async function compileSources(node) {
  if (!existsSync(BUNDLER)) return false;
  const wanted = sourcesHash();
  if (compiledFrom() === wanted) return true;
  const release = await holdLock(join(root, COMPILED), () => undefined);
  try {
    return compiledFrom() === wanted || (await replaceCompiled(node, wanted));
  } catch {
    // Such as a file system that is read only. Another start may have done it at the same time.
    return compiledFrom() === wanted;
  } finally {
    release();
  }
}

/** Nobody sees a half of it. */
async function replaceCompiled(node, wanted) {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, "compiled-"));
  try {
    const made = join(folder, "made");
    if (!(await compileTo(node, made))) return false;
    writeFileSync(join(made, MARK), wanted);
    if (existsSync(join(root, COMPILED))) renameSync(join(root, COMPILED), join(folder, "before"));
    renameSync(made, join(root, COMPILED));
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Resolves with whether it could be done; what does it says why not. */
async function compileTo(node, folder) {
  const { code } = await follow(node, [join(root, BUNDLE), folder], {
    cwd: root,
    // Standard output is that of the program, which others may read.
    stdio: ["ignore", 2, "inherit"],
  });
  return code === 0;
}

function compiledFrom() {
  try {
    return readFileSync(join(root, COMPILED, MARK), "utf8");
  } catch {
    return undefined; // not compiled
  }
}

function sourcesHash() {
  const hash = createHash("sha256");
  for (const file of ["package.json", "tsconfig.json", BUNDLE]) hash.update(readFileSync(join(root, file)));
  for (const file of filesIn(SOURCES).filter((name) => !name.endsWith(".test.ts")))
    hash.update(`\n${file}\n`).update(readFileSync(join(SOURCES, file)));
  return hash.digest("hex");
}

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
    .sort();

// Undefined in the older Node that may have begun a start.
if (import.meta.main && (await compileSources(process.execPath))) process.stdout.write(join(root, COMPILED));
