// Reconciliations that were run, listed and looked up: by merchants their own, by operators all.

import type { Sql } from "../../journal/database.ts";
import { count, flag, instant, list, object, orNull, rowReader, text, word } from "../../journal/rows.ts";
import { EVENT_TYPES } from "../../payment/transaction.ts";
import { isUuid } from "../../uuid.ts";
import type { Own, SumOfFindings } from "./finding-sums.ts";
import { type Here, KEPT_KINDS, type KeptFinding, type There } from "./kept-finding.ts";
import { OUTCOMES_IN_BOOKS } from "./operations.ts";
import { RECONCILED_WITH } from "./run.ts";

export const RUNS_ON_A_PAGE = 50;
export const FINDINGS_ON_A_PAGE = 50;

export interface RunFilter {
  readonly merchantId?: string | undefined;
  readonly processorId?: string | undefined;
}

/** Newest first. */
export async function listRuns(sql: Sql, { merchantId, processorId }: RunFilter, page: number) {
  const matching = sql`
    from reconciliations where true
      ${merchantId === undefined ? sql`` : sql`and merchant_id = ${merchantId}`}
      ${processorId === undefined ? sql`` : sql`and processor_id = ${processorId}`}`;
  // One after the other: a turn has one connection.
  const [counted] = await sql`select count(*)::int as total ${matching}`;
  const rows = await sql`
    select * ${matching} order by id desc limit ${RUNS_ON_A_PAGE} offset ${(page - 1) * RUNS_ON_A_PAGE}`;
  return { runs: rows.map(runOf), total: count(counted?.total) };
}

/** Undefined where there is none, or it is another merchant's. */
export async function findRun(sql: Sql, id: string, merchantId?: string): Promise<KeptRun | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await sql`
    select * from reconciliations
    where id = ${id} ${merchantId === undefined ? sql`` : sql`and merchant_id = ${merchantId}`}`;
  return row && runOf(row);
}

/**
 * Differences first, in the order in which they were found.
 * @param whose `own`: only those with an operation of the merchant's
 */
export async function findingsOf(sql: Sql, { merchant_id, id, own }: KeptRun, page: number, whose: "all" | "own") {
  const matching = sql`
    from reconciliation_findings where merchant_id = ${merchant_id} and reconciliation_id = ${id}
      ${whose === "all" ? sql`` : sql`and here is not null and ${own !== null}`}`;
  const [counted] = await sql`select count(*)::int as total ${matching}`;
  const rows = await sql`
    select * ${matching} order by number limit ${FINDINGS_ON_A_PAGE} offset ${(page - 1) * FINDINGS_ON_A_PAGE}`;
  return { findings: rows.map(findingOf), total: count(counted?.total) };
}

const sum = rowReader<SumOfFindings>("sums of reconciliations", {
  ...{ finding: word(KEPT_KINDS), currency: text, count, here: text, there: text },
});

const sums = list((one) => sum(object(one)));
const own = rowReader<Own>("own findings of reconciliations", {
  ...{ differences: count, pending: count, notClosed: count, chargebacks: count, withheld: count, sums },
});

const runRow = {
  merchant_id: text,
  id: text,
  processor_id: text,
  source: word(RECONCILED_WITH),
  day: orNull(text),
  payout: orNull(text),
  file: orNull(text),
  currency: text,
  counts: object,
  sums,
  batches: list(object),
  own: orNull((one) => own(object(one))),
  created_at: instant,
};
const runOf = rowReader("reconciliations", runRow);
export type KeptRun = ReturnType<typeof runOf>;

const here = rowReader<Here>("findings of reconciliations", {
  operation: word([...EVENT_TYPES, "dispute"]),
  amount: text,
  currency: text,
  outcome: orNull(word(OUTCOMES_IN_BOOKS)),
  sent_at: text,
});
const there = rowReader<There>("findings of reconciliations", {
  line: orNull(count),
  amount: text,
  currency: text,
  code: orNull(text),
  batch_id: orNull(text),
  net: orNull(text),
  net_currency: orNull(text),
});
const findingRow = rowReader("reconciliation_findings", {
  number: count,
  kind: word(KEPT_KINDS),
  difference: flag,
  operation: text,
  reference: orNull(text),
  transaction_id: orNull(text),
  sequence: orNull(count),
  here: orNull((one) => here(object(one))),
  there: orNull((one) => there(object(one))),
});

function findingOf(row: object): KeptFinding & { readonly number: number } {
  const { transaction_id, ...finding } = findingRow(row);
  return { ...finding, transactionId: transaction_id };
}
