// A worker process: runs the test files that it is given, one after the other, in this one process, so that a file costs no
// start of a process or of a database. Each file is a suite of what it declares; the reporter tells how it went.

import { dirname } from "node:path";
import { describe } from "node:test";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import fc from "fast-check";
import { keepDatabases } from "../database-server.ts";
import { SEED } from "../random.ts";
import { type Tracking, trackingOf } from "./async-tracking.ts";
import type { FromWorker, ToWorker } from "./messages.ts";
import { removeFolder, removeRunIfLast } from "./worker-process.ts";

/** Of this worker alone. */
const [, , folder] = process.argv;
const stopDatabases = keepDatabases();
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
let tracking: Tracking | undefined;
let noMore = false;

process.on("message", (told: ToWorker) => {
  if (told === "no more") {
    noMore = true;
    return;
  }
  const { file } = told;
  const run = () =>
    void describe(file, async () => {
      try {
        await import(pathToFileURL(file).href);
      } finally {
        tracking?.off();
      }
    });
  tracking?.on();
  if (tracking === undefined) tracking = trackingOf(run);
  else run();
});
for (const event of ["uncaughtException", "unhandledRejection"] as const)
  process.on(event, (fault) => {
    if (process.connected) process.send?.({ kind: "uncaught", text: inspect(fault) } satisfies FromWorker);
  });
// Also where the runner was killed: what was started here ends with it. (Its process may still be the parent for a while.)
process.on("disconnect", async () => {
  await stopDatabases();
  if (folder !== undefined) await removeFolder(folder);
  if (folder !== undefined && !noMore) removeRunIfLast(dirname(folder));
  process.exit();
});
