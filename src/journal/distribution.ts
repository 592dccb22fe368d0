// Where each table's rows are on a PostgreSQL with Citus. On plain PostgreSQL this says nothing: there all are in one place.

import type { Sql } from "./database.ts";
import type { Query, TransactionSql } from "./sql/sql.ts";

/**
 * `distributed`: by merchant_id, all of one merchant's rows together. `reference`: on each node, since the distributed are joined with
 * it. `local`: on the coordinator.
 */
export type Place = "distributed" | "reference" | "local";

/** Every table stands here: a test fails for one that does not. */
export const PLACES: Readonly<Record<string, Place>> = {
  // The journal, and what is written in one statement or one database transaction with it.
  transactions: "distributed",
  passengers: "distributed",
  events: "distributed",
  outcomes: "distributed",
  late_failures: "distributed",
  challenges: "distributed",
  merchant_counters: "distributed",
  idempotency_keys: "distributed",
  idempotency_answers: "distributed",
  unresolved: "distributed",
  confirmed_reversals: "distributed",
  batches: "distributed",
  open_authorizations: "distributed",
  auto_captures: "distributed",
  sealed_cards: "distributed",
  cards: "distributed",
  charged_cards: "distributed",
  plans: "distributed",
  plan_payments: "distributed",
  plan_charges: "distributed",
  plan_news: "distributed",
  consent_charges: "distributed",
  trace_numbers: "distributed",
  trace_counters: "distributed",
  webhook_endpoints: "distributed",
  webhook_deliveries: "distributed",
  notifications: "distributed",
  applied_notifications: "distributed",
  waiting_notifications: "distributed",
  disputes: "distributed",
  dispute_reports: "distributed",
  figures: "distributed",
  daily_figures: "distributed",
  figures_known: "distributed",
  block_words: "distributed",
  block_standings: "distributed",
  daily_changes: "distributed",
  archives: "distributed",
  archive_portions: "distributed",
  archived_transactions: "distributed",
  reconciliations: "distributed",
  reconciliation_findings: "distributed",

  // Few rows, which seldom change.
  merchants: "reference",
  processors: "reference",

  // Who may do what, and what nodes tell each other: never joined with the journal.
  users: "local",
  tokens: "local",
  operator_tokens: "local",
  routings: "local",
  audit_log: "local",
  installation: "local",
  nodes: "local",
  data_keys: "local",
  card_testing: "local",
  card_testing_settings: "local",
  request_counts: "local",
  people: "local",
  past_passwords: "local",
  recovery_codes: "local",
  sessions: "local",
  sign_in_tries: "local",
  schema_migrations: "local",
};

const known = new WeakMap<Sql, boolean>();

/** Whether the rows of the journal are distributed. It is asked once for each pool, since no gateway runs while that changes. */
export async function isDistributed(sql: Sql): Promise<boolean> {
  const answer = known.get(sql) ?? (await placesThere(sql)).get("transactions") === "distributed";
  known.set(sql, answer);
  return answer;
}

/** A condition. @param merchantId undefined: it is true of all */
export const isOf = (sql: TransactionSql, merchantId: string | undefined, table?: string): Query<object> => {
  if (merchantId === undefined) return sql`true`;
  return table === undefined ? sql`merchant_id = ${merchantId}` : sql`${sql(table)}.merchant_id = ${merchantId}`;
};

/** The rows as one statement takes them: of each merchant, where the tables are distributed; else all at once. */
export async function inTurnsOf<Row extends { readonly merchantId: string }>(
  sql: Sql,
  rows: readonly Row[],
): Promise<readonly (readonly [merchantId: string | undefined, rows: readonly Row[]])[]> {
  if (!(await isDistributed(sql))) return [[undefined, rows]];
  return [...Map.groupBy(rows, ({ merchantId }) => merchantId)];
}

/**
 * Where the tables are distributed: what this database transaction writes on a worker and on the coordinator is committed as one. Citus would
 * commit a single worker first, and a coordinator that crashes then would lose its own rows.
 */
export async function commitAsOne(sql: TransactionSql): Promise<void> {
  // What Citus carries over the coordinator is committed in two phases, and so is all that is written with it. Here these are no rows.
  await sql`insert into unresolved (merchant_id) select null::uuid from generate_series(1, 0)`;
}

/** Of the tables that are not local. Empty on plain PostgreSQL. */
export async function placesThere(sql: Sql): Promise<ReadonlyMap<string, Place>> {
  const [citus] = await sql`select to_regclass('pg_catalog.pg_dist_partition') is not null as there`;
  if (citus?.there !== true) return new Map();
  const rows = await sql<{ name: string; place: Place }[]>`
    select c.relname as name,
      case when p.partmethod = 'h' then 'distributed' when p.repmodel = 't' then 'reference' else 'local' end as place
    from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
    where c.relnamespace = current_schema()::regnamespace`;
  return new Map(rows.map(({ name, place }) => [name, place]));
}
