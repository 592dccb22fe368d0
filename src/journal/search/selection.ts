// What a filter selects among a merchant's transactions, fixed at the instant when it is opened: numbers, block by block.
// Transactions themselves are not read here.

import type { Asker } from "./ask.ts";
import { type Bits, bitsBetween, blockOf, both, countOf, firstOf, greatestOf, lastOf, unpack } from "./block-set.ts";
import { type Changed, changedIn } from "./changed.ts";
import { conditionsOf } from "./conditions.ts";
import type { ListFilter } from "./list-filter.ts";
import { matchesIn } from "./matches.ts";
import type { KnownBlock, KnownBlocks } from "./remembered.ts";
import { periodOf, type Span, spansOf } from "./span.ts";

export interface Selection {
  /** The merchant's newest number. */
  readonly newest: number;
  /** Blocks that may hold something, the newest first. */
  readonly blocks: readonly number[];
  /** Finds out what is selected in these blocks. */
  search(blocks: readonly number[]): Promise<Found>;
}

export interface Found {
  count(block: number): number;
  /** Descending; `take` of them after the first `skip`. */
  numbers(block: number, skip: number, take: number): number[];
}

export async function openSelection(asker: Asker, merchantId: string, filter: ListFilter): Promise<Selection> {
  const conditions = conditionsOf(filter);
  if (conditions === undefined) return NOTHING;
  const updated = periodOf(filter.updatedFrom, filter.updatedTo);
  const { newest, spans } = await spansOf(asker, merchantId, [periodOf(filter.createdFrom, filter.createdTo), updated]);
  const [span = NO_SPAN, createdThen = NO_SPAN] = spans;
  if (span.first > span.last) return NOTHING;
  const anyTime = updated.from === null && updated.before === null;
  const changed = anyTime ? null : await changedIn(asker, merchantId, newest, updated, createdThen);
  return {
    newest,
    blocks: blocksOf(span).filter((block) => changed?.maybeIn(block) ?? true),
    search: async (blocks) =>
      found(
        span,
        changed,
        conditions.length > 0 ? await matchesIn(asker, merchantId, conditions, newest, blocks) : null,
      ),
  };
}

const NO_SPAN: Span = { first: 1, last: 0 };
const NOTHING: Selection = { newest: 0, blocks: [], search: async () => found(NO_SPAN, null, null) };

function blocksOf({ first, last }: Span): number[] {
  const [oldest, newest] = [blockOf(first), blockOf(last)];
  return Array.from({ length: newest - oldest + 1 }, (_, index) => newest - index);
}

/** What is in the span, was changed, and matches. Null: it does not matter. */
function found(span: Span, changed: Changed | null, matches: KnownBlocks | null): Found {
  const matching = (block: number): KnownBlock => {
    const known = matches?.get(block);
    if (known === undefined) throw new Error("broken invariant: a block was not searched");
    return known;
  };
  const bits = (block: number): Bits => {
    let left = bitsBetween(block, span.first, span.last);
    if (changed) left = both(left, changed.bits(block));
    return matches ? both(left, unpack(matching(block).set)) : left;
  };
  return {
    count: (block) => {
      const from = Math.max(span.first, firstOf(block));
      const to = Math.min(span.last, lastOf(block));
      if (changed) return countOf(bits(block));
      if (!matches) return to - from + 1;
      const { upTo, set } = matching(block);
      // All that is known of the block is in the span.
      if (set.count === 0 || (span.first <= firstOf(block) && upTo <= span.last)) return set.count;
      return countOf(bits(block));
    },
    numbers: (block, skip, take) => greatestOf(bits(block), skip, take).map((offset) => firstOf(block) + offset),
  };
}
