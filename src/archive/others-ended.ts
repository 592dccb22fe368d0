// Waits until every database transaction that is open now has ended. Whatever begins later sees what is marked. So a comparison afterwards
// sees everything that was added before.

import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "../journal/database.ts";
import { isDistributed } from "../journal/distribution.ts";
import { askWorkerOf } from "../journal/merchants-worker.ts";
import { list, text } from "../journal/rows.ts";

/** How long somebody may be in the middle of something. */
const PATIENCE_MS = 10 * 60_000;
const LOOK_AGAIN_MS = 20;

/** Who writes at the coordinator of Citus may go on at the merchant's worker when there is nothing of it left at the coordinator. */
export async function othersEnded(sql: Sql, merchantId: string): Promise<void> {
  await allEnded(async () => {
    const [row] = await sql.unsafe<{ there: string }[]>(AT_WORK);
    return namesIn(text(row?.there));
  });
  if (await isDistributed(sql)) await allEnded(async () => namesIn(await askWorkerOf(sql, merchantId, AT_WORK)));
}

async function allEnded(atWork: () => Promise<ReadonlySet<string>>): Promise<void> {
  let left = [...(await atWork())];
  for (const since = performance.now(); left.length > 0; await sleep(LOOK_AGAIN_MS)) {
    const now = await atWork();
    left = left.filter((name) => now.has(name));
    if (performance.now() - since > PATIENCE_MS)
      throw new Error(
        "a session of this database has been in a transaction for ten minutes: end it, and archive again",
      );
  }
}

const namesIn = (json: string): ReadonlySet<string> => new Set(list(text)(JSON.parse(json)));

// Every transaction holds the lock of its own virtual id until it ends; one that is prepared has a name instead. What other roles'
// sessions are for is not shown to everyone.
const AT_WORK = `
  select coalesce(json_agg(name), '[]')::text as there from (
    select virtualxid as name from pg_locks l join pg_stat_activity a using (pid)
    where l.locktype = 'virtualxid' and l.granted and pid <> pg_backend_pid() and a.datname = current_database()
      and coalesce(a.backend_type, 'client backend') = 'client backend'
    union all
    select gid from pg_prepared_xacts where database = current_database()
  ) at_work`;
