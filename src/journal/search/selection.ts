// What a filter selects among a merchant's transactions, fixed at the instant when it is opened: numbers, block by block.
// Transactions themselves are not read here.

import type { Asker } from "./ask.ts";
import { authorizedBy } from "./authorized-by.ts";
import { type Bits, bitsBetween, blockOf, both, countOf, firstOf, greatestOf, lastOf, unpack } from "./block-set.ts";
import { changedIn, type Merchant, withFollowUp } from "./changed.ts";
import { conditionsOf, ofPassengers } from "./conditions.ts";
import { withStanding } from "./known-standings.ts";
import type { EventFilter, ListFilter } from "./list-filter.ts";
import { matchesIn } from "./matches.ts";
import type { Numbers } from "./number-set.ts";
import type { KnownBlock, KnownMatches } from "./remembered.ts";
import { periodOf, type Span, spansOf } from "./span.ts";

export interface Selection {
  /** The merchant's newest number. */
  readonly newest: number;
  /** Blocks that may hold something, the newest first. */
  readonly blocks: readonly number[];
  /**
   * Finds out what is selected in these blocks.
   * @param only how many there are in each: which they are may not be known then
   */
  search(blocks: readonly number[], only?: "counts"): Promise<Found>;
  /** What is still to be looked for among what is found. */
  readonly event?: EventFilter | undefined;
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
  const created = periodOf(filter.createdFrom, filter.createdTo);
  const { newest, version, spans } = await spansOf(asker, merchantId, [created, updated]);
  const [span = NO_SPAN, createdThen = NO_SPAN] = spans;
  if (span.first > span.last) return NOTHING;
  const merchant = { merchantId, newest, version };
  const anyTime = updated.from === null && updated.before === null;
  const among: Numbers[] = [];
  if (!anyTime) among.push(await changedIn(asker, merchant, updated, createdThen));
  const { event } = filter;
  const having =
    event && span.last - span.first >= WORTH_KNOWING
      ? await havingEvent(asker, merchant, event, created.from, span)
      : undefined;
  if (having) among.push(having.numbers);
  if (filter.authCode !== undefined) among.push(await authorizedBy(asker, merchantId, filter.authCode));
  // Of one table each.
  const groups = [conditions.filter((one) => !ofPassengers(one)), conditions.filter(ofPassengers)];
  return {
    newest,
    event: having?.exact ? undefined : event,
    blocks: blocksOf(span).filter((block) => among.every((numbers) => numbers.maybeIn(block))),
    search: async (blocks, only) => {
      // Where several sets are to be compared, it takes their numbers to tell how many there are.
      const isCount = only === "counts" && among.length === 0 && conditions.length === 1;
      const wanted = { newest, version, counted: new Set(isCount ? blocks.filter(isIn(span)) : []) };
      const matches: KnownMatches[] = [];
      for (const group of groups)
        if (group.length > 0) matches.push(await matchesIn(asker, merchantId, group, wanted, blocks));
      return found(span, among, matches);
    },
  };
}

/** The events of fewer transactions are sooner looked through. */
const WORTH_KNOWING = 2_000;

interface Having {
  readonly numbers: Numbers;
  /** Else some of them may have no such event. */
  readonly exact: boolean;
}

/** @returns undefined if any may have such an event */
async function havingEvent(
  asker: Asker,
  merchant: Merchant,
  event: EventFilter,
  since: Date | null,
  span: Span,
): Promise<Having | undefined> {
  const followUp = () => event.type && withFollowUp(asker, merchant, event.type, since, span);
  const typed = event.status === undefined ? await followUp() : undefined;
  const exact = typed ?? (await withStanding(asker, merchant, event, span));
  if (exact) return { numbers: exact, exact: true };
  const numbers = event.status === undefined ? undefined : await followUp();
  return numbers && { numbers, exact: false };
}

const NO_SPAN: Span = { first: 1, last: 0 };
const NOTHING: Selection = { newest: 0, blocks: [], search: async () => found(NO_SPAN, [], []) };

function blocksOf({ first, last }: Span): number[] {
  const [oldest, newest] = [blockOf(first), blockOf(last)];
  return Array.from({ length: newest - oldest + 1 }, (_, index) => newest - index);
}

/** Whether all of a full block is in the span. Numbers begin at 1. */
const isIn =
  ({ first, last }: Span) =>
  (block: number): boolean =>
    first <= Math.max(firstOf(block), 1) && lastOf(block) <= last;

/** What is in the span, among all of these numbers, and in all of these matches. */
function found(span: Span, among: readonly Numbers[], matches: readonly KnownMatches[]): Found {
  const bits = (block: number): Bits => {
    let left = bitsBetween(block, span.first, span.last);
    for (const numbers of among) left = both(left, numbers.bits(block));
    for (const known of matches) left = both(left, unpack(searched(known, block).set));
    return left;
  };
  return {
    count: (block) => {
      const from = Math.max(span.first, firstOf(block));
      const to = Math.min(span.last, lastOf(block));
      const [only, ...others] = matches;
      if (among.length > 0 || others.length > 0) return countOf(bits(block));
      if (only === undefined) return to - from + 1;
      const counted = isIn(span)(block) ? only.counts.get(block) : undefined;
      if (counted !== undefined) return counted;
      const { upTo, set } = searched(only, block);
      // All that is known of the block is in the span.
      if (set.count === 0 || (span.first <= firstOf(block) && upTo <= span.last)) return set.count;
      return countOf(bits(block));
    },
    numbers: (block, skip, take) => greatestOf(bits(block), skip, take).map((offset) => firstOf(block) + offset),
  };
}

function searched({ blocks }: KnownMatches, block: number): KnownBlock {
  const found = blocks.get(block);
  if (found === undefined) throw new Error("broken invariant: a block was not searched");
  return found;
}
