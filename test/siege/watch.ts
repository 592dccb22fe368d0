// What the machine knows of the gateway, its database and the attackers, looked at every two seconds or, in a long siege, less
// often: memory, processor time, open files, the database's sessions.

import { readdirSync, readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { childrenOf, commandLine, cpuMicros, cpuMicrosOfFamily } from "../../bench/processes.ts";
import { ADDRESSES } from "./ground.ts";

export interface Reading {
  readonly phase: string;
  readonly memoryMiB: number;
  /** Of that, the process for heavy requests. */
  readonly heavyMiB: number;
  readonly databaseMiB: number;
  readonly openFiles: number;
  /** Of clients other than the victim and the health checks. */
  readonly connections: number;
  /** Sessions of the database, and of those how many are at work. */
  readonly sessions: number;
  readonly sessionsAtWork: number;
  /** Of one core, since the reading before. */
  readonly gatewayCpu: number;
  readonly databaseCpu: number;
  readonly hostileCpu: number;
}

export interface Watch {
  phase(name: string): void;
  readonly readings: readonly Reading[];
  /** The gateway's process has ended. */
  readonly gone: () => boolean;
  /** Whose processor time counts as the attackers'. */
  hostile(pids: readonly number[]): void;
  stop(): void;
}

const EVERY_MS = 2_000;

/** @param siegeLookMs during the siege: a look takes some 30 ms of the processors that are measured */
export function watch(port: number, gatewayPid: number, databasePid: number, siegeLookMs: number): Watch {
  const readings: Reading[] = [];
  let [phase, hostilePids] = ["", [] as readonly number[]];
  let before = spent();
  function spent() {
    return {
      at: performance.now() * 1_000,
      gateway: gateway().reduce((sum, pid) => sum + cpuMicros(pid), 0),
      database: cpuMicrosOfFamily(databasePid),
      hostile: hostilePids.reduce((sum, pid) => sum + cpuMicros(pid), 0),
    };
  }
  /** With the process for heavy requests, if there is one. */
  function gateway(): readonly number[] {
    return [gatewayPid, ...childrenOf(gatewayPid).filter((pid) => commandOf(pid).includes("heavy-worker"))];
  }
  const gone = () => commandOf(gatewayPid) !== command;
  const command = commandOf(gatewayPid);
  const timer = setInterval(() => {
    const sinceMs = performance.now() - before.at / 1_000;
    if (gone() || (phase === "siege" && sinceMs < siegeLookMs - EVERY_MS / 2)) return;
    const now = spent();
    const share = (whose: "gateway" | "database" | "hostile") =>
      Math.max(0, (now[whose] - before[whose]) / (now.at - before.at));
    const sessions = sessionsOf(databasePid);
    const [ownMemoryMiB = 0, heavyMiB = 0] = gateway().map(shareMiB);
    readings.push({
      phase,
      memoryMiB: ownMemoryMiB + heavyMiB,
      heavyMiB,
      databaseMiB: sessions.reduce((sum, { pid }) => sum + ownMiB(pid), 0),
      openFiles: gateway().reduce((sum, pid) => sum + openFilesOf(pid), 0),
      connections: connectionsAt(port),
      sessions: sessions.length,
      sessionsAtWork: sessions.filter(({ title }) => !title.endsWith("idle")).length,
      gatewayCpu: share("gateway"),
      databaseCpu: share("database"),
      hostileCpu: share("hostile"),
    });
    before = now;
  }, EVERY_MS);
  return {
    phase: (name) => {
      phase = name;
    },
    readings,
    gone,
    hostile: (pids) => {
      hostilePids = pids;
      before = spent();
    },
    stop: () => clearInterval(timer),
  };
}

/** A session's process calls itself `postgres: user database [local] SELECT`, or `idle`. */
function sessionsOf(databasePid: number): readonly { readonly pid: number; readonly title: string }[] {
  return childrenOf(databasePid)
    .map((pid) => ({ pid, title: titleOf(pid) }))
    .filter(({ title }) => title.includes("[local]") || /\(\d+\)/.test(title));
}

/** Empty if there is no such process. */
function commandOf(pid: number): string {
  try {
    return commandLine(pid).join(" ");
  } catch {
    return "";
  }
}

/** A program that names itself anew leaves no arguments. */
function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", "").trim();
  } catch {
    return "";
  }
}

/** What is a process's own, and its part of what it shares with others: the program itself is counted once. */
function shareMiB(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

/** Without the memory that all sessions share. */
function ownMiB(pid: number): number {
  try {
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

/** proc(5): as `sl local_address rem_address st`, addresses in hexadecimal, the last byte of an IPv4 address first. */
function connectionsAt(port: number): number {
  const at = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = "", remote = "", state = ""]) => local.endsWith(at) && OPEN.has(state) && !isKnown(remote))
    .length;
}

/** Established, or closed by the other side only. */
const OPEN = new Set(["01", "08"]);
const KNOWN = [ADDRESSES.victim, ADDRESSES.health].map((address) =>
  Buffer.from(address.split(".").map(Number)).reverse().toString("hex").toUpperCase(),
);
const isKnown = (remote: string): boolean => KNOWN.some((known) => remote.startsWith(known));

function openFilesOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}
