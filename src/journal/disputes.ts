// The tables of disputes: reports are added under the lock of their dispute's row, which keeps what they add up to, and webhooks are
// written in the same database transaction. What the reports mean is decided in payment/dispute.ts.

import {
  changedAt,
  type DisputeFee,
  type DisputeNews,
  type DisputeReport,
  type KnownReport,
  MOST_REPORTS,
  newsOfDispute,
  summaryOf,
} from "../payment/dispute.ts";
import { arrayOf } from "./columns.ts";
import type { Sql } from "./database.ts";
import { storedReport } from "./dispute-reports.ts";
import { type Dispute, type DisputeOpening, disputeRow, knownReport, summaryColumns } from "./dispute-rows.ts";
import type { TransactionSql } from "./sql/sql.ts";

/** What came of a report, and what merchants are told of it. */
export interface Noted {
  readonly dispute: Dispute;
  readonly news: readonly DisputeNews[];
}

/** `known`: there is nothing new in it. */
export type ProcessorNoted = "new" | "known" | "too-many" | "another-transaction";
export type FeeNoted = Exclude<ProcessorNoted, "another-transaction">;

/** A processor's report: the first about a dispute opens it. Durable when it resolves; the same source again changes nothing. */
export async function noteProcessorReport(
  sql: Sql,
  opening: DisputeOpening & { readonly reference: string },
  report: DisputeReport,
  source: string,
  now: Date,
): Promise<ProcessorNoted> {
  return sql.begin(async (transaction): Promise<ProcessorNoted> => {
    await insertDispute(transaction, opening, report, now);
    const dispute = await lockByReference(transaction, opening);
    if (dispute.transactionId !== opening.transactionId) return "another-transaction";
    const reports = await reportsOf(transaction, dispute);
    if (reports.some((one) => one.source === source)) return "known";
    if (reports.length >= MOST_REPORTS) return "too-many";
    const { news } = await addReport(transaction, dispute, reports, report, source, now);
    return news.length > 0 ? "new" : "known";
  });
}

/** A fee that a settlement report has of a dispute on record. Durable when it resolves; a fee that is known by its name changes nothing. */
export async function noteFee(sql: Sql, disputeId: string, fee: DisputeFee, now: Date): Promise<FeeNoted> {
  return sql.begin(async (transaction): Promise<FeeNoted> => {
    const dispute = await lockDispute(transaction, disputeId);
    if (dispute === undefined) throw new Error("broken database: a dispute that was just read is gone");
    const reports = await reportsOf(transaction, dispute);
    if (reports.some(({ fees = [] }) => fees.some(({ name }) => name === fee.name))) return "known";
    if (reports.length >= MOST_REPORTS) return "too-many";
    // What it does not say stays as it was, whatever its place in the dispute's course.
    await addReport(transaction, dispute, reports, { order: 0, at: now, fees: [fee] }, fee.name, now);
    return "new";
  });
}

/** @returns false if there is one of this reference already */
export async function insertDispute(
  sql: TransactionSql,
  opening: DisputeOpening,
  first: DisputeReport,
  now: Date,
): Promise<boolean> {
  const summary = summaryOf([{ ...first, number: 1, source: null, knownAt: now }]);
  const { merchantId, id, transactionId, merchantTransactionId, eventId, processorId, reference } = opening;
  const row = {
    ...{ merchant_id: merchantId, id, transaction_id: transactionId, merchant_transaction_id: merchantTransactionId },
    ...{ event_id: eventId, processor_id: processorId, reference, created_at: now, updated_at: now },
    ...summaryColumns(summary),
  };
  const { count: inserted } = await sql`insert into disputes ${sql(row)} on conflict do nothing`;
  return inserted > 0;
}

async function lockByReference(
  sql: TransactionSql,
  { merchantId, processorId, reference }: DisputeOpening,
): Promise<Dispute> {
  const [row] = await sql`
    select * from disputes
    where merchant_id = ${merchantId} and processor_id = ${processorId} and reference = ${reference} for update`;
  if (row === undefined) throw new Error("broken database: a dispute that was just written is gone");
  return disputeRow(row);
}

/** Nobody else reports about it until the database transaction ends. */
export async function lockDispute(sql: TransactionSql, id: string): Promise<Dispute | undefined> {
  // Rows are locked where their merchant's are.
  const [found] = await sql<{ merchant_id: string }[]>`select merchant_id from disputes where id = ${id}`;
  if (found === undefined) return undefined;
  const [row] = await sql`select * from disputes where merchant_id = ${found.merchant_id} and id = ${id} for update`;
  return row && disputeRow(row);
}

