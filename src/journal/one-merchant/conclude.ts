// Concludes events of one merchant where the tables are distributed: what concluding.ts does in one statement, in several and one commit.

import { arrays, type Column, unnest } from "../columns.ts";
import { concluding } from "../concluding.ts";
import { ANSWER, AUTHORIZATION, BATCH, UNRESOLVED, WRITTEN_COLUMNS, writtenAs } from "../conclusion-rows.ts";
import { timeOfChange } from "../group-statements.ts";
import type { Concluded, Conclusion } from "../journal.ts";
import { batchOfConclusion, type KnownBatches, NO_BATCHES, rememberedBatches } from "../known-batches.ts";
import type { Sql, TransactionSql } from "../sql/sql.ts";
import { tell } from "../tell.ts";
import type { GroupWrite } from "../writer.ts";
import { insertInto, type ValueColumn } from "./insert.ts";

/** All rows of a group have one merchant. */
export function concludingOfOne(): GroupWrite<Conclusion, Concluded> {
  const known = rememberedBatches();
  return {
    ...concluding(),
    statement: async (sql: Sql, rows) => {
      try {
        const concluded = await sql.begin((one) => concludeOfOne(one, rows, known));
        for (const [index, row] of rows.entries())
          if (concluded[index] === "concluded") known.add(batchOfConclusion(row));
        return concluded;
      } catch (fault) {
        known.forget();
        throw fault;
      }
    },
  };
}

/**
 * Within a database transaction.
 * @param rows of one merchant
 * @param known batches that are surely there
 */
export async function concludeOfOne(
  sql: TransactionSql,
  rows: readonly Conclusion[],
  known: KnownBatches = NO_BATCHES,
): Promise<readonly Concluded[]> {
  const written = await insertInto<Conclusion, { transaction_id: string; sequence: number; created_at: Date }>(
    ...([
      sql,
      "outcomes",
      OUTCOME,
      rows,
      "on conflict do nothing returning transaction_id, sequence, created_at",
    ] as const),
  );
  const places = new Map(written.map((row) => [`${row.transaction_id} ${row.sequence}`, row.created_at]));
  const writtenAt = new Map<Conclusion, Date>();
  // Two outcomes of one event in one group: the first row is the one that is there.
  for (const row of rows) {
    const place = `${row.transactionId} ${row.sequence}`;
    const at = places.get(place);
    if (at !== undefined && places.delete(place)) writtenAt.set(row, at);
  }
  await follow(sql, writtenAt, known);
  return rows.map((row) => (writtenAt.has(row) ? "concluded" : "already-concluded"));
}

/** What follows from outcomes. What is told comes before what is unresolved, since it looks there. */
async function follow(
  sql: TransactionSql,
  writtenAt: ReadonlyMap<Conclusion, Date>,
  known: KnownBatches,
): Promise<void> {
  const rows = [...writtenAt.keys()];
  const [first] = rows;
  if (first === undefined) return;
  const add = async (table: string, columns: readonly ValueColumn<Conclusion>[], some: readonly Conclusion[]) => {
    if (some.length > 0) await insertInto(sql, table, columns, some, "on conflict do nothing");
  };
  await add(
    "idempotency_answers",
    ANSWER,
    rows.filter(({ keyedResponse }) => keyedResponse !== null),
  );
  const batches = new Map(rows.map((row) => [batchOfConclusion(row), row]));
  const unknown = [...batches].filter(([batch]) => batch !== null && !known.has(batch)).map(([, row]) => row);
  await add("batches", BATCH, unknown);
  await add(
    "open_authorizations",
    AUTHORIZATION,
    rows.filter(({ awaitsCapture }) => awaitsCapture),
  );
  if (await isListening(sql, first.merchantId)) {
    const told = [...writtenAt].map(([row, at]) => ({ ...row, outcome: { ...row.outcome, at } }));
    await sql.unsafe(TELL, [...arrays(sql, TOLD, told), first.merchantId], { prepare: true });
  }
  await add(
    "unresolved",
    LEFT_TO_DO,
    rows.filter(({ remedy }) => remedy !== null),
  );
}

/** Whether somebody of this merchant wants to be told. What tells costs more than all the rest. */
export async function isListening(sql: TransactionSql, merchantId: string): Promise<boolean> {
  const listeners = await sql`
    select id from webhook_endpoints where merchant_id = ${merchantId} and enabled limit 1`;
  return listeners.length > 0;
}

/** What was known long ago is a change of now. */
const OUTCOME: readonly ValueColumn<Conclusion>[] = WRITTEN_COLUMNS.map((column) =>
  column.name === "created_at" || column.name === "changed_at"
    ? {
        ...column,
        written: (sent) => timeOfChange(`${sent("created_at")}::timestamptz`, `${sent(column.name)}::timestamptz`),
      }
    : column,
);

const LEFT_TO_DO: readonly ValueColumn<Conclusion>[] = [
  ...UNRESOLVED,
  { name: "attempts", value: () => 0 },
  { name: "due_at", value: ({ outcome }) => outcome.at },
];

const TOLD: readonly Column<Conclusion>[] = [
  ...["merchant_id", "transaction_id", "sequence"].map(writtenAs),
  { name: "event_type", type: "text", value: ({ eventType }) => eventType },
  ...["created_at", "kind", "visible_at"].map(writtenAs),
];

const TELL = tell(
  `select merchant_id, transaction_id, sequence, event_type, created_at as at, kind, visible_at from ${unnest(TOLD)}`,
  `$${TOLD.length + 1}::uuid`,
);
