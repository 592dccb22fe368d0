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
  const disputes = rows.map(disputeRow);
  const ids = arrayOf(
    sql,
    "uuid",
    disputes.map(({ id }) => id),
  );
  const reports = await sql`
    select dispute_id, number, source, report, created_at from dispute_reports
    where merchant_id = ${merchantId} and dispute_id = any(${ids}) order by dispute_id, number`;
  const byDispute = Map.groupBy(reports, (row) => text(row.dispute_id));
  const known = (dispute: Dispute): KnownDispute => ({
    ...dispute,
    movements: disputeMovementsOf((byDispute.get(dispute.id) ?? []).map(knownReport)).filter(
      ({ kind }) => kind === "chargeback",
    ),
  });
  return Map.groupBy(disputes.map(known), ({ transactionId }) => transactionId);
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
