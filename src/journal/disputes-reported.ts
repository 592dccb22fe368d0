// A merchant's disputes of which something was reported in a period, for the ledger: read in portions, newest first.

import type { KnownReport } from "../payment/dispute.ts";
import { arrayOf } from "./columns.ts";
import type { Sql } from "./database.ts";
import { type Dispute, disputeRow, knownReport } from "./dispute-rows.ts";
import { text } from "./rows.ts";
import { exporter, inTurn } from "./search/ask.ts";
import type { Period } from "./search/span.ts";

export interface Reported {
  readonly dispute: Dispute;
  /** All that was ever reported of it. */
  readonly reports: readonly KnownReport[];
}

const AT_ONCE = 500;

/** @param signal ends it when nobody reads it any more */
export async function* streamReported(
  sql: Sql,
  merchantId: string,
  period: Period,
  signal?: AbortSignal,
): AsyncGenerator<readonly Reported[], void, void> {
  const asker = exporter(sql, merchantId, signal);
  let before: string | undefined;
  do {
    const some: readonly Reported[] = await inTurn(asker, () => reportedBefore(sql, merchantId, period, before));
    if (some.length > 0) yield some;
    before = some.length < AT_ONCE ? undefined : some.at(-1)?.dispute.id;
  } while (before !== undefined);
}

async function reportedBefore(
  sql: Sql,
  merchantId: string,
  { from, before: end }: Period,
  before: string | undefined,
): Promise<readonly Reported[]> {
  const rows = await sql`
    select * from disputes d
    where merchant_id = ${merchantId} ${before === undefined ? sql`` : sql`and id < ${before}`}
      and exists (
        select from dispute_reports r where r.merchant_id = d.merchant_id and r.dispute_id = d.id
          ${from === null ? sql`` : sql`and r.created_at >= ${from}`}
          ${end === null ? sql`` : sql`and r.created_at < ${end}`})
    order by id desc limit ${AT_ONCE}`;
  const disputes = rows.map(disputeRow);
  const ids = arrayOf(
    sql,
    "uuid",
    disputes.map(({ id }) => id),
  );
  const reports = await sql`
    select dispute_id, number, source, report, created_at from dispute_reports
    where merchant_id = ${merchantId} and dispute_id = any(${ids}) order by dispute_id, number`;
  const ofDispute = Map.groupBy(reports, ({ dispute_id }) => text(dispute_id));
  return disputes.map((dispute) => ({ dispute, reports: (ofDispute.get(dispute.id) ?? []).map(knownReport) }));
}
