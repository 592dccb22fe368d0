// A shard: a worker process that runs file after file, and what came of each. One that ends or hangs in the middle of a file
// fails that file, is taken away with all that it started, and another process goes on with the next.

import type { ChildProcess } from "node:child_process";
import { cpuMicrosOfDescent } from "../../bench/processes.ts";
import type { Failure, FromWorker, ToWorker } from "./messages.ts";
import { closeWorker, hasEnded, killWorker, startWorker, type WorkerProcess } from "./worker-process.ts";

export interface Report {
  readonly name: string;
  readonly passed: number;
  readonly failures: readonly Failure[];
  /** Diagnostics and what was printed, for where something failed. */
  readonly notes: string;
  readonly ms: number;
  /** Processor time, of all that it started too; of what ended without being waited for, most. */
  readonly cpuMs?: number;
}

export interface Shard {
  /** @param name as it is reported @param longestMs instead of the shard's own deadline */
  run(file: string, name: string, longestMs?: number): Promise<Report>;
  close(): Promise<void>;
  /** At once, whatever it is at. */
  kill(): Promise<void>;
}

export interface ShardOptions {
  /** Each of its processes has one beginning with this for its temporary files, databases among them. */
  readonly folder: string;
  /** For one file. */
  readonly deadlineMs: number;
  readonly env?: NodeJS.ProcessEnv;
}

export function openShard({ folder, deadlineMs, env = {} }: ShardOptions): Shard {
  let worker: WorkerProcess | undefined;
  let meter: Meter | undefined;
  let [started, killed] = [0, false];
  return {
    async run(file, name, longestMs = deadlineMs) {
      if (worker === undefined) {
        worker = startWorker(`${folder}-${++started}`, env);
        meter = meterOf(worker.child);
      }
      const beforeMs = meter?.spentMs() ?? 0;
      const { ended, ...report } = await runFile(worker.child, file, name, longestMs);
      const cpuMs = (meter?.spentMs() ?? 0) - beforeMs;
      if (!ended) {
        await killWorker(worker);
        worker = undefined;
      }
      if (killed) await new Promise(() => undefined); // nobody is to begin another file
      return { ...report, cpuMs };
    },
    close: async () => void (worker !== undefined && (await closeWorker(worker))),
    async kill() {
      killed = true;
      if (worker !== undefined) await killWorker(worker);
    },
  };
}

interface Meter {
  readonly spentMs: () => number;
}

const LOOK_MS = 2_000;

/**
 * Processor time of a process and of all that descends from it. What ends without being waited for, as most of a browser does, takes its
 * time out of the sum: a fall of the sum is time that was spent all the same. So it is looked at now and then.
 */
function meterOf(child: ChildProcess): Meter {
  let [lastMs, lostMs] = [0, 0];
  const spentMs = () => {
    const nowMs = cpuMicrosOfDescent(child.pid ?? 0) / 1_000;
    lostMs += Math.max(0, lastMs - nowMs);
    lastMs = nowMs;
    return lastMs + lostMs;
  };
  const looks = setInterval(spentMs, LOOK_MS);
  looks.unref();
  child.once("exit", () => clearInterval(looks));
  return { spentMs };
}

const MOST_NOTED = 32_768;

/** `ended`: the file came to its end, and the process is good for another one. */
function runFile(
  child: ChildProcess,
  file: string,
  name: string,
  deadlineMs: number,
): Promise<Report & { ended: boolean }> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const failures: Failure[] = [];
    let [passed, skipped, inFlight, notes] = [0, 0, "", ""];
    const note = (text: string | Buffer) => {
      notes = `${notes}${text}`.slice(-MOST_NOTED);
    };
    const listen = (message: FromWorker) => {
      switch (message.kind) {
        case "started":
          inFlight = message.test;
          return;
        case "passed":
          passed++;
          return;
        case "skipped":
          skipped++;
          return;
        case "failed":
          failures.push(message.failure);
          return;
        case "uncaught":
          fail(`${message.text}\nnobody caught it${during()}`);
          return;
        case "noted":
          note(`${message.note}\n`);
          return;
        case "ended":
          if (passed + skipped + failures.length === 0) fail("has no tests");
          return end(true);
        default:
          return message satisfies never;
      }
    };
    const fail = (text: string) => failures.push({ path: [], line: undefined, text });
    const during = () => (inFlight === "" ? "" : `, during or after: ${inFlight}`);
    const died = (code: number | null, signal: NodeJS.Signals | null) => {
      fail(`its process ended ${signal === null ? `with exit code ${code}` : `by ${signal}`}${during()}`);
      end(false);
    };
    const deadline = setTimeout(() => {
      fail(`did not end within ${deadlineMs / 1000} s${during()}`);
      end(false);
    }, deadlineMs);
    const end = (ended: boolean) => {
      clearTimeout(deadline);
      child.off("message", listen).off("exit", died);
      for (const stream of [child.stdout, child.stderr]) stream?.off("data", note);
      resolve({ name, passed, failures, notes, ms: performance.now() - startedAt, ended });
    };
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", note);
    child.on("message", listen).on("exit", died);
    if (hasEnded(child)) return died(child.exitCode, child.signalCode);
    child.send({ file } satisfies ToWorker, (error) => error && note(`${error.message}\n`));
  });
}
