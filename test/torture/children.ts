// A process that is started again whenever it dies, until it is let go: killed by others or by itself, it comes back at the
// same place.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export interface Kept {
  /** Undefined while it is away. */
  readonly pid: number | undefined;
  /** How often it died. */
  readonly deaths: number;
  /** Killed without a word, or paused and let go on. */
  signal(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void;
  send(message: object): void;
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
process.on("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

const AGAIN_AFTER_MS = 100;
const READY_WITHIN_MS = 120_000;
const STOPPED_WITHIN_MS = 15_000;

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
      return ready ? child?.pid : undefined;
    },
    get deaths() {
      return deaths;
    },
    signal: (signal) => void child?.kill(signal),
    send: (message) => {
      if (child?.connected) child.send(message, () => undefined);
    },
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
