// Concludes events: the outcome, the response for the key, and what follows from them, in one statement.

import { arrays, type Column, names, unnest } from "./columns.ts";
import type { Sql } from "./database.ts";
import { run } from "./group-statements.ts";
import type { Concluded, Conclusion, KeptResponse } from "./journal.ts";
import { batchOfConclusion, type KnownBatches, NO_BATCHES, rememberedBatches } from "./known-batches.ts";
import { tell } from "./tell.ts";
import { OUTCOME_COLUMNS } from "./transaction-columns.ts";
import type { GroupWrite } from "./writer.ts";

const WRITTEN_COLUMNS: readonly Column<Conclusion>[] = [
  ...OUTCOME_COLUMNS,
  { name: "changed_at", type: "timestamptz", value: changedAt },
];

const CONCLUDING_COLUMNS: readonly Column<Conclusion>[] = [
  ...WRITTEN_COLUMNS,
  { name: "event_type", type: "text", value: ({ eventType }) => eventType },
  { name: "processor_id", type: "uuid", value: ({ processorId }) => processorId },
];

/** Lists see times to the second: within the event's own second, the event has told of the change already. */
function changedAt({ eventCreatedAt, outcome }: Conclusion): Date | null {
  return wholeSeconds(outcome.at) > wholeSeconds(eventCreatedAt) ? outcome.at : null;
}
const wholeSeconds = (instant: Date): number => Math.floor(instant.getTime() / 1_000);

export const bodyOf = (response: KeptResponse | null): string | null =>
  response && "body" in response ? response.body : null;
export const momentOf = (response: KeptResponse | null): string | null =>
  response && "moment" in response ? response.moment : null;

/** What only some conclusions need. A part that no row of a group needs is left out: to start it up costs as much as a row. */
interface Part {
  readonly needed: (row: Conclusion, known: KnownBatches) => boolean;
  readonly columns: readonly Column<Conclusion>[];
  /** Of the rows (i) whose outcome was written. */
  readonly insert: string;
}

const ANSWERED: Part = {
  needed: ({ keyedResponse }) => keyedResponse !== null,
  columns: [
    { name: "key", type: "text", value: ({ keyedResponse }) => keyedResponse?.key ?? null },
    { name: "status", type: "int4", value: ({ keyedResponse }) => keyedResponse?.status ?? null },
    { name: "body", type: "text", value: ({ keyedResponse }) => bodyOf(keyedResponse) },
    { name: "moment", type: "text", value: ({ keyedResponse }) => momentOf(keyedResponse) },
  ],
  insert: `
answered as (
  insert into idempotency_answers (merchant_id, key, status, body, moment, created_at)
  select i.merchant_id, i.key, i.status, i.body, i.moment, i.created_at
  from input i join concluded using (merchant_id, transaction_id, sequence) where i.key is not null
  on conflict do nothing
),`,
};

const UNRESOLVED: Part = {
  needed: ({ remedy }) => remedy !== null,
  columns: [{ name: "remedy", type: "text", value: ({ remedy }) => remedy }],
  insert: `,
unresolved_events as (
  insert into unresolved (merchant_id, transaction_id, sequence, processor_id, remedy, attempts, due_at, created_at)
  select i.merchant_id, i.transaction_id, i.sequence, i.processor_id, i.remedy, 0, i.created_at, i.created_at
  from input i join concluded using (merchant_id, transaction_id, sequence) where i.remedy is not null
  on conflict do nothing
)`,
};

const BATCHED: Part = {
  needed: (row, known) => {
    const batch = batchOfConclusion(row);
    return batch !== null && !known.has(batch);
  },
  columns: [{ name: "batch_id", type: "uuid", value: batchOfConclusion }],
  insert: `
batched as (
  insert into batches (merchant_id, processor_id, cutoff_at, id)
  select distinct i.merchant_id, i.processor_id, i.cutoff_at, i.batch_id
  from input i join concluded using (merchant_id, transaction_id, sequence, cutoff_at) where i.batch_id is not null
  on conflict do nothing
),`,
};

