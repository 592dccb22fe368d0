// What the system does to processes, done on purpose: the gateway and its database are killed in the middle of their work.
// The next start just works: what was answered is there, nothing is done twice, and whatever was begun gets its end.

import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Attempt,
  answered,
  attempt,
  databasePidOf,
  type GatewayProcess,
  kill,
  saleAttempt,
  serverPidOf,
  startProcess,
  tryOnce,
  until,
} from "./crash.fixture.ts";
import type { Answer } from "./gateway.ts";
import { type Callable, expectStatus, merchantOf, sale, transactionOf } from "./merchant.fixture.ts";
import { usedFolder } from "./used-folder.ts";

interface Shown {
  readonly id: string;
  readonly merchant_transaction_id: string;
  readonly events: readonly {
    readonly event_type: string;
    readonly success: boolean;
    readonly status: string;
    readonly processor_code: string | null;
  }[];
}

const idIn = ({ path }: Attempt): string => path.split("/")[3] ?? "";
const isCharge = ({ path }: Attempt): boolean => path.endsWith("/sale");

/** Sales, and captures, voids and refunds of charges that are there already: all of them will take as long as is said. */
async function slowAttempts(
  gateway: Callable,
  processor_id: string,
  each: number,
  latency_ms: number,
): Promise<Attempt[]> {
  const { charged } = merchantOf(gateway);
  const follow = async (operation: string, path: "sale" | "auth") => {
    const { id } = await charged(path, sale({ processor_id, amount: "9.00" }));
    return attempt(`/api/transactions/${id}/${operation}`, { amount: "2.50" });
  };
  const attempts: Attempt[] = [];
  for (let nth = 0; nth < each; nth++) {
    attempts.push(saleAttempt({ processor_id }), saleAttempt({ processor_id, amount: "7.77" }));
    attempts.push(await follow("capture", "auth"), await follow("void", "auth"), await follow("refund", "sale"));
  }
  await change(gateway, processor_id, { latency_ms, timeout_ms: latency_ms + 3_000 });
  return attempts;
}

async function change(gateway: Callable, processorId: string, settings: object): Promise<void> {
  expectStatus(await gateway.operator("PATCH", `/operator/processors/${processorId}`, { settings }), 200);
}

/** Each is answered under its key and done exactly once; what was answered before the crash is answered again. */
async function assertDoneOnce(gateway: Callable, attempts: readonly Attempt[]): Promise<Map<Attempt, Answer>> {
  const ends = new Map<Attempt, Answer>();
  await Promise.all(attempts.map(async (one) => ends.set(one, await answered(gateway, one))));
  const { listed } = await everythingListed(gateway);
  const charges = Map.groupBy(listed, ({ merchant_transaction_id }) => merchant_transaction_id);
  for (const [one, end] of ends) {
    if (one.first?.status === 200) assert.equal(end.text, one.first.text, "the first answer stands");
    if (isCharge(one)) {
      const order = String(one.body.merchant_transaction_id);
      const count = charges.get(order)?.length;
      assert.equal(count, 1, `${order}: ${count} charges under one key`);
    } else {
      const { events }: Shown = await merchantOf(gateway).found(idIn(one));
      assert.equal(events.length, 2, `${one.path}: ${JSON.stringify(events)}`);
    }
  }
  return ends;
}

/**
 * Every intent has its outcome: a charge that may have been sent is taken back, all else is carried out.
 * @returns how many were taken back
 */
function assertEnded(ends: ReadonlyMap<Attempt, Answer>): number {
  let takenBack = 0;
  for (const [one, end] of ends) {
    if (end.status === 503) continue; // it is on record that nothing was sent
    const [event]: Shown["events"] = transactionOf(expectStatus(end, 200)).events;
    if (isCharge(one) && event?.processor_code === "91") takenBack++;
    else assert.equal(event?.success, true, end.text);
  }
  return takenBack;
}

/** No event is pending, and the list's pages add up to its total. @returns the total */
async function assertListWhole(gateway: Callable): Promise<number> {
  const { listed, total } = await everythingListed(gateway);
  for (const { id, events } of listed) for (const { status } of events) assert.notEqual(status, "pending", id);
  assert.equal(new Set(listed.map(({ id }) => id)).size, total);
  return total;
}

