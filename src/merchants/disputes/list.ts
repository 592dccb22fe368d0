// Disputes, listed and looked up: by merchants their own, by operators all.

import type { Sql } from "../../journal/database.ts";
import { disputeRow } from "../../journal/dispute-rows.ts";
import { count } from "../../journal/rows.ts";
import { type PageMeta, pageMeta } from "../../page-meta.ts";
import { DISPUTE_OUTCOMES, type DisputeOutcome, type DisputeStage } from "../../payment/dispute.ts";
import { isUuid } from "../../uuid.ts";
import { type Dispute, type DisputeStatus, showDispute } from "./dispute-schema.ts";

export const DISPUTES_ON_A_PAGE = 50;

export interface DisputeFilter {
  readonly merchantId?: string | undefined;
  readonly processorId?: string | undefined;
  readonly transactionId?: string | undefined;
  readonly stage?: DisputeStage | undefined;
  readonly status?: DisputeStatus | undefined;
  readonly outcome?: DisputeOutcome | undefined;
  /** Both ends are included, and seen to the second. */
  readonly createdFrom?: Date | undefined;
  readonly createdTo?: Date | undefined;
  readonly updatedFrom?: Date | undefined;
  /** Open, and to be responded to until then. */
  readonly dueBy?: Date | undefined;
}

export interface DisputePage {
  readonly disputes: readonly Dispute[];
  readonly meta: PageMeta;
}

/** Newest first. */
export async function listDisputes(sql: Sql, filter: DisputeFilter, page: number): Promise<DisputePage> {
  const { merchantId, processorId, transactionId, stage, createdFrom, createdTo, updatedFrom, dueBy } = filter;
  const states = statesOf(filter);
  const matching = sql`
    from disputes where true
      ${merchantId === undefined ? sql`` : sql`and merchant_id = ${merchantId}`}
      ${processorId === undefined ? sql`` : sql`and processor_id = ${processorId}`}
      ${transactionId === undefined ? sql`` : sql`and transaction_id = ${transactionId}`}
      ${stage === undefined ? sql`` : sql`and stage = ${stage}`}
      ${states === undefined ? sql`` : sql`and state in ${sql(states)}`}
      ${createdFrom === undefined ? sql`` : sql`and created_at >= ${createdFrom}`}
      ${createdTo === undefined ? sql`` : sql`and created_at < ${afterSecond(createdTo)}`}
      ${updatedFrom === undefined ? sql`` : sql`and updated_at >= ${updatedFrom}`}
      ${dueBy === undefined ? sql`` : sql`and state = 'needs_response' and respond_by < ${afterSecond(dueBy)}`}`;
  // One after the other: a turn has one connection.
  const [counted] = await sql`select count(*)::int as total ${matching}`;
  const rows = await sql`
    select * ${matching} order by id desc limit ${DISPUTES_ON_A_PAGE} offset ${(page - 1) * DISPUTES_ON_A_PAGE}`;
  const total = count(counted?.total);
  return {
    disputes: rows.map((row) => showDispute(disputeRow(row))),
    meta: pageMeta(total, DISPUTES_ON_A_PAGE, page),
  };
}

const afterSecond = (instant: Date): Date => new Date(instant.getTime() + 1_000);

/** Undefined: all. An outcome that contradicts the status leaves nothing over. */
function statesOf({ status, outcome }: DisputeFilter): readonly string[] | undefined {
  const ofStatus = status === undefined ? undefined : status === "ended" ? DISPUTE_OUTCOMES : [status];
  if (outcome === undefined) return ofStatus;
  return ofStatus === undefined || status === "ended" ? [outcome] : ["none"];
}

/** Undefined where there is none, or it is another merchant's. */
export async function findDispute(sql: Sql, id: string, merchantId?: string): Promise<Dispute | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await sql`
    select * from disputes
    where id = ${id} ${merchantId === undefined ? sql`` : sql`and merchant_id = ${merchantId}`}`;
  return row && showDispute(disputeRow(row));
}
