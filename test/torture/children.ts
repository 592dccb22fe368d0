// A process that is started again whenever it dies, until it is let go: killed by others or by itself, it comes back at the
// same place.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export interface Kept {
  /** Also while it starts; undefined between two starts. */
  readonly pid: number | undefined;
  /** How often it died. */
  readonly deaths: number;
  /** Without a word. */
  kill(): void;
  /** Resolves when it is ready, if it is not. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

export interface Program {
  /** A file and its arguments. */
  readonly args: readonly string[];
  /** Where its output goes. */
  readonly log: string;
  /** Called for each new process. Resolves when it is ready; rejects, or never resolves, if it died before. */
  readonly begin: (child: ChildProcess) => Promise<void>;
}

/** All that are alive: whoever ends without having stopped them ends them, too. */
const alive = new Set<ChildProcess>();
/** Whoever is paused does not hear that who started it is gone. */
const paused = new Set<number>();
process.on("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
  for (const pid of paused) signal(pid, "SIGCONT");
});

const AGAIN_AFTER_MS = 100;
const READY_WITHIN_MS = 120_000;
const STOPPED_WITHIN_MS = 15_000;
const PAUSE_STEP_MS = 20;

export function keep({ args, log, begin }: Program): Kept {
  let child: ChildProcess | undefined;
  let ready = false;
  let deaths = 0;
  let stopped = false;
  const start = () => {
    const output = openSync(log, "a", 0o600);
    const born = spawn(process.execPath, [...args], { stdio: ["ignore", output, output, "ipc"] });
    closeSync(output);
    child = born;
    alive.add(born);
    born.on("error", () => undefined); // a message to one that has just died
    born.once("exit", () => {
      alive.delete(born);
      child = undefined;
      ready = false;
      deaths++;
      if (!stopped) setTimeout(() => stopped || start(), AGAIN_AFTER_MS);
    });
    begin(born).then(
      () => {
        if (child === born) ready = true; // not one that has died since, whose successor answers
      },
      () => undefined,
    );
  };
  start();
  return {
    get pid() {
      return child?.pid;
    },
    get deaths() {
      return deaths;
    },
    kill: () => void child?.kill("SIGKILL"),
    ready: async () => {
      for (const until = Date.now() + READY_WITHIN_MS; !ready; await sleep(10))
        if (Date.now() > until) throw new Error(`${args[0]} does not start: look at ${log}`);
    },
    stop: async () => {
      stopped = true;
      const last = child;
      if (last === undefined) return;
      const gone = once(last, "exit");
      last.kill("SIGCONT");
      last.kill("SIGTERM");
      const killer = setTimeout(() => last.kill("SIGKILL"), STOPPED_WITHIN_MS);
      await gone;
      clearTimeout(killer);
    },
  };
}

/**
 * All of them at once, for so long.
 * @param over they go on before: who holds what is needed for a new start, such as a port, and cannot see that whoever started it has died
 */
export async function pause(pids: readonly number[], ms: number, over: () => boolean): Promise<void> {
  for (const pid of pids) {
    paused.add(pid);
    signal(pid, "SIGSTOP");
  }
  for (const until = performance.now() + ms; performance.now() < until && !over(); ) await sleep(PAUSE_STEP_MS);
  for (const pid of pids) {
    signal(pid, "SIGCONT");
    paused.delete(pid);
  }
}

/** To a process that is gone it is nothing. */
export function signal(pid: number, name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
  try {
    process.kill(pid, name);
  } catch (fault) {
    if (!(fault instanceof Error && "code" in fault && fault.code === "ESRCH")) throw fault;
  }
}
