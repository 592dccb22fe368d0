// Months in PostgreSQL: the open authorizations and the batches are real rows, and schedules are changed by the operator's
// own call.

import assert from "node:assert/strict";
import { openAuthorizations, setCaptureTime } from "../../src/journal/auto-capture-rows.ts";
import { auditKeyOf } from "../../src/merchants/audit-chain.ts";
import { changeProcessor } from "../../src/merchants/processors.ts";
import { PROCESSOR_KINDS } from "../../src/processors/kinds.ts";
import type { PostgresInstallation } from "../postgres-installation.ts";
import { timeFrom } from "../simulation/money.ts";
import { postgresHouses } from "../simulation/postgres-house.ts";
import type { MonthHouse } from "./house.ts";
import { assertBatches } from "./operator-batches.ts";

const AUDIT_KEY = auditKeyOf(Buffer.alloc(32));
const LEFT_BEHIND = ["processors", "batches", "auto_captures", "open_authorizations", "unresolved"];
/** They end when a node is killed (`letGo`), and not because the machine was slow or this process was stopped for a while. */
const LEASE_MS = 600_000;
const AUTHOR = { actor: "months", source: "test" };

/** @returns what gives each month its house */
export async function postgresMonthHouses(installation: PostgresInstallation): Promise<() => Promise<MonthHouse>> {
  const { pool } = installation;
  const houses = await postgresHouses(installation);
  const open = openAuthorizations(pool, LEASE_MS);
  return async () => {
    // A month that failed leaves work behind.
    for (const table of LEFT_BEHIND) await pool`delete from ${pool(table)}`;
    const house = await houses();
    const { clock, merchantId } = house;
    const kinds = PROCESSOR_KINDS;
    const office = { sql: pool, clock, mode: "sandbox", kinds, auditKey: async () => AUDIT_KEY } as const;
    return {
      ...house,
      openOf: () => open,
      letGo: async () => {
        // In the order in which the nodes lock them.
        await pool`
          with leased as materialized (
            select merchant_id, processor_id, transaction_id from open_authorizations
            order by merchant_id, processor_id, transaction_id for update
          )
          update open_authorizations o set taken_until = null from leased
          where (o.merchant_id, o.processor_id, o.transaction_id) = (leased.merchant_id, leased.processor_id, leased.transaction_id)`;
      },
      enrol: async (records) => {
        const now = clock.now();
        for (const { id, name, kind, currency, enabled, inRotation, requires, schedule, settings } of records) {
          const plain = { merchant_id: merchantId, id, name, kind, currency, enabled, in_rotation: inRotation };
          const [demands, settlement, given] = [requires, schedule, settings].map((one) => pool.json(one));
          const row = { ...plain, requires: demands, settlement, settings: given, created_at: now, updated_at: now };
          await pool`insert into processors ${pool(row as never)}`;
          const time = schedule.auto_capture_at;
          const dueAt = time === null ? null : new Date(timeFrom(now.getTime() + 1, time));
          await setCaptureTime(pool, { merchantId, processorId: id }, dueAt);
        }
      },
      reschedule: async ({ id }, schedule) => {
        const changed = await changeProcessor(office, AUTHOR, id, { settlement: schedule });
        assert.equal(changed.kind, "done", JSON.stringify(changed));
      },
      checkBatches: (mirrors, ids, most) => assertBatches(pool, merchantId, clock.now(), mirrors, ids, most),
    };
  };
}
