// The three statements that write the journal, each for a whole group of rows: opening a transaction, appending an event,
// concluding an event. Each is one statement, so it is done wholly or not at all.

import { batchId } from "../payment/status.ts";
import { settlementOf, type Transaction } from "../payment/transaction.ts";
import { arrayOf, arrays, type Column, names, unnest } from "./columns.ts";
import { type Sql, violates } from "./database.ts";
import type { Concluded, Conclusion, KeptResponse, KeyClaim, SealedCard } from "./journal.ts";
import { tell } from "./tell.ts";
import { EVENT_COLUMNS, OUTCOME_COLUMNS, type PlacedEvent, TRANSACTION_COLUMNS } from "./transaction-rows.ts";
import type { GroupWrite } from "./writer.ts";

export interface Opening {
  readonly intent: Transaction;
  readonly claim: KeyClaim | null;
  readonly sealedCard: SealedCard | null;
}
export type Opened = { readonly createdAt: Date } | "key-taken";

export interface Appending extends PlacedEvent {
  readonly claim: KeyClaim | null;
}
export type Appended = "appended" | "conflict";

const claimColumns = <Row extends { readonly claim: KeyClaim | null }>(): readonly Column<Row>[] => [
  { name: "key", type: "text", value: ({ claim }) => claim?.key ?? null },
  { name: "request_hash", type: "bytea", value: ({ claim }) => claim?.requestHash ?? null },
];

const of = <Outer, Inner>(columns: readonly Column<Inner>[], inner: (row: Outer) => Inner): readonly Column<Outer>[] =>
  columns.map(({ name, type, value }) => ({ name, type, value: (row) => value(inner(row)) }));

/** `json` columns are sent as text, which the driver leaves as it is. */
const cast = (columns: readonly Column<never>[], table: string): string =>
  columns.map(({ name }) => (JSON_COLUMNS.has(name) ? `${table}.${name}::json` : `${table}.${name}`)).join(", ");
const JSON_COLUMNS = new Set(["details", "passengers", "shares"]);

const OPENING_COLUMNS: readonly Column<Opening>[] = [
  ...of<Opening, Transaction>(TRANSACTION_COLUMNS, ({ intent }) => intent),
  ...of<Opening, PlacedEvent>(EVENT_COLUMNS, ({ intent }) => ({
    merchantId: intent.merchantId,
    transactionId: intent.id,
    event: intent.events[0],
  })),
  ...claimColumns<Opening>(),
];
/** For a group in which some row brings a sealed card: others pay nothing for it. */
const SEALED_OPENING_COLUMNS: readonly Column<Opening>[] = [
  ...OPENING_COLUMNS,
  { name: "key_id", type: "int4", value: ({ sealedCard }) => sealedCard?.keyId ?? null },
  { name: "sealed", type: "bytea", value: ({ sealedCard }) => sealedCard?.sealed ?? null },
];

/** Event columns in the table, where the event's id has no prefix. */
const eventNames = names(EVENT_COLUMNS).replace("event_id", "id");

// A key that is taken keeps its row out before the merchant's counter moves, so the numbers have no gaps. The counters are
// locked in the order of their keys: two nodes that open for the same merchants wait for each other and do not deadlock.
const open = (columns: readonly Column<Opening>[], kept = "") => {
  const [node, now] = [`$${columns.length + 1}::int4`, `$${columns.length + 2}::timestamptz`];
  return `
with input as materialized (select * from ${unnest(columns)}),
claimed as (
  insert into idempotency_keys (merchant_id, key, request_hash, transaction_id, sequence, created_at)
  select merchant_id, key, request_hash, id, 1, ${now} from input where key is not null
  on conflict do nothing returning transaction_id
),
accepted as materialized (
  select input.*, row_number() over (partition by merchant_id order by place) as nth
  from input where key is null or id in (select transaction_id from claimed)
),
locked as materialized (
  select merchant_id from merchant_counters
  where merchant_id = any(array(select distinct merchant_id from accepted)) order by merchant_id for update
),
counted as (
  update merchant_counters c
  set transactions = c.transactions + a.rows, newest_at = greatest(c.newest_at, ${now})
  from locked, (select merchant_id, count(*) as rows from accepted group by merchant_id) a
  where c.merchant_id = locked.merchant_id and a.merchant_id = locked.merchant_id
  returning c.merchant_id, c.transactions - a.rows as before, c.newest_at
),
opened as (
  insert into transactions (${names(TRANSACTION_COLUMNS)}, number, created_at)
  select ${cast(TRANSACTION_COLUMNS as readonly Column<never>[], "a")}, c.before + a.nth, c.newest_at
  from accepted a join counted c using (merchant_id)
)${kept}
insert into events (merchant_id, transaction_id, node_id, created_at, ${eventNames})
select a.merchant_id, a.id, ${node}, c.newest_at, ${cast(EVENT_COLUMNS as readonly Column<never>[], "a")}
from accepted a join counted c using (merchant_id)
returning transaction_id, created_at`;
};

