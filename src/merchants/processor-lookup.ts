// The processor records of a merchant and the rules among them for the hot path: read at most twice a second, in one statement; in
// between, the same objects.
import type { Sql } from "../journal/database.ts";
import { count, orNull, rowReader, text } from "../journal/rows.ts";
import { defaultTerms } from "../payment/account-terms.ts";
import type { ProcessorRecord } from "../payment/processor-record.ts";
import { NO_RULES, type Routing } from "../payment/routing-rules.ts";
import { briefCache } from "./brief-cache.ts";
import { type ProcessorRow, processorRow } from "./processors.ts";
import { rulesColumn } from "./routing.ts";
import { ruleFrom } from "./routing-input.ts";
import { openSettings, type SettingSecrets } from "./setting-secrets.ts";

export interface ProcessorLookup {
  /** All of them, also those that are not enabled; what another node changed shows within a second. */
  processorsOf(merchantId: string): Promise<readonly ProcessorRecord[]>;
  /** Found together with the records. */
  routingOf(merchantId: string): Promise<Routing>;
  /** After a change on this node: shows at once. */
  forget(merchantId: string): void;
}

const MOST_MERCHANTS_KEPT = 10_000;

/**
 * Records of processors, from memory if they were asked for a moment ago.
 * @param secrets undefined: there is no master key
 */
export function processorLookup(sql: Sql, secrets: SettingSecrets | undefined): ProcessorLookup {
  const found = briefCache(async (merchantId) => {
    const rows = await sql`
      select p.*, r.version as routing_version, r.rules as routing_rules,
        r.attempts_at_most as routing_attempts
      from processors p left join lateral (
        select version, rules, attempts_at_most from routings where merchant_id = p.merchant_id order by version desc limit 1
      ) r on true
      where p.merchant_id = ${merchantId} order by p.id`;
    const [first] = rows;
    const records = await Promise.all(rows.map((row) => recordOf(processorRow(row), secrets)));
    return { records, routing: first ? routingOf(first) : NO_RULES };
  }, MOST_MERCHANTS_KEPT);
  return {
    processorsOf: async (merchantId) => (await found.get(merchantId))?.records ?? [],
    routingOf: async (merchantId) => (await found.get(merchantId))?.routing ?? NO_RULES,
    forget: (merchantId) => found.forget(merchantId),
  };
}

const routingColumns = rowReader("routings", {
  routing_version: orNull(count),
  routing_rules: orNull(rulesColumn),
  routing_attempts: orNull(count),
});

function routingOf(row: object): Routing {
  const { routing_version: version, routing_rules: rules, routing_attempts: attemptsAtMost } = routingColumns(row);
  if (version === null || rules === null || attemptsAtMost === null) return NO_RULES;
  return { version, rules: rules.map(ruleFrom), attemptsAtMost };
}

/** Undefined: there is no such record. */
export async function merchantOfProcessor(sql: Sql, processorId: string): Promise<string | undefined> {
  const [row] = await sql`select merchant_id from processors where id = ${processorId}`;
  return row && text(row.merchant_id);
}

/** With its secrets opened. Undefined: there is no such record. */
export async function findProcessorRecord(
  sql: Sql,
  processorId: string,
  secrets: SettingSecrets | undefined,
): Promise<ProcessorRecord | undefined> {
  const [row] = await sql`select * from processors where id = ${processorId}`;
  return row && recordOf(processorRow(row), secrets);
}

const recordOf = async (row: ProcessorRow, secrets: SettingSecrets | undefined): Promise<ProcessorRecord> => ({
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
  ...(await openSettings(row, secrets)),
});
