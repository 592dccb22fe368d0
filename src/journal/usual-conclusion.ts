// The usual way to conclude events: each outcome is the first of its event, none was known long ago, and nobody wants to be told. It
// writes all of them or none: it fails if an outcome is there already, and writes nothing if somebody wants to be told at the instant that
// it sees. So nothing is compared with what is there, and how many were written is all that comes back.

import { arrayOf, formOf } from "./columns.ts";
import { ANSWER, AUTHORIZATION, BATCH, UNRESOLVED, WRITTEN_COLUMNS } from "./conclusion-rows.ts";
import type { Sql } from "./database.ts";
import { LONG_AGO, run } from "./group-statements.ts";
import {
  asPart,
  type Filled,
  filled,
  type Insert,
  type InsertText,
  insertsStatement,
  type KnownShapes,
  parametersOf,
} from "./inserts.ts";
import type { Conclusion } from "./journal.ts";
import { batchOfConclusion, type KnownBatches } from "./known-batches.ts";

/**
 * @param merchants whose rows they are
 * @param known batches that need not be inserted
 * @returns how many were written: all or none
 * @throws where one is there already
 */
export async function concludeUsual(
  sql: Sql,
  rows: readonly Conclusion[],
  merchants: readonly string[],
  known: KnownBatches,
): Promise<number> {
  const parts = partsOf(rows, known);
  const statement = insertsStatement(shapes, parts, OWN, compose);
  const earliest = new Date(Math.min(...rows.map(({ outcome }) => outcome.at.getTime())));
  const own = [arrayOf(sql, "uuid", merchants), earliest];
  const { count } = await run(sql, statement.text, [...own, ...parametersOf(sql, statement, parts)]);
  return count;
}

const shapes: KnownShapes = new Map();
/** $1 and $2: whose they are, and when the first of them was known. */
const OWN = 2;

/**
 * The outcomes are what the statement inserts, not a part of it: PostgreSQL tells how many there were by itself. To give them back from a
 * part and to count them there took it 7 % of its instructions for a sale that is alone.
 */
function compose([concluded, ...others]: readonly InsertText[]): string {
  return `\nwith ${[USUAL, ...others.map(asPart)].join(",\n")}${concluded?.text}`;
}

/**
 * A row, or none if one of them was known long ago or somebody wants to be told. It is a part of its own: PostgreSQL goes through all of a
 * part with such a condition in it whenever it runs it (ScanQueryForLocks).
 */
const USUAL = `usual as (
  select where $2::timestamptz >= ${LONG_AGO} and not exists (
    select from webhook_endpoints e where e.enabled and e.merchant_id = any($1::uuid[]))
)`;
const IF_USUAL = " from usual";

/** What a part lacks has no rows, and is left out: to start it up costs as much as a row. */
function partsOf(rows: readonly Conclusion[], known: KnownBatches): readonly Filled[] {
  const form = formOf(rows);
  const some = (insert: Insert<Conclusion>, its: readonly Conclusion[]): Filled[] =>
    its.length === 0 ? [] : [filled(insert, its, form)];
  return [
    filled(CONCLUDED, rows, form),
    ...some(
      ANSWERED,
      rows.filter(({ keyedResponse }) => keyedResponse !== null),
    ),
    ...some(BATCHED, ofUnknownBatches(rows, known)),
    ...some(
      WAITING,
      rows.filter(({ awaitsCapture }) => awaitsCapture),
    ),
    ...some(
      LEFT_TO_DO,
      rows.filter(({ remedy }) => remedy !== null),
    ),
  ];
}

/** One of each batch. */
function ofUnknownBatches(rows: readonly Conclusion[], known: KnownBatches): readonly Conclusion[] {
  const ofBatch = new Map<string, Conclusion>();
  for (const row of rows) {
    const batch = batchOfConclusion(row);
    if (batch !== null && !known.has(batch)) ofBatch.set(batch, row);
  }
  return [...ofBatch.values()];
}

const CONCLUDED: Insert<Conclusion> = {
  name: "concluded",
  table: "outcomes",
  columns: WRITTEN_COLUMNS,
  beside: IF_USUAL,
};

/** It may be there where its event has no outcome yet. */
const MAY_BE_THERE = "on conflict do nothing";

const ANSWERED: Insert<Conclusion> = {
  ...{ name: "answered", table: "idempotency_answers", columns: ANSWER },
  beside: IF_USUAL,
};
const BATCHED: Insert<Conclusion> = {
  ...{ name: "batched", table: "batches", columns: BATCH },
  ...{ beside: IF_USUAL, end: MAY_BE_THERE },
};
const WAITING: Insert<Conclusion> = {
  ...{ name: "waiting", table: "open_authorizations", columns: AUTHORIZATION },
  beside: IF_USUAL,
};
const LEFT_TO_DO: Insert<Conclusion> = {
  ...{ name: "unresolved_events", table: "unresolved", columns: UNRESOLVED },
  derived: { attempts: "0", due_at: "i.created_at" },
  ...{ beside: IF_USUAL, end: MAY_BE_THERE },
};