// First looked at after an hour whether it is needed on: by then a declined or unanswered charge has ended.
const KEPT = `,
kept as (
  insert into sealed_cards (merchant_id, transaction_id, key_id, sealed, look_at)
  select a.merchant_id, a.id, a.key_id, a.sealed, c.newest_at + interval '1 hour'
  from accepted a join counted c using (merchant_id) where a.key_id is not null
)`;
const OPEN = open(OPENING_COLUMNS);
const OPEN_SEALED = open(SEALED_OPENING_COLUMNS, KEPT);

export function opening(node: number, now: () => Date): GroupWrite<Opening, Opened> {
  const results = (rows: readonly Opening[], written: readonly { transaction_id: string; created_at: Date }[]) => {
    const created = new Map(written.map((row) => [row.transaction_id, row.created_at]));
    return rows.map(({ intent }) => created.get(intent.id));
  };
  return {
    statement: async (sql, rows) => {
      const withCards = rows.some(({ sealedCard }) => sealedCard !== null);
      const [text, columns] = withCards ? [OPEN_SEALED, SEALED_OPENING_COLUMNS] : [OPEN, OPENING_COLUMNS];
      const written = await run<{ transaction_id: string; created_at: Date }>(sql, text, [
        ...arrays(sql, columns, rows),
        node,
        now(),
      ]);
      return results(rows, written).map((createdAt) => (createdAt ? { createdAt } : "key-taken"));
    },
    look: async (sql, rows) => {
      const found = await sql<{ transaction_id: string; created_at: Date }[]>`
        select transaction_id, created_at from events
        where (merchant_id, transaction_id) in
          (select * from unnest(${arrayOf(
            sql,
            "uuid",
            rows.map(({ intent }) => intent.merchantId),
          )},
            ${arrayOf(
              sql,
              "uuid",
              rows.map(({ intent }) => intent.id),
            )}))
          and sequence = 1`;
      return results(rows, found).map((createdAt) => createdAt && { createdAt });
    },
  };
}

const APPENDING_COLUMNS: readonly Column<Appending>[] = [
  { name: "merchant_id", type: "uuid", value: (row) => row.merchantId },
  { name: "transaction_id", type: "uuid", value: (row) => row.transactionId },
  { name: "created_at", type: "timestamptz", value: (row) => row.event.createdAt },
  ...of<Appending, PlacedEvent>(EVENT_COLUMNS, (row) => row),
  ...claimColumns<Appending>(),
];

// The sequence is the optimistic lock. A key that was taken a moment ago on another node violates its primary key: then
// nothing of the statement stands, and the rows are tried one by one, each of them once more when the key shows.
const APPEND = `
with input as materialized (select * from ${unnest(APPENDING_COLUMNS)}),
fresh as materialized (
  select input.* from input where key is null or not exists (
    select from idempotency_keys k where k.merchant_id = input.merchant_id and k.key = input.key)
),
appended as (
  insert into events (merchant_id, transaction_id, created_at, node_id, ${eventNames})
  select f.merchant_id, f.transaction_id, f.created_at, $${APPENDING_COLUMNS.length + 1}::int4,
    ${cast(EVENT_COLUMNS as readonly Column<never>[], "f")} from fresh f
  on conflict do nothing returning id
),
claimed as (
  insert into idempotency_keys (merchant_id, key, request_hash, transaction_id, sequence, created_at)
  select f.merchant_id, f.key, f.request_hash, f.transaction_id, f.sequence, f.created_at
  from fresh f join appended on appended.id = f.event_id where f.key is not null
)
select id from appended`;

export function appending(node: number): GroupWrite<Appending, Appended> {
  const append = async (sql: Sql, rows: readonly Appending[]): Promise<readonly Appended[]> => {
    const written = await run<{ id: string }>(sql, APPEND, [...arrays(sql, APPENDING_COLUMNS, rows), node]);
    const ids = new Set(written.map(({ id }) => id));
    return rows.map(({ event }) => (ids.has(event.id) ? "appended" : "conflict"));
  };
  return {
    statement: async (sql, rows) => {
      try {
        return await append(sql, rows);
      } catch (fault) {
        if (rows.length > 1 || !violates(fault, "idempotency_keys_pkey")) throw fault;
        return append(sql, rows);
      }
    },
    look: async (sql, rows) => {
      const found = await sql<{ id: string }[]>`
        select e.id from events e join unnest(
          ${arrayOf(
            sql,
            "uuid",
            rows.map((row) => row.merchantId),
          )},
          ${arrayOf(
            sql,
            "uuid",
            rows.map((row) => row.transactionId),
          )},
          ${arrayOf(
            sql,
            "int4",
            rows.map((row) => row.event.sequence),
          )}) as i(merchant_id, transaction_id, sequence)
          using (merchant_id, transaction_id, sequence)`;
      const ids = new Set(found.map(({ id }) => id));
      return rows.map(({ event }) => (ids.has(event.id) ? "appended" : undefined));
    },
  };
}

