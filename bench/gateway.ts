// A gateway under measurement, on a data folder of its own: started the way `npm start` does, known by its process
// numbers, and stopped.

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { MALLOC, NODE_OPTIONS } from "../bin/launch.mjs";
import { clusterOf, existingPlace } from "../src/journal/embedded/place.ts";
import { postmasterOf } from "../src/journal/embedded/postmaster.ts";
import { stopServer } from "../src/journal/embedded/server.ts";
import type { Sandbox } from "../src/sandbox.ts";
import { freePort } from "./free-port.ts";
import { childrenOf, commandLine } from "./processes.ts";

export interface RunningGateway {
  readonly url: string;
  readonly sandbox: Sandbox;
  /** Of the gateway itself, not of what started it. */
  readonly pid: number;
  /** Of the server process that all others of the database descend from. */
  readonly databasePid: number;
  /** From the start of the process to the first request that it takes. */
  readonly readyAfterMs: number;
  stop(): Promise<void>;
}

const ROOT = join(import.meta.dirname, "..");
const LAUNCHER = join(ROOT, "bin/run.mjs");
/** In its data folder while it runs, the number of its process group: whoever breaks off a test run ends it by this. */
export const GROUP_FILE = "launched.pid";
const READY_WITHIN_MS = 120_000;
const STOPPED_WITHIN_MS = 120_000;
const POLL_MS = 20;
/** For the gateways of tests, which live for seconds: code that the optimizing compiler would make is hardly used any more. */
const SHORT_LIVED = "--invocation-count-for-turbofan=20000";

export interface Launched {
  readonly ready: Promise<RunningGateway>;
  /** Also before it is ready. */
  stop(): Promise<void>;
}

/**
 * @param program a file of this project and its arguments: launched as npm does it, or, if it is compiled, run as the launcher runs it
 *   but for the optimizing compiler, which comes later: only tests run what is compiled
 * @param nodeOptions in addition to those of the environment
 * @param settings of the gateway; unless told otherwise a token may send as many requests as it likes
 * @param databaseFolder where the embedded database is, if it is not the gateway's own
 */
export async function launchGateway(
  program: readonly string[],
  dataFolder: string,
  nodeOptions: readonly string[] = [],
  settings: Readonly<Record<string, string>> = { RATE_LIMIT_PER_MINUTE: "0" },
  databaseFolder = dataFolder,
): Promise<Launched> {
  const port = await freePort();
  const log = openSync(join(dataFolder, "gateway.log"), "a", 0o600);
  const startedAt = performance.now();
  const [main = "", ...words] = program;
  const compiled = main.endsWith(".js");
  const parameters = compiled ? [...NODE_OPTIONS, SHORT_LIVED, resolve(ROOT, main), ...words] : [LAUNCHER, ...program];
  const child = spawn(process.execPath, parameters, {
    env: {
      ...(compiled && MALLOC),
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, // set by the tests only: they start many
      NODE_OPTIONS: [process.env.NODE_OPTIONS, ...nodeOptions].join(" "),
      FAREGATE_DATA: dataFolder,
      PORT: String(port),
      WORKERS: "1",
      ...settings,
    },
    stdio: ["ignore", log, log],
    // A group of its own: Ctrl-C reaches the measurement, which stops its gateways in order.
    detached: true,
  });
  closeSync(log);
  const groupFile = join(dataFolder, GROUP_FILE);
  writeFileSync(groupFile, `${child.pid}`);
  const stop = async () => {
    await ended(child);
    rmSync(groupFile, { force: true });
    const place = existingPlace(dataFolder);
    if (place !== undefined) await stopServer(place.folder); // only a gateway that was killed leaves it running
  };
  const url = `http://127.0.0.1:${port}`;
  const ready = running(child, { main, url, dataFolder, databaseFolder, startedAt, stop });
  ready.catch(() => undefined); // nobody need wait for it where it is stopped before
  return { ready, stop };
}

export async function startGateway(...launch: Parameters<typeof launchGateway>): Promise<RunningGateway> {
  return (await launchGateway(...launch)).ready;
}

interface Launching {
  readonly main: string;
  readonly url: string;
  readonly dataFolder: string;
  readonly databaseFolder: string;
  readonly startedAt: number;
  readonly stop: () => Promise<void>;
}

async function running(child: ChildProcess, launching: Launching): Promise<RunningGateway> {
  const { main, url, dataFolder, databaseFolder, startedAt, stop } = launching;
  await ready(child, url, dataFolder);
  const readyAfterMs = performance.now() - startedAt;
  const databasePid = databasePidOn(databaseFolder);
  // Beside the gateway the console may be being built.
  const names = [main, main.replace(/^src/, "compiled").replace(/\.ts$/, ".js")];
  const pid = [...childrenOf(child.pid ?? 0), child.pid ?? 0].find((one) =>
    commandLine(one).some((word) => names.some((name) => word.endsWith(name))),
  );
  if (databasePid === undefined || pid === undefined)
    throw new Error(`No gateway runs on ${dataFolder}, or no database on ${databaseFolder}.`);
  return { url, sandbox: await sandboxOf(dataFolder, url), pid, databasePid, readyAfterMs, stop };
}

/** Of the server process that all others of the embedded database on this folder descend from; undefined if it does not run. */
export function databasePidOn(folder: string): number | undefined {
  const place = existingPlace(folder)?.folder;
  return place === undefined ? undefined : postmasterOf(clusterOf(place))?.pid;
}

async function ready(child: ChildProcess, url: string, dataFolder: string): Promise<void> {
  for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    if (hasEnded(child)) break;
    const { status } = await fetch(`${url}/health/ready`).catch(() => ({ status: 0 }));
    if (status === 200) return;
  }
  await ended(child);
  throw new Error(`The gateway does not start:\n${readFileSync(join(dataFolder, "gateway.log"), "utf8")}`);
}

/** The sandbox's file is written a moment after the first request is taken. */
async function sandboxOf(dataFolder: string, url: string): Promise<Sandbox> {
  for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    try {
      const sandbox = JSON.parse(readFileSync(join(dataFolder, "sandbox.json"), "utf8")) as Sandbox;
      if (sandbox.base_url === url) return sandbox;
    } catch {
      // not yet
    }
  }
  throw new Error(`There is no sandbox.json in ${dataFolder}.`);
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

async function ended(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const end = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const family = [child.pid ?? 0, ...childrenOf(child.pid ?? 0)];
  child.kill("SIGTERM");
  const killer = setTimeout(() => {
    for (const pid of family) killIfThere(pid);
  }, STOPPED_WITHIN_MS);
  await end;
  clearTimeout(killer);
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended meanwhile.
  }
}
