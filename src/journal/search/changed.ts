// Which of a merchant's transactions were last changed in a period. A transaction changes when it is created, when an event
// is added to it, and when an outcome or a late failure becomes known (decision A14).

import { type Asker, ask, inTurn, isBig } from "./ask.ts";
import { bitsBetween, blockOf, either, without } from "./block-set.ts";
import { NumberSet, type Numbers } from "./number-set.ts";
import type { Period, Span } from "./span.ts";

/**
 * Reads every change since the period's beginning: what came after its end takes a transaction out of it.
 * @param newest the merchant's newest number
 * @param created the numbers of what was created in the period
 */
export async function changedIn(
  asker: Asker,
  merchantId: string,
  newest: number,
  period: Period,
  created: Span,
): Promise<Numbers> {
  const inside = new NumberSet();
  const after = new NumberSet();
  const since = period.from ?? period.before;
  if (since !== null) {
    for await (const page of changesSince(asker, merchantId, newest, since, period.before)) {
      inside.add(page.inside);
      after.add(page.after);
    }
  }
  return {
    maybeIn: (block) => inside.maybeIn(block) || (blockOf(created.first) <= block && block <= blockOf(created.last)),
    bits: (block) =>
      without(either(bitsBetween(block, created.first, created.last), inside.bits(block)), after.bits(block)),
  };
}

/** The numbers of what was created or changed in the period, whatever became of it later. */
export async function touchedIn(
  asker: Asker,
  merchantId: string,
  newest: number,
  { from, before }: Period,
  created: Span,
): Promise<Numbers> {
  const inside = new NumberSet();
  const since = from ?? new Date(0);
  for await (const page of changesSince(asker, merchantId, newest, since, before, before)) inside.add(page.inside);
  return {
    maybeIn: (block) => inside.maybeIn(block) || (blockOf(created.first) <= block && block <= blockOf(created.last)),
    bits: (block) => either(bitsBetween(block, created.first, created.last), inside.bits(block)),
  };
}

interface Changes {
  /** Numbers of transactions, eight bytes each; null: none. */
  readonly inside: Buffer | null;
  readonly after: Buffer | null;
  /** Where the next page begins; null: there is none. */
  readonly at: string | null;
  readonly transaction_id: string | null;
  readonly sequence: number | null;
}

/** Some 30 ms of work for the database, so that others get their turn between two pages. */
const CHANGES_AT_ONCE = 10_000;

async function* changesSince(
  asker: Asker,
  merchantId: string,
  newest: number,
  since: Date,
  end: Date | null,
  until: Date | null = null,
): AsyncIterable<Changes> {
  const least = "00000000-0000-0000-0000-000000000000";
  let place: readonly [at: string, transactionId: string, sequence: number] | null = [since.toISOString(), least, 0];
  while (place !== null) {
    const parameters: readonly unknown[] = [merchantId, ...place, end, CHANGES_AT_ONCE, until];
    const [page]: readonly Changes[] = await inTurn(asker, () =>
      ask<Changes>(asker.pool, CHANGES, parameters, isBig(newest)),
    );
    if (page) yield page;
    place =
      page && page.at !== null && page.transaction_id !== null && page.sequence !== null
        ? [page.at, page.transaction_id, page.sequence]
        : null;
  }
}

// The number is looked up row by row: a join might be made the other way round, from all of the merchant's transactions. The
// place is sent as text, which keeps the microseconds that a Date would lose.
const CHANGES = `
with page as materialized (
  ${[
    changesIn("events", "created_at", "sequence > 1"),
    changesIn("outcomes", "changed_at", "changed_at is not null"),
    changesIn("late_failures", "created_at", "true"),
  ].join(" union all ")}
  order by created_at, transaction_id, sequence limit $6::int4
),
numbered as (
  select created_at < coalesce($5::timestamptz, 'infinity') as inside, int8send((
    select number from transactions t where t.merchant_id = $1 and t.id = page.transaction_id
  )) as number from page
),
last as (
  select created_at, transaction_id, sequence from page order by created_at desc, transaction_id desc, sequence desc
  limit case when (select count(*) from page) = $6::int4 then 1 else 0 end
)
select string_agg(number, '') filter (where inside) as inside, string_agg(number, '') filter (where not inside) as after,
  (select created_at::text from last) as at, (select transaction_id from last) as transaction_id,
  (select sequence from last) as sequence
from numbered`;

/** Each has an index in this order, of which no more is read than fits on a page. */
function changesIn(table: string, time: string, condition: string): string {
  return `(select ${time} as created_at, transaction_id, sequence from ${table}
    where merchant_id = $1 and ${condition} and (${time}, transaction_id, sequence) > ($2::text::timestamptz, $3::uuid, $4::int4)
      and ${time} < coalesce($7::timestamptz, 'infinity')
    order by ${time}, transaction_id, sequence limit $6::int4)`;
}
