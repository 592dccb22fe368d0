// Lists of a merchant's transactions: a page with the exact total, or all that match. Transactions are read in portions,
// and only one portion is in memory at a time.

import type { Transaction } from "../../payment/transaction.ts";
import type { Sql } from "../database.ts";
import { type Asker, exporter, lister } from "./ask.ts";
import type { EventFilter, ListFilter } from "./list-filter.ts";
import { type Kept, LINES, type Numbered, WHOLE } from "./numbered.ts";
import { inPortions, MOST_ROWS, NONE, partedInTurn, readInTurn, readWholeInTurn } from "./portions.ts";
import { type Found, openSelection } from "./selection.ts";
import { hasEvent, LOOKED_THROUGH_AT_ONCE, recordedAmong, withEvent } from "./with-event.ts";

/** Specification 4.6. */
export const PAGE_SIZE = 50;

export interface Page {
  readonly total: number;
  /** At most fifty transactions, newest first; undefined if they are more than a portion of ordinary size. */
  readonly whole: Numbered | undefined;
  /** The same portion by portion. What is not whole is read when it is asked for. @param signal as of the page */
  portions(signal?: AbortSignal): AsyncGenerator<Numbered, void, void>;
}

/**
 * @param page from 1; beyond the last page there are no transactions, and the total is true
 * @param signal ends it when nobody waits for it any more
 * @throws ShareUsedUp if too many lists wait; TooMuchToLookThrough for the events of too many transactions
 */
export async function findPage(
  pool: Sql,
  merchantId: string,
  filter: ListFilter,
  page: number,
  signal?: AbortSignal,
): Promise<Page> {
  const asker = lister(pool, merchantId, signal);
  const { newest, blocks, search, event } = await openSelection(asker, merchantId, filter);
  const kept = { merchantId, newest };
  const found =
    event === undefined
      ? await search(blocks, "counts")
      : await withEvent(asker, kept, blocks, await search(blocks), event);
  const { total, stretches } = stretchesOf(page, blocks, found);
  const shown = event === undefined ? await search(stretches.map(({ block }) => block)) : found;
  const numbers = stretches.flatMap(({ block, skip, take }) => shown.numbers(block, skip, take));
  const read = await readWholeInTurn(asker, kept, numbers);
  const parts = read === undefined ? await partedInTurn(asker, kept, numbers, WHOLE) : [];
  // What was there a moment ago may be archived.
  const whole = read ?? (parts.length === 0 ? NONE : undefined);
  return {
    total,
    whole,
    async *portions(gone) {
      if (whole !== undefined) yield whole;
      const reader = exporter(pool, merchantId, gone);
      for (const part of parts) yield await readInTurn(reader, kept, part, WHOLE);
    },
  };
}

/** Of a block's matches, `take` after the first `skip`. */
interface Stretch {
  readonly block: number;
  readonly skip: number;
  readonly take: number;
}

/** Where a page lies among what is found in these blocks. */
function stretchesOf(page: number, blocks: readonly number[], { count }: Pick<Found, "count">) {
  const start = (page - 1) * PAGE_SIZE;
  const stretches: Stretch[] = [];
  let total = 0;
  for (const block of blocks) {
    const before = total;
    total += count(block);
    const [from, to] = [Math.max(start, before), Math.min(start + PAGE_SIZE, total)];
    if (from < to) stretches.push({ block, skip: from - before, take: to - from });
  }
  return { total, stretches };
}

const BLOCKS_AHEAD = 16;

/**
 * All that match, newest first, as a line of a table needs them: without what it does not show. What there was at the start,
 * each once, whatever is added meanwhile. Nothing more is asked of the database once the consumer stops.
 */
export async function* streamMatches(
  pool: Sql,
  merchantId: string,
  filter: ListFilter,
  signal?: AbortSignal,
): AsyncGenerator<readonly Transaction[], void, void> {
  const asker = exporter(pool, merchantId, signal);
  const { newest, blocks, search, event } = await openSelection(asker, merchantId, filter);
  const kept = { merchantId, newest };
  const step = event === undefined ? MOST_ROWS : LOOKED_THROUGH_AT_ONCE;
  for (let next = 0; next < blocks.length; next += BLOCKS_AHEAD) {
    const some = blocks.slice(next, next + BLOCKS_AHEAD);
    const found = await search(some);
    for (const block of some) {
      const count = found.count(block);
      for (let skip = 0; skip < count; skip += step) {
        const numbers = found.numbers(block, skip, step);
        if (event === undefined) yield* inPortions(asker, kept, numbers, LINES);
        else yield* matchesWithEvent(asker, kept, numbers, event);
      }
    }
  }
}

async function* matchesWithEvent(
  asker: Asker,
  kept: Kept,
  numbers: readonly number[],
  event: EventFilter,
): AsyncGenerator<readonly Transaction[], void, void> {
  const recorded = await recordedAmong(asker, kept, numbers, event);
  const those = recorded.map(({ number }) => number);
  for await (const portion of inPortions(asker, kept, those, LINES)) {
    const having = portion.filter(hasEvent(event));
    if (having.length > 0) yield having;
  }
}
