// Which of a merchant's numbers fulfil the conditions of a filter. PostgreSQL is asked block by block, and only for what is not
// known yet, so it never reads more than the blocks that are searched: their words where they are prepared, else their rows.

import { atOnce } from "../../shares/at-once.ts";
import { arrayOf } from "../columns.ts";
import type { Sql } from "../database.ts";
import { type Asker, ask, inTurn } from "./ask.ts";
import { type BlockSet, bitsOf, blockOf, EMPTY, either, firstOf, lastOf, pack, unpack } from "./block-set.ts";
import { countedByWords, foundByWords, haveWords } from "./block-words.ts";
import { type Condition, conditionSql, indexed, ofPassengers } from "./conditions.ts";
import { type KnownBlock, type KnownMatches, Remembered } from "./remembered.ts";
import type { Numbering } from "./span.ts";

/** For each pool, which is to say for each database. */
const memories = new WeakMap<Sql, Remembered>();
function memoryOf(pool: Sql): Remembered {
  const memory = memories.get(pool) ?? new Remembered();
  memories.set(pool, memory);
  return memory;
}

interface Wanted extends Pick<Numbering, "newest" | "version"> {
  /** Full ones. */
  readonly counted: ReadonlySet<number>;
}

/** Statements of one search that are in flight, or wait for their turns, together. */
const SIDE_BY_SIDE = 2;

/**
 * The matches in these blocks, and perhaps in others. What is known of a block reaches at least to its end or to `newest`.
 * @param conditions all of transactions, or all of passengers
 * @param wanted the merchant's numbering, and the blocks of which it is enough to know how many match: less is read for that
 */
export async function matchesIn(
  asker: Asker,
  merchantId: string,
  conditions: readonly Condition[],
  { newest, version, counted }: Wanted,
  blocks: readonly number[],
): Promise<KnownMatches> {
  const remembered = memoryOf(asker.pool);
  // What was learned under an older version is asked for no more, and is the first to be forgotten.
  const filter = JSON.stringify([version, conditions.map(({ column, from, before }) => [column, from, before])]);
  const known = remembered.recall(merchantId, filter);
  const isCounted = (block: number) => counted.has(block) && known.counts.has(block);
  const unknownOf = (some: readonly number[]) =>
    some.flatMap((block) => (isCounted(block) ? [] : unknownRange(known.blocks.get(block), block, newest)));
  const learn = ({ upTo, set }: KnownBlock): void => {
    const block = blockOf(upTo);
    remembered.learn(merchantId, filter, known, block, joined(known.blocks.get(block), { upTo, set }));
  };
  const learnCount = (block: number, count: number) => remembered.learnCount(merchantId, filter, known, block, count);
  const searched: Searched = { asker, merchantId, conditions, unknownOf, learn, learnCount };
  const full = haveWords(conditions)
    ? unknownOf(blocks)
        .filter(isFull)
        .map(({ upTo }) => blockOf(upTo))
    : [];
  const others = blocks.filter((block) => !full.includes(block));
  await atOnce(2, [searchWords(searched, full, counted), searchRows(searched, others)], (search) => search);
  // What nobody has prepared yet.
  await searchRows(searched, full);
  return known;
}

interface Searched {
  readonly asker: Asker;
  readonly merchantId: string;
  readonly conditions: readonly Condition[];
  /** What is not known of these blocks. */
  readonly unknownOf: (blocks: readonly number[]) => BlockRange[];
  readonly learn: (found: KnownBlock) => void;
  readonly learnCount: (block: number, count: number) => void;
}

/** Some milliseconds of work for the database, and as much here. */
const BLOCKS_OF_WORDS = 8;
/** Where many match, their numbers are not sent. */
const BLOCKS_COUNTED = 16;

async function searchWords(
  { asker, merchantId, conditions, learn, learnCount }: Searched,
  blocks: readonly number[],
  counted: ReadonlySet<number>,
): Promise<void> {
  const [condition, ...others] = conditions;
  const isCounted = (block: number) => others.length === 0 && counted.has(block);
  const count = async (some: readonly number[]) => {
    if (condition === undefined) return;
    for (const [block, { count, bits }] of await countedByWords(asker, merchantId, condition, some))
      if (bits === undefined) learnCount(block, count);
      else learn({ upTo: lastOf(block), set: pack(bits) });
  };
  const find = async (some: readonly number[]) => {
    for (const [block, bits] of await foundByWords(asker, merchantId, conditions, some))
      learn({ upTo: lastOf(block), set: pack(bits) });
  };
  const works = [
    ...portionsOf(BLOCKS_COUNTED, blocks.filter(isCounted)).map((some) => () => count(some)),
    ...portionsOf(
      BLOCKS_OF_WORDS,
      blocks.filter((block) => !isCounted(block)),
    ).map((some) => () => find(some)),
  ];
  await atOnce(SIDE_BY_SIDE, works, (work) => work());
}

