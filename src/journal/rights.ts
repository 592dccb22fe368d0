// The rights of a gateway that runs under a role of its own instead of the tables' owner: exactly what it needs. It can read and add
// transactions, but not change or remove them. `faregate migrate --grant-to` grants these rights.

import { StartFault } from "../start-fault.ts";
import type { Sql } from "./database.ts";
import { isDistributed } from "./distribution.ts";
import { KEPT_DAYS, type Old, PORTION, removeLeftAnswersOf, removeOldKeysOf } from "./kept-keys.ts";

const ADD = "select, insert";
const ADD_AND_CHANGE = "select, insert, update";
const ALL = "select, insert, update, delete";

/** Every table stands here: a test fails for one that does not. */
export const RIGHTS: Readonly<Record<string, string>> = {
  // The journal, and what follows from it once.
  transactions: ADD,
  passengers: ADD,
  events: ADD,
  outcomes: ADD,
  idempotency_keys: ADD,
  idempotency_answers: ADD,
  batches: ADD,
  trace_numbers: ADD,
  confirmed_reversals: ADD,
  late_failures: ADD,
  challenges: ADD,
  notifications: ADD,
  applied_notifications: ADD,
  dispute_reports: ADD,
  plan_charges: ADD,
  reconciliations: ADD,
  reconciliation_findings: ADD,
  users: ADD,
  routings: ADD,
  // Of an entry only its hash is set, when it is added.
  audit_log: `${ADD}, update (hash)`,
  schema_migrations: "select",
  // Archiving is for the owner.
  archives: "select",
  archive_portions: "select",
  archived_transactions: "select",
  // What is wrapped in a data key is never written over.
  data_keys: `${ADD}, update (leased, retired_at, passed_at)`,

  merchants: ADD_AND_CHANGE,
  tokens: ADD_AND_CHANGE,
  operator_tokens: ADD_AND_CHANGE,
  processors: ADD_AND_CHANGE,
  people: ADD_AND_CHANGE,
  installation: ADD_AND_CHANGE,
  merchant_counters: ADD_AND_CHANGE,
  trace_counters: ADD_AND_CHANGE,
  plan_payments: ADD_AND_CHANGE,
  plan_news: ADD,
  plans: ADD_AND_CHANGE,
  // What its reports add up to.
  disputes: ADD_AND_CHANGE,
  card_testing_settings: ADD_AND_CHANGE,

  // Sealed card numbers go when no follow-up can need them.
  sealed_cards: ALL,
  // Cards on file go when their merchant deletes them.
  cards: ALL,
  // Which charges are of one card goes when no scheme's limit looks back so far.
  charged_cards: ALL,
  // A charge that charged nothing is not counted.
  consent_charges: ALL,

  // What is added up from the journal, and can be again.
  figures: ALL,
  daily_figures: ALL,
  figures_known: ALL,
  block_words: ALL,
  block_standings: ALL,
  daily_changes: ALL,

  // What people need to sign in, for a time.
  recovery_codes: ALL,
  past_passwords: ALL,
  sessions: ALL,
  sign_in_tries: ALL,

  // What is to be done, and by whom: rows go when it is done.
  nodes: ALL,
  unresolved: ALL,
  waiting_notifications: ALL,
  open_authorizations: ALL,
  auto_captures: ALL,
  card_testing: ALL,
  request_counts: ALL,
  webhook_endpoints: ALL,
  webhook_deliveries: ALL,
};

/**
 * What is kept for a time only is removed by functions of the owner's, which remove nothing younger.
 * @param path a schema, quoted. Temporary tables come last: else the caller's own would be taken for the owner's, and their triggers run
 *   with the owner's rights
 */
const functions = (distributed: boolean, path: string): readonly string[] => [
  `
create or replace function faregate_remove_old_keys() returns boolean
language plpgsql security definer set search_path = ${path}, pg_temp as $$
declare
  owner uuid;
  removed integer;
  more boolean := false;
begin
${removeIn("idempotency_keys", removeOldKeysOf, distributed)}
${removeIn("idempotency_answers", removeLeftAnswersOf, distributed)}
  return more;
end $$`,
  `
create or replace function faregate_remove_old_audit_entries(up_to bigint) returns bigint
language sql security definer set search_path = ${path}, pg_temp as $$
  with removed as (delete from audit_log where id <= up_to and at < now() - interval '12 months' returning 1)
  select count(*) from removed
$$`,
  "revoke all on function faregate_remove_old_keys(), faregate_remove_old_audit_entries(bigint) from public",
];

const BEFORE = `now() - interval '${KEPT_DAYS} days'`;

function removeIn(table: string, removal: (old: Old) => string, distributed: boolean): string {
  const some = (old: Old) => `${removal(old)};
  get diagnostics removed = row_count;
  more := more or removed = ${PORTION};`;
  if (!distributed) return some({ before: BEFORE });
  return `
  for owner in select distinct merchant_id from ${table} where created_at < ${BEFORE} loop${some({ before: BEFORE, merchant: "owner" })}
  end loop;`;
}

/**
 * Whole or not at all; what the role had before in these tables goes. To be run by their owner.
 * @throws StartFault if there is no such role
 */
export async function grantTo(pool: Sql, role: string): Promise<void> {
  const [found] = await pool<{ owner: boolean; above: boolean }[]>`
    select rolname = current_user as owner, rolsuper or pg_has_role(rolname, current_user, 'member') as above
    from pg_roles where rolname = ${role}`;
  if (found === undefined)
    throw new StartFault(`There is no role ${role}. Create it first: CREATE ROLE … LOGIN PASSWORD '…'`);
  if (found.owner || found.above)
    throw new StartFault(`The role ${role} may do everything that the tables' owner may: name another one.`);
  const distributed = await isDistributed(pool);
  await pool.begin(async (sql) => {
    // They are called at the coordinator, and workers of Citus have no audit log.
    if (distributed) await sql`set local citus.enable_ddl_propagation = off`;
    const [{ schema, path }] = await sql<[{ schema: string; path: string }]>`
      select current_schema() as schema, quote_ident(current_schema()) as path`;
    for (const statement of functions(distributed, path)) await sql.unsafe(statement);
    if (distributed) await sql`set local citus.enable_ddl_propagation = on`;
    const to = sql(role);
    await sql`revoke all on all tables in schema ${sql(schema)} from ${to}`;
    await sql`revoke create on schema ${sql(schema)} from ${to}`;
    await sql`grant usage on schema ${sql(schema)} to ${to}`;
    for (const [table, rights] of Object.entries(RIGHTS))
      await sql`grant ${sql.unsafe(rights)} on ${sql(table)} to ${to}`;
    await sql`grant execute on function faregate_remove_old_keys(), faregate_remove_old_audit_entries(bigint) to ${to}`;
  });
}

/** Whether this session may remove rows of the table itself, as the owner may. */
export async function mayRemove(sql: Sql, table: "idempotency_keys" | "audit_log"): Promise<boolean> {
  const [row] = await sql<[{ may: boolean }]>`select has_table_privilege(${table}, 'delete') as may`;
  return row.may;
}
