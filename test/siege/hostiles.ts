// The processes of hostile clients, as the run sees them: begun, watched, ended.

import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Undo } from "../../bench/undo.ts";
import type { Tally } from "./attack.ts";
import type { Ground } from "./ground.ts";
import type { Tallies, Told } from "./hostile-process.ts";

export interface Hostiles {
  readonly pids: readonly number[];
  /** By the kind's name. */
  tallies(): Readonly<Record<string, Tally>>;
  /** Resolves when no connection of theirs is left. */
  end(): Promise<void>;
}

const PROCESSES = 4;
const ENDED_WITHIN_MS = 6_000;

export function startHostiles(undo: Undo, ground: Ground, kinds: readonly string[], seed: number): Hostiles {
  const tallies: Record<string, Tally> = {};
  const children = Array.from({ length: Math.min(PROCESSES, kinds.length) }, (_, nth) => {
    // A session of its own: the system shares the processor out by sessions first.
    const child = fork(join(import.meta.dirname, "hostile-process.ts"), { ...leftOvers(), detached: true });
    child.on("error", () => undefined);
    child.on("message", (told: Tallies) => void Object.assign(tallies, told.tallies));
    undo.add(() => void child.kill("SIGKILL"));
    const own = kinds.filter((_, which) => which % PROCESSES === nth);
    child.send({ ground, kinds: own, seed } satisfies Told);
    return child;
  });
  return {
    pids: children.flatMap(({ pid }) => (pid === undefined ? [] : [pid])),
    tallies: () => tallies,
    end: async () => void (await Promise.all(children.map(ended))),
  };
}

/** What runs so gives way at once to all else, where the system can do that (sched(7), SCHED_IDLE). */
const leftOvers = () =>
  spawnSync("chrt", ["--idle", "0", "true"]).status === 0
    ? { execPath: "chrt", execArgv: ["--idle", "0", process.execPath] }
    : { execArgv: [] };

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.send("stop" satisfies Told, () => undefined);
  const killer = setTimeout(() => child.kill("SIGKILL"), ENDED_WITHIN_MS);
  await gone;
  clearTimeout(killer);
}