const CONCLUDING_COLUMNS: readonly Column<Conclusion>[] = [
  ...OUTCOME_COLUMNS,
  { name: "event_type", type: "text", value: ({ eventType }) => eventType },
  { name: "key", type: "text", value: ({ keyedResponse }) => keyedResponse?.key ?? null },
  { name: "status", type: "int4", value: ({ keyedResponse }) => keyedResponse?.status ?? null },
  { name: "body", type: "text", value: ({ keyedResponse }) => bodyOf(keyedResponse) },
  { name: "moment", type: "text", value: ({ keyedResponse }) => momentOf(keyedResponse) },
  { name: "remedy", type: "text", value: ({ remedy }) => remedy },
  { name: "processor_id", type: "uuid", value: ({ processorId }) => processorId },
  { name: "batch_id", type: "uuid", value: batchOfConclusion },
  { name: "awaits_capture", type: "bool", value: ({ awaitsCapture }) => awaitsCapture },
];

function batchOfConclusion({ outcome, processorId }: Conclusion): string | null {
  const settlement = settlementOf(outcome);
  return settlement && batchId(processorId, settlement);
}

export const bodyOf = (response: KeptResponse | null): string | null =>
  response && "body" in response ? response.body : null;
export const momentOf = (response: KeptResponse | null): string | null =>
  response && "moment" in response ? response.moment : null;

const CONCLUDE = `
with input as materialized (select * from ${unnest(CONCLUDING_COLUMNS)}),
concluded as (
  insert into outcomes (${names(OUTCOME_COLUMNS)}) select ${names(OUTCOME_COLUMNS)} from input
  on conflict do nothing returning merchant_id, transaction_id, sequence, kind, created_at, cutoff_at, visible_at
),
answered as (
  insert into idempotency_answers (merchant_id, key, status, body, moment, created_at)
  select i.merchant_id, i.key, i.status, i.body, i.moment, i.created_at
  from input i join concluded using (merchant_id, transaction_id, sequence) where i.key is not null
  on conflict do nothing
),
unresolved_events as (
  insert into unresolved (merchant_id, transaction_id, sequence, processor_id, remedy, attempts, due_at, created_at)
  select i.merchant_id, i.transaction_id, i.sequence, i.processor_id, i.remedy, 0, i.created_at, i.created_at
  from input i join concluded using (merchant_id, transaction_id, sequence) where i.remedy is not null
  on conflict do nothing
),
batched as (
  insert into batches (merchant_id, processor_id, cutoff_at, id)
  select distinct i.merchant_id, i.processor_id, i.cutoff_at, i.batch_id
  from input i join concluded using (merchant_id, transaction_id, sequence, cutoff_at) where i.batch_id is not null
  on conflict do nothing
),
waiting as (
  insert into open_authorizations (merchant_id, processor_id, transaction_id, authorized_at)
  select i.merchant_id, i.processor_id, i.transaction_id, i.created_at
  from input i join concluded using (merchant_id, transaction_id, sequence) where i.awaits_capture
  on conflict do nothing
),
told as (${tell(`
    select c.merchant_id, c.transaction_id, c.sequence, i.event_type, c.created_at as at, c.kind, c.visible_at
    from concluded c join input i using (merchant_id, transaction_id, sequence)`)}
)
select transaction_id, sequence from concluded`;

export const concluding: GroupWrite<Conclusion, Concluded> = {
  statement: async (sql, rows) => {
    const written = await run<{ transaction_id: string; sequence: number }>(
      sql,
      CONCLUDE,
      arrays(sql, CONCLUDING_COLUMNS, rows),
    );
    const places = new Set(written.map((row) => `${row.transaction_id} ${row.sequence}`));
    // Two outcomes of one event in one group: the first row is the one that is there.
    const first = (row: Conclusion) => places.delete(`${row.transactionId} ${row.sequence}`);
    return rows.map((row) => (first(row) ? "concluded" : "already-concluded"));
  },
  // Writing an outcome again does no harm: whoever is told that there was one already reads what stands.
  look: async (_, rows) => rows.map(() => undefined),
};

const run = <Row extends object>(sql: Sql, text: string, parameters: readonly unknown[]): Promise<readonly Row[]> =>
  sql.unsafe<Row[]>(text, parameters as never[], { prepare: true });