/** Page by page. */
async function everythingListed(gateway: Callable): Promise<{ listed: Shown[]; total: number }> {
  const listed: Shown[] = [];
  for (let page = 1; ; page++) {
    const { transactions, meta } = expectStatus(await gateway.get(`/api/transactions?page=${page}`), 200).body;
    listed.push(...transactions);
    if (page >= meta.last_page) return { listed, total: meta.total };
  }
}

/** Who got no answer, or a refusal, does not come again at once: each attempt is looked up in the end. */
const REFUSED_PAUSE_MS = 50;
/** None is answered before all are on record and the gateway is killed, however busy the machine is. */
const LONGER_THAN_THEY_BEGIN_MS = 60_000;
/** By itself: what hangs is killed later. */
const STOPS_WITHIN_MS = 60_000;

/** Sends sales at once, each client one after the other, until it is told to stop. */
function sellOn(gateway: Callable, clients: number, processor_id?: string) {
  const attempts: Attempt[] = [];
  let over = false;
  const sell = async () => {
    while (!over) {
      const one = saleAttempt({ processor_id });
      attempts.push(one);
      await tryOnce(gateway, one);
      if (one.first?.status !== 200) await sleep(REFUSED_PAUSE_MS);
    }
  };
  const done = Promise.all(Array.from({ length: clients }, sell));
  return {
    attempts,
    stop: async () => {
      over = true;
      await done;
    },
  };
}

/** Another server runs, and questions reach it; whether it is ready is known to the gateway for a moment longer than it is true. */
async function untilBack(gateway: GatewayProcess, folder: string, killed: number): Promise<void> {
  await until("another server runs", () => (serverPidOf(folder) ?? killed) !== killed);
  const asked = async (path: string) => (await gateway.get(path)).status === 200;
  await until("the database is back", async () => (await asked("/api/transactions")) && (await asked("/health/ready")));
}

async function newProcess(t: TestContext): Promise<[GatewayProcess, folder: string]> {
  const folder = await usedFolder(t);
  return [await startProcess(t, folder), folder];
}

