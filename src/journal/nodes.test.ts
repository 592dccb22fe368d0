// When it is looked for what a dead node left: once it is dead, and again, since its last write may come late.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 as uuidv7 } from "uuid";
import { conclusion, ended, intent } from "../../test/conformance/intents.ts";
import { freshDatabase } from "../../test/database.ts";
import { type PostgresInstallation, postgresInstallation } from "../../test/postgres-installation.ts";
import { holdOffTakeover } from "./nodes.ts";

describe("what a dead node wrote since it was last looked for", () => {
  let installation: PostgresInstallation;
  before(async () => {
    installation = postgresInstallation(await freshDatabase());
  });
  after(() => installation.end());

  /** Seconds: how long it is silent, and how long ago it was last looked for. */
  for (const { silent, looked, found } of [
    { silent: 3, looked: null, found: 0 },
    { silent: 5, looked: null, found: 1 },
    { silent: 7, looked: 2, found: 0 },
    { silent: 11, looked: 6, found: 1 },
    { silent: 30, looked: 14, found: 0 },
    { silent: 30, looked: 16, found: 1 },
    { silent: 600, looked: 55, found: 0 },
    { silent: 600, looked: 65, found: 1 },
  ])
    test(`is ${found ? "" : "not "}found when it is silent for ${silent} s and was last looked for ${looked ?? "never"}${looked ? " s ago" : ""}`, async () => {
      const { pool, join } = installation;
      await pool`truncate events, outcomes, unresolved, nodes`;
      const [dead, alive] = [await join(), await join()];
      const merchantId = uuidv7();
      await installation.addMerchant(merchantId);
      await dead.journal.open(intent(merchantId, dead.clock.now()), null);
      const ago = (seconds: number | null) => (seconds === null ? null : `${seconds} seconds`);
      await pool`
        update nodes set seen_at = now() - ${ago(silent)}::interval, taken_over_at = now() - ${ago(looked)}::interval
        where id = ${dead.id}`;
      assert.equal(await alive.backlog.takeOverFromDeadNodes(alive.clock.now()), found);
    });

  test("from a node that was dead for so long that its row is gone, it is not taken that nothing was sent, until it lives", async () => {
    const { pool, join } = installation;
    const gone = await join();
    const merchantId = uuidv7();
    await installation.addMerchant(merchantId);
    const sale = intent(merchantId, gone.clock.now());
    await gone.journal.open(sale, null);
    await pool`delete from nodes where id = ${gone.id}`;
    const unsent = conclusion(sale, sale.events[0], ended("not-sent", gone.clock.now()));
    assert.equal(await gone.journal.conclude(unsent), "taken-over");
    await gone.backlog.heartbeat(gone.clock.now());
    assert.equal(await gone.journal.conclude(unsent), "concluded");
  });

  test("is not taken over while a step of its own is written, which keeps no heartbeat waiting", async () => {
    const { pool, join } = installation;
    await pool`truncate events, outcomes, unresolved, nodes`;
    const [node, other] = [await join(), await join()];
    const merchantId = uuidv7();
    await installation.addMerchant(merchantId);
    await node.journal.open(intent(merchantId, node.clock.now()), null);
    const silence = () => pool`update nodes set seen_at = now() - interval '5 seconds' where id = ${node.id}`;
    await pool.begin(async (step) => {
      await holdOffTakeover(step, node.id);
      await silence();
      assert.equal(await other.backlog.takeOverFromDeadNodes(other.clock.now()), 0);
      // It would wait for the step, were the lock on the node's row.
      await node.backlog.heartbeat(node.clock.now());
    });
    await silence();
    assert.equal(await other.backlog.takeOverFromDeadNodes(other.clock.now()), 1);
  });
});
