// The workers of a gateway: as many as were asked for, each replaced when it dies, all stopped together.

import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import type { Reading } from "../observability/metrics.ts";
import type { StartFault } from "../start-fault.ts";
import type { Change, ToWorker } from "./messages.ts";
import { within } from "./within.ts";
import type { Worker } from "./worker.ts";

export interface Crew {
  /** Where they listen. */
  readonly url: string;
  tellAll(told: ToWorker): void;
  /** What one of them changed. Resolves when the others know, or have not said so in time. */
  spread(from: Worker, change: Change): Promise<void>;
  figures(): Promise<readonly (Reading | undefined)[]>;
  /** They finish what is in flight. @throws if one of them did not end cleanly, when all have ended */
  stop(): Promise<void>;
}

export interface CrewOptions {
  readonly count: number;
  readonly start: (number: number) => Worker;
  /** Told of the node that a dead worker was. */
  readonly lost: (node: number) => Promise<void>;
  readonly log: FastifyBaseLogger;
}

/** One that dies before it is ready will probably do so again. */
const RESTART_AFTER_MS = { first: 1_000, most: 60_000 } as const;
/** A worker that says nothing for so long is not waited for. */
const PATIENCE_MS = 1_000;

/** Resolves when all are ready. @throws StartFault if one cannot start; the others are stopped then */
export async function startCrew({ count, start, lost, log }: CrewOptions): Promise<Crew> {
  const present = new Map<number, Worker>();
  const stopping = new AbortController();
  const engage = (number: number): Worker => {
    const worker = start(number);
    present.set(number, worker);
    void worker.ended.then(() => present.get(number) === worker && present.delete(number));
    return worker;
  };
  /** @returns how each ended: one that hangs is killed */
  const end = async () => {
    stopping.abort();
    const ended = [...present.values()].map(async ({ number, ended }) => ({ number, how: await ended }));
    tellAll({ kind: "stop" });
    return Promise.all(ended);
  };
  const stop = async () => {
    const unclean = (await end()).filter(({ how }) => how !== CLEANLY);
    if (unclean.length > 0) throw new Error(unclean.map(({ number, how }) => `worker ${number}: ${how}`).join(", "));
  };
  const tellAll = (told: ToWorker) => {
    for (const worker of present.values()) worker.tell(told);
  };

  const markedDead = (node: number) =>
    lost(node).catch((fault: unknown) =>
      log.warn({ fault: String(fault) }, "a dead worker's node could not be marked as dead"),
    );

  /** Whoever takes its place is kept, too. */
  const keep = async (first: Worker): Promise<void> => {
    let pauseMs = 0;
    for (let worker = first; ; ) {
      let why: string | undefined;
      const ready = await worker.ready.catch((fault: StartFault) => {
        why = fault.message;
      });
      if (ready) pauseMs = 0;
      const fault = await worker.ended;
      if (stopping.signal.aborted) return;
      log.error(
        { worker: worker.number, workerPid: worker.pid, fault, why, pauseMs },
        "a worker ended: another takes its place",
      );
      // The database may be away: nobody waits for it to hear of this.
      if (ready) void markedDead(ready.node);
      await pause(pauseMs, stopping.signal);
      if (stopping.signal.aborted) return;
      pauseMs = Math.min(RESTART_AFTER_MS.most, Math.max(RESTART_AFTER_MS.first, 2 * pauseMs));
      worker = engage(worker.number);
    }
  };

  const firsts = Array.from({ length: count }, (_, index) => engage(index + 1));
  try {
    const [url = ""] = (await Promise.all(firsts.map(({ ready }) => ready))).map((ready) => ready.url);
    for (const worker of firsts) void keep(worker);
    return {
      ...{ url, tellAll, stop },
      figures: () => Promise.all([...present.values()].map((worker) => worker.figures())),
      spread: async (from, change) => {
        const others = [...present.values()].filter((worker) => worker !== from);
        await within(PATIENCE_MS, Promise.all(others.map((other) => other.learn(change))));
      },
    };
  } catch (fault) {
    await end();
    throw fault;
  }
}

const CLEANLY = "exit code 0";

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal }).catch(() => undefined);
}
