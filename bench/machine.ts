// The facts of the machine and of the database that figures depend on.

import { execFileSync } from "node:child_process";
import { closeSync, fsyncSync, openSync, readlinkSync, rmSync, statfsSync, writeSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { commandLine } from "./processes.ts";
import { median } from "./statistics.ts";

export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGiB: number;
  readonly linux: string;
  readonly node: string;
  /** What NODE_OPTIONS adds to the options that the gateway ships with. */
  readonly nodeOptions: string;
  /** Of the last minute, before anything was measured: others at work make figures worse. */
  readonly loadBefore: number;
  /** An 8 KiB block written and made durable, where the data is. */
  readonly fsyncMs: number;
  readonly durable: boolean;
}

/** statfs(2): what is on these is lost with the power. */
const IN_MEMORY = new Set([0x01021994, 0x858458f6]);
const FSYNCS = 50;

export function machineFacts(folder: string): Machine {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? "",
    memoryGiB: totalmem() / 2 ** 30,
    linux: release(),
    node: process.version,
    nodeOptions: process.env.NODE_OPTIONS ?? "",
    loadBefore: loadavg()[0] ?? 0,
    fsyncMs: fsyncMs(join(folder, "fsync")),
    durable: !IN_MEMORY.has(statfsSync(folder).type),
  };
}

/** In one line, for people. */
export const shownMachine = ({ cores, processor, node, loadBefore, fsyncMs, durable }: Machine): string =>
  `${cores} cores (${processor}), Node ${node}, fsync ${fsyncMs.toFixed(2)} ms${durable ? "" : " IN MEMORY: not durable"}, ` +
  `load before ${loadBefore.toFixed(1)}`;

/** On a quiet one the system itself takes some four percent. */
const NOT_QUIET = 10;

/** @param others percent of the machine that was used by nobody who took part */
export const quietness = (others: number): readonly string[] =>
  others <= NOT_QUIET
    ? []
    : [
        `The machine was not quiet: ${others.toFixed(0)} % of it was used by others. Only ratios of the same run say anything.`,
      ];

function fsyncMs(file: string): number {
  const block = Buffer.alloc(8192, 1);
  const opened = openSync(file, "w");
  const times = Array.from({ length: FSYNCS }, () => {
    const startedAt = performance.now();
    writeSync(opened, block);
    fsyncSync(opened);
    return performance.now() - startedAt;
  });
  closeSync(opened);
  rmSync(file);
  return median(times);
}

export interface DatabaseFacts {
  /** `postgres (PostgreSQL) 18.4` */
  readonly version: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** @param pid of the embedded server, which gets all its settings as arguments: `-c name=value` */
export function databaseFacts(pid: number): DatabaseFacts {
  const pairs = commandLine(pid).flatMap((argument, index, all) => {
    const [name = "", ...value] = argument.split("=");
    return all[index - 1] === "-c" ? [[name, value.join("=")]] : [];
  });
  const version = execFileSync(readlinkSync(`/proc/${pid}/exe`), ["--version"], { encoding: "utf8" });
  return { version: version.trim(), settings: Object.fromEntries(pairs) };
}
