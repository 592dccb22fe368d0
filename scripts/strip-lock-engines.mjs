// Run after every change of the lock file. npm checks each dependency's `engines` against the Node that runs npm (it may
// be 20) and would warn a newcomer; the gateway itself runs under the Node of its own dependencies (bin/run.mjs).
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8"));
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path !== "") delete entry.engines;
  delete entry.funding;
  delete entry.resolved; // addresses have no business in a lock file
}
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
