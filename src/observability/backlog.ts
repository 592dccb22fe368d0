// What waits in the database, for whichever node comes to it. Each question looks at no more than some ten thousand rows of an index,
// or at a table that holds only what waits.

import type { Sql } from "../journal/database.ts";
import { REMEDIES, type Remedy } from "../journal/journal.ts";
import { count, instant, orNull, rowReader, text, word } from "../journal/rows.ts";

export interface Backlog {
  readonly unresolved: readonly UnresolvedCount[];
  /** Of what is to be reversed or repeated: what was accepted may take its time. */
  readonly unresolvedOldestSeconds: number;
  readonly webhooks: { readonly due: number; readonly oldestSeconds: number };
  readonly notifications: number;
  readonly autoCaptureLagSeconds: number;
  /** Payments of plans. */
  readonly plans: { readonly due: number; readonly pending: number; readonly oldestSeconds: number };
}

interface UnresolvedCount {
  readonly remedy: Remedy;
  readonly age: string;
  readonly events: number;
}

/** Of one endpoint; beyond it the number is this. */
const MOST_COUNTED = 10_000;

/** One reading. @param now by the gateway's clock, which all these times follow */
export async function readBacklog(sql: Sql, now: Date): Promise<Backlog> {
  const [unresolved, [oldest], [webhooks], [others], [plans]] = await Promise.all([
    sql`
      select remedy, count(*)::int as events,
        case when created_at > ${now}::timestamptz - interval '1 minute' then 'under 1m'
          when created_at > ${now}::timestamptz - interval '10 minutes' then '1m to 10m'
          when created_at > ${now}::timestamptz - interval '1 hour' then '10m to 1h'
          when created_at > ${now}::timestamptz - interval '1 day' then '1h to 1d'
          else 'over 1d' end as age
      from unresolved group by remedy, age`,
    sql`select min(created_at) as since from unresolved where remedy <> 'await'`,
    sql`
      select coalesce(sum(d.due), 0)::int as due, min(d.oldest) as since
      from webhook_endpoints e cross join lateral (
        select count(*) as due, min(due_at) as oldest from (
          select due_at from webhook_deliveries w
          where w.merchant_id = e.merchant_id and w.endpoint_id = e.id and w.due_at <= ${now}
          order by w.due_at limit ${MOST_COUNTED}) first
      ) d
      where e.enabled`,
    sql`
      select (select count(*)::int from waiting_notifications) as notifications,
        (select min(due_at) from auto_captures where due_at <= ${now}) as since`,
    sql`
      select count(charge_at)::int as due, (count(*) - count(charge_at))::int as pending, min(charge_at) as since from (
        (select charge_at from plan_payments where charge_at <= ${now} order by charge_at limit ${MOST_COUNTED})
        union all
        (select null from plan_payments where status = 'pending' limit ${MOST_COUNTED})) waiting`,
  ]);
  const secondsSince = (since: Date | null): number =>
    since === null ? 0 : Math.max(0, now.getTime() - since.getTime()) / 1_000;
  const due = dueRow(webhooks ?? {});
  const rest = restRow(others ?? {});
  const ofPlans = plansRow(plans ?? {});
  return {
    unresolved: unresolved.map(unresolvedRow),
    unresolvedOldestSeconds: secondsSince(sinceRow(oldest ?? {}).since),
    webhooks: { due: due.due, oldestSeconds: secondsSince(due.since) },
    notifications: rest.notifications,
    autoCaptureLagSeconds: secondsSince(rest.since),
    plans: { due: ofPlans.due, pending: ofPlans.pending, oldestSeconds: secondsSince(ofPlans.since) },
  };
}

const since = orNull(instant);
const unresolvedRow = rowReader<UnresolvedCount>("unresolved", { remedy: word(REMEDIES), age: text, events: count });
const sinceRow = rowReader("unresolved", { since });
const dueRow = rowReader("webhook_deliveries", { due: count, since });
const restRow = rowReader("auto_captures", { notifications: count, since });
const plansRow = rowReader("plan_payments", { due: count, pending: count, since });
