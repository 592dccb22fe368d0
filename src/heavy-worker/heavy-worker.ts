// A process of its own for heavy requests: lists, exports, large bodies. It is one more node on the same database, behind the
// gateway's door and at a lower priority, so that payments do not wait for a processor that is busy with those. It is
// started when it is first worth it; while it is not there, the gateway does the work itself.

import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import type { FastifyBaseLogger } from "fastify";
import { type HeavyRequest, type HeavyWorker, onlyReads, WorkerGone } from "../api/heavy-requests.ts";
import type { DatabaseAddress } from "../journal/database.ts";
import { Agent } from "../node-http.ts";
import type { Reading } from "../observability/metrics.ts";
import type { Database } from "../open-database.ts";
import { FULL_SIZES, type PoolSizes } from "../pool-sizes.ts";
import { type Asked, endIfSilent } from "../silent-process.ts";
import { ask } from "./ask.ts";
import { AT_WORK, STARTING, setNiceness } from "./priority.ts";

/** As who started it sees it. */
export interface OwnHeavyWorker extends HeavyWorker {
  /** What it has counted; undefined if it is not there, or too busy to tell. */
  figures(): Promise<Reading | undefined>;
  /** It reads the processor records of this merchant anew. */
  forget(merchantId: string): void;
  stop(): Promise<void>;
}

/** What it is told first; later it is told whose processor records changed, and to stop. */
export interface Begin {
  readonly address: DatabaseAddress;
  readonly sizes: PoolSizes;
  readonly socket: string;
}
export type Told = Begin | { readonly forget: string } | "figures" | "alive?" | "stop";
/** What it tells later than that it is ready, beside that it is alive. */
export interface Figures {
  readonly figures: Reading;
}

/** So many wishes in so long a time: a few lists are no reason for another process. */
const WORTH_IT = { wishes: 20, withinMs: 10_000 } as const;
const RESTART_AFTER_MS = { first: 1_000, most: 60_000 } as const;
const STOPPED_WITHIN_MS = 25_000;
/** Killed after half a minute, as other processes are. */
const ASKED: Asked = { everyMs: 1_000, times: 30 };
/** On a full machine its answers are late, too. Then the gateway does the work meanwhile, and nothing else is lost. */
const LATE_AFTER = 2;
/** Less memory for more of its time, of which nobody is in need. */
const NODE_OPTIONS = [
  "--max-semi-space-size=2",
  "--heap-growing-percent=30",
  // As the gateway's own: bin/launch.mjs says why.
  "--no-allocation-site-pretenuring",
  "--no-parallel-scavenge",
  "--no-maglev",
  "--invocation-count-for-turbofan=1000",
  // Compiler and collector share one thread, as more would take the gateway's processor from it: four took 14 % of one under siege.
  "--v8-pool-size=1",
  "--disable-sigusr1",
];
/** Compiled where this file is. */
const PROGRAM = join(import.meta.dirname, `process${extname(import.meta.filename)}`);

export interface HeavyWorkerOptions {
  /** Told where it can be asked, and undefined when it is gone. */
  readonly moved?: (socket: string | undefined) => void;
  /** Whether it lives: for tests. */
  readonly asked?: Asked | undefined;
}

