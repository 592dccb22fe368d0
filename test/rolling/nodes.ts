// Gateways of any checkout as processes of their own, on one database, with the secret and the master key of one installation.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "../../bench/free-port.ts";
import type { Sandbox } from "../../src/sandbox.ts";

export interface Installation {
  readonly folder: string;
  readonly databaseUrl: string;
}

export interface Node {
  readonly url: string;
  readonly sandbox: Sandbox;
  /** As a supervisor does: told to stop, and waited for. */
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 120_000;
const STOPPED_WITHIN_MS = 90_000;
const LOOK_MS = 50;

/** By the sources' own command, beside whatever else happens. @returns what it says */
export async function migrateWith(checkout: string, installation: Installation): Promise<string> {
  const words = [join(checkout, "src/faregate.ts"), "migrate"];
  const { stdout } = await run(process.execPath, words, { env: environmentOf(installation, installation.folder) });
  return stdout.trim();
}

const run = promisify(execFile);

/** @param at where its predecessor was */
export async function startNode(checkout: string, installation: Installation, nth: number, at?: string): Promise<Node> {
  const dataFolder = join(installation.folder, `node-${nth}`);
  mkdirSync(dataFolder, { recursive: true });
  const port = at === undefined ? await freePort() : Number(new URL(at).port);
  const url = `http://127.0.0.1:${port}`;
  const log = openSync(join(dataFolder, "gateway.log"), "a", 0o600);
  const child = spawn(process.execPath, [join(checkout, "src/main.ts")], {
    cwd: checkout,
    env: { ...environmentOf(installation, dataFolder), PORT: `${port}` },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const stop = async () => {
    if (hasEnded(child)) return;
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    const killer = setTimeout(() => child.kill("SIGKILL"), STOPPED_WITHIN_MS);
    await gone;
    clearTimeout(killer);
  };
  for (const since = Date.now(); !(await isReady(url)); await sleep(LOOK_MS))
    if (hasEnded(child) || Date.now() - since > READY_WITHIN_MS) {
      await stop();
      throw new Error(`The gateway does not start:\n${readFileSync(join(dataFolder, "gateway.log"), "utf8")}`);
    }
  return { url, stop, sandbox: await sandboxOf(dataFolder) };
}

/** The sandbox's file is written a moment after the first request is taken. */
async function sandboxOf(dataFolder: string): Promise<Sandbox> {
  for (const since = Date.now(); ; await sleep(LOOK_MS))
    try {
      return JSON.parse(readFileSync(join(dataFolder, "sandbox.json"), "utf8")) as Sandbox;
    } catch (fault) {
      if (Date.now() - since > READY_WITHIN_MS) throw fault;
    }
}

/** Keys of a test installation. */
const KEY = Buffer.alloc(32, 7).toString("base64");

const environmentOf = ({ databaseUrl }: Installation, dataFolder: string) => ({
  ...{ PATH: process.env.PATH, DATABASE_URL: databaseUrl, FAREGATE_MODE: "sandbox", FAREGATE_DATA: dataFolder },
  ...{ FAREGATE_SECRET: KEY, FAREGATE_MASTER_KEY: KEY, RATE_LIMIT_PER_MINUTE: "0", WORKERS: "1" },
});

const isReady = async (url: string): Promise<boolean> =>
  (await fetch(`${url}/health/ready`).catch(() => undefined))?.status === 200;

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;
