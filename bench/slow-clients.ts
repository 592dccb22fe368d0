// `node bin/run.mjs bench/slow-clients.ts [idle connections] [slow clients]`: what connections that ask nothing, and clients
// that send a byte now and then, do to the sales of others. Loopback only, ends by itself within a minute.

import { fork } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { existingPlace } from "../src/journal/embedded/place.ts";
import { type RunningGateway, startGateway } from "./gateway.ts";
import { machineFacts } from "./machine.ts";
import { memoryMiB } from "./processes.ts";
import type { Phases, Told } from "./steady-sales.ts";

const IDLE = Number(process.argv[2] ?? 10_000);
const SLOW = Number(process.argv[3] ?? 500);
const SALES_PER_SECOND = 80;
const WARM_UP_MS = 4_000;
const PHASE_MS = 10_000;
const OPENED_AT_ONCE = 200;
const DRIBBLE_EVERY_MS = 1_000;
const TARGET_RATIO = 2;

const undo: (() => Promise<void> | void)[] = [];
try {
  await measure();
} finally {
  for (const step of undo.splice(0).reverse()) await step();
}

async function measure(): Promise<void> {
  const folder = newFolder();
  const machine = machineFacts(folder);
  const gateway = await startGateway(["src/main.ts"], folder);
  undo.push(gateway.stop);
  const sales = steadySales(gateway);
  sales.phase("warm-up");
  await sleep(WARM_UP_MS);
  sales.phase("alone");
  await sleep(PHASE_MS);
  const before = memoryMiB(gateway.pid).now;
  sales.phase("opening");
  const { port } = new URL(gateway.url);
  const idle = await openAll(Number(port), IDLE);
  const opened = memoryMiB(gateway.pid).now;
  const dribbling = dribble(Number(port), gateway.sandbox.api_token, SLOW);
  sales.phase("beside them");
  await sleep(PHASE_MS);
  const figures = await sales.tell();
  const left = idle.filter((socket) => !socket.destroyed).length;
  const load = `load before ${machine.loadBefore.toFixed(1)}`;
  console.log(`${machine.cores} cores (${machine.processor}), ${load}, fsync ${machine.fsyncMs.toFixed(2)} ms`);
  console.log(`${IDLE} idle connections, ${left} left at the end, ${((opened - before) * 1024) / IDLE} KiB each`);
  console.log(`${SLOW} slow clients, of which ${dribbling.ended()} were cut off and came again`);
  console.table(figures);
  judge(figures, left);
}

function judge({ alone, "beside them": beside }: Phases, left: number): void {
  if (alone === undefined || beside === undefined) throw new Error("sales were not measured");
  const ratio = beside.p99Ms / alone.p99Ms;
  const say = (met: boolean, what: string) => console.log(`  ${met ? "met   " : "MISSED"}  ${what}`);
  say(ratio <= TARGET_RATIO, `p99 of sales at most ${TARGET_RATIO} times: ${ratio.toFixed(1)} times`);
  say(beside.failed === 0, `no sale failed: ${beside.failed} did`);
  say(left === IDLE, "idle connections are kept");
}

/** Each has had one answer, as those of a pool of connections. */
async function openAll(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let left = count; left > 0; left -= OPENED_AT_ONCE)
    sockets.push(...(await Promise.all(Array.from({ length: Math.min(left, OPENED_AT_ONCE) }, () => answered(port)))));
  return sockets;
}

function answered(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = open(port);
    socket.once("data", () => resolve(socket));
    socket.once("close", () => resolve(socket));
    socket.write("GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n");
  });
}

function open(port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  undo.push(() => void socket.destroy());
  return socket;
}

/** One half is slow with its headers, the other with its body. Who is cut off comes again. */
function dribble(port: number, token: string, count: number): { ended(): number } {
  let ended = 0;
  const sockets = Array.from({ length: count }, () => open(port));
  const start = (socket: Socket, nth: number) =>
    socket.write(
      `POST /api/transactions/sale HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n${nth % 2 ? "content-type: application/json\r\ncontent-length: 1000\r\n\r\n{" : "x: "}`,
    );
  sockets.forEach(start);
  const timer = setInterval(() => {
    for (const [nth, socket] of sockets.entries()) {
      if (!socket.destroyed) socket.write(" ");
      else {
        ended++;
        const again = open(port);
        sockets[nth] = again;
        start(again, nth);
      }
    }
  }, DRIBBLE_EVERY_MS);
  undo.push(() => clearInterval(timer));
  return { ended: () => ended };
}

function steadySales({ url, sandbox }: RunningGateway) {
  const child = fork(join(import.meta.dirname, "steady-sales.ts"));
  undo.push(() => void child.kill());
  const told = (what: Told) => void child.send(what);
  const processorId = sandbox.processors.usd ?? "";
  told({ url, token: sandbox.api_token, processorId, salesPerSecond: SALES_PER_SECOND });
  return {
    phase: (phase: string) => told({ phase }),
    tell: () =>
      new Promise<Phases>((resolve) => {
        child.once("message", (figures) => resolve(figures as Phases));
        told("tell");
      }),
  };
}

function newFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "faregate-bench-"));
  undo.push(() => {
    const place = existingPlace(folder);
    if (place !== undefined) rmSync(place.base, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}