describe("a crash", () => {
  test("of the gateway in the middle of slow operations", async (t) => {
    const [gateway, folder] = await newProcess(t);
    const acknowledged = Array.from({ length: 10 }, () => saleAttempt());
    await Promise.all(acknowledged.map((one) => tryOnce(gateway, one)));
    const processor_id = await merchantOf(gateway).processor();
    const slow = await slowAttempts(gateway, processor_id, 6, LONGER_THAN_THEY_BEGIN_MS);
    const charges = acknowledged.length + slow.length;
    const sent = slow.map((one) => tryOnce(gateway, one));
    const begun = async () => (await gateway.get("/api/transactions")).body.meta.total === charges;
    await until("every charge is on record", begun);
    // For what is asked from now on; what is in flight is as slow as it was.
    await change(gateway, processor_id, { latency_ms: 1_500, timeout_ms: 3_000 });
    kill(gateway.pid);
    await Promise.all(sent);
    assert.ok(acknowledged.every(({ first }) => first?.status === 200));
    assert.ok(
      slow.every(({ first }) => first === undefined),
      "all of them were in flight",
    );

    const next = await startProcess(t, folder);
    const since = performance.now();
    const ends = await assertDoneOnce(next, [...acknowledged, ...slow]);
    assert.equal(assertEnded(ends), 12, "every sale that was in flight");
    await assertListWhole(next);
    t.diagnostic(`all resolved ${(performance.now() - since).toFixed(0)} ms after the start`);
  });

  test("of the gateway and its database at once, in the middle of many quick sales", async (t) => {
    const [gateway, folder] = await newProcess(t);
    const { attempts, stop } = sellOn(gateway, 16);
    await until("enough sales", () => attempts.length > 400);
    for (const pid of [gateway.pid, databasePidOf(folder)]) kill(pid);
    await stop();

    const next = await startProcess(t, folder);
    const takenBack = assertEnded(await assertDoneOnce(next, attempts));
    assert.ok(takenBack <= 16, "no more than were in flight");
    assert.equal(await assertListWhole(next), attempts.length);
    const acknowledged = attempts.filter(({ first }) => first?.status === 200).length;
    t.diagnostic(`${acknowledged} acknowledged, ${takenBack} taken back`);
  });

  test("of the database while requests run: it comes back by itself, and nothing that was answered is lost", async (t) => {
    const [gateway, folder] = await newProcess(t);
    const processor_id = await merchantOf(gateway).processor({ settings: { latency_ms: 60 } });
    const { attempts, stop } = sellOn(gateway, 12, processor_id);
    await until("enough sales", () => attempts.length > 100);
    const killed = databasePidOf(folder);
    kill(killed);
    const since = performance.now();
    await untilBack(gateway, folder, killed);
    const backMs = performance.now() - since;
    expectStatus(await gateway.post("/api/transactions/sale", sale({ processor_id })), 200);
    await stop();

    const tally = new Map<string, number>();
    for (const { first } of attempts) {
      const told = first?.status === 200 ? "200" : `${first?.status} ${first?.text}`;
      assert.match(told, /^200$|^503 .*Nothing was sent|^500 .*The database went away before the outcome was recorded/);
      tally.set(told.slice(0, 3), (tally.get(told.slice(0, 3)) ?? 0) + 1);
    }
    assertEnded(await assertDoneOnce(gateway, attempts));
    assert.equal(await assertListWhole(gateway), attempts.length + 1);
    const told = [...tally].map(([status, count]) => `${count} × ${status}`).join(", ");
    t.diagnostic(`back after ${backMs.toFixed(0)} ms; ${told}`);
  });

  test("of the database while captures wait for a processor that is silent: they are asked again until it answers", async (t) => {
    const [gateway, folder] = await newProcess(t);
    const { processor, charged, found } = merchantOf(gateway);
    const processor_id = await processor();
    const captures: Attempt[] = [];
    for (let nth = 0; nth < 4; nth++) {
      const { id } = await charged("auth", sale({ processor_id, amount: "9.00" }));
      captures.push(attempt(`/api/transactions/${id}/capture`, { amount: "2.50" }));
    }
    await change(gateway, processor_id, { silent_operations: ["capture"], timeout_ms: 1_000 });
    const sent = captures.map((one) => tryOnce(gateway, one));
    for (const one of captures)
      await until("it is on record", async () => (await found(idIn(one))).events.length === 2);
    const killed = databasePidOf(folder);
    kill(killed);
    await Promise.all(sent);
    // Something was sent, so nobody may say that nothing was.
    for (const { first } of captures)
      assert.match(`${first?.status} ${first?.text}`, /^202|^500 .*look the transaction up/);
    await untilBack(gateway, folder, killed);
    await change(gateway, processor_id, { silent_operations: null });
    for (const one of captures) {
      await until(one.path, async () => (await found(idIn(one))).events[0].status !== "pending");
      const { events }: Shown = await found(idIn(one));
      assert.deepEqual(
        events.map(({ event_type, success }) => [event_type, success]),
        [
          ["capture", true],
          ["auth", true],
        ],
      );
    }
    await assertListWhole(gateway);
  });

  test("none, but SIGTERM under load: what is in flight is finished and answered first", async (t) => {
    const [gateway, folder] = await newProcess(t);
    const { found } = merchantOf(gateway);
    const slow = await slowAttempts(gateway, await merchantOf(gateway).processor(), 4, 700);
    const sent = slow.map((one) => tryOnce(gateway, one));
    const begun = async () => (await gateway.get("/api/transactions")).body.meta.total === slow.length;
    await until("every charge is on record", begun);
    for (const one of slow.filter((one) => !isCharge(one)))
      await until("it is on record", async () => (await found(idIn(one))).events.length === 2);
    const since = performance.now();
    process.kill(gateway.pid, "SIGTERM");
    const refused = () =>
      fetch(`${gateway.url}/health/live`).then(
        () => false,
        () => true,
      );
    await until("it takes no new connections", refused);
    await Promise.all(sent);
    await gateway.stop();
    const stoppedMs = performance.now() - since;
    assert.ok(stoppedMs < STOPS_WITHIN_MS, `${stoppedMs} ms`);
    for (const { first } of slow) {
      assert.ok(first, "an answer");
      assert.equal(transactionOf(expectStatus(first, 200)).events[0].success, true);
    }

    const next = await startProcess(t, folder);
    assert.equal(assertEnded(await assertDoneOnce(next, slow)), 0);
    await assertListWhole(next);
    t.diagnostic(`stopped after ${stoppedMs.toFixed(0)} ms`);
  });
});
