// Lists of a merchant's transactions: a page with the exact total, or all that match in portions.

import type { Transaction } from "../../payment/transaction.ts";
import type { Sql } from "../database.ts";
import type { ListFilter } from "./list-filter.ts";
import { numbered } from "./numbered.ts";
import { openSelection } from "./selection.ts";

/** Specification 4.6. */
export const PAGE_SIZE = 50;

/** @param page from 1; beyond the last page there are no transactions, and the total is true */
export async function listPage(
  pool: Sql,
  merchantId: string,
  filter: ListFilter,
  page: number,
): Promise<{ transactions: Transaction[]; total: number }> {
  const { newest, blocks, search } = await openSelection(pool, merchantId, filter);
  const found = await search(blocks);
  const start = (page - 1) * PAGE_SIZE;
  const numbers: number[] = [];
  let total = 0;
  for (const block of blocks) {
    const count = found.count(block);
    const skip = Math.max(start - total, 0);
    const left = PAGE_SIZE - numbers.length;
    if (skip < count && left > 0) numbers.push(...found.numbers(block, skip, left));
    total += count;
  }
  return { transactions: await numbered(pool, merchantId, numbers, newest), total };
}

/** Transactions with their events, some of which are big: passengers may take a mebibyte. */
const PORTION = 200;
const BLOCKS_AHEAD = 16;

/**
 * All that match, newest first: what there was at the start, each once, whatever is added meanwhile. Only one portion is
 * held at a time, and nothing more is asked of the database once the consumer stops.
 */
export async function* streamMatches(
  pool: Sql,
  merchantId: string,
  filter: ListFilter,
): AsyncGenerator<Transaction[], void, void> {
  const { newest, blocks, search } = await openSelection(pool, merchantId, filter);
  for (let next = 0; next < blocks.length; next += BLOCKS_AHEAD) {
    const some = blocks.slice(next, next + BLOCKS_AHEAD);
    const found = await search(some);
    for (const block of some) {
      const count = found.count(block);
      for (let skip = 0; skip < count; skip += PORTION) {
        yield await numbered(pool, merchantId, found.numbers(block, skip, PORTION), newest);
      }
    }
  }
}
