// Which of a merchant's transactions were last changed in a period, which were changed in it at all, and which have follow-ups of a type.

import type { EventType } from "../../payment/transaction.ts";
import type { Sql } from "../database.ts";
import { LONG_AGO } from "../group-statements.ts";
import { type Asker, ask, inTurn } from "./ask.ts";
import type { Bits } from "./block-set.ts";
import { bitOf, changesBefore, changesSince, placeAt, type SeeChange, type Whose } from "./changes.ts";
import { type ChangesOfDay, daysBefore } from "./daily-changes.ts";
import { LATEST_SECOND, LastChanges } from "./last-changes.ts";
import { NumberSet, type Numbers, spanAnd } from "./number-set.ts";
import { type KnownChanges, RememberedChanges } from "./remembered-changes.ts";
import type { Numbering, Period, Span } from "./span.ts";

/** For each pool, which is to say for each database. */
const memories = new WeakMap<Sql, RememberedChanges>();
function memoryOf(pool: Sql): RememberedChanges {
  const memory = memories.get(pool) ?? new RememberedChanges();
  memories.set(pool, memory);
  return memory;
}

export type Merchant = Whose & Pick<Numbering, "version">;

/**
 * What came after the period's end takes a transaction out of it.
 * @param created the numbers of what was created in the period
 */
export async function changedIn(
  asker: Asker,
  merchant: Merchant,
  { from, before }: Period,
  created: Span,
): Promise<Numbers> {
  const since = from ?? before ?? new Date(0);
  const sinceThen = 1 + merchant.newest - (from ? created.first : created.last + 1);
  const [first, end] = [since.getTime() / 1_000, before ? before.getTime() / 1_000 : Number.POSITIVE_INFINITY];
  // Without a beginning, what counts is what is changed after the end.
  const known = await knownSince(asker, merchant, since, sinceThen);
  const { inside, after } = known ? known.changes.in(first, end) : await readSince(asker, merchant, since, end);
  return spanAnd(created, inside, after);
}

/** A follow-up's node may tell another time than the charge's. */
const CLOCKS_MS = 3_600_000;

/**
 * Those with a follow-up of this type, among what was created since an instant.
 * @param created the numbers of what was created since then
 * @returns undefined if that is not remembered: it is no follow-up's type, or too much, or recent
 */
export async function withFollowUp(
  asker: Asker,
  merchant: Merchant,
  type: EventType,
  since: Date | null,
  created: Span,
): Promise<Numbers | undefined> {
  const bit = bitOf(type);
  if (bit === undefined) return undefined;
  const from = new Date(Math.max((since?.getTime() ?? 0) - CLOCKS_MS, 0));
  const known = await knownSince(asker, merchant, from, 1 + merchant.newest - created.first);
  return known?.changes.having(bit);
}

/** Of a block, those that changed in the second of an instant or later; undefined: none. */
export type ChangedSince = (block: number, instant: Date) => Bits | undefined;

/** So little is read anew each time, rather than remembered. */
const RECENT_MS = 600_000;

/**
 * Tells what changed, for any instant from `since` on.
 * @param settled an instant before which nothing will be written any more
 * @param transactions about how many may have changed
 */
export async function changedSince(
  asker: Asker,
  merchant: Merchant,
  since: Date,
  settled: Date,
  transactions: number,
): Promise<ChangedSince> {
  const isRecent = settled.getTime() - since.getTime() <= RECENT_MS;
  const known = isRecent ? undefined : await knownSince(asker, merchant, since, transactions);
  const changes = known?.changes ?? (await lastChangesSince(asker, merchant, since));
  return (block, instant) => changes.since(block, Math.min(Math.floor(instant.getTime() / 1_000), LATEST_SECOND));
}

async function lastChangesSince(asker: Asker, whose: Whose, since: Date): Promise<LastChanges> {
  const changes = new LastChanges();
  for await (const page of changesSince(asker, whose, since, null))
    page.each((number, second) => changes.put(number, Math.min(second, LATEST_SECOND)));
  return changes;
}

