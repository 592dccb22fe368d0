// Appends events to transactions that are there, each with the claim of its key.

import type { Event } from "../payment/transaction.ts";
import { arrayOf, type Column, type Form, formOf, type Input, inputOf, parametersFor, read } from "./columns.ts";
import { type Sql, violates } from "./database.ts";
import { isOf } from "./distribution.ts";
import { cast, claimColumns, eventNames, of, run, timeOfChange } from "./group-statements.ts";
import type { KeyClaim } from "./journal.ts";
import { EVENT_COLUMNS, type PlacedEvent } from "./transaction-columns.ts";
import type { GroupWrite } from "./writer.ts";

export interface Appending extends PlacedEvent {
  readonly claim: KeyClaim | null;
}
export type Appended = "appended" | "conflict";

const APPENDING_COLUMNS: readonly Column<Appending>[] = [
  { name: "merchant_id", type: "uuid", value: (row) => row.merchantId },
  { name: "transaction_id", type: "uuid", value: (row) => row.transactionId },
  { name: "created_at", type: "timestamptz", value: (row) => row.event.createdAt },
  ...of<Appending, Event>(EVENT_COLUMNS, ({ event }) => event),
  ...claimColumns<Appending>(),
];

const NODE = `$${APPENDING_COLUMNS.length + 1}`;

// The sequence is the optimistic lock. A key that was taken a moment ago on another node violates its primary key: then
// nothing of the statement stands, and the rows are tried one by one, each of them once more when the key shows. To what is being
// archived nothing is added: it is a conflict, and whoever looks again does not find the transaction.
const append = (input: Input<Appending>) => ({
  input,
  text: `
with input as ${input.materialized} (${input.select}),
fresh as materialized (
  select input.* from input where key is null or not exists (
    select from idempotency_keys k where k.merchant_id = input.merchant_id and k.key = input.key)
),
there as materialized (
  select fresh.* from fresh where not exists (
    select from archived_transactions a where a.merchant_id = fresh.merchant_id and a.id = fresh.transaction_id)
),
appended as (
  insert into events (merchant_id, transaction_id, created_at, node_id, ${eventNames})
  select f.merchant_id, f.transaction_id, ${timeOfChange("f.created_at")}, ${NODE}::int4,
    ${cast(EVENT_COLUMNS as readonly Column<never>[], "f")} from there f
  on conflict do nothing returning id
),
claimed as (
  insert into idempotency_keys (merchant_id, key, request_hash, transaction_id, sequence, created_at)
  select f.merchant_id, f.key, f.request_hash, f.transaction_id, f.sequence, f.created_at
  from fresh f join appended on appended.id = f.event_id where f.key is not null
)
select id from appended`,
});

const APPEND: Readonly<Record<Form, ReturnType<typeof append>>> = {
  alone: append(inputOf(APPENDING_COLUMNS, "alone")),
  group: append(inputOf(APPENDING_COLUMNS, "group")),
};

/** @param distributed then all rows of a group have one merchant, and are written by one-merchant/append.ts */
export function appending(node: number, distributed = false): GroupWrite<Appending, Appended> {
  const write = async (sql: Sql, rows: readonly Appending[]): Promise<readonly Appended[]> => {
    const { text, input } = APPEND[formOf(rows)];
    const written = await run<{ id: string }>(sql, text, [...parametersFor(sql, input, read(rows)), node]);
    const ids = new Set(written.map(({ id }) => id));
    return rows.map(({ event }) => (ids.has(event.id) ? "appended" : "conflict"));
  };
  return {
    statement: async (sql, rows) => {
      try {
        return await write(sql, rows);
      } catch (fault) {
        if (rows.length > 1 || !violates(fault, "idempotency_keys_pkey")) throw fault;
        return write(sql, rows);
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
          using (merchant_id, transaction_id, sequence)
        where ${isOf(sql, distributed ? rows[0]?.merchantId : undefined, "e")}`;
      const ids = new Set(found.map(({ id }) => id));
      return rows.map(({ event }) => (ids.has(event.id) ? "appended" : undefined));
    },
  };
}