/** In the order in which they came; empty right after it was inserted. */
export async function reportsOf(
  sql: TransactionSql,
  { merchantId, id }: Pick<DisputeOpening, "merchantId" | "id">,
): Promise<readonly KnownReport[]> {
  const rows = await sql`
    select number, source, report, created_at from dispute_reports
    where merchant_id = ${merchantId} and dispute_id = ${id} order by number`;
  return rows.map(knownReport);
}

/**
 * One report more, and what follows from it.
 * @param dispute locked
 * @param reports all of its reports
 */
export async function addReport(
  sql: TransactionSql,
  dispute: Dispute,
  reports: readonly KnownReport[],
  report: DisputeReport,
  source: string | null,
  now: Date,
): Promise<Noted> {
  const [number, last] = [reports.length + 1, reports.at(-1)];
  // Nodes' clocks may differ, and what was known first stays first.
  const knownAt = last !== undefined && last.knownAt > now ? last.knownAt : now;
  const all = [...reports, { ...report, number, source, knownAt }];
  const { merchantId, id } = dispute;
  const [before, summary, updatedAt] = [last && summaryOf(reports), summaryOf(all), changedAt(all)];
  const row = { merchant_id: merchantId, dispute_id: id, number, source, created_at: knownAt };
  await sql`insert into dispute_reports ${sql({ ...row, report: sql.json(storedReport(report)) })}`;
  await sql`
    update disputes set ${sql({ ...summaryColumns(summary), updated_at: updatedAt })}
    where merchant_id = ${merchantId} and id = ${id}`;
  const news = newsOfDispute(before, summary);
  if (news.length > 0) await tell(sql, dispute, news, number, knownAt);
  return { dispute: { ...dispute, ...summary, updatedAt }, news };
}

/** A row for each endpoint and type that it wants; those that come first are due first. */
async function tell(
  sql: TransactionSql,
  { merchantId, id, transactionId }: Dispute,
  news: readonly DisputeNews[],
  number: number,
  at: Date,
): Promise<void> {
  await sql`
    insert into webhook_deliveries (merchant_id, endpoint_id, id, type, transaction_id, dispute_id, sequence, occurred_at,
      created_at, due_at, attempts, delivered)
    select e.merchant_id, e.id, webhook_delivery_id(${at}::timestamptz), t.type, ${transactionId}::uuid, ${id}::uuid,
      ${number}::int, ${at}::timestamptz, ${at}::timestamptz,
      ${at}::timestamptz + (t.place - 1) * interval '1 millisecond', 0, false
    from webhook_endpoints e cross join unnest(${arrayOf(
      sql,
      "text",
      news.map((one) => `dispute.${one}`),
    )}) with ordinality as t(type, place)
    where e.merchant_id = ${merchantId} and e.enabled and (e.event_types is null or t.type = any(e.event_types))`;
}

/** As it was after the report of this number. */
export async function disputeAfter(
  sql: TransactionSql,
  merchantId: string,
  id: string,
  number: number,
): Promise<Dispute | undefined> {
  const [row] = await sql`select * from disputes where merchant_id = ${merchantId} and id = ${id}`;
  if (row === undefined) return undefined;
  const then = (await reportsOf(sql, { merchantId, id })).slice(0, number);
  return { ...disputeRow(row), ...summaryOf(then), updatedAt: changedAt(then) };
}

/** All disputes of a transaction. Until the database transaction ends, nobody else enters or changes one of them by hand. */
export async function lockDisputesOf(
  sql: TransactionSql,
  merchantId: string,
  transactionId: string,
): Promise<readonly Dispute[]> {
  await sql`
    select id from transactions where merchant_id = ${merchantId} and id = ${transactionId} for no key update`;
  return (await disputesOf(sql, merchantId, [transactionId])).get(transactionId) ?? [];
}

/** Those of a merchant's transactions, by transaction, oldest first. */
export async function disputesOf(
  sql: TransactionSql,
  merchantId: string,
  transactionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Dispute[]>> {
  if (transactionIds.length === 0) return new Map();
  const rows = await sql`
    select * from disputes
    where merchant_id = ${merchantId} and transaction_id = any(${arrayOf(sql, "uuid", transactionIds)}) order by id`;
  return Map.groupBy(rows.map(disputeRow), ({ transactionId }) => transactionId);
}
