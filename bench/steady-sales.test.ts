// The load that does not wait: a sale that is answered after its phase counts in it, and one that comes to nothing has failed.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { steadySales } from "./sales-beside.ts";
import type { Undo } from "./undo.ts";

const SANDBOX = { api_token: "token", processors: { usd: "record" } };
const LATE_MS = 300;
const ENOUGH = 20;

/** Of a phase in which some sales came to gateways that answer in this way. @param answer told which one it is, from 0 on */
async function phaseOf(
  t: TestContext,
  gateways: number,
  answer: (response: ServerResponse, nth: number, request: IncomingMessage) => void,
) {
  const asked: number[] = [];
  const all = await Promise.all(
    Array.from({ length: gateways }, async (_, gateway) => {
      const server = createServer((request, response) => {
        asked.push(gateway);
        request.resume();
        answer(response, asked.length - 1, request);
      }).listen(0, "127.0.0.1");
      t.after(() => server.close());
      await once(server, "listening");
      return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sandbox: SANDBOX as never };
    }),
  );
  const undo: Undo = { add: (step) => t.after(step), started: (starting) => starting };
  const sales = steadySales(undo, all, 100);
  sales.phase("all");
  while (asked.length < ENOUGH) await sleep(5);
  const { all: phase } = await sales.tell();
  assert.ok(phase);
  return { phase, asked };
}

test("sales that are answered after the end of their phase count, with all the time that they took", async (t) => {
  const { phase, asked } = await phaseOf(t, 1, (response) => {
    setTimeout(() => response.end('{"success":true}'), LATE_MS);
  });
  assert.deepEqual([phase.sales, phase.failed], [asked.length, 0]);
  assert.ok(phase.p50Ms >= LATE_MS - 1); // timers are early by a part of a millisecond
});

test("a sale that is declined, or whose connection breaks, has failed", async (t) => {
  const { phase, asked } = await phaseOf(t, 1, (response, nth, request) => {
    if (nth % 4 === 1) response.end('{"success":false}');
    else if (nth % 4 === 2) request.socket.destroy();
    else if (nth % 4 === 3) response.write('{"success":true', () => request.socket.destroy());
    else response.end('{"success":true}');
  });
  const approved = Math.ceil(asked.length / 4);
  assert.deepEqual([phase.sales, phase.failed], [approved, asked.length - approved]);
});

test("several gateways are sent to in turn", async (t) => {
  const { asked } = await phaseOf(t, 2, (response) => response.end('{"success":true}'));
  const [first] = asked;
  assert.ok(Math.abs(asked.filter((one) => one === first).length - asked.length / 2) <= 1);
});
