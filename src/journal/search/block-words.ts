// Which numbers of full blocks fulfil conditions, found by what is prepared of each block (prepare-blocks.ts): by words, not by rows. Only
// within a stretch of values in which a condition begins or ends are rows looked at.

import { arrayOf } from "../columns.ts";
import { type Asker, ask, inTurn } from "./ask.ts";
import { type Bits, BLOCK_SIZE, bitsBetween, bitsOf, both, countOf, lastOf, put, without } from "./block-set.ts";
import { type Condition, conditionSql, indexed, inWords } from "./conditions.ts";

/** Whether words are prepared for all of these conditions. */
export const haveWords = (conditions: readonly Condition[]): boolean =>
  conditions.every((condition) => inWords(condition) && condition.before !== null);

/**
 * @param blocks full ones
 * @returns what fulfils all conditions in those blocks that are prepared
 */
export async function foundByWords(
  asker: Asker,
  merchantId: string,
  conditions: readonly Condition[],
  blocks: readonly number[],
): Promise<ReadonlyMap<number, Bits>> {
  let found: ReadonlyMap<number, Bits> = new Map(blocks.map((block) => [block, allOf(block)]));
  for (const condition of fewestFirst(conditions)) {
    const left = [...found].flatMap(([block, bits]) => (countOf(bits) > 0 ? [block] : []));
    if (left.length === 0) break;
    const matches = await matchesOf(asker, merchantId, condition, left, BLOCK_SIZE);
    const next = new Map<number, Bits>();
    for (const [block, bits] of found) {
      const match = left.includes(block) ? matches.get(block)?.bits : bits;
      if (match !== undefined) next.set(block, both(bits, match));
    }
    found = next;
  }
  return found;
}

export interface Counted {
  readonly count: number;
  /** Undefined if they are many. */
  readonly bits: Bits | undefined;
}

/** Of a block, whose numbers are sent together with their count: some kilobytes. */
const FEW = 1_000;

/**
 * @param blocks full ones
 * @returns how many fulfil the condition in each of those blocks that are prepared
 */
export const countedByWords = (
  asker: Asker,
  merchantId: string,
  condition: Condition,
  blocks: readonly number[],
): Promise<ReadonlyMap<number, Counted>> => matchesOf(asker, merchantId, condition, blocks, FEW);

/** A full block has all of them. Numbers begin at 1. */
const allOf = (block: number): Bits => bitsBetween(block, 1, lastOf(block));

/** What has an index is what tells few from many. */
const fewestFirst = (conditions: readonly Condition[]): readonly Condition[] =>
  conditions.toSorted((one, other) => Number(indexed(other)) - Number(indexed(one)));

interface Row {
  readonly block: string;
  readonly count: number;
  /** Rather than those that match, it names those that do not. */
  readonly inverse: boolean;
  /** Null: they are too many. */
  readonly sure: string | null;
  readonly checked: string | null;
}

/** @param most of a block, whose numbers are told: of more only their count is */
async function matchesOf(
  asker: Asker,
  merchantId: string,
  condition: Condition,
  blocks: readonly number[],
  most: number,
): Promise<ReadonlyMap<number, Counted>> {
  const { text, values } = indexed(condition) ? lookedUp(condition) : lookedAt(condition);
  const some = arrayOf(asker.pool, "int8", blocks);
  const parameters = [merchantId, condition.column, some, ...endsOf(condition), most, ...values];
  const rows = await inTurn(asker, () => ask<Row>(asker.pool, statement(text), parameters, true));
  return new Map(rows.map((row) => [Number(row.block), { count: row.count, bits: bitsOfRow(row) }]));
}

/** A value alone ends before the next text that there can be. */
function endsOf({ column, from, before }: Condition): readonly [from: string, before: string | null] {
  const first = column === "amount" ? BigInt(from).toString() : from;
  return [first, before === from ? `${first}\u0001` : before];
}

