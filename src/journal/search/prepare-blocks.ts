// Prepares the words of merchants' full blocks, in the background, so that lists find them (block-words.ts). A full block never changes
// but by archiving, restoring and erasing: who does that removes its words in the same database transaction.

import { arrayOf } from "../columns.ts";
import type { Sql } from "../database.ts";
import { amongThoseThere } from "../merchants-there.ts";
import { rowReader, text, wholeNumber, word } from "../rows.ts";
import type { TransactionSql } from "../sql/sql.ts";
import { type Asker, inTurn } from "./ask.ts";
import { BLOCK_SIZE, blockOf, firstOf, lastOf } from "./block-set.ts";
import { type Condition, indexed, inWords } from "./conditions.ts";
import { EXACT_FIELDS, PREFIX_FIELDS } from "./list-filter.ts";

type Field = Condition["column"];
const FIELDS: readonly Field[] = [...PREFIX_FIELDS, ...EXACT_FIELDS].filter((column) =>
  inWords({ column, from: "", before: null }),
);

/** Merchants that have a full block, and perhaps words to be prepared. */
export async function merchantsWithBlocks(sql: Sql): Promise<string[]> {
  const rows = await amongThoseThere(
    sql,
    (among) => sql`
    select merchant_id from merchant_counters where transactions >= ${BLOCK_SIZE - 1} and ${among.of()}`,
  );
  return rows.map((row) => merchantRow(row).merchant_id);
}

const merchantRow = rowReader("merchant_counters", { merchant_id: text });

/** Prepares one field of one block, the newest that is missing. @returns false if none is, or somebody else is at it */
export const prepareBlock = (asker: Asker, merchantId: string): Promise<boolean> =>
  inTurn(asker, () =>
    asker.pool.begin(async (sql): Promise<boolean> => {
      const [lock] = await sql<[{ free: boolean }]>`
        select pg_try_advisory_xact_lock(${LOCK}, hashtext(${merchantId})) as free`;
      const missing = lock.free ? await newestMissing(sql, merchantId) : undefined;
      if (missing === undefined) return false;
      const { block, field } = missing;
      const [first, last] = [Math.max(firstOf(block), 1), lastOf(block)];
      await sql`set local work_mem = '32MB'`;
      const { count } = await sql.unsafe(prepare(field), [merchantId, field, block, first, last, last - first + 1]);
      return count === 1;
    }),
  );

/** To be called in the database transaction that changes or removes transactions with these numbers. */
export async function forgetBlocks(sql: TransactionSql, merchantId: string, numbers: readonly number[]): Promise<void> {
  // Nobody prepares them until it ends.
  await sql`select pg_advisory_xact_lock(${LOCK}, hashtext(${merchantId}))`;
  const blocks = arrayOf(sql, "int8", [...new Set(numbers.map(blockOf))]);
  await sql`delete from block_words where merchant_id = ${merchantId} and block = any(${blocks})`;
}

/** Any number that nothing else in this database locks. */
const LOCK = 8_583_004;

/** Of the blocks that are full, and not in the archive, nor in part. */
async function newestMissing(sql: TransactionSql, merchantId: string) {
  const [counter] = await sql`
    select c.transactions as newest, coalesce(a.through, 0) as archived
    from merchant_counters c left join archives a using (merchant_id) where c.merchant_id = ${merchantId}`;
  if (counter === undefined) return undefined;
  const { newest, archived } = counterRow(counter);
  const oldest = archived === 0n ? 0 : blockOf(Number(archived)) + 1;
  const [row] = await sql`
    select b.block, f.field
    from generate_series(${oldest}::int8, ${blockOf(Number(newest) + 1) - 1}::int8) as b(block)
    cross join unnest(${arrayOf(sql, "text", FIELDS)}) as f(field)
    where not exists (
      select from block_words w where w.merchant_id = ${merchantId} and w.field = f.field and w.block = b.block)
    order by b.block desc, f.field limit 1`;
  return row && missingRow(row);
}

const counterRow = rowReader("merchant_counters", { newest: wholeNumber, archived: wholeNumber });
const missingRow = rowReader("block_words", {
  block: (value) => Number(wholeNumber(value)),
  field: word(FIELDS),
});

/**
 * Values that so many numbers have are a stretch alone; what others begin within as many is one together, of at most twice as many. The
 * rows of a stretch are looked at one by one where the field has no index: so these are shorter.
 */
const stretchOf = (column: Field): number => (indexed({ column, from: "", before: null }) ? 64 : 16);

// The block is told in both ways that indexes have. By its first and last number alone PostgreSQL may read the index of merchants' orders, where
// the number comes last: from end to end, for each block.
// Two stretches never mix: after a frequent value come at least as many numbers as a stretch has. The sum of int4 is int8; that of int8 would be
// numeric, which takes a tenth longer in all.
const prepare = (field: Field) => `
insert into block_words (merchant_id, field, block, starts, lowest, alike, offsets)
select $1::uuid, $2::text, $3::int8,
  coalesce(array_agg(start order by start) filter (where lowest is not null), '{}')
    || coalesce(sum(numbers) filter (where lowest is not null), 0)::int4,
  coalesce(array_agg(lowest order by start) filter (where lowest is not null), '{}'),
  coalesce(array_agg(alike order by start) filter (where lowest is not null), '{}'),
  string_agg(offsets, '' order by start)
from (
  select min(start)::int4 as start, sum(numbers) as numbers, min(value) as lowest, count(*) = 1 as alike,
    string_agg(offsets, '') as offsets
  from (
    select *, sum(numbers) over (order by value nulls last rows unbounded preceding) - numbers as start
    from (
      select ${field}::text collate "C" as value, count(*)::int4 as numbers,
        string_agg(int2send(((number & 65535) - 32768)::int2), '') as offsets
      from transactions
      where merchant_id = $1::uuid and number >> 16 = $3::int8 and number between $4::int8 and $5::int8 group by 1
    ) by_value
  ) placed
  group by start / ${stretchOf(field)}, numbers >= ${stretchOf(field)}, value is null
) stretches
having sum(numbers) = $6::int8`;
