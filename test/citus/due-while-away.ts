// What is due while a worker is away: only the merchants of that one wait for it. Started by run.ts.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { openAuthorizations, setCaptureTime } from "../../src/journal/auto-capture-rows.ts";
import { keepNotifications, leaseNotifications } from "../../src/journal/notifications.ts";
import { intent } from "../conformance/intents.ts";
import { withDeliveries } from "../fixtures/delivering.ts";
import { until } from "../receiver.ts";
import { at } from "../transactions.ts";
import { byWorker, merchantsOfEachWorker } from "./place.ts";
import { LEFT_OUT, worker } from "./worker.ts";

const OF_EACH = 2;
const NOW = at("1 12:00");
const LEASE_MS = 1;
const MOST = 100;
const LONGEST_MS = 180_000;
const { processorId } = intent("", NOW).events[0];

describe("what is due while a worker is away on Citus", {
  timeout: LONGEST_MS,
  skip: worker ? false : LEFT_OUT,
}, () => {
  const delivered = withDeliveries();
  let merchants: readonly string[][];
  /** Merchants, by where their worker is. */
  let there: readonly string[];
  let away: readonly string[];
  let isBack = true;

  beforeEach(async () => {
    const { pool, addMerchant } = delivered.installation;
    merchants = await merchantsOfEachWorker(pool, OF_EACH, async (id) => {
      await addMerchant(id);
      await pool`insert into merchants (id, name, created_at) values (${id}, 'Northwind', ${NOW})`;
    });
  });
  afterEach(() => startAgain());
  const kill = async () => {
    await worker?.kill();
    isBack = false;
    ({ there, away } = await byWorker(delivered.installation.pool, merchants));
  };
  const startAgain = async () => {
    if (!isBack) await worker?.start();
    isBack = true;
  };

  /** @param look for the merchants of whom something is due; the leases of one look have ended at the next */
  async function onlyTheirsUntilItIsBack(look: (now: Date) => Promise<readonly string[]>): Promise<void> {
    let looks = 0;
    const found = async () => look(new Date(NOW.getTime() + 2 * LEASE_MS * looks++));
    for (let nth = 0; nth < 2; nth++) assert.deepEqual([...new Set(await found())].sort(), [...there].sort());
    await startAgain();
    const all = new Set<string>();
    await until("what is due of all is found", async () => {
      for (const id of await found()) all.add(id);
      return [...there, ...away].every((id) => all.has(id));
    });
  }

  test("webhooks reach the other merchants, and those of its own when it is back", () =>
    delivered.world(async ({ receiver, endpoint, happen, deliver }) => {
      const receivers = new Map<string, Awaited<ReturnType<typeof receiver>>>();
      for (const id of merchants.flat()) {
        const its = await receiver();
        receivers.set(id, its);
        await endpoint(id, its);
        await happen(id);
      }
      await kill();
      deliver();
      for (const id of there) assert.equal((await receivers.get(id)?.got(1))?.length, 1);
      await startAgain();
      for (const id of away) await receivers.get(id)?.got(1);
    }));

  test("what a dead node left is taken over, and leased to be resolved", () =>
    delivered.world(async ({ clock }) => {
      const { installation } = delivered;
      const [dying, living] = [await installation.join({ clock }), await installation.join({ clock })];
      for (const id of merchants.flat()) await dying.journal.open(intent(id, NOW), null);
      await installation.declareDead(dying.id);
      await kill();
      const { backlog } = living;
      assert.equal(await backlog.takeOverFromDeadNodes(NOW), there.length);
      assert.equal(await backlog.takeOverFromDeadNodes(NOW), 0);
      await onlyTheirsUntilItIsBack(async (now) => {
        await backlog.takeOverFromDeadNodes(NOW);
        assert.deepEqual(await backlog.dueProcessors(now), [processorId]);
        const leased = await backlog.leaseDue(processorId, now, LEASE_MS, MOST);
        return leased.map(({ merchantId }) => merchantId);
      });
      await until("it is looked for again later", async () => {
        const [row] = await installation.pool<{ over: boolean }[]>`
          select taken_over_at is not null as over from nodes where id = ${dying.id}`;
        await backlog.takeOverFromDeadNodes(NOW);
        return row?.over === true;
      });
    }));

  test("records are captured at their time", async () => {
    const { pool } = delivered.installation;
    for (const merchantId of merchants.flat()) await setCaptureTime(pool, { merchantId, processorId }, NOW);
    await kill();
    await onlyTheirsUntilItIsBack(async () => {
      const due = await openAuthorizations(pool).dueOfThoseThere(NOW);
      return due.map(({ merchantId }) => merchantId).filter((id) => merchants.flat().includes(id));
    });
  });

  test("what processors told is applied", async () => {
    const { pool } = delivered.installation;
    const told = { id: "a", occurredAt: NOW, news: { kind: "other" }, said: "a word", about: null } as const;
    for (const merchantId of merchants.flat()) await keepNotifications(pool, { merchantId, processorId }, [told], NOW);
    await kill();
    await onlyTheirsUntilItIsBack(async (now) => {
      const leased = await leaseNotifications(pool, now, LEASE_MS, MOST);
      return leased.map(({ merchantId }) => merchantId);
    });
  });
});
