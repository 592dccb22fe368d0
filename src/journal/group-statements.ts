// What the statements that write the journal have in common: opening.ts, appending.ts and concluding.ts each write a group of
// rows in one statement, so a group is written wholly or not at all.

import { type Column, names } from "./columns.ts";
import type { Sql } from "./database.ts";
import type { KeyClaim } from "./journal.ts";
import type { Query } from "./sql/sql.ts";
import { EVENT_COLUMNS } from "./transaction-columns.ts";

export const claimColumns = <Row extends { readonly claim: KeyClaim | null }>(): readonly Column<Row>[] => [
  { name: "key", type: "text", value: ({ claim }) => claim?.key ?? null },
  { name: "request_hash", type: "bytea", value: ({ claim }) => claim?.requestHash ?? null },
];

export const of = <Outer, Inner>(
  columns: readonly Column<Inner>[],
  inner: (row: Outer) => Inner,
): readonly Column<Outer>[] =>
  columns.map(({ value, ...column }) => ({ ...column, value: (row, nth) => value(inner(row), nth) }));

/** `json` columns are sent as text, which the driver leaves as it is. */
export const cast = (columns: readonly Column<never>[], table: string): string =>
  columns.map(({ name }) => (JSON_COLUMNS.has(name) ? `${table}.${name}::json` : `${table}.${name}`)).join(", ");
const JSON_COLUMNS = new Set(["details", "passengers", "shares"]);

/** Far less than the silence after which a node is forgotten (nodes.ts). So long, no longer, lists wait for what a dead node may still write. */
export const LONG_AGO = "now() - interval '5 minutes'";

/**
 * When a change was made: when it was known, or now if that is long ago. What a process writes that was stopped with an answer in hand
 * would otherwise lie before an instant up to which others took all changes for read.
 * @param time of it, if it is another one than when it was known
 */
export const timeOfChange = (known: string, time = known): string =>
  `case when ${known} < ${LONG_AGO} then now() else ${time} end`;

/** Event columns in the table, where the event's id has no prefix. */
export const eventNames = names(EVENT_COLUMNS).replace("event_id", "id");

export const run = <Row extends object>(
  sql: Sql,
  text: string,
  parameters: readonly unknown[],
): Query<readonly Row[]> => sql.unsafe<Row[]>(text, parameters as never[], { prepare: true });
