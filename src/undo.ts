// What was started is taken apart again in the opposite order: when it is to stop, and when a start fails half-way.

import type { FastifyBaseLogger } from "fastify";

/** Undone in the opposite order. */
export type Undo = (() => Promise<unknown>)[];

/** Starts all of it or nothing. */
export async function startWhole<T>(start: (undo: Undo) => Promise<T>): Promise<T & { close(): Promise<void> }> {
  const undo: Undo = [];
  try {
    return { ...(await start(undo)), close: () => undoAll(undo) };
  } catch (fault) {
    // Why it did not start is what somebody wants to know.
    await undoAll(undo).catch(() => undefined);
    throw fault;
  }
}

/** @returns the exit code: what a stop leaves undone, the next start does */
export async function closed(started: { close(): Promise<void> }, log: FastifyBaseLogger): Promise<0 | 1> {
  try {
    await started.close();
    return 0;
  } catch (fault) {
    log.error({ fault: String(fault) }, "stopped, but not everything was closed cleanly");
    return 1;
  }
}

/** Each step, whatever becomes of those before it. @throws the first fault, when all are done */
async function undoAll(undo: Undo): Promise<void> {
  const faults: unknown[] = [];
  for (const step of undo.splice(0).reverse()) await step().catch((fault) => faults.push(fault));
  if (faults.length > 0) throw faults[0];
}