/** Starts no process before there is enough heavy work for one, and starts it again when it ends. */
export function heavyWorker(
  { address, sizes = FULL_SIZES }: Pick<Database, "address" | "sizes">,
  log: FastifyBaseLogger,
  { moved = () => undefined, asked = ASKED }: HeavyWorkerOptions = {},
): OwnHeavyWorker {
  const agent = new Agent({ keepAlive: true });
  let child: ChildProcess | undefined;
  let [socket, folder] = ["", ""];
  let [ready, late, stopping] = [false, false, false];
  /** Those that only read and wait for their response to begin: when the process is late, they are read elsewhere. */
  const reading = new Set<AbortController>();
  /** The last ones. */
  const wishes: number[] = [];
  let pauseMs: number = RESTART_AFTER_MS.first;
  let notBefore = 0;

  const start = (): void => {
    folder = mkdtempSync(join(tmpdir(), "faregate-"));
    socket = socketIn(folder);
    const begun = fork(PROGRAM, [], {
      execArgv: NODE_OPTIONS,
      env: { ...process.env, HEAVY_WORKER: "off" },
      // A session of its own: the system shares the processor out by sessions first.
      detached: true,
    });
    child = begun;
    begun.send({ address, sizes, socket } satisfies Begin, () => undefined);
    begun.once("message", () => {
      if (child !== begun) return; // it has died meanwhile
      if (begun.pid !== undefined) setNiceness(begun.pid, AT_WORK);
      endIfSilent(
        begun,
        () => void begun.send("alive?" satisfies Told, () => undefined),
        () => log.error({ workerPid: begun.pid }, "the process for heavy requests does not answer: it is killed"),
        asked,
        { times: LATE_AFTER, changed: becameLate },
      );
      ready = true;
      pauseMs = RESTART_AFTER_MS.first;
      moved(socket);
      log.info({ workerPid: begun.pid }, "heavy requests have a process of their own");
    });
    const over = (fault: unknown) => child === begun && ended(fault);
    begun.once("error", over);
    begun.once("exit", (code, signal) => over(new Error(signal ?? `exit code ${code}`)));
    if (begun.pid !== undefined) setNiceness(begun.pid, STARTING);
  };

  const becameLate = (isLate: boolean): void => {
    late = isLate;
    log.warn({ late }, late ? "the process for heavy requests is late: their work is done here" : "it answers again");
    if (late) for (const one of reading) one.abort();
  };

  /** @throws WorkerGone also if the process is late */
  const read = async (asked: HeavyRequest): Promise<IncomingMessage> => {
    const waiting = new AbortController();
    reading.add(waiting);
    const signal = asked.signal === undefined ? waiting.signal : AbortSignal.any([asked.signal, waiting.signal]);
    try {
      return await ask({ ...asked, signal, socketPath: socket, agent });
    } catch (fault) {
      throw waiting.signal.aborted ? new WorkerGone(fault, true) : fault;
    } finally {
      reading.delete(waiting);
    }
  };

  const ended = (fault: unknown): void => {
    [child, ready, late] = [undefined, false, false];
    moved(undefined);
    rmSync(folder, { recursive: true, force: true });
    if (stopping) return;
    notBefore = performance.now() + pauseMs;
    log.error(
      { fault: String(fault), pauseMs },
      "the process for heavy requests ended: their work is done here meanwhile",
    );
    pauseMs = Math.min(RESTART_AFTER_MS.most, 2 * pauseMs);
  };

  const startOrWait = (): void => {
    try {
      start();
    } catch (fault) {
      ended(fault);
    }
  };

  const isWorthIt = (): boolean => {
    const now = performance.now();
    wishes.push(now);
    if (wishes.length > WORTH_IT.wishes) wishes.shift();
    const [first = now] = wishes;
    return wishes.length === WORTH_IT.wishes && first > now - WORTH_IT.withinMs && now >= notBefore;
  };

  return {
    isThere: () => {
      if (child === undefined && !stopping && isWorthIt()) startOrWait();
      return ready && !late;
    },
    ask: (asked) => (onlyReads(asked) ? read(asked) : ask({ ...asked, socketPath: socket, agent })),
    figures: async () => (child !== undefined && ready ? figuresOf(child) : undefined),
    forget: (merchantId) => void child?.send({ forget: merchantId } satisfies Told, () => undefined),
    stop: async () => {
      stopping = true;
      if (child !== undefined) await stopped(child);
      agent.destroy();
    },
  };
}

/** Windows has no sockets in folders, but names of pipes. */
const socketIn = (folder: string): string =>
  process.platform === "win32" ? `\\\\.\\pipe\\${basename(folder)}` : join(folder, "heavy.sock");

/** Less than whoever asks the gateway waits. */
const FIGURES_WITHIN_MS = 1_000;

function figuresOf(child: ChildProcess): Promise<Reading | undefined> {
  return new Promise((resolve) => {
    const told = (message: "alive" | Figures) => message !== "alive" && end(message.figures);
    const end = (figures?: Reading) => {
      clearTimeout(timer);
      child.off("message", told);
      resolve(figures);
    };
    const timer = setTimeout(end, FIGURES_WITHIN_MS);
    child.on("message", told);
    child.send("figures" satisfies Told, () => undefined);
  });
}

async function stopped(child: ChildProcess): Promise<void> {
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.send("stop" satisfies Told, () => undefined);
  const killer = setTimeout(() => child.kill("SIGKILL"), STOPPED_WITHIN_MS);
  await gone;
  clearTimeout(killer);
}
