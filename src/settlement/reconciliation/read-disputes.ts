// Disputes on record, for a reconciliation: by the processor's names for them, or by their transactions.

import { arrayOf } from "../../journal/columns.ts";
import type { Sql } from "../../journal/database.ts";
import { type Dispute, disputeRow, knownReport } from "../../journal/dispute-rows.ts";
import { text } from "../../journal/rows.ts";
import { disputeMovementsOf } from "../../payment/dispute.ts";
import type { Account } from "./read-operations.ts";
import type { KnownDispute } from "./report-finding.ts";

/** Of these transactions, at this processor record, with what each has moved. */
export async function disputesOn(
  sql: Sql,
  { merchantId, processorId }: Account,
  transactionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly KnownDispute[]>> {
  if (transactionIds.length === 0) return new Map();
  const rows = await sql`
    select * from disputes
    where merchant_id = ${merchantId} and processor_id = ${processorId}
      and transaction_id = any(${arrayOf(sql, "uuid", transactionIds)}) order by id`;
  const disputes = await withMovements(sql, merchantId, rows.map(disputeRow));
  return Map.groupBy(disputes, ({ transactionId }) => transactionId);
}

const AT_ONCE = 500;

/** Of this processor record, those of which something was reported that happened in this time. */
export async function* disputesReported(
  sql: Sql,
  { merchantId, processorId }: Account,
  from: number,
  until: number,
): AsyncGenerator<readonly KnownDispute[]> {
  let after: string | undefined;
  do {
    // All instants in reports are written alike, so their texts are in the order of time.
    const rows = await sql`
      select * from disputes d
      where merchant_id = ${merchantId} and processor_id = ${processorId}
        ${after === undefined ? sql`` : sql`and id > ${after}`}
        and exists (
          select from dispute_reports r where r.merchant_id = d.merchant_id and r.dispute_id = d.id
            and r.report->>'at' >= ${new Date(from).toISOString()} and r.report->>'at' < ${new Date(until).toISOString()})
      order by id limit ${AT_ONCE}`;
    const disputes = await withMovements(sql, merchantId, rows.map(disputeRow));
    yield disputes;
    after = disputes.length < AT_ONCE ? undefined : disputes.at(-1)?.id;
  } while (after !== undefined);
}

async function withMovements(
  sql: Sql,
  merchantId: string,
  disputes: readonly Dispute[],
): Promise<readonly KnownDispute[]> {
  const ids = arrayOf(
    sql,
    "uuid",
    disputes.map(({ id }) => id),
  );
  const reports = await sql`
    select dispute_id, number, source, report, created_at from dispute_reports
    where merchant_id = ${merchantId} and dispute_id = any(${ids}) order by dispute_id, number`;
  const byDispute = Map.groupBy(reports, (row) => text(row.dispute_id));
  return disputes.map((dispute) => ({
    ...dispute,
    movements: disputeMovementsOf((byDispute.get(dispute.id) ?? []).map(knownReport)).filter(
      ({ kind }) => kind === "chargeback",
    ),
  }));
}

export interface Named {
  readonly transactionId: string;
  readonly eventId: string;
}

/** Which payments the processor's names of disputes are about: of this record, or of others of the same kind. */
export async function disputesNamed(
  sql: Sql,
  { merchantId, processorId }: Account,
  names: readonly string[],
): Promise<{ readonly own: ReadonlyMap<string, Named>; readonly elsewhere: ReadonlySet<string> }> {
  const own = new Map<string, Named>();
  const elsewhere = new Set<string>();
  if (names.length === 0) return { own, elsewhere };
  const rows = await sql`
    select d.* from disputes d join processors p on p.merchant_id = d.merchant_id and p.id = d.processor_id
    where d.reference = any(${arrayOf(sql, "text", names)})
      and p.kind = (select kind from processors where id = ${processorId})`;
  for (const one of rows.map(disputeRow)) {
    const { reference, transactionId, eventId } = one;
    if (reference === null) continue;
    if (one.merchantId === merchantId && one.processorId === processorId)
      own.set(reference, { transactionId, eventId });
    else elsewhere.add(reference);
  }
  return { own, elsewhere };
}