/** The numbers of what was created or changed in the period, whatever became of it later. */
export async function touchedIn(asker: Asker, whose: Whose, { from, before }: Period, created: Span): Promise<Numbers> {
  const inside = new NumberSet();
  for await (const page of changesSince(asker, whose, from ?? new Date(0), before))
    page.each((number) => inside.put(number));
  return spanAnd(created, inside);
}

async function readSince(asker: Asker, whose: Whose, since: Date, end: number) {
  const [inside, after] = [new NumberSet(), new NumberSet()];
  for await (const page of changesSince(asker, whose, since, null))
    page.each((number, second) => (second < end ? inside : after).put(number));
  return { inside, after };
}

/** @returns undefined if that is not remembered: it is recent, or too much */
async function knownSince(asker: Asker, merchant: Merchant, since: Date, transactions: number) {
  const memory = memoryOf(asker.pool);
  const settled = await settledBefore(asker);
  if (settled === undefined || since >= settled || !memory.hasRoomFor(transactions)) return undefined;
  const known = memory.recall(merchant.merchantId, merchant.version, settled);
  if (since.getTime() <= known.tooMuchSinceMs) return undefined;
  for await (const learnt of learning(asker, merchant, known, since, settled))
    if (!learnt || !memory.makeRoom(merchant.merchantId, known, since.getTime())) return undefined;
  return known;
}

/** Reads what is not known yet, page by page. Others may be at it too. @returns false if it cannot be remembered */
async function* learning(asker: Asker, whose: Whose, known: KnownChanges, since: Date, settled: Date) {
  let storable = true;
  const learn: SeeChange = (number, second, types) => {
    if (second > LATEST_SECOND) storable = false;
    else known.changes.put(number, second, types);
  };
  for await (const page of changesSince(asker, whose, known.end, null)) {
    page.each(learn);
    yield storable;
  }
  if (settled > known.end) known.end = settled;
  let days: readonly ChangesOfDay[] = [];
  while (known.begin.atMs > since.getTime()) {
    const { begin } = known;
    if (days.every(({ fromMs }) => fromMs >= begin.atMs))
      days = await daysBefore(asker, whose.merchantId, new Date(begin.atMs), since);
    const [latest, oldest] = [days[0], days.at(-1)];
    if (latest && oldest && latest.beforeMs >= begin.atMs) {
      for (const day of days) day.each(learn);
      yield storable;
      if (known.begin === begin) known.begin = { place: placeAt(new Date(oldest.fromMs)), atMs: oldest.fromMs };
      continue;
    }
    const until = latest ? new Date(latest.beforeMs) : since;
    const page = await changesBefore(asker, whose, begin.place, until);
    page.each(learn);
    yield storable;
    const reached = page.end
      ? { place: page.end.place, atMs: (page.end.second + 1) * 1_000 }
      : { place: placeAt(until), atMs: until.getTime() };
    // Else somebody else read on meanwhile.
    if (known.begin === begin) known.begin = reached;
  }
}

/**
 * Nothing will be written any more that happened before this instant: each node tells since when it may still write something, and what
 * is written long after it was known happens now (group-statements.ts), so that a dead node holds nothing back for longer. The minute is
 * for clocks that differ, and for statements in flight. Undefined: no node tells.
 */
export async function settledBefore(asker: Asker): Promise<Date | undefined> {
  const [row] = await inTurn(asker, () => ask<{ settled: number | null }>(asker.pool, SETTLED, [], true));
  return row === undefined || row.settled === null ? undefined : new Date(row.settled);
}

const SETTLED = `
select floor(extract(epoch from greatest(min(clear_before), ${LONG_AGO}) - interval '1 minute') * 1000)::float8 as settled
from nodes having count(*) > 0`;
