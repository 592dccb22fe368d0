// Whether console/dist was built from the files of now: a start that has nothing to build starts nothing for that.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";

/** In console/dist: what it was built from. */
export const CONSOLE_MARK = "built-from";
/** Its own files, the client that it calls the gateway with, the versions of its parts. */
const FILES = ["console/index.html", "console/vite.config.ts", "package.json"];
const FOLDERS = ["console/src", "packages/client/src"];

export function isConsoleBuilt() {
  try {
    return readFileSync(join(root, "console/dist", CONSOLE_MARK), "utf8") === consoleSources();
  } catch {
    return false;
  }
}

/** A hash of them all. */
export function consoleSources() {
  const hash = createHash("sha256");
  for (const file of [...FILES, ...FOLDERS.flatMap(filesIn)].sort())
    hash.update(`\n${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

const filesIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length));
