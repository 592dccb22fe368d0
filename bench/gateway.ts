// A gateway under measurement: a process of its own on a data folder of its own, started, known by its process numbers,
// and stopped.

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { clusterOf, existingPlace } from "../src/journal/embedded/place.ts";
import { postmasterOf } from "../src/journal/embedded/postmaster.ts";
import { stopServer } from "../src/journal/embedded/server.ts";
import type { Sandbox } from "../src/sandbox.ts";

export interface RunningGateway {
  readonly url: string;
  readonly sandbox: Sandbox;
  readonly pid: number;
  /** Of the server process that all others of the database descend from. */
  readonly databasePid: number;
  /** From the start of the process to the first request that it takes. */
  readonly readyAfterMs: number;
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 60_000;
const STOPPED_WITHIN_MS = 30_000;
const POLL_MS = 5;

/** @param program the file and its arguments, after those of Node itself */
export async function startGateway(program: readonly string[], dataFolder: string): Promise<RunningGateway> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const log = openSync(join(dataFolder, "gateway.log"), "a", 0o600);
  const startedAt = performance.now();
  const child = spawn(process.execPath, program, {
    env: { PATH: process.env.PATH, FAREGATE_DATA: dataFolder, PORT: String(port), RATE_LIMIT_PER_MINUTE: "0" },
    stdio: ["ignore", log, log],
    // A group of its own: Ctrl-C reaches the measurement, which stops its gateways in order.
    detached: true,
  });
  closeSync(log);
  await ready(child, url, dataFolder);
  const readyAfterMs = performance.now() - startedAt;
  const place = existingPlace(dataFolder)?.folder;
  const databasePid = place === undefined ? undefined : postmasterOf(clusterOf(place))?.pid;
  if (place === undefined || databasePid === undefined || child.pid === undefined)
    throw new Error(`No database runs in ${dataFolder}.`);
  return {
    url,
    sandbox: await sandboxOf(dataFolder, url),
    pid: child.pid,
    databasePid,
    readyAfterMs,
    stop: async () => {
      await ended(child);
      await stopServer(place); // only a gateway that was killed leaves it running
    },
  };
}

async function ready(child: ChildProcess, url: string, dataFolder: string): Promise<void> {
  for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    if (child.exitCode !== null) break;
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

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const end = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGTERM");
  const killer = setTimeout(() => child.kill("SIGKILL"), STOPPED_WITHIN_MS);
  await end;
  clearTimeout(killer);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
