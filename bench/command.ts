// Runs a command of `faregate` on the data of a measurement, and watches what it takes.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { childrenOf, cpuMicros, memoryMiB } from "./processes.ts";
import type { Undo } from "./undo.ts";

export interface Ended {
  readonly code: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
  readonly stdout: string;
}

const PROGRAM = join(import.meta.dirname, "../bin/faregate.mjs");
const LOOK_MS = 20;

/** Its progress goes where that of the measurement goes. */
export async function runCommand(undo: Undo, folder: string, words: readonly string[]): Promise<Ended> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    env: { PATH: process.env.PATH, FAREGATE_DATA: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let [stdout, peakMiB, cpuSeconds] = ["", 0, 0];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  const closed = once(child, "close");
  undo.add(async () => {
    child.kill();
    await closed;
  });
  while (child.exitCode === null && child.signalCode === null) {
    try {
      const [command] = childrenOf(child.pid ?? 0);
      if (command !== undefined) {
        peakMiB = Math.max(peakMiB, memoryMiB(command).peak || 0);
        cpuSeconds = Math.max(cpuSeconds, cpuMicros(command) / 1e6);
      }
    } catch {
      // it has just ended
    }
    await sleep(LOOK_MS);
  }
  await closed;
  if (child.exitCode === null) throw new Error("The command was ended by a signal.");
  return { code: child.exitCode, seconds: (performance.now() - startedAt) / 1000, cpuSeconds, peakMiB, stdout };
}
