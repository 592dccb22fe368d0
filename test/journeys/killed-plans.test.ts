// A gateway that is killed again and again while payments of plans fall due: after the last start each payment has its end, and none was
// charged twice.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sized } from "../random.ts";
import { type GatewayProcess, kill, startProcess, until } from "./crash.fixture.ts";
import { CARD, expectStatus, type Json } from "./merchant.fixture.ts";
import { assertOnce } from "./plans.fixture.ts";
import { usedFolder } from "./used-folder.ts";

const PLANS = sized(24, 200);
const KILLS = sized(2, 12);
const DAY_MS = 86_400_000;

test("a gateway that is killed while payments fall due charges each once, and ends each", async (t) => {
  const folder = await usedFolder(t);
  let gateway = await startProcess(t, folder);
  const { card } = expectStatus(await gateway.post("/api/cards", CARD), 201).body;
  const due = Date.now() + 20_000;
  const at = (nth: number) => new Date(due + nth * 1_000).toISOString();
  for (let nth = 0; nth < PLANS; nth++) {
    const payments = [
      { due_at: at(0), amount: "1.00" },
      { due_at: at(1), amount: "2.00" },
    ];
    const plan = { card_id: card.id, merchant_transaction_id: "killed", total: "3.00", payments };
    expectStatus(await gateway.post("/api/plans", plan), 201);
  }
  // Its answer comes when all is charged, and nobody waits for it.
  void gateway.operator("POST", "/operator/clock", { now: new Date(due + 5_000).toISOString() }).catch(() => undefined);
  let charged = 0;
  for (let kills = 0; kills < KILLS; kills++) {
    const goal = ((kills + 1) * PLANS * 2) / (KILLS + 2);
    await until("some are charged", async () => {
      charged = (await payments(gateway)).charged;
      return charged >= goal;
    });
    kill(gateway.pid);
    gateway = await startProcess(t, folder);
  }
  t.diagnostic(`killed ${KILLS} times; at the last time ${charged} of ${PLANS * 2} were charged`);
  // What was in flight is reversed, and tried again a day later.
  for (let day = 0; day < 12; day++) {
    await until("none is being charged", async () => (await payments(gateway)).pending === 0);
    const { charged: all, failed } = await payments(gateway);
    assert.equal(failed, 0);
    if (all === PLANS * 2) break;
    const { now } = expectStatus(await gateway.operator("GET", "/operator/clock"), 200).body;
    const to = new Date(Date.parse(now) + 1.01 * DAY_MS).toISOString();
    await until(
      "the clock is moved",
      async () => (await gateway.operator("POST", "/operator/clock", { now: to })).status === 200,
    );
    await sleep(100);
  }
  assert.equal((await payments(gateway)).charged, PLANS * 2);
  const sales = await allSales(gateway);
  assertOnce(sales);
  const approved = sales.filter(({ events }) => (events as readonly Json[])[0]?.success === true);
  assert.equal(approved.length, PLANS * 2);
});

type Counts = Record<"charged" | "pending" | "failed" | "scheduled" | "retrying" | "canceled", number>;

async function payments(gateway: GatewayProcess): Promise<Counts> {
  const counts: Counts = { charged: 0, pending: 0, failed: 0, scheduled: 0, retrying: 0, canceled: 0 };
  for (let page = 1, last = 1; page <= last; page++) {
    const { body } = expectStatus(await gateway.get(`/api/plans?page=${page}`), 200);
    last = body.meta.last_page;
    for (const plan of body.plans) for (const { status } of plan.payments) counts[status as keyof Counts]++;
  }
  return counts;
}

async function allSales(gateway: GatewayProcess): Promise<readonly Json[]> {
  const sales: Json[] = [];
  for (let page = 1, last = 1; page <= last; page++) {
    const path = `/api/transactions?search[merchant_transaction_id]=killed&page=${page}`;
    const { body } = expectStatus(await gateway.get(path), 200);
    last = body.meta.last_page;
    sales.push(...body.transactions);
  }
  return sales;
}
