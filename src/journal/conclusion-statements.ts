// The statement that concludes any events: the outcome, the response for the key, and what follows from them.

import { type Column, commonOf, formOf, type Input, inputOf, names, type Read, shown } from "./columns.ts";
import { ANSWER, PROCESSOR, WRITTEN_COLUMNS } from "./conclusion-rows.ts";
import { timeOfChange } from "./group-statements.ts";
import type { Conclusion } from "./journal.ts";
import { batchOfConclusion, type KnownBatches } from "./known-batches.ts";
import { tell } from "./tell.ts";

const TIMES: Readonly<Record<string, string>> = {
  created_at: timeOfChange("created_at"),
  changed_at: timeOfChange("created_at", "changed_at"),
};
const WRITTEN = WRITTEN_COLUMNS.map(({ name }) => TIMES[name] ?? name).join(", ");

const CONCLUDING_COLUMNS: readonly Column<Conclusion>[] = [
  ...WRITTEN_COLUMNS,
  { name: "event_type", type: "text", value: ({ eventType }) => eventType, alike: "kind" },
  PROCESSOR,
];

/** What only some conclusions need. A part that no row of a group needs is left out: to start it up costs as much as a row. */
interface Part {
  readonly needed: (row: Conclusion, known: KnownBatches) => boolean;
  readonly columns: readonly Column<Conclusion>[];
  readonly name: string;
  readonly table: string;
  /** Of the rows (i) whose outcome was written. */
  readonly select: string;
  readonly where: string;
}

const ANSWERED: Part = {
  needed: ({ keyedResponse }) => keyedResponse !== null,
  columns: ANSWER.filter(({ name }) => name !== "merchant_id" && name !== "created_at"),
  name: "answered",
  table: "idempotency_answers (merchant_id, key, status, body, moment, created_at)",
  select: "select i.merchant_id, i.key, i.status, i.body, i.moment, i.created_at",
  where: "i.key is not null",
};

const UNRESOLVED: Part = {
  needed: ({ remedy }) => remedy !== null,
  columns: [{ name: "remedy", type: "text", value: ({ remedy }) => remedy }],
  name: "unresolved_events",
  table: "unresolved (merchant_id, transaction_id, sequence, processor_id, remedy, attempts, due_at, created_at)",
  select: "select i.merchant_id, i.transaction_id, i.sequence, i.processor_id, i.remedy, 0, i.created_at, i.created_at",
  where: "i.remedy is not null",
};

const BATCHED: Part = {
  needed: (row, known) => {
    const batch = batchOfConclusion(row);
    return batch !== null && !known.has(batch);
  },
  columns: [{ name: "batch_id", type: "uuid", value: batchOfConclusion }],
  name: "batched",
  table: "batches (merchant_id, processor_id, cutoff_at, id)",
  select: "select distinct i.merchant_id, i.processor_id, i.cutoff_at, i.batch_id",
  where: "i.batch_id is not null",
};

const WAITING: Part = {
  needed: ({ awaitsCapture }) => awaitsCapture,
  columns: [{ name: "awaits_capture", type: "bool", value: ({ awaitsCapture }) => awaitsCapture }],
  name: "waiting",
  table: "open_authorizations (merchant_id, processor_id, transaction_id, authorized_at)",
  select: "select i.merchant_id, i.processor_id, i.transaction_id, i.created_at",
  where: "i.awaits_capture",
};

/** What a group needs of a statement. */
interface Shape {
  readonly input: Input<Conclusion>;
  /** Before what is told, and after it. */
  readonly before: readonly Part[];
  readonly after: readonly Part[];
}

/** For any rows: of each is written what is not there yet, and who wants to be told is. */
function whole({ input, before, after }: Shape): string {
  const insert = ({ name, table, select, where }: Part) => `${name} as (
  insert into ${table}
  ${select}
  from input i join concluded using (merchant_id, transaction_id, sequence) where ${where}
  on conflict do nothing
)`;
  const parts = [
    `input as ${input.materialized} (${input.select})`,
    `concluded as (
  insert into outcomes (${names(WRITTEN_COLUMNS)}) select ${WRITTEN} from input
  on conflict do nothing returning merchant_id, transaction_id, sequence, kind, created_at, visible_at
)`,
    ...before.map(insert),
    `told as (${tell(TOLD)}\n)`,
    ...after.map(insert),
  ];
  return `\nwith ${parts.join(",\n")}\nselect transaction_id, sequence from concluded`;
}

const TOLD = `
    select c.merchant_id, c.transaction_id, c.sequence, i.event_type, c.created_at as at, c.kind, c.visible_at
    from concluded c join input i using (merchant_id, transaction_id, sequence)`;

/** Of the shapes that there were, each prepared once: a few of many that there could be. */
const statements = new Map<string, { readonly input: Input<Conclusion>; readonly text: string }>();

/** Whether a batch is inserted with these. @param known as for {@link statementFor} */
export const insertsBatch = (rows: readonly Conclusion[], known: KnownBatches): boolean =>
  rows.some((row) => BATCHED.needed(row, known));

/** @param known batches that need not be inserted */
export function statementFor(its: Read<Conclusion>, known: KnownBatches) {
  const { rows } = its;
  const needed = (part: Part) => rows.some((row) => part.needed(row, known));
  const [before, after] = [[ANSWERED, BATCHED, WAITING].filter(needed), [UNRESOLVED].filter(needed)];
  const parts = [...before, ...after];
  const form = formOf(rows);
  const common = commonOf(CONCLUDING_COLUMNS, its);
  const more = parts.flatMap(({ columns }) => columns);
  const shape = `${form} ${names(more)} ${shown(common)}`;
  const prepared = statements.get(shape);
  if (prepared !== undefined) return prepared;
  const input = inputOf([...CONCLUDING_COLUMNS, ...more], form, common);
  const statement = { input, text: whole({ input, before, after }) };
  statements.set(shape, statement);
  return statement;
}
