// Opens transactions of one merchant where the tables are distributed: what opening.ts does in one statement, in several and one commit.

import { type Opened, opening } from "../opening.ts";
import {
  CHARGED,
  CLAIM,
  FIRST_EVENT,
  type Opening,
  SEALED,
  SEATED,
  type Seated,
  STORED,
  seatedIn,
  TRANSACTION,
} from "../opening-rows.ts";
import { instant, wholeNumber } from "../rows.ts";
import type { Sql, TransactionSql } from "../sql/sql.ts";
import { TRANSACTION_COLUMNS } from "../transaction-columns.ts";
import type { GroupWrite } from "../writer.ts";
import { always, insertInto, type ValueColumn } from "./insert.ts";

/** All rows of a group have one merchant. */
export const openingOfOne = (node: number, now: () => Date): GroupWrite<Opening, Opened> => ({
  ...opening(node, now, true),
  statement: (sql: Sql, rows) => sql.begin((one) => openIn(one, node, now(), rows)),
});

/** Within a database transaction. */
export async function openIn(
  sql: TransactionSql,
  node: number,
  now: Date,
  rows: readonly Opening[],
): Promise<readonly Opened[]> {
  const accepted = await claimKeys(sql, now, rows);
  const [first] = accepted;
  if (first === undefined) return rows.map(() => "key-taken");
  const { before, createdAt } = await count(sql, first.intent.merchantId, accepted.length, now);
  const number = (_: unknown, index: number) => before + BigInt(index + 1);
  const created = always("created_at", createdAt);
  await insertInto(sql, "transactions", [...COUNTED, { name: "number", value: number }, created], accepted);
  await insertInto(sql, "events", [...FIRST_EVENT, always("node_id", node), created], accepted);
  await insertSome(
    sql,
    "sealed_cards",
    [...SEALED, always("look_at", new Date(createdAt.getTime() + HOUR_MS))],
    accepted,
    ({ sealedCard }) => sealedCard !== null,
  );
  await insertSome(
    sql,
    "charged_cards",
    [...CHARGED, always("charged_at", createdAt)],
    accepted,
    ({ intent }) => intent.cardKey !== undefined,
  );
  const lookAtCard = always("look_at", new Date(createdAt.getTime() + MINUTE_MS));
  await insertSome(
    sql,
    "cards",
    [...STORED, always("created_at", createdAt), always("updated_at", createdAt), lookAtCard],
    accepted,
    ({ intent }) => intent.newCard !== undefined,
  );
  const seated = seatedIn(accepted);
  const seat: ValueColumn<Seated> = { name: "number", value: ({ nth }) => before + BigInt(nth) };
  if (seated.length > 0)
    await insertInto(sql, "passengers", [...SEATED.filter(({ name }) => name !== seat.name), seat], seated);
  const opened = new Set(accepted);
  return rows.map((row) => (opened.has(row) ? { createdAt } : "key-taken"));
}

/** After an hour it is asked for the first time whether the number is still needed. */
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** @returns those whose key was free, or that have none */
async function claimKeys(sql: TransactionSql, now: Date, rows: readonly Opening[]): Promise<readonly Opening[]> {
  const keyed = rows.filter(({ claim }) => claim !== null);
  if (keyed.length === 0) return rows;
  const columns = [...CLAIM, always("sequence", 1), always("created_at", now)];
  const claimed = await insertInto<Opening, { transaction_id: string }>(
    ...([sql, "idempotency_keys", columns, keyed, "on conflict do nothing returning transaction_id"] as const),
  );
  const free = new Set(claimed.map((row) => row.transaction_id));
  return rows.filter(({ claim, intent }) => claim === null || free.has(intent.id));
}

/** The numbers have no gaps: nobody else counts for this merchant before the commit. */
async function count(sql: TransactionSql, merchantId: string, rows: number, now: Date) {
  const [row] = await sql`
    update merchant_counters set transactions = transactions + ${rows}, newest_at = greatest(newest_at, ${now}::timestamptz)
    where merchant_id = ${merchantId} returning transactions - ${rows} as before, newest_at`;
  return { before: wholeNumber(row?.before), createdAt: instant(row?.newest_at) };
}

async function insertSome(
  sql: TransactionSql,
  table: string,
  columns: readonly ValueColumn<Opening>[],
  rows: readonly Opening[],
  brings: (row: Opening) => boolean,
): Promise<void> {
  const some = rows.filter(brings);
  if (some.length > 0) await insertInto(sql, table, columns, some);
}

const bytesOf = (value: unknown): number => (typeof value === "string" ? Buffer.byteLength(value) : 0);
/** Known without opening what will be compressed: how much of a list is read at once follows from it. */
const BYTES = TRANSACTION_COLUMNS.filter(({ name }) => name === "details" || name === "passengers");

const COUNTED: readonly ValueColumn<Opening>[] = [
  ...TRANSACTION,
  { name: "bytes", value: ({ intent }) => BYTES.reduce((sum, { value }) => sum + bytesOf(value(intent, 0)), 0) },
  { name: "card_last_four", value: ({ intent }) => intent.card.mask.slice(-4) },
];
