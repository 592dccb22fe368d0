// A worker of Citus that is killed and comes back. How, only the environment knows: CITUS_KILL_WORKER and CITUS_START_WORKER are
// commands for the shell.

import { exec } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

export interface Worker {
  kill(): Promise<void>;
  /** Resolves when it is there again. */
  start(): Promise<void>;
}

const { CITUS_KILL_WORKER, CITUS_START_WORKER } = process.env;

/** Undefined: nobody said how. */
export const worker: Worker | undefined =
  CITUS_KILL_WORKER && CITUS_START_WORKER
    ? { kill: () => run(CITUS_KILL_WORKER), start: () => again(CITUS_START_WORKER) }
    : undefined;

export const LEFT_OUT = "No worker is killed: CITUS_KILL_WORKER and CITUS_START_WORKER do not say how.";

const LONGEST_MS = 60_000;
const MOST_TRIES = 20;
const PAUSE_MS = 500;

const run = async (command: string): Promise<void> => {
  await promisify(exec)(command, { timeout: LONGEST_MS });
};

/** What was killed may hold its folder for a moment more. */
async function again(command: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await run(command);
    } catch (fault) {
      if (tries === MOST_TRIES) throw fault;
      await sleep(PAUSE_MS);
    }
  }
}
