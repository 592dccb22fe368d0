// Concludes events: the outcome, the response for the key, and what follows from them, in one statement.

import { arrayOf, type Column, formOf, type Input, inputOf, leftOut, names, values } from "./columns.ts";
import type { Sql } from "./database.ts";
import { run, timeOfChange } from "./group-statements.ts";
import type { Concluded, Conclusion, KeptResponse } from "./journal.ts";
import { batchOfConclusion, type KnownBatches, NO_BATCHES, rememberedBatches } from "./known-batches.ts";
import { type KnownListeners, rememberedListeners } from "./known-listeners.ts";
import { tell } from "./tell.ts";
import { OUTCOME_COLUMNS } from "./transaction-columns.ts";
import type { GroupWrite } from "./writer.ts";

/** An outcome as it is written. */
export const WRITTEN_COLUMNS: readonly Column<Conclusion>[] = [
  ...OUTCOME_COLUMNS,
  { name: "changed_at", type: "timestamptz", value: changedAt, seldom: "a later second" },
];

const TIMES: Readonly<Record<string, string>> = {
  created_at: timeOfChange("created_at"),
  changed_at: timeOfChange("created_at", "changed_at"),
};
const WRITTEN = WRITTEN_COLUMNS.map(({ name }) => TIMES[name] ?? name).join(", ");

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
  insert: `answered as (
  insert into idempotency_answers (merchant_id, key, status, body, moment, created_at)
  select i.merchant_id, i.key, i.status, i.body, i.moment, i.created_at
  from input i join concluded using (merchant_id, transaction_id, sequence) where i.key is not null
  on conflict do nothing
)`,
};

