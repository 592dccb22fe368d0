// With processes that behave as they are told, in place of gateways.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import pino from "pino";
import { until } from "../../test/receiver.ts";
import { StartFault } from "../start-fault.ts";
import { type Crew, startCrew } from "./crew.ts";
import type { Begin } from "./messages.ts";
import { startWorker, type Worker } from "./worker.ts";

/** Often enough for a test, and rarely enough for a process that starts on a busy machine. */
const ASKED = { everyMs: 500, times: 6 };

/** @param program what a worker does when it is told to begin (`begin`), to stop (`stop`), and whenever else */
function crewOf(t: TestContext, program: string, lost = async () => undefined as unknown) {
  const folder = mkdtempSync(join(tmpdir(), "faregate-crew-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "worker.mjs");
  const hangs = 'const hang = () => process.kill(process.pid, "SIGSTOP");\n';
  const ready = 'const ready = () => process.send({ kind: "ready", url: "http://here", node: 1 });\n';
  writeFileSync(file, `import { existsSync, writeFileSync } from "node:fs";\n${hangs}${ready}${program}`);
  const begun: Worker[] = [];
  const start = (number: number): Worker => {
    const begin = { kind: "begin", number, port: 0, sizes: {}, address: folder } as unknown as Begin;
    const worker = startWorker(
      begin,
      () => undefined,
      () => undefined,
      { program: file, asked: ASKED },
    );
    begun.push(worker);
    return worker;
  };
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });
  const options = { count: 1, start, lost: async () => void (await lost()), log };
  return { start: (): Promise<Crew> => startCrew(options), begun, lines };
}

const gone = (worker: Worker | undefined) => !existsSync(`/proc/${worker?.pid}`);

describe("a worker that hangs before it takes requests is killed", () => {
  test("at the first start, which then fails", async (t) => {
    const { start, begun } = crewOf(t, "hang();");
    await assert.rejects(start(), (fault) => fault instanceof StartFault && /SIGKILL/.test(fault.message));
    await until("it is gone", () => gone(begun[0]));
  });

  test("when it takes another's place, also while all is stopped: the stop says so", async (t) => {
    const { start, begun } = crewOf(
      t,
      `process.on("message", ({ kind, address }) => {
        if (kind !== "begin") return;
        if (existsSync(address + "/second")) hang();
        writeFileSync(address + "/second", "");
        ready();
      });`,
    );
    const crew = await start();
    process.kill(begun[0]?.pid ?? 0, "SIGKILL");
    await until("another takes its place", () => begun.length === 2);
    await assert.rejects(crew.stop(), /^Error: worker 1: SIGKILL$/);
    await until("both are gone", () => begun.every(gone));
  });
});

test("another takes the place of a dead one though the database does not hear of that, and the log says why it cannot", async (t) => {
  const program = `process.on("message", ({ kind, address }) => {
    if (kind === "stop") process.exit(0);
    if (existsSync(address + "/second")) return process.send({ kind: "cannot-start", why: "Port 1 is in use." }, () => process.exit(1));
    writeFileSync(address + "/second", "");
    ready();
  });`;
  const { start, begun, lines } = crewOf(t, program, () => new Promise(() => undefined));
  const crew = await start();
  process.kill(begun[0]?.pid ?? 0, "SIGKILL");
  await until("two have ended", () => lines.length === 2);
  const [first, second] = lines.map((line) => JSON.parse(line));
  assert.deepEqual([first.fault, first.why], ["SIGKILL", undefined]);
  assert.deepEqual([second.fault, second.why], ["exit code 1", "Port 1 is in use."]);
  await crew.stop().catch(() => undefined);
});

test("a stop tells which workers did not end cleanly, when all have ended", async (t) => {
  const program = (code: number) =>
    `process.on("message", ({ kind }) => (kind === "begin" ? ready() : kind === "stop" && process.exit(${code})));`;
  await (await crewOf(t, program(0)).start()).stop();
  const crew = await crewOf(t, program(1)).start();
  await assert.rejects(crew.stop(), /^Error: worker 1: exit code 1$/);
});
