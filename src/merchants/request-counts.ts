// How many requests each token sent within its minute, added up over all nodes. A row is written over all the time and its loss
// harms nobody, so the table is not in the database's log: it is empty after a crash of the database.

import { arrayOf } from "../journal/columns.ts";
import type { Sql } from "../journal/database.ts";
import { count, rowReader, text } from "../journal/rows.ts";
import type { HolderCount } from "../shares/shared-counts.ts";

const holderCount = rowReader<HolderCount>("request_counts", { holder: text, count, ageMs: count });

/**
 * Adds to the minute that is on, or begins one where it is over.
 * @param counts each token once, by its id
 */
export async function addRequests(sql: Sql, counts: readonly HolderCount[]): Promise<HolderCount[]> {
  const tokens = counts.map(({ holder }) => holder);
  const requests = counts.map((one) => one.count);
  const ages = counts.map(({ ageMs }) => Math.round(ageMs));
  // In the order of their keys, so that two nodes wait for each other and do not deadlock.
  const rows = await sql`
    insert into request_counts as c (token_id, since, requests)
    select token_id, now() - age * interval '1 millisecond', requests
    from unnest(${arrayOf(sql, "uuid", tokens)}::uuid[], ${arrayOf(sql, "int4", requests)}::int4[],
      ${arrayOf(sql, "int4", ages)}::int4[]) as told(token_id, requests, age)
    order by token_id
    on conflict (token_id) do update set
      since = case when c.since > now() - interval '1 minute' then c.since else excluded.since end,
      requests = excluded.requests + case when c.since > now() - interval '1 minute' then c.requests else 0 end
    returning token_id as holder, requests as count,
      greatest(0, extract(epoch from now() - since) * 1000)::int as "ageMs"`;
  return rows.map(holderCount);
}

/** Of tokens that sent nothing for an hour. */
export async function removeOldRequestCounts(sql: Sql): Promise<void> {
  await sql`delete from request_counts where since < now() - interval '1 hour'`;
}
