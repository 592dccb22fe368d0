// A gateway in a process of its own, as `npm start` starts it, on a free port and in a data folder that is removed after.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { GROUP_FILE } from "../bench/gateway.ts";
import { compiled } from "./compiled.ts";

const PATIENCE_MS = 120_000;

/** @param work is given the path of `sandbox.json` */
export async function withGateway<T>(work: (sandboxFile: string) => Promise<T>): Promise<T> {
  const dataFolder = mkdtempSync(join(tmpdir(), "faregate-"));
  const sandboxFile = join(dataFolder, "sandbox.json");
  const gateway = spawn(process.execPath, [compiled("main")], {
    env: { ...process.env, PORT: "0", FAREGATE_DATA: dataFolder, RATE_LIMIT_PER_MINUTE: "100000" },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true, // a group of its own, which a run that is broken off ends with its database
  });
  writeFileSync(join(dataFolder, GROUP_FILE), `${gateway.pid}`);
  const ended = once(gateway, "exit");
  gateway.stdout.resume();
  try {
    await ready(sandboxFile, () => gateway.exitCode !== null);
    return await work(sandboxFile);
  } finally {
    gateway.kill("SIGTERM");
    await ended;
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

async function ready(sandboxFile: string, gone: () => boolean): Promise<void> {
  for (const since = Date.now(); Date.now() - since < PATIENCE_MS; await sleep(50)) {
    if (gone()) throw new Error("the gateway ended before it was ready");
    if (!existsSync(sandboxFile)) continue;
    const { base_url } = JSON.parse(readFileSync(sandboxFile, "utf8")) as { base_url: string };
    const answer = await fetch(`${base_url}/health/ready`).catch(() => undefined);
    if (answer?.ok) return;
  }
  throw new Error(`the gateway was not ready within ${PATIENCE_MS} ms`);
}
