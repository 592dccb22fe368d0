// Appends events of one merchant where the tables are distributed: what appending.ts does in one statement, in several and one commit.

import type { Event } from "../../payment/transaction.ts";
import { type Appended, type Appending, appending } from "../appending.ts";
import { arrayOf } from "../columns.ts";
import { violates } from "../database.ts";
import { claimColumns, of, timeOfChange } from "../group-statements.ts";
import type { Sql, TransactionSql } from "../sql/sql.ts";
import { EVENT_COLUMNS } from "../transaction-columns.ts";
import type { GroupWrite } from "../writer.ts";
import { always, insertInto, type ValueColumn } from "./insert.ts";

/** All rows of a group have one merchant. */
export const appendingOfOne = (node: number): GroupWrite<Appending, Appended> => ({
  ...appending(node, true),
  statement: async (sql: Sql, rows) => {
    const write = () => sql.begin((one) => appendIn(one, node, rows));
    try {
      return await write();
    } catch (fault) {
      // A key that was taken a moment ago on another node: as in appending.ts.
      if (rows.length > 1 || !violates(fault, "idempotency_keys_pkey")) throw fault;
      return write();
    }
  },
});

/** Within a database transaction. */
export async function appendIn(
  sql: TransactionSql,
  node: number,
  rows: readonly Appending[],
): Promise<readonly Appended[]> {
  const there = await possible(sql, rows);
  if (there.length === 0) return rows.map(() => "conflict");
  const written = await insertInto<Appending, { id: string }>(
    ...([sql, "events", [...EVENT, always("node_id", node)], there, "on conflict do nothing returning id"] as const),
  );
  const ids = new Set(written.map(({ id }) => id));
  const claiming = there.filter(({ event, claim }) => claim !== null && ids.has(event.id));
  if (claiming.length > 0) await insertInto(sql, "idempotency_keys", CLAIM, claiming);
  return rows.map(({ event }) => (ids.has(event.id) ? "appended" : "conflict"));
}

/** Those whose key is free and whose transaction is not being archived. */
async function possible(sql: TransactionSql, rows: readonly Appending[]): Promise<readonly Appending[]> {
  const merchantId = rows[0]?.merchantId ?? null;
  const keys = rows.flatMap(({ claim }) => (claim === null ? [] : [claim.key]));
  const taken =
    keys.length === 0
      ? []
      : await sql<{ key: string }[]>`
    select key from idempotency_keys where merchant_id = ${merchantId} and key = any(${arrayOf(sql, "text", keys)})`;
  const ids = arrayOf(
    sql,
    "uuid",
    rows.map(({ transactionId }) => transactionId),
  );
  const archived = await sql<{ id: string }[]>`
    select id from archived_transactions where merchant_id = ${merchantId} and id = any(${ids})`;
  const [takenKeys, gone] = [new Set(taken.map(({ key }) => key)), new Set(archived.map(({ id }) => id))];
  return rows.filter(({ claim, transactionId }) => !(claim && takenKeys.has(claim.key)) && !gone.has(transactionId));
}

const PLACE: readonly ValueColumn<Appending>[] = [
  { name: "merchant_id", value: ({ merchantId }) => merchantId },
  { name: "transaction_id", value: ({ transactionId }) => transactionId },
];
const CREATED: ValueColumn<Appending> = { name: "created_at", value: ({ event }) => event.createdAt };
const NOW_IF_LONG_AGO: ValueColumn<Appending> = {
  ...CREATED,
  written: (sent) => timeOfChange(`${sent("created_at")}::timestamptz`),
};

const EVENT: readonly ValueColumn<Appending>[] = [
  ...PLACE,
  NOW_IF_LONG_AGO,
  ...of<Appending, Event>(EVENT_COLUMNS, ({ event }) => event).map((column) =>
    column.name === "event_id" ? { ...column, name: "id" } : column,
  ),
];

const CLAIM: readonly ValueColumn<Appending>[] = [
  ...PLACE,
  CREATED,
  { name: "sequence", value: ({ event }) => event.sequence },
  ...claimColumns<Appending>(),
];
