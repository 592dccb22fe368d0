// One worker, as the first process of the gateway sees it: from its start to its end.

import { type ChildProcess, fork } from "node:child_process";
import { extname, join } from "node:path";
import type { Reading } from "../observability/metrics.ts";
import { type Asked, endIfSilent } from "../silent-process.ts";
import { StartFault } from "../start-fault.ts";
import type { Begin, Change, ForOthers, Ready, ToPrimary, ToWorker } from "./messages.ts";

export interface Worker {
  readonly number: number;
  readonly pid: number | undefined;
  /** @throws StartFault if it cannot start, or ended before it could */
  readonly ready: Promise<Ready>;
  /** Resolves with how it ended. */
  readonly ended: Promise<string>;
  tell(told: ToWorker): void;
  /** What another worker changed. Resolves when it knows, or has ended. */
  learn(change: Change): Promise<void>;
  /** Undefined: it is too busy to tell, or has ended. */
  figures(): Promise<Reading | undefined>;
}

/** For tests. */
export interface RefittedWorkers {
  /** Instead of their own. */
  readonly program?: string;
  readonly asked?: Asked;
}

/** Less than whoever asks the gateway waits. */
const FIGURES_WITHIN_MS = 1_000;
/** Compiled where this file is. */
const PROGRAM = join(import.meta.dirname, `process${extname(import.meta.filename)}`);

/** They end by themselves when this process does, unless they hang. */
const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

/**
 * @param heard what concerns the other processes
 * @param silent told when it is killed because it does not answer
 */
export function startWorker(
  begin: Begin,
  heard: (worker: Worker, told: ForOthers) => void,
  silent: () => void,
  { program = PROGRAM, asked }: RefittedWorkers,
): Worker {
  const child = fork(program, []);
  const ready = Promise.withResolvers<Ready>();
  ready.promise.catch(() => undefined); // it is asked for at the first start only
  const ended = endOf(child);
  const learning = new Map<number, () => void>();
  let learnt = 0;
  /** They are all told the same. */
  const asking = new Set<(figures: Reading | undefined) => void>();
  const answer = (figures: Reading | undefined) => {
    for (const resolve of asking) resolve(figures);
    asking.clear();
  };
  const worker: Worker = {
    number: begin.number,
    pid: child.pid,
    ready: ready.promise,
    ended,
    // To one that is ending nothing need be told.
    tell: (told) => void child.send(told, () => undefined),
    learn: (change) =>
      new Promise((resolve) => {
        const nth = learnt++;
        learning.set(nth, resolve);
        worker.tell({ kind: "change", nth, change });
      }),
    figures: async () => {
      const { promise, resolve } = Promise.withResolvers<Reading | undefined>();
      const timer = setTimeout(() => resolve(undefined), FIGURES_WITHIN_MS);
      asking.add(resolve);
      worker.tell({ kind: "figures" });
      return promise.finally(() => {
        clearTimeout(timer);
        asking.delete(resolve);
      });
    },
  };
  // From its first breath: one that hangs before it is ready would be waited for at a start, at a restart and at a stop.
  endIfSilent(child, () => worker.tell({ kind: "alive?" }), silent, asked);
  children.add(child);
  child.on("message", (told: ToPrimary) => {
    if (told.kind === "ready") ready.resolve(told);
    else if (told.kind === "alive") return;
    else if (told.kind === "cannot-start") ready.reject(new StartFault(told.why));
    else if (told.kind === "figures") answer(told.figures);
    else if (told.kind === "known") {
      learning.get(told.nth)?.();
      learning.delete(told.nth);
    } else heard(worker, told);
  });
  void ended.then((how) => {
    children.delete(child);
    ready.reject(new StartFault(`Worker ${begin.number} ended before it took requests: ${how}.`));
    for (const resolve of learning.values()) resolve();
    answer(undefined);
  });
  worker.tell(begin);
  return worker;
}

const endOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.once("error", (fault) => resolve(fault.message));
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
