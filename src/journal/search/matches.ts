// Which of a merchant's numbers fulfil the conditions of a filter. PostgreSQL is asked block by block, for what is not known
// yet: matches that are all old or all new, few or many never make it read more than the blocks that are searched.

import { arrayOf } from "../columns.ts";
import type { Sql } from "../database.ts";
import { ask, inTurn } from "./ask.ts";
import { type BlockSet, bitsOf, blockOf, EMPTY, either, firstOf, lastOf, pack, unpack } from "./block-set.ts";
import { type Condition, conditionSql, indexed } from "./conditions.ts";
import { type KnownBlock, type KnownBlocks, Remembered } from "./remembered.ts";

/** So that a statement stays far from its time limit even when much has to come from a disk. */
const BLOCKS_AT_ONCE = 8;

/** For each pool, which is to say for each database. */
const memories = new WeakMap<Sql, Remembered>();
function memoryOf(pool: Sql): Remembered {
  const memory = memories.get(pool) ?? new Remembered();
  memories.set(pool, memory);
  return memory;
}

/**
 * The matches in these blocks, and perhaps in others. What is known of a block reaches at least to its end or to `newest`.
 * @param newest the merchant's newest number
 */
export async function matchesIn(
  pool: Sql,
  merchantId: string,
  conditions: readonly Condition[],
  newest: number,
  blocks: readonly number[],
): Promise<KnownBlocks> {
  const remembered = memoryOf(pool);
  const filter = JSON.stringify([merchantId, ...conditions.map(({ column, from, before }) => [column, from, before])]);
  const known = remembered.recall(filter);
  const unknownOf = (some: readonly number[]) => some.flatMap((block) => unknownPart(known, block, newest));
  await Promise.all(
    groups(unknownOf(blocks)).map((group) =>
      inTurn(pool, async () => {
        // Somebody else may have looked while this waited for its turn.
        const parts = unknownOf(group.map(({ upTo }) => blockOf(upTo)));
        if (parts.length === 0) return;
        for (const { upTo, set } of await look(pool, merchantId, conditions, parts)) {
          const block = blockOf(upTo);
          remembered.learn(filter, known, block, joined(known.get(block), { upTo, set }));
        }
      }),
    ),
  );
  return known;
}

/** The numbers after `after`, up to and with `upTo`: all of one block. */
interface Part {
  readonly after: number;
  readonly upTo: number;
}

function unknownPart(known: KnownBlocks, block: number, newest: number): Part[] {
  const after = known.get(block)?.upTo ?? firstOf(block) - 1;
  const upTo = Math.min(lastOf(block), newest);
  return after < upTo ? [{ after, upTo }] : [];
}

const fromItsStart = ({ after, upTo }: Part): boolean => after < firstOf(blockOf(upTo));

function groups(parts: readonly Part[]): Part[][] {
  const whole = parts.filter(fromItsStart);
  const starts = whole.keys().filter((index) => index % BLOCKS_AT_ONCE === 0);
  return [
    ...parts.filter((part) => !fromItsStart(part)).map((part) => [part]),
    ...starts.map((start) => whole.slice(start, start + BLOCKS_AT_ONCE)),
  ];
}

async function look(
  pool: Sql,
  merchantId: string,
  conditions: readonly Condition[],
  parts: readonly Part[],
): Promise<KnownBlock[]> {
  const lookUp = conditions.some(indexed) && parts.every(fromItsStart);
  const { text, values } = conditionSql(conditions, 4);
  const rows = await ask<{ upto: string; found: Buffer | null }>(
    pool,
    // An aggregate for each part: it cannot be joined in another order, and what comes back is two bytes a match.
    `select p.upto, m.found from unnest($2::int8[], $3::int8[]) as p(after, upto) cross join lateral (
       select string_agg(int2send(((number & 65535) - 32768)::int2), '') as found from transactions
       where merchant_id = $1 and ${lookUp ? LOOKED_UP : WALKED} and ${text}
     ) m`,
    [
      merchantId,
      arrayOf(
        pool,
        "int8",
        parts.map(({ after }) => after),
      ),
      arrayOf(
        pool,
        "int8",
        parts.map(({ upTo }) => upTo),
      ),
      ...values,
    ],
  );
  return rows.map(({ upto, found }) => ({ upTo: Number(upto), set: found ? packed(found) : EMPTY }));
}

/** By an index of the column. With `+ 0` no index is chosen for the sake of the number, which would read the whole block. */
const LOOKED_UP = "number >> 16 = p.upto >> 16 and number + 0 <= p.upto";
/** By the index of the number, which holds most columns: for those without an index, and for what was added to a block. */
const WALKED = "number > p.after and number <= p.upto";

/** Offsets as PostgreSQL sends them: 16 bits, signed, less 32,768. */
function packed(found: Buffer): BlockSet {
  const offsets = new Uint16Array(found.length / 2);
  for (let index = 0; index < offsets.length; index++) offsets[index] = found.readUInt16BE(index * 2) ^ 0x8000;
  return pack(bitsOf(offsets));
}

function joined(known: KnownBlock | undefined, found: KnownBlock): KnownBlock {
  if (known === undefined) return found;
  const upTo = Math.max(known.upTo, found.upTo);
  return { upTo, set: found.set.count === 0 ? known.set : pack(either(unpack(known.set), unpack(found.set))) };
}
