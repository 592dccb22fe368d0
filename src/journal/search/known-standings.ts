// Which transactions have an event of a type and status, found by the standings of all of a merchant's: what is stored of them
// (prepare-standings.ts), without what changed since, which is read from its rows once and remembered.

import type { Asker } from "./ask.ts";
import { BLOCK_SIZE, blockOf, firstOf, lastOf } from "./block-set.ts";
import { BlockStandings } from "./block-standings.ts";
import { changedSince, type Merchant, settledBefore } from "./changed.ts";
import type { EventFilter } from "./list-filter.ts";
import { NumberSet, type Numbers } from "./number-set.ts";
import { readStandings } from "./read-standings.ts";
import { type KnownStandings, MOST_NUMBERS, standingsOf } from "./remembered-standings.ts";
import type { Span } from "./span.ts";
import { loadStandings } from "./stored-standings.ts";

/** So many are read from rows at once, and blocks whole: a second of work for the database, in many turns. */
export const MOST_UNKNOWN = 50_000;

/** @returns undefined if too little of the span is known, or can be */
export async function withStanding(
  asker: Asker,
  merchant: Merchant,
  event: EventFilter,
  span: Span,
): Promise<Numbers | undefined> {
  if (span.last - span.first >= MOST_NUMBERS) return undefined;
  // Lists wait for lists only, and exports for exports.
  const whose = `${asker.purpose} ${merchant.merchantId}`;
  return standingsOf(asker.pool).alone(asker, whose, merchant.version, async (known) => {
    const wanted = { enough: MOST_UNKNOWN + 1, isBehind, isOutdated: () => true };
    const unknown = await findUnknown(asker, merchant, known, span, wanted);
    if (unknown === undefined || unknown.numbers.length > MOST_UNKNOWN) return undefined;
    await learn(asker, merchant, known, unknown);
    const found = new NumberSet();
    for (const block of blocksIn(span)) {
      const bits = known.get(block)?.fulfilling(event);
      if (bits?.some((word) => word !== 0)) found.putBlock(block, bits);
    }
    return found;
  });
}

/** So much is read anew rather than compared with what is stored. */
const FEW_UNKNOWN = 1_000;
const RECENT_MS = 600_000;

/** Others may have stored a block as it was later. */
const isBehind: Wanted["isBehind"] = (standings, offsets, settled) =>
  settled.getTime() - standings.asOf.getTime() > RECENT_MS ||
  standings.unknown(...offsets, FEW_UNKNOWN).length === FEW_UNKNOWN;

/** What is to be read from rows. */
export interface Unknown {
  /** Descending. */
  readonly numbers: readonly number[];
  /** All that changed before this instant can be read. */
  readonly settled: Date;
}

interface Wanted {
  /** Of the newest blocks, each whole, until there are so many: who reads no more than these has learnt a block, however big it is. */
  readonly enough: number;
  /** Whether to look for what is stored of a block as of a later instant. */
  readonly isBehind: (standings: BlockStandings, offsets: readonly [number, number], settled: Date) => boolean;
  /** Whether what changed in a block since the instant as of which it is known is not known any more. */
  readonly isOutdated: (standings: BlockStandings, settled: Date) => boolean;
}

/**
 * Loads what is stored, forgets what changed since, and tells what is not known then.
 * @returns undefined if no node tells what it has still to write
 */
export async function findUnknown(
  asker: Asker,
  merchant: Merchant,
  known: KnownStandings,
  span: Span,
  { enough, isBehind, isOutdated }: Wanted,
): Promise<Unknown | undefined> {
  const settledAt = await settledBefore(asker);
  if (settledAt === undefined) return undefined;
  // Lists see times to the second, and an outcome within its event's second is no change of its own.
  const settled = new Date(Math.floor(settledAt.getTime() / 1_000) * 1_000);
  const blocks = blocksIn(span);
  const behind = blocks.filter((block) => {
    const standings = known.get(block);
    return standings === undefined || isBehind(standings, offsetsIn(block, span), settled);
  });
  const stored = await loadStandings(asker, merchant.merchantId, behind);
  for (const block of behind) {
    const [before, later] = [known.get(block), stored.get(block)];
    // As long as a node holds the instant back, another process learns more as of the same one.
    if (before === undefined || (later !== undefined && later.asOf >= before.asOf))
      known.set(block, new BlockStandings(settled, later));
  }
  const needed = blocks.flatMap((block) => known.get(block) ?? []);
  const since = new Date(needed.reduce((least, { asOf }) => Math.min(least, asOf.getTime()), settled.getTime()));
  const changed = await changedSince(asker, merchant, since, settled, span.last - span.first + 1);
  const numbers: number[] = [];
  for (const block of blocks) {
    const standings = known.get(block);
    if (standings === undefined) continue;
    if (isOutdated(standings, settled)) standings.outdate(changed(block, standings.asOf), settled);
    if (numbers.length >= enough) continue;
    for (const offset of standings.unknown(...offsetsIn(block, span), BLOCK_SIZE))
      numbers.push(firstOf(block) + offset);
  }
  return { numbers, settled };
}

/** Reads them from their rows. @returns how many there were */
export async function learn(
  asker: Asker,
  { merchantId, newest }: Merchant,
  known: KnownStandings,
  { numbers, settled }: Unknown,
): Promise<number> {
  let learnt = 0;
  for (const read of await readStandings(asker, { merchantId, newest }, numbers, settled))
    for (const number of read.numbers) {
      known.get(blockOf(number))?.learn(number - firstOf(blockOf(number)), read.standing, read.passing);
      learnt++;
    }
  return learnt;
}

/** The newest first. */
export const blocksIn = ({ first, last }: Span): readonly number[] =>
  Array.from({ length: blockOf(last) - blockOf(first) + 1 }, (_, nth) => blockOf(last) - nth);

/** The first and the last offset of the span in a block. */
export const offsetsIn = (block: number, { first, last }: Span): readonly [first: number, last: number] => [
  Math.max(first - firstOf(block), 0),
  Math.min(last, lastOf(block)) - firstOf(block),
];
