// The trace numbers of questions to an acquirer's host (STAN, time of the first sending): unique over all nodes and restarts, and
// durable before they are used.

import { arrayOf, arrays, type Column, names, PLACE, unnest } from "./columns.ts";
import { type DatabaseAddress, faultOfRow, type SessionFence, type Sql } from "./database.ts";
import { isOf } from "./distribution.ts";
import { groupCommit } from "./group-commit.ts";
import { run } from "./group-statements.ts";
import { insertInto } from "./one-merchant/insert.ts";
import type { TransactionSql } from "./sql/sql.ts";
import { type GroupWrite, openWriter } from "./writer.ts";

/** As processors/trace-numbers.ts asks for it. */
export interface AssignedTrace {
  readonly mti: string;
  /** Six digits, 000001 to 999999. */
  readonly stan: string;
  readonly at: Date;
}

export interface TraceNumbersOfRecord {
  assign(key: string, mti: string, now: Date): Promise<{ readonly trace: AssignedTrace; readonly repeated: boolean }>;
  find(key: string): Promise<AssignedTrace | undefined>;
}

export interface TraceNumberStore {
  of(record: { readonly merchantId: string; readonly id: string }): TraceNumbersOfRecord;
  close(): Promise<void>;
}

export interface Assigning {
  readonly merchantId: string;
  readonly processorId: string;
  readonly key: string;
  readonly mti: string;
  readonly at: Date;
}
export interface Assigned {
  readonly trace: AssignedTrace;
  readonly repeated: boolean;
}

/** @param pool for reading; it belongs to the caller */
export function openTraceNumbers(
  address: DatabaseAddress,
  pool: Sql,
  node: number,
  distributed = false,
  fence?: SessionFence,
): TraceNumberStore {
  const merchantOf = distributed ? ({ merchantId }: Assigning) => merchantId : undefined;
  const writer = openWriter(address, `faregate node ${node} trace numbers`, assigning(distributed), {
    ...{ merchantOf, fence },
  });
  const assign = groupCommit<Assigning, Assigned>({
    write: writer.write,
    concernsOneRow: faultOfRow,
    keyOf: merchantOf,
  });
  return {
    of: ({ merchantId, id: processorId }) => ({
      assign: (key, mti, at) => assign({ merchantId, processorId, key, mti, at }),
      find: async (key) => (await find(pool, [{ merchantId, key }], distributed)).get(placeOf({ merchantId, key })),
    }),
    close: writer.close,
  };
}

const COLUMNS: readonly Column<Assigning>[] = [
  { name: "merchant_id", type: "uuid", value: ({ merchantId }) => merchantId },
  { name: "processor_id", type: "uuid", value: ({ processorId }) => processorId },
  { name: "key", type: "text", value: ({ key }) => key },
  { name: "mti", type: "text", value: ({ mti }) => mti },
  { name: "sent_at", type: "timestamptz", value: ({ at }) => at },
];

const INPUT: readonly Column<Assigning>[] = [...COLUMNS, PLACE];

const LAST_STAN = 999_999;

// The counters are locked in the order of their keys, so that two nodes wait for each other and do not deadlock.
const ASSIGN = `
with input as materialized (select * from ${unnest(INPUT)}),
fresh as materialized (
  select i.*, row_number() over of_processor as nth, count(*) over (partition by merchant_id, processor_id) as rows
  from input i
  where not exists (select from trace_numbers t where t.merchant_id = i.merchant_id and t.key = i.key)
  window of_processor as (partition by merchant_id, processor_id order by place)
),
counted as (
  insert into trace_counters as c (merchant_id, processor_id, assigned)
  select merchant_id, processor_id, count(*) from fresh group by merchant_id, processor_id
  order by merchant_id, processor_id
  on conflict (merchant_id, processor_id) do update set assigned = c.assigned + excluded.assigned
  returning merchant_id, processor_id, assigned
)
insert into trace_numbers (${names(COLUMNS)}, stan)
select f.merchant_id, f.processor_id, f.key, f.mti, f.sent_at, (c.assigned - f.rows + f.nth - 1) % ${LAST_STAN} + 1
from fresh f join counted c using (merchant_id, processor_id)
on conflict do nothing
returning merchant_id, key, mti, stan, sent_at`;

