// The processor records of a merchant for the hot path: read at most twice a second; in between, the same objects.
import type { Sql } from "../journal/database.ts";
import { text } from "../journal/rows.ts";
import { defaultTerms } from "../payment/account-terms.ts";
import type { ProcessorRecord } from "../payment/processor-record.ts";
import { briefCache } from "./brief-cache.ts";
import { type ProcessorRow, processorRow } from "./processors.ts";

export interface ProcessorLookup {
  /** All of them, also those that are not enabled; what another node changed shows within a second. */
  processorsOf(merchantId: string): Promise<readonly ProcessorRecord[]>;
  /** After a change on this node: shows at once. */
  forget(merchantId: string): void;
}

const MOST_MERCHANTS_KEPT = 10_000;

/** Records of processors, from memory if they were asked for a moment ago. */
export function processorLookup(sql: Sql): ProcessorLookup {
  const records = briefCache(async (merchantId) => {
    const rows = await sql`select * from processors where merchant_id = ${merchantId} order by id`;
    return rows.map((row) => recordOf(processorRow(row)));
  }, MOST_MERCHANTS_KEPT);
  return {
    processorsOf: async (merchantId) => (await records.get(merchantId)) ?? [],
    forget: (merchantId) => records.forget(merchantId),
  };
}

/** Undefined: there is no such record. */
export async function merchantOfProcessor(sql: Sql, processorId: string): Promise<string | undefined> {
  const [row] = await sql`select merchant_id from processors where id = ${processorId}`;
  return row && text(row.merchant_id);
}

/** Undefined: there is no such record. */
export async function findProcessorRecord(sql: Sql, processorId: string): Promise<ProcessorRecord | undefined> {
  const [row] = await sql`select * from processors where id = ${processorId}`;
  return row && recordOf(processorRow(row));
}

const recordOf = (row: ProcessorRow): ProcessorRecord => ({
  id: row.id,
  merchantId: row.merchant_id,
  name: row.name,
  kind: row.kind,
  currency: row.currency,
  enabled: row.enabled,
  inRotation: row.in_rotation,
  requires: row.requires,
  terms: defaultTerms(row.currency),
  schedule: row.settlement,
  settings: row.settings,
});