const WAITING: Part = {
  needed: ({ awaitsCapture }) => awaitsCapture,
  columns: [{ name: "awaits_capture", type: "bool", value: ({ awaitsCapture }) => awaitsCapture }],
  insert: `
waiting as (
  insert into open_authorizations (merchant_id, processor_id, transaction_id, authorized_at)
  select i.merchant_id, i.processor_id, i.transaction_id, i.created_at
  from input i join concluded using (merchant_id, transaction_id, sequence) where i.awaits_capture
  on conflict do nothing
),`,
};

// Where the tables are distributed, each part sees what those before it wrote: so what is told comes before what is unresolved.
const conclude = (columns: readonly Column<Conclusion>[], inserts: string, unresolved: string, merchant?: string) => `
with input as materialized (select * from ${unnest(columns)}),
concluded as (
  insert into outcomes (${names(WRITTEN_COLUMNS)}) select ${names(WRITTEN_COLUMNS)} from input
  on conflict do nothing returning merchant_id, transaction_id, sequence, kind, created_at, cutoff_at, visible_at
),${inserts}
told as (${tell(
  `
    select c.merchant_id, c.transaction_id, c.sequence, i.event_type, c.created_at as at, c.kind, c.visible_at
    from concluded c join input i using (merchant_id, transaction_id, sequence)`,
  merchant,
)}
)${unresolved}
select transaction_id, sequence from concluded`;

/** By the parts they have: sixteen at most, each prepared once. */
const statements = new Map<string, { readonly columns: readonly Column<Conclusion>[]; readonly text: string }>();

function statementFor(rows: readonly Conclusion[], known: KnownBatches, distributed: boolean) {
  const needed = (part: Part) => rows.some((row) => part.needed(row, known));
  const [parts, unresolved] = [[ANSWERED, BATCHED, WAITING].filter(needed), [UNRESOLVED].filter(needed)];
  const inserts = parts.map(({ insert }) => insert).join("");
  const last = unresolved.map(({ insert }) => insert).join("");
  const shape = `${distributed} ${inserts} ${last}`;
  const prepared = statements.get(shape);
  if (prepared !== undefined) return prepared;
  const columns = [...CONCLUDING_COLUMNS, ...[...parts, ...unresolved].flatMap((part) => part.columns)];
  const merchant = distributed ? `$${columns.length + 1}::uuid` : undefined;
  const statement = { columns, text: conclude(columns, inserts, last, merchant) };
  statements.set(shape, statement);
  return statement;
}

/**
 * Within a database transaction or alone.
 * @param known batches that are surely there
 * @param distributed then all rows have one merchant
 */
export async function concludeIn(
  sql: Sql,
  rows: readonly Conclusion[],
  known: KnownBatches = NO_BATCHES,
  distributed = false,
): Promise<readonly Concluded[]> {
  const { text, columns } = statementFor(rows, known, distributed);
  const written = await run<{ transaction_id: string; sequence: number }>(sql, text, [
    ...arrays(sql, columns, rows),
    ...(distributed ? [rows[0]?.merchantId] : []),
  ]);
  const places = new Set(written.map((row) => `${row.transaction_id} ${row.sequence}`));
  // Two outcomes of one event in one group: the first row is the one that is there.
  const first = (row: Conclusion) => places.delete(`${row.transactionId} ${row.sequence}`);
  return rows.map((row) => (first(row) ? "concluded" : "already-concluded"));
}

export function concluding(distributed = false): GroupWrite<Conclusion, Concluded> {
  const known = rememberedBatches();
  return {
    statement: async (sql, rows) => {
      const inserts = rows.some((row) => BATCHED.needed(row, known));
      try {
        const concluded = await concludeIn(sql, rows, known, distributed);
        for (const [index, row] of rows.entries())
          if (inserts && concluded[index] === "concluded") known.add(batchOfConclusion(row));
        return concluded;
      } catch (fault) {
        known.forget();
        throw fault;
      }
    },
    // Writing an outcome again does no harm: whoever is told that there was one already reads what stands.
    look: async (_, rows) => rows.map(() => undefined),
  };
}
