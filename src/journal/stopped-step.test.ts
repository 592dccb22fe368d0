// A node that stops in the middle of a step, such as one that is frozen or has lost its network.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { v7 } from "uuid";
import { approved, conclusion, followUp } from "../../test/conformance/intents.ts";
import { found, opened } from "../../test/conformance/journal-writing.ts";
import { freshDatabase } from "../../test/database.ts";
import { type PostgresInstallation, postgresInstallation } from "../../test/postgres-installation.ts";
import { wireTo } from "../../test/wire.ts";
import { batchId } from "../payment/status.ts";
import { openPool } from "./database.ts";
import { JournalUncertain } from "./journal.ts";

const NAME = "stopping";
const LOOK_AGAIN_MS = 20;

describe("a node that stops between an outcome, the first of its batch, and the intent of the next step", () => {
  const merchantId = v7();
  let installation: PostgresInstallation;
  before(async () => {
    installation = postgresInstallation(await freshDatabase());
    await installation.addMerchant(merchantId);
  });
  after(() => installation.end());

  /** Its session. */
  const isThere = async (condition: string): Promise<void> => {
    for (let left = 0; left === 0; await sleep(LOOK_AGAIN_MS)) {
      const [row] = await installation.pool.unsafe<{ there: number }[]>(
        `select count(*)::int as there from pg_stat_activity where application_name = '${NAME}' and ${condition}`,
      );
      left = row?.there ?? 0;
    }
  };

  test("other outcomes of the batch are recorded meanwhile, and what it gave up is recorded once when it goes on", async (t) => {
    const wire = await wireTo(installation.address);
    const itsPool = openPool(wire.address, NAME);
    t.after(async () => {
      await itsPool.end({ timeout: 0 });
      await wire.end();
    });
    const [stopping, other] = [await installation.join({ pool: itsPool }), await installation.join()];
    const [first, second] = [await opened(stopping, merchantId), await opened(other, merchantId)];
    const at = stopping.clock.now();
    const outcome = approved(at, { cutoffAt: at, settledAt: at, visibleAt: at });
    const [charge] = first.events;
    const batch = [
      merchantId,
      charge.processorId,
      at,
      batchId(charge.processorId, { cutoffAt: at, settledAt: at, visibleAt: at }),
    ];

    const lock = await installation.pool.reserve();
    await lock`begin`;
    await lock.unsafe("insert into batches (merchant_id, processor_id, cutoff_at, id) values ($1, $2, $3, $4)", batch);
    const next = followUp(first, "refund");
    const stopped = stopping.journal.conclude(conclusion(first, charge, outcome, { next }));
    stopped.catch(() => undefined);
    await isThere("wait_event_type = 'Lock'");
    wire.loseQuestions();
    await lock`rollback`;
    lock.release();
    await isThere("state = 'idle in transaction'");
    wire.mend();

    const conclude = () => other.journal.conclude(conclusion(second, second.events[0], outcome));
    assert.equal(await conclude(), "concluded");
    await assert.rejects(stopped, JournalUncertain);
    assert.equal((await found(other.journal, first)).events.length, 1);
    assert.equal(await stopping.journal.conclude(conclusion(first, charge, outcome, { next })), "concluded");
    assert.deepEqual((await found(stopping.journal, first)).events[1], next);
  });
});