function bitsOfRow({ block, inverse, sure, checked }: Row): Bits | undefined {
  if (sure === null) return undefined;
  const bits = inverse ? without(allOf(Number(block)), bitsIn(sure)) : bitsIn(sure);
  if (checked !== null) putAll(bits, checked);
  return bits;
}

function bitsIn(base64: string): Bits {
  const bits = bitsOf([]);
  putAll(bits, base64);
  return bits;
}

function putAll(bits: Bits, base64: string): void {
  const bytes = Buffer.from(base64, "base64");
  for (let at = 0; at < bytes.length; at += 2) put(bits, (((bytes[at] ?? 0) ^ 0x80) << 8) | (bytes[at + 1] ?? 0));
}

// `i` and `j` are the stretches in which the condition begins ($4) and ends ($5); 0 is before the first. From `p` to `q` are those that
// surely match: what lies between, and `i` or `j` where its lowest value says so. Arrays are taken from their storage once.
const statement = (checked: string) => `
with placed as materialized (
  select block, starts, alike, offsets, words.lowest, width_bucket($4::text collate "C", words.lowest) as i,
    width_bucket($5::text collate "C", words.lowest) as j
  from block_words cross join lateral (select block_words.lowest || '{}'::text[] as lowest offset 0) words
  where merchant_id = $1 and field = $2::text and block = any($3::int8[])
),
judged as materialized (
  select block, starts, offsets, i, j,
    case when i > 0 and lowest[i] = $4::text and (alike[i] or j > i) then i else i + 1 end as p,
    case when j > 0 and alike[j] and lowest[j] < $5::text collate "C" and (j > i or lowest[j] = $4::text) then j else j - 1 end as q,
    case when i > 0 and not alike[i] and not (j > i and lowest[i] = $4::text) then least($5::text collate "C", lowest[i + 1]) end
      as doubtful_up_to,
    case when j > i and not alike[j] and lowest[j] < $5::text collate "C" then lowest[j] end as doubtful_from
  from placed
),
ranked as materialized (
  select *, starts[p] as first, greatest(starts[p], starts[q + 1]) as next, octet_length(offsets) / 2 as numbers from judged
)
select block, next - first + coalesce(octet_length(checked.places), 0) / 2 as count, 2 * (next - first) > numbers as inverse,
  case when next - first <= $6::int4 then encode(case when 2 * (next - first) > numbers
    then substring(offsets from 1 for 2 * first) || substring(offsets from 2 * next + 1)
    else substring(offsets from 2 * first + 1 for 2 * (next - first)) end, 'base64') end as sure,
  encode(checked.places, 'base64') as checked
from ranked
cross join lateral (select string_agg(int2send(((t.number & 65535) - 32768)::int2), '') as places ${checked}) checked`;

/** The values of a stretch that are within the condition, by their index. What is not in doubt is null, which nothing equals. */
const lookedUp = ({ column }: Condition) => ({
  text: `
  from (values ($4::text, doubtful_up_to), (doubtful_from, $5::text)) doubt(low, high)
  cross join lateral (
    select number from transactions
    where merchant_id = $1 and number >> 16 = ranked.block and ${column} >= doubt.low and ${column} < doubt.high
  ) t`,
  values: [],
});

/** The rows of a stretch, each by its number. */
function lookedAt(condition: Condition): { text: string; values: string[] } {
  const { text, values } = conditionSql([condition], 7);
  return {
    text: `
  from (values (doubtful_up_to, i), (doubtful_from, j)) doubt(of, k)
  cross join lateral (
    select substring(offsets from 2 * starts[k] + 1 for 2 * (starts[k + 1] - starts[k])) as places where of is not null offset 0
  ) stretch
  cross join lateral generate_series(0, octet_length(stretch.places) / 2 - 1) nth
  cross join lateral (
    select number, ${condition.column} from transactions where merchant_id = $1 and number = (ranked.block << 16)
      + (((get_byte(stretch.places, 2 * nth) << 8) | get_byte(stretch.places, 2 * nth + 1)) # 32768)
    limit 1
  ) t
  where ${text}`,
    values,
  };
}