const portionsOf = (size: number, blocks: readonly number[]): readonly (readonly number[])[] =>
  Array.from({ length: Math.ceil(blocks.length / size) }, (_, nth) => blocks.slice(nth * size, (nth + 1) * size));

async function searchRows(
  { asker, merchantId, conditions, unknownOf, learn }: Searched,
  blocks: readonly number[],
): Promise<void> {
  const left = inOrderOfSearch(unknownOf(blocks));
  const sizes = groupSizes();
  const searchSome = async (): Promise<void> => {
    // Somebody else may have looked while this waited for its turn.
    const ranges = unknownOf(takeGroup(left, sizes.next()).map(({ upTo }) => blockOf(upTo)));
    if (ranges.length === 0) return;
    const startedAtMs = performance.now();
    for (const found of await look(asker.pool, merchantId, conditions, ranges)) learn(found);
    sizes.took(performance.now() - startedAtMs);
  };
  const more = function* () {
    while (left.length > 0) yield searchSome;
  };
  await atOnce(Math.min(SIDE_BY_SIDE, left.length), more(), (search) =>
    inTurn(asker, search).catch((fault: unknown) => {
      // The other need not go on.
      left.length = 0;
      throw fault;
    }),
  );
}

/** The numbers after `after`, up to and with `upTo`: all of one block. */
interface BlockRange {
  readonly after: number;
  readonly upTo: number;
}

function unknownRange(known: KnownBlock | undefined, block: number, newest: number): BlockRange[] {
  const after = known?.upTo ?? firstOf(block) - 1;
  const upTo = Math.min(lastOf(block), newest);
  return after < upTo ? [{ after, upTo }] : [];
}

const isFull = (range: BlockRange): boolean => fromItsStart(range) && range.upTo === lastOf(blockOf(range.upTo));

const fromItsStart = ({ after, upTo }: BlockRange): boolean => after < firstOf(blockOf(upTo));

/** Those that are known in part come first, and alone: they are read in another way. */
const inOrderOfSearch = (ranges: readonly BlockRange[]): BlockRange[] => [
  ...ranges.filter((range) => !fromItsStart(range)),
  ...ranges.filter(fromItsStart),
];

const takeGroup = (left: BlockRange[], most: number): BlockRange[] =>
  left.splice(0, left[0] !== undefined && fromItsStart(left[0]) ? most : 1);

const MOST_BLOCKS = 8;
const QUICK_MS = 8;
const SLOW_MS = 25;

/**
 * How many blocks a statement reads: one at first, more while that is quick. So a statement stays short, and far from its
 * time limit even when much has to come from a disk.
 */
function groupSizes() {
  let blocks = 1;
  return {
    next: () => blocks,
    took: (ms: number) => {
      if (ms < QUICK_MS) blocks = Math.min(blocks * 2, MOST_BLOCKS);
      else if (ms > SLOW_MS) blocks = Math.max(Math.floor(blocks / 2), 1);
    },
  };
}

async function look(
  pool: Sql,
  merchantId: string,
  conditions: readonly Condition[],
  ranges: readonly BlockRange[],
): Promise<KnownBlock[]> {
  const table = conditions.every(ofPassengers) ? "passengers" : "transactions";
  const lookUp = table === "passengers" || (conditions.some(indexed) && ranges.every(fromItsStart));
  const { text, values } = conditionSql(conditions, 4);
  const rows = await ask<{ upto: string; found: Buffer | null }>(
    pool,
    // An aggregate for each range: it cannot be joined in another order, and what comes back is two bytes a match.
    `select p.upto, m.found from unnest($2::int8[], $3::int8[]) as p(after, upto) cross join lateral (
       select string_agg(int2send(((number & 65535) - 32768)::int2), '') as found from ${table}
       where merchant_id = $1 and ${lookUp ? LOOKED_UP : WALKED} and ${text}
     ) m`,
    [
      merchantId,
      arrayOf(
        pool,
        "int8",
        ranges.map(({ after }) => after),
      ),
      arrayOf(
        pool,
        "int8",
        ranges.map(({ upTo }) => upTo),
      ),
      ...values,
    ],
  );
  return rows.map(({ upto, found }) => ({ upTo: Number(upto), set: found ? packed(found) : EMPTY }));
}

/** By an index of the column. With `+ 0` no index is chosen for the sake of the number, which would read the whole block. */
const LOOKED_UP = "number >> 16 = p.upto >> 16 and number + 0 > p.after and number + 0 <= p.upto";
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
