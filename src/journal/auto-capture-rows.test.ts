// The open authorizations as rows of PostgreSQL keep their contract; and what only a database does: holds run out.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import { approved, conclusion, intent } from "../../test/conformance/intents.ts";
import { NOTHING, openAuthorizationsConformance } from "../../test/conformance/open-authorizations.ts";
import { freshDatabase } from "../../test/database.ts";
import {
  type PostgresInstallation,
  type PostgresNode,
  postgresInstallation,
} from "../../test/postgres-installation.ts";
import { until } from "../../test/receiver.ts";
import { at } from "../../test/transactions.ts";
import { type DueCapture, openAuthorizations, setCaptureTime } from "./auto-capture-rows.ts";
import { openPool } from "./database.ts";

describe("rows of open authorizations", () => {
  let installation: PostgresInstallation;
  let node: PostgresNode;
  before(async () => {
    installation = postgresInstallation(await freshDatabase());
    node = await installation.join();
  });
  after(() => installation.end());

  const newMerchant = async () => {
    const id = uuidv7();
    await installation.addMerchant(id);
    return id;
  };

  openAuthorizationsConformance("PostgreSQL", async () => {
    const { pool } = installation;
    return {
      journal: node.journal,
      // One gathers event by event.
      nodes: [openAuthorizations(pool, undefined, 1), openAuthorizations(pool)],
      newMerchant,
      setCaptureTime: (record, dueAt) => setCaptureTime(pool, record, dueAt),
      end: async () => void (await pool`truncate open_authorizations, auto_captures`),
    };
  });

  test("the leases of a node that died end after seconds, those that are renewed do not", async () => {
    const LEASE_MS = 500;
    const [dead, alive, other] = [LEASE_MS, LEASE_MS, LEASE_MS].map((ms) => openAuthorizations(installation.pool, ms));
    assert.ok(dead && alive && other);
    const merchantId = await newMerchant();
    const transactions = [intent(merchantId, at("1 12:00")), intent(merchantId, at("1 12:00"))];
    const processorId = transactions[0]?.events[0].processorId ?? "";
    for (const transaction of transactions) {
      await node.journal.open(transaction, null);
      const [event] = transaction.events;
      await node.journal.conclude(conclusion(transaction, event, approved(at("1 12:00")), { awaitsCapture: true }));
    }
    const due = { merchantId, processorId, dueAt: at("1 20:30") };
    await setCaptureTime(installation.pool, due, due.dueAt);
    const [left] = await dead.lease(due, 1);
    const [leased] = await alive.lease(due, 1);
    assert.ok(left && leased);
    for (let waitedMs = 0; waitedMs < LEASE_MS * 2; waitedMs += 100) {
      await sleep(100);
      await alive.renew(due, [leased.id]);
    }
    assert.deepEqual(
      (await other.lease(due, 2)).map(({ id }) => id),
      [left.id],
    );
  });

  test("of transactions with a megabyte each few are leased at once, and one that is bigger goes alone", async () => {
    const { pool } = installation;
    const open = openAuthorizations(pool);
    const merchantId = await newMerchant();
    const transactions = Array.from({ length: 10 }, () => intent(merchantId, at("1 12:00")));
    for (const transaction of transactions) {
      await node.journal.open(transaction, null);
      const [event] = transaction.events;
      await node.journal.conclude(conclusion(transaction, event, approved(at("1 12:00")), { awaitsCapture: true }));
    }
    const processorId = transactions[0]?.events[0].processorId ?? "";
    const due = { merchantId, processorId, dueAt: at("1 20:30") };
    await setCaptureTime(pool, due, due.dueAt);
    const ids = transactions.map(({ id }) => id).sort();
    const weigh = (bytes: number | null, from: number) =>
      pool`update transactions set bytes = ${bytes} where merchant_id = ${merchantId} and id >= ${ids[from] ?? ""}`;
    const leased = async () => (await open.lease(due, 32)).map(({ id }) => id).sort();
    await weigh(5_000_000, 0);
    await weigh(1_000_000, 1);
    await weigh(null, 4);
    assert.deepEqual(await leased(), ids.slice(0, 1));
    await open.release(due, { over: [], tried: ids.slice(0, 1), resting: [], left: [] });
    assert.deepEqual(await leased(), ids.slice(1, 4));
    assert.deepEqual(await leased(), ids.slice(4));
    assert.deepEqual(await leased(), []);
  });

  test("an authorization that was on its way while its record got a time of capture is gathered at the next time", async () => {
    const { pool } = installation;
    const open = openAuthorizations(pool);
    const merchantId = await newMerchant();
    const late = intent(merchantId, at("1 12:00"));
    const [event] = late.events;
    await node.journal.open(late, null);
    const due = { merchantId, processorId: event.processorId, dueAt: at("1 20:30") };
    const next = { ...due, dueAt: at("2 20:30") };
    const afterNext = { ...due, dueAt: at("3 20:30") };
    await setCaptureTime(pool, due, due.dueAt);
    const setAgo = (ago: string) =>
      pool`update auto_captures set set_at = now() - ${ago}::interval where merchant_id = ${merchantId}`;
    const isGathered = async () => {
      const [row] = await pool<[{ gathered: boolean }]>`
        select gathered from auto_captures where merchant_id = ${merchantId}`;
      return row.gathered;
    };
    await setAgo("23 hours");
    await open.gather(due);
    // The charge began when there was no time.
    await node.journal.conclude(conclusion(late, event, approved(at("1 20:29")), { awaitsCapture: false }));
    await open.gather(due);
    assert.deepEqual(await open.lease(due, 1), [], "all events are not read again for the same time");
    await open.putOff(due, next.dueAt);
    await open.gather(next);
    assert.deepEqual(
      (await open.lease(next, 1)).map(({ id }) => id),
      [late.id],
    );
    assert.equal(await isGathered(), false);
    await open.release(next, { ...NOTHING, over: [late.id] });
    await open.putOff(next, afterNext.dueAt);
    await setAgo("25 hours");
    await open.gather(afterNext);
    assert.equal(await isGathered(), true);
  });

  test("while several records' old authorizations are gathered, others get a connection of the same pool", async () => {
    const { address, pool } = installation;
    const few = openPool(address, "few", { connections: 2, waitMs: 2_000 });
    const open = openAuthorizations(few);
    const records: DueCapture[] = [];
    for (let nth = 0; nth < 3; nth++) {
      const due = { merchantId: await newMerchant(), processorId: uuidv7(), dueAt: at("1 20:30") };
      await setCaptureTime(pool, due, due.dueAt);
      records.push(due);
    }
    const gathered: Promise<void>[] = [];
    await pool.begin(async (sql) => {
      await sql`lock table open_authorizations in exclusive mode`;
      gathered.push(...records.map((due) => open.gather(due)));
      await until("one waits", async () => {
        const waiting = await pool`
          select from pg_locks where relation = 'open_authorizations'::regclass and not granted`;
        return waiting.length > 0;
      });
      for (let nth = 0; nth < 20; nth++) {
        assert.deepEqual([...(await few`select 1 as there`)], [{ there: 1 }]);
        await sleep(10);
      }
    });
    await Promise.all(gathered);
    await few.end({ timeout: 1 });
  });

  test("nodes with leases on the same ones wait for each other, and none is turned away", async () => {
    const { pool } = installation;
    const [one, other] = [openAuthorizations(pool), openAuthorizations(pool)];
    const due = { merchantId: await newMerchant(), processorId: uuidv7(), dueAt: at("1 20:30") };
    const ids = Array.from({ length: 200 }, () => uuidv7());
    // As they lie in the table is neither the one order nor the other.
    const rows = ids.map((id, index) => ids[(index * 77) % ids.length] ?? id);
    const halves = [ids.slice(0, 100), ids.slice(100)] as const;
    for (let round = 0; round < 20; round++) {
      await pool`
        insert into open_authorizations (merchant_id, processor_id, transaction_id, authorized_at)
        select ${due.merchantId}, ${due.processorId}, id, ${at("1 12:00")} from unnest(${rows}::uuid[]) as id
        on conflict do nothing`;
      await Promise.all([
        one.renew(due, ids),
        other.release(due, { ...NOTHING, over: halves[0], left: halves[1] }),
        one.release(due, { ...NOTHING, tried: halves[0], left: halves[1] }),
        other.renew(due, ids.toReversed()),
      ]);
    }
  });
});
