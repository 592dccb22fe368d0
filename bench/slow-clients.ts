// `node bin/run.mjs bench/slow-clients.ts [idle connections] [slow clients]`: what connections that ask nothing, and clients
// that send a byte now and then, do to the sales of others. Loopback only, ends by itself within a minute.

import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { newFolder } from "./data.ts";
import { launchGateway } from "./gateway.ts";
import { machineFacts } from "./machine.ts";
import { memoryMiB } from "./processes.ts";
import { steadySales } from "./sales-beside.ts";
import type { Phases } from "./steady-sales.ts";
import { type Undo, undoing } from "./undo.ts";

const IDLE = Number(process.argv[2] ?? 10_000);
const SLOW = Number(process.argv[3] ?? 500);
const SALES_PER_SECOND = 80;
const WARM_UP_MS = 4_000;
const PHASE_MS = 10_000;
const OPENED_AT_ONCE = 200;
const DRIBBLE_EVERY_MS = 1_000;
const TARGET_RATIO = 2;

await undoing(measure);

async function measure(undo: Undo): Promise<void> {
  const folder = newFolder(undo);
  const machine = machineFacts(folder);
  const gateway = await (await undo.started(launchGateway(["src/main.ts"], folder))).ready;
  const sales = steadySales(undo, gateway, SALES_PER_SECOND);
  sales.phase("warm-up");
  await sleep(WARM_UP_MS);
  sales.phase("alone");
  await sleep(PHASE_MS);
  const before = memoryMiB(gateway.pid).now;
  sales.phase("opening");
  const { port } = new URL(gateway.url);
  const idle = await openAll(undo, Number(port), IDLE);
  const opened = memoryMiB(gateway.pid).now;
  const dribbling = dribble(undo, Number(port), gateway.sandbox.api_token, SLOW);
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
async function openAll(undo: Undo, port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let left = count; left > 0; left -= OPENED_AT_ONCE)
    sockets.push(
      ...(await Promise.all(Array.from({ length: Math.min(left, OPENED_AT_ONCE) }, () => answered(undo, port)))),
    );
  return sockets;
}

function answered(undo: Undo, port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = open(undo, port);
    socket.once("data", () => resolve(socket));
    socket.once("close", () => resolve(socket));
    socket.write("GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n");
  });
}

let opened = 0;

function open(undo: Undo, port: number): Socket {
  // One address may not hold as many.
  const localAddress = `127.0.1.${1 + (opened++ % 100)}`;
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  socket.on("error", () => undefined);
  undo.add(() => void socket.destroy());
  return socket;
}

/** One half is slow with its headers, the other with its body. Who is cut off comes again. */
function dribble(undo: Undo, port: number, token: string, count: number): { ended(): number } {
  let ended = 0;
  const sockets = Array.from({ length: count }, () => open(undo, port));
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
        const again = open(undo, port);
        sockets[nth] = again;
        start(again, nth);
      }
    }
  }, DRIBBLE_EVERY_MS);
  undo.add(() => clearInterval(timer));
  return { ended: () => ended };
}