const UNRESOLVED: Part = {
  needed: ({ remedy }) => remedy !== null,
  columns: [{ name: "remedy", type: "text", value: ({ remedy }) => remedy }],
  insert: `unresolved_events as (
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
  insert: `batched as (
  insert into batches (merchant_id, processor_id, cutoff_at, id)
  select distinct i.merchant_id, i.processor_id, i.cutoff_at, i.batch_id
  from input i join concluded using (merchant_id, transaction_id, sequence, cutoff_at) where i.batch_id is not null
  on conflict do nothing
)`,
};

const WAITING: Part = {
  needed: ({ awaitsCapture }) => awaitsCapture,
  columns: [{ name: "awaits_capture", type: "bool", value: ({ awaitsCapture }) => awaitsCapture }],
  insert: `waiting as (
  insert into open_authorizations (merchant_id, processor_id, transaction_id, authorized_at)
  select i.merchant_id, i.processor_id, i.transaction_id, i.created_at
  from input i join concluded using (merchant_id, transaction_id, sequence) where i.awaits_capture
  on conflict do nothing
)`,
};

/** What a group needs of the statement. */
interface Shape {
  readonly input: Input<Conclusion>;
  /** Before what is told, and after it. */
  readonly before: readonly Part[];
  readonly after: readonly Part[];
  /** Otherwise nothing at all is written if somebody wants to be told. */
  readonly tells: boolean;
}

function conclude({ input, before, after, tells }: Shape): string {
  const next = `$${input.sent.length + 1}`;
  const unlessWanted = `
  where not exists (select from webhook_endpoints e where e.enabled and e.merchant_id = any(${next}::uuid[]))`;
  const parts = [
    `input as ${input.materialized} (${input.select})`,
    `concluded as (
  insert into outcomes (${names(WRITTEN_COLUMNS)}) select ${WRITTEN} from input${tells ? "" : unlessWanted}
  on conflict do nothing returning merchant_id, transaction_id, sequence, kind, created_at, cutoff_at, visible_at
)`,
    ...before.map(({ insert }) => insert),
    ...(tells ? [`told as (${tell(TOLD)}\n)`] : []),
    ...after.map(({ insert }) => insert),
  ];
  return `\nwith ${parts.join(",\n")}\nselect transaction_id, sequence from concluded`;
}

const TOLD = `
    select c.merchant_id, c.transaction_id, c.sequence, i.event_type, c.created_at as at, c.kind, c.visible_at
    from concluded c join input i using (merchant_id, transaction_id, sequence)`;

/** Of the shapes that there were, each prepared once: a few of many that there could be. */
const statements = new Map<string, { readonly input: Input<Conclusion>; readonly text: string }>();

function statementFor(rows: readonly Conclusion[], known: KnownBatches, tells: boolean) {
  const needed = (part: Part) => rows.some((row) => part.needed(row, known));
  const [before, after] = [[ANSWERED, BATCHED, WAITING].filter(needed), [UNRESOLVED].filter(needed)];
  const parts = [...before, ...after];
  const form = formOf(rows);
  const left = form === "group" ? leftOut(CONCLUDING_COLUMNS, rows) : undefined;
  const more = parts.flatMap(({ columns }) => columns);
  const shape = `${form} ${tells} ${names(more)} ${[...(left ?? [])].sort()}`;
  const prepared = statements.get(shape);
  if (prepared !== undefined) return prepared;
  const input = inputOf([...CONCLUDING_COLUMNS, ...more], form, left);
  const statement = { input, text: conclude({ input, before, after, tells }) };
  statements.set(shape, statement);
  return statement;
}

/** How a group is written; what is left out is done the safe way. */
interface Concluding {
  /** Batches that are surely there. */
  readonly known?: KnownBatches;
  /** False: nothing is written where a merchant of the group has an endpoint for webhooks. */
  readonly tells?: boolean;
}

/** Within a database transaction or alone. */
export async function concludeIn(
  sql: Sql,
  rows: readonly Conclusion[],
  { known = NO_BATCHES, tells = true }: Concluding = {},
): Promise<readonly Concluded[]> {
  const { text, input } = statementFor(rows, known, tells);
  const last = tells ? [] : [arrayOf(sql, "uuid", merchantsOf(rows))];
  const written = await run<{ transaction_id: string; sequence: number }>(sql, text, [
    ...values(sql, input, rows),
    ...last,
  ]);
  const places = new Set(written.map((row) => `${row.transaction_id} ${row.sequence}`));
  // Two outcomes of one event in one group: the first row is the one that is there.
  const first = (row: Conclusion) => places.delete(`${row.transactionId} ${row.sequence}`);
  return rows.map((row) => (first(row) ? "concluded" : "already-concluded"));
}

const merchantsOf = (rows: readonly Conclusion[]): string[] => [...new Set(rows.map(({ merchantId }) => merchantId))];

/**
 * Most merchants have no endpoint for webhooks, and what tells them costs PostgreSQL a fifth of an outcome. So where none is
 * known the statement is without it, and looks itself whether there is one at the instant that it sees: then it writes nothing, and the
 * whole one follows. An endpoint misses no outcome for it, whenever and on whichever node it came.
 */
async function concludeGroup(
  sql: Sql,
  rows: readonly Conclusion[],
  known: KnownBatches,
  listeners: KnownListeners,
): Promise<readonly Concluded[]> {
  const merchants = merchantsOf(rows);
  if (!merchants.some(listeners.has)) {
    const concluded = await concludeIn(sql, rows, { known, tells: false });
    if (concluded.includes("concluded")) return concluded;
    const listening = await sql<{ merchant_id: string }[]>`
      select distinct merchant_id from webhook_endpoints
      where enabled and merchant_id = any(${arrayOf(sql, "uuid", merchants)})`;
    for (const { merchant_id } of listening) listeners.add(merchant_id);
  }
  return concludeIn(sql, rows, { known });
}

export function concluding(): GroupWrite<Conclusion, Concluded> {
  const [known, listeners] = [rememberedBatches(), rememberedListeners()];
  return {
    statement: async (sql, rows) => {
      const inserts = rows.some((row) => BATCHED.needed(row, known));
      try {
        const concluded = await concludeGroup(sql, rows, known, listeners);
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
