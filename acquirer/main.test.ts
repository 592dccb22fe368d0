import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openProcessor, testRecord, testSettings, type Writing } from "../test/conformance/iso8583-subject.ts";
import { chargeQuestion } from "../test/conformance/questions.ts";

const WRITING: Writing = { framing: "binary-2", digits: "ascii", bitmap: "binary" };
const MAIN = join(import.meta.dirname, "main.ts");

async function run(folder: string, ...args: string[]): Promise<{ host: ChildProcess; port: number; control: string }> {
  const host = spawn(process.execPath, [MAIN, "--port", "0", "--control-port", "0", "--folder", folder, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface({ input: host.stdout }), "line")) as [string];
  const [, port, control] = /gateways at \S+:(\d+), control at (\S+)$/.exec(line) ?? [];
  assert.ok(port !== undefined && control !== undefined, line);
  return { host, port: Number(port), control };
}

async function killed(host: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(host, "exit");
  host.kill(signal);
  await ended;
}

test("killed at any instant under load, the host has booked whatever it answered", { timeout: 180_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "acquirer-"));
  const approved: string[] = [];
  try {
    for (let round = 0; round < 5; round++) {
      const { host, port } = await run(folder);
      const processor = openProcessor(testRecord(testSettings(port, WRITING)));
      let asking = true;
      const customers = Array.from({ length: 20 }, async () => {
        while (asking) {
          const sale = chargeQuestion("sale");
          const answer = await processor.charge(sale, AbortSignal.timeout(2_000));
          if (answer.kind === "approved") approved.push(sale.transactionId);
          else if (answer.kind === "not-sent") await sleep(10);
        }
      });
      const enough = approved.length + 50 + round * 37;
      while (approved.length < enough) await sleep(1);
      await killed(host, "SIGKILL");
      asking = false;
      await Promise.all(customers);
      await processor.close();
    }
    const { host, control } = await run(folder);
    const balances = await Promise.all(
      approved.map(async (id) => (await (await fetch(`${control}/balance/${id}`)).text()).trim()),
    );
    assert.deepEqual(new Set(balances), new Set(["1000"]));
    await killed(host, "SIGTERM");
    assert.equal(host.exitCode, 0);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("told to crash after booking, it is gone, and the booking is not", { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "acquirer-"));
  try {
    for (const [what, balance] of [
      ["crash-before", "0"],
      ["crash-after", "1000"],
    ] as const) {
      const { host, port } = await run(folder, "--misbehave", JSON.stringify({ what }));
      const ended = once(host, "exit");
      const processor = openProcessor(testRecord(testSettings(port, WRITING)));
      const sale = chargeQuestion("sale");
      assert.equal((await processor.charge(sale, AbortSignal.timeout(5_000))).kind, "unanswered");
      await ended;
      await processor.close();
      const { host: again, control } = await run(folder);
      assert.equal((await (await fetch(`${control}/balance/${sale.transactionId}`)).text()).trim(), balance, what);
      await killed(again, "SIGTERM");
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a wrong option is named, and nothing starts", async () => {
  for (const [args, expected] of [
    [["--port", "99999"], "--port is a whole number from 0 to 65535."],
    [["--framing", "ascii-2"], "--framing is one of binary-2, binary-4, ascii-4."],
    [["--settle-at", "24:00"], "--settle-at is a time of day, HH:MM."],
    [["--tls-cert", "x"], "--tls-cert and --tls-key go together."],
    [["--misbehave", '{"what": "sing"}'], "what is one of delay"],
    [["--tea"], "Unknown option '--tea'"],
  ] as const) {
    const host = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    host.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk;
    });
    await once(host, "close");
    assert.equal(host.exitCode, 2);
    assert.ok(said.startsWith(expected), said);
  }
});
