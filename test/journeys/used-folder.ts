// A data folder that a gateway was started on before, so that the next start makes no database: a copy of one that is made
// once. What a start makes in an empty folder is tested where that is the subject.

import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGateway } from "../../bench/gateway.ts";
import { existingPlace } from "../../src/journal/embedded/place.ts";
import { compiledGateway } from "../compiled.ts";
import { copyFolder, emptyIfElsewhere, madeOnce } from "../made-once.ts";

/** A test, or whatever else has an end. */
export interface Ending {
  after(step: () => unknown): void;
}

const steps = new WeakMap<Ending, (() => unknown)[]>();

/** What began last ends first, so that nothing is removed under a gateway that runs: node:test itself begins with the first. */
export function atEnd(test: Ending, step: () => unknown): void {
  const known = steps.get(test) ?? [];
  known.push(step);
  if (steps.has(test)) return;
  steps.set(test, known);
  test.after(async () => {
    for (const one of known.toReversed()) await one();
  });
}

/** It and its database are removed when the test has ended. */
export function temporaryFolder(test: Ending): string {
  const folder = newFolder();
  atEnd(test, () => remove(folder));
  return folder;
}

/** As `temporaryFolder`, with a database that has all tables and a sandbox. */
export async function usedFolder(test: Ending): Promise<string> {
  const from = await madeOnce("used-folder", makeUsed);
  const folder = temporaryFolder(test);
  await copyFolder(from, folder);
  return folder;
}

async function makeUsed(folder: string): Promise<void> {
  const { stop } = await startGateway([compiledGateway()], folder);
  await stop();
  rmSync(join(folder, "gateway.log"));
  emptyIfElsewhere(folder);
}

const newFolder = (): string => mkdtempSync(join(realpathSync(tmpdir()), "faregate-crash-"));

function remove(folder: string): void {
  const place = existsSync(folder) ? existingPlace(folder) : undefined;
  // What a server that is killed has begun to write may still come.
  const gone = { recursive: true, force: true, maxRetries: 10, retryDelay: 200 };
  if (place !== undefined) rmSync(place.base, gone);
  rmSync(folder, gone);
}