/** Where the tables are distributed: in statements that Citus sends to the merchant's worker whole. */
const assignOfOne = (sql: Sql, rows: readonly Assigning[]): Promise<readonly Row[]> =>
  sql.begin(async (one) => {
    const there = await find(one, rows, true);
    const fresh = rows.filter((row) => !there.has(placeOf(row)));
    const written: Row[] = [];
    const byProcessor = [...Map.groupBy(fresh, ({ processorId }) => processorId)];
    for (const [processorId, some] of byProcessor.sort(([a], [b]) => (a < b ? -1 : 1))) {
      const [counter] = await one`
        insert into trace_counters as c (merchant_id, processor_id, assigned)
        values (${some[0]?.merchantId ?? null}, ${processorId}, ${some.length})
        on conflict (merchant_id, processor_id) do update set assigned = c.assigned + excluded.assigned returning assigned`;
      const before = Number(counter?.assigned) - some.length;
      const stan = { name: "stan", value: (_: Assigning, nth: number) => ((before + nth) % LAST_STAN) + 1 };
      const end = "on conflict do nothing returning merchant_id, key, mti, stan, sent_at";
      written.push(...(await insertInto<Assigning, Row>(one, "trace_numbers", [...COLUMNS, stan], some, end)));
    }
    return written;
  });

/** @param distributed then all rows of a group have one merchant */
export const assigning = (distributed: boolean): GroupWrite<Assigning, Assigned> => ({
  statement: async (sql, rows) => {
    const written = await (distributed ? assignOfOne(sql, rows) : run<Row>(sql, ASSIGN, arrays(sql, INPUT, rows)));
    const fresh = byPlace(written);
    // What was there before, or came from another node in the same instant.
    const missing = rows.filter((row) => !fresh.has(placeOf(row)));
    const before = missing.length > 0 ? await find(sql, missing, distributed) : NONE;
    const told = new Set<string>();
    return rows.map((row) => {
      const place = placeOf(row);
      const trace = fresh.get(place) ?? before.get(place);
      if (trace === undefined) throw new Error("broken invariant: a trace number was neither written nor found");
      const repeated = before.has(place) || told.has(place);
      told.add(place);
      return { trace, repeated };
    });
  },
  // After a lost connection: what was assigned was not used yet, so this is still its first sending.
  look: async (sql, rows) => {
    const found = await find(sql, rows, distributed);
    return rows.map((row) => {
      const trace = found.get(placeOf(row));
      return trace && { trace, repeated: trace.at.getTime() !== row.at.getTime() };
    });
  },
});

interface Row {
  readonly merchant_id: string;
  readonly key: string;
  readonly mti: string;
  readonly stan: number;
  readonly sent_at: Date;
}
type Place = Pick<Assigning, "merchantId" | "key">;

const NONE: ReadonlyMap<string, AssignedTrace> = new Map();
const placeOf = ({ merchantId, key }: Place): string => `${merchantId} ${key}`;

const byPlace = (rows: readonly Row[]): ReadonlyMap<string, AssignedTrace> =>
  new Map(
    rows.map((row) => [
      placeOf({ merchantId: row.merchant_id, key: row.key }),
      { mti: row.mti, stan: String(row.stan).padStart(6, "0"), at: row.sent_at },
    ]),
  );

async function find(
  sql: TransactionSql,
  places: readonly Place[],
  distributed: boolean,
): Promise<ReadonlyMap<string, AssignedTrace>> {
  const merchants = arrayOf(
    sql,
    "uuid",
    places.map(({ merchantId }) => merchantId),
  );
  const keys = arrayOf(
    sql,
    "text",
    places.map(({ key }) => key),
  );
  return byPlace(
    await sql<Row[]>`
      select merchant_id, key, mti, stan, sent_at from trace_numbers
      where ${isOf(sql, distributed ? places[0]?.merchantId : undefined)}
        and (merchant_id, key) in (select * from unnest(${merchants}, ${keys}))`,
  );
}
