// Which transactions have an event of a type and status. Statuses follow the clock, so no index can hold them: what the rest of the
// filter leaves is looked through, first by what is on record, then by the rule itself.

import { type Status, statuses } from "../../payment/status.ts";
import { attemptsOf, type Transaction } from "../../payment/transaction.ts";
import { atOnce } from "../../shares/at-once.ts";
import { arrayOf } from "../columns.ts";
import { type Asker, ask, inTurn, isBig } from "./ask.ts";
import type { EventFilter } from "./list-filter.ts";
import { type Kept, LINES } from "./numbered.ts";
import { inPortions } from "./portions.ts";
import type { Found } from "./selection.ts";

/** Of a page, that the rest of the filter leaves: a second or two of work for the database, in many turns. */
const MOST_LOOKED_THROUGH = 100_000;
/** Of these, that may have the status by what is on record: each is read, and judged by the rule. */
export const MOST_JUDGED = 10_000;
/** Some tens of milliseconds of work for the database. */
export const LOOKED_THROUGH_AT_ONCE = 2_000;
/** Statements of one list that are in flight, or wait for their turns, together. */
const SIDE_BY_SIDE = 2;

/** More than a page may look through. */
export class TooMuchToLookThrough extends Error {
  readonly count: number;
  readonly most: number;

  constructor(count: number, most: number) {
    super(`${count} transactions to look through, and ${most} are allowed`);
    this.count = count;
    this.most = most;
  }
}

interface Limits {
  readonly lookedThrough: number;
  readonly judged: number;
}

/**
 * What of all that was found in these blocks has such an event.
 * @throws TooMuchToLookThrough
 */
export async function withEvent(
  asker: Asker,
  kept: Kept,
  blocks: readonly number[],
  found: Found,
  filter: EventFilter,
  limits: Limits = { lookedThrough: MOST_LOOKED_THROUGH, judged: MOST_JUDGED },
): Promise<Found> {
  const counts = blocks.map((block) => [block, found.count(block)] as const).filter(([, count]) => count > 0);
  mustFit(
    counts.reduce((all, [, count]) => all + count, 0),
    limits.lookedThrough,
  );
  const recorded = new Map<number, readonly Recorded[]>();
  for (const [block, count] of counts)
    recorded.set(block, await recordedAmong(asker, kept, found.numbers(block, 0, count), filter));
  if (filter.status !== undefined)
    mustFit(
      [...recorded.values()].reduce((all, { length }) => all + length, 0),
      limits.judged,
    );
  const chosen = new Map<number, readonly number[]>();
  for (const [block, some] of recorded) chosen.set(block, await judged(asker, kept, some, filter));
  return {
    count: (block) => chosen.get(block)?.length ?? 0,
    numbers: (block, skip, take) => [...(chosen.get(block) ?? [])].slice(skip, skip + take),
  };
}

function mustFit(count: number, most: number): void {
  if (count > most) throw new TooMuchToLookThrough(count, most);
}

interface Recorded {
  readonly number: number;
  readonly id: string;
}

/**
 * Those that may have such an event by what is on record: exactly those, if no status is asked for.
 * @param numbers descending, as what comes back
 */
export async function recordedAmong(
  asker: Asker,
  { merchantId, newest }: Kept,
  numbers: readonly number[],
  { type, status }: EventFilter,
): Promise<readonly Recorded[]> {
  const text = recordedWith(status === undefined ? "true" : ON_RECORD[status.is]);
  const look = async (from: number) => {
    const some = arrayOf(asker.pool, "int8", numbers.slice(from, from + LOOKED_THROUGH_AT_ONCE));
    const parameters = [merchantId, some, type ?? null, status?.at ?? null];
    return inTurn(asker, () => ask<{ number: string; id: string }>(asker.pool, text, parameters, isBig(newest)));
  };
  const parts = Math.ceil(numbers.length / LOOKED_THROUGH_AT_ONCE);
  const rows = await atOnce(
    SIDE_BY_SIDE,
    Array.from({ length: parts }, (_, nth) => nth * LOOKED_THROUGH_AT_ONCE),
    look,
  );
  return rows.flat().map(({ number, id }) => ({ number: Number(number), id }));
}

const recordedWith = (status: string) => `
select n.number, t.id from unnest($2::int8[]) as n(number)
cross join lateral (select id from transactions where merchant_id = $1 and number = n.number limit 1) t
where exists (
  select from (
    select * from events where merchant_id = $1 and transaction_id = t.id and ($3::text is null or type = $3) offset 0
  ) e
  left join lateral (
    select * from outcomes where merchant_id = $1 and transaction_id = t.id and sequence = e.sequence limit 1
  ) o on true
  where $4::timestamptz is null or (${status})
)
order by n.number desc`;

const MONEY = "o.kind = 'approved' and e.type not in ('auth', 'void')";

/** Wide enough for every event with the status: voids and late failures are for the rule. */
const ON_RECORD: Readonly<Record<Status, string>> = {
  authorized: "o.kind = 'approved' and e.type = 'auth'",
  pending_settlement: `${MONEY} and (o.cutoff_at is null or o.cutoff_at > $4)`,
  unsettled: `${MONEY} and o.cutoff_at <= $4 and o.visible_at > $4`,
  settled: `${MONEY} and o.visible_at <= $4`,
  voided: `o.kind = 'approved' and exists (
    select from events v where v.merchant_id = $1 and v.transaction_id = t.id and v.type = 'void')`,
  declined: `o.kind in ('declined', 'already-settled', 'action-required') or o.kind = 'approved' and exists (
    select from late_failures f where f.merchant_id = $1 and f.transaction_id = t.id and f.sequence = e.sequence)`,
  pending: "o.kind is null",
  error: "o.kind in ('unanswered', 'not-sent')",
};

async function judged(
  asker: Asker,
  kept: Kept,
  recorded: readonly Recorded[],
  filter: EventFilter,
): Promise<readonly number[]> {
  const numbers = recorded.map(({ number }) => number);
  if (filter.status === undefined) return numbers;
  const chosen = new Set<string>();
  for await (const portion of inPortions(asker, kept, numbers, LINES))
    for (const transaction of portion.filter(hasEvent(filter))) chosen.add(transaction.id);
  return recorded.flatMap(({ number, id }) => (chosen.has(id) ? [number] : []));
}

/** By the rule, and of the events that responses show. */
export function hasEvent({ type, status }: EventFilter): (transaction: Transaction) => boolean {
  return (transaction) => {
    const attempts = attemptsOf(transaction);
    const found = status && statuses(transaction, status.at);
    return transaction.events.some(
      (event, index) =>
        !attempts.includes(event) &&
        (type === undefined || event.type === type) &&
        (status === undefined || found?.[index] === status.is),
    );
  };
}
