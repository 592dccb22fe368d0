// What an operator sees and does in recovery mode: why it was entered, what a gateway would do next, and the release.

import type { Sql } from "../journal/database.ts";
import { holdPlansUntil } from "../journal/due-plans.ts";
import { accept, type LostWrite, lineageExpression, readLineage } from "../journal/lineage.ts";
import { instant, rowReader, text, wholeNumber, word } from "../journal/rows.ts";
import { audited } from "../merchants/audit.ts";
import { type Author, type Backoffice, type Invalid, invalid } from "../merchants/backoffice.ts";
import { Release } from "../merchants/resolution.ts";
import { amountOf, renderAmount } from "../payment/money.ts";
import { EVENT_TYPES, type EventType, isCharge } from "../payment/transaction.ts";
import { timestamp } from "../validation/fields.ts";
import { noProblems, problemsOf } from "../validation/problems.ts";
import { newestTransaction } from "./begin.ts";

/** An operation without an outcome in this database, and what a gateway does with it after a release. */
export interface OpenOperation {
  readonly merchant_id: string;
  readonly transaction_id: string;
  readonly merchant_transaction_id: string;
  readonly event_id: string;
  readonly event_type: EventType;
  readonly amount: string;
  readonly currency: string;
  readonly processor_id: string;
  readonly created_at: string;
  /** `reverse`: a charge is taken back at its processor. `repeat`: a follow-up is sent again under its reference. */
  readonly would: "reverse" | "repeat";
}

export interface Recovery {
  readonly mode: "normal" | "recovery";
  readonly reason: string | null;
  readonly since: string | null;
  readonly lineage: string | null;
  readonly accepted_lineage: string | null;
  /** When the newest transaction was created that was left as recovery mode began: what was done after it is not here, unless it was adopted. */
  readonly newest_operation_at: string | null;
  /** Writes that a running gateway knew to be committed, and that are not here: the first hundred. */
  readonly lost: readonly LostWrite[];
  /** The first thousand, oldest first. */
  readonly open: readonly OpenOperation[];
}

/** Where the gateways of this database stand, for an operator. */
export async function showRecovery(sql: Sql): Promise<Recovery> {
  const { lineage, accepted, recovery } = await readLineage(sql, await lineageExpression(sql));
  const newestAt = recovery?.newest == null ? await newestTransaction(sql) : new Date(recovery.newest);
  return {
    mode: recovery === null && accepted?.lineage === lineage ? "normal" : "recovery",
    reason: recovery?.reason ?? null,
    since: recovery?.since ?? null,
    lineage,
    accepted_lineage: accepted?.lineage ?? null,
    newest_operation_at: newestAt && timestamp(newestAt),
    lost: recovery?.lost ?? [],
    open: newestAt === null ? [] : await openOperations(sql, newestAt),
  };
}

/** What is older was taken over by a gateway long ago, and is among the unresolved. */
const LOOKED_BACK = "1 hour";
const MOST_SHOWN = 1_000;

async function openOperations(sql: Sql, newestAt: Date): Promise<readonly OpenOperation[]> {
  const rows = await sql`
    select e.merchant_id, e.transaction_id, t.merchant_transaction_id, e.id as event_id, e.type as event_type, e.amount,
      t.currency, e.processor_id, e.created_at
    from events e
      join transactions t on t.merchant_id = e.merchant_id and t.id = e.transaction_id
      left join outcomes o
        on o.merchant_id = e.merchant_id and o.transaction_id = e.transaction_id and o.sequence = e.sequence
    where e.created_at >= ${newestAt}::timestamptz - ${LOOKED_BACK}::interval and o.kind is null
    order by e.created_at, e.id limit ${MOST_SHOWN}`;
  return rows.map((row) => {
    const read = openRow(row);
    return {
      ...read,
      amount: renderAmount(amountOf(read.amount)),
      created_at: timestamp(read.created_at),
      would: isCharge({ type: read.event_type }) ? "reverse" : "repeat",
    };
  });
}

const openRow = rowReader("events", {
  merchant_id: text,
  transaction_id: text,
  merchant_transaction_id: text,
  event_id: text,
  event_type: word(EVENT_TYPES),
  amount: wholeNumber,
  currency: text,
  processor_id: text,
  created_at: instant,
});

/**
 * Gateways charge again, and do with open operations what they always do.
 * @param evidence why nothing is missing, or what was done about it: for the audit log
 * @returns why there is nothing to release, if so
 */
export async function releaseRecovery(
  office: Backoffice,
  author: Author,
  evidence: string,
): Promise<"released" | "normal" | "standby" | Invalid> {
  const problems = problemsOf(Release, { evidence });
  if (!noProblems(problems)) return invalid(problems);
  const before = await readLineage(office.sql, await lineageExpression(office.sql));
  const { lineage, accepted, recovery } = before;
  if (lineage === null) return "standby";
  if (recovery === null && accepted?.lineage === lineage) return "normal";
  return audited(office, author, async (tx) => {
    await accept(tx, accepted, lineage);
    // What fell due before may have been charged in the history that was lost.
    await holdPlansUntil(tx, office.clock.now());
    const after = { lineage, evidence };
    return {
      result: "released" as const,
      entry: { action: "recovery.change", subject: ["recovery", lineage], before: { reason: recovery?.reason }, after },
    };
  });
}
