// The commands on plans of all merchants.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { v7 } from "uuid";
import { type CommandLine, commandLineOfItsOwn } from "../../test/command-line.ts";
import { insertPlan } from "../journal/plan-rows.ts";
import { amountOf } from "../payment/money.ts";
import type { Plan } from "../payment/plan.ts";

const AT = new Date("2099-01-01T12:00:00Z");

let command: CommandLine;
before(async () => {
  command = await commandLineOfItsOwn();
  assert.equal((await command.run("migrate")).code, 0);
});
after(() => command.end());

async function planOf(merchantId: string): Promise<Plan> {
  const payment = (number: number) => ({
    ...{ number, amount: amountOf(25_000n), isRest: number === 2, attempts: 0, declines: 0, declinesBefore: 0 },
    ...{ triedAt: null, transactionId: null, reason: null, dueAt: AT, chargeAt: AT },
    status: "scheduled" as const,
  });
  const plan: Plan = {
    ...{
      merchantId,
      id: v7(),
      userId: v7(),
      createdAt: AT,
      updatedAt: AT,
      cardId: v7(),
      merchantTransactionId: "order 7",
    },
    ...{ processorId: null, currency: "USD", total: amountOf(50_000n), fields: {}, passengers: null, canceledAt: null },
    payments: [payment(1), payment(2)],
  };
  await insertPlan(command.database.pool, plan);
  return plan;
}

const json = async (...parameters: string[]) => JSON.parse((await command.run(...parameters, "--json")).stdout);

test("plans are listed by merchant, card and status, shown, and canceled, again without harm", async () => {
  const [mine, others] = [await planOf(v7()), await planOf(v7())];
  const ids = async (...filter: string[]) =>
    (await json("plan", "list", ...filter)).plans.map(({ id }: { id: string }) => id).sort();
  assert.deepEqual(await ids(), [mine.id, others.id].sort());
  assert.deepEqual(await ids("--merchant", mine.merchantId), [mine.id]);
  assert.deepEqual(await ids("--card", others.cardId), [others.id]);
  const shown = await command.run("plan", "show", mine.id);
  assert.match(shown.stdout, /order 7[\s\S]*250\.00[\s\S]*scheduled/);
  for (let times = 0; times < 2; times++) {
    const { plan } = await json("plan", "cancel", mine.id);
    assert.deepEqual(
      [plan.status, plan.payments.map(({ status }: { status: string }) => status)],
      ["canceled", ["canceled", "canceled"]],
    );
  }
  assert.deepEqual(await ids("--status", "canceled"), [mine.id]);
  assert.match((await command.run("audit")).stdout, /plan\.delete/);
});

test("what is no plan is said so, and what has ended is not canceled", async () => {
  for (const id of [v7(), "none"]) {
    const { code, stderr } = await command.run("plan", "show", id);
    assert.equal(code, 1);
    assert.match(stderr, /there is no plan/);
  }
  const { id } = await planOf(v7());
  await command.database.pool`update plan_payments set status = 'charged', charge_at = null where plan_id = ${id}`;
  const { code, stderr } = await command.run("plan", "cancel", id);
  assert.equal(code, 1);
  assert.match(stderr, /nothing is left to cancel/);
});
