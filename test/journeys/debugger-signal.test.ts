// kill -USR1 opens no debugger in any process of a gateway: the launcher, the first process, its workers, the process for heavy requests.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { compiled } from "../compiled.ts";

const LAUNCHER = join(import.meta.dirname, "../../bin/faregate.mjs");
const PATIENCE_MS = 120_000;

/** A process and all below it that run Node; PostgreSQL's own are not among them. */
function nodesBelow(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  const isNode = /node/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[0] ?? "");
  return [...(isNode ? [pid] : []), ...children.flatMap(nodesBelow)];
}

const isHeavy = (pid: number): boolean => /heavy-worker/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"));

/** A gateway starts it after enough lists in a short time. */
async function startHeavyProcess(url: string, token: string, pid: number): Promise<void> {
  const list = () =>
    fetch(`${url}/api/transactions?search[merchant_transaction_id]=none`, {
      headers: { authorization: `Bearer ${token}` },
    }).then((response) => response.text());
  for (let waitedMs = 0; !nodesBelow(pid).some(isHeavy); waitedMs += 200) {
    assert.ok(waitedMs < PATIENCE_MS, "the process for heavy requests was not started");
    await Promise.all(Array.from({ length: 5 }, list));
    await sleep(200);
  }
}

for (const [what, program, args, least] of [
  // The machine's Node, which may be too old for the option.
  ["the launcher, and what it starts", "node", [LAUNCHER, "start"], 5],
  ["programs that are run without the launcher and its options", process.execPath, [compiled("main")], 4],
] as const)
  test(`SIGUSR1 opens no debugger in ${what}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "faregate-signal-"));
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, PORT: "0", FAREGATE_DATA: folder, WORKERS: "2", LOG_FORMAT: "json" };
    const child = spawn(program, args, { env, stdio: "pipe" });
    const ended = new Promise((resolve) => child.once("close", resolve));
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
    try {
      for (let waitedMs = 0; !text.includes("Faregate listens on"); waitedMs += 50) {
        assert.ok(waitedMs < PATIENCE_MS && child.exitCode === null, text);
        await sleep(50);
      }
      const [, url = ""] = /Faregate listens on (http:\S+?)"/.exec(text) ?? [];
      const { api_token } = JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8"));
      await startHeavyProcess(url, api_token, child.pid ?? 0);
      const pids = nodesBelow(child.pid ?? 0);
      assert.ok(pids.length >= least, `${pids}`);
      for (const pid of pids) process.kill(pid, "SIGUSR1");
      await sleep(1_000);
      for (const pid of pids) assert.ok(process.kill(pid, 0), "it lives");
      assert.doesNotMatch(text, /Debugger listening|inspector/i);
      assert.equal((await fetch(`${url}/health/live`)).status, 200);
    } finally {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    }
  });
