// Where the tables are distributed: an event whose outcome is left for later, what a dead node left open, and an approval that failed after
// all. As the statements of postgres-journal.ts and nodes.ts, in several that each go to the merchant's worker whole, and one commit.

import type { Challenge } from "../../payment/challenge.ts";
import type { LateFailure } from "../../payment/outcome.ts";
import { bodyOf, momentOf } from "../conclusion-rows.ts";
import { timeOfChange } from "../group-statements.ts";
import type { EventPlace, KeyedResponse, Remedy } from "../journal.ts";
import type { Sql, TransactionSql } from "../sql/sql.ts";
import { tell, tellOfOpen } from "../tell.ts";
import { isListening } from "./conclude.ts";
import { always, insertInto } from "./insert.ts";

/** What is done about an event without an outcome, from when on. */
export interface Later {
  readonly remedy: Remedy;
  readonly dueAt: Date;
  readonly now: Date;
}

export const deferOfOne = (
  sql: Sql,
  place: EventPlace,
  { remedy, dueAt, now, challenge }: Later & { readonly challenge?: Challenge },
  response: KeyedResponse | null,
): Promise<void> =>
  sql.begin(async (one) => {
    const { merchantId, transactionId, sequence } = place;
    const deferred = await one`
      insert into unresolved (merchant_id, transaction_id, sequence, processor_id, remedy, attempts, due_at, created_at)
      select merchant_id, transaction_id, sequence, processor_id, ${remedy}::text, 0, ${dueAt}::timestamptz, ${now}::timestamptz
      from events where merchant_id = ${merchantId} and transaction_id = ${transactionId} and sequence = ${sequence}
        and not exists (
          select from outcomes where merchant_id = ${merchantId} and transaction_id = ${transactionId} and sequence = ${sequence})
      on conflict do nothing returning sequence`;
    if (deferred.length > 0 && challenge !== undefined) {
      const { checkoutUrl: checkout_url, page, expiresAt: expires_at } = challenge;
      const opened = { checkout_url, page: JSON.stringify(page), expires_at, created_at: now };
      const columns = Object.entries({ merchant_id: merchantId, transaction_id: transactionId, sequence, ...opened });
      await insertInto(
        ...([one, "challenges", columns.map(([name, value]) => always(name, value)), [challenge]] as const),
        "on conflict do nothing",
      );
    }
    if (deferred.length > 0 && (await isListening(one, merchantId)))
      await one.unsafe(TELL_OF_OPEN, [merchantId, transactionId, sequence, now], { prepare: true });
    if (response !== null) {
      const { key, status } = response;
      const answer = { key, status, body: bodyOf(response), moment: momentOf(response) };
      const columns = Object.entries({ merchant_id: merchantId, ...answer, created_at: now });
      await insertInto(
        ...([one, "idempotency_answers", columns.map(([name, value]) => always(name, value)), [answer]] as const),
        "on conflict do nothing",
      );
    }
  });

/** What a dead node left. */
export interface LeftOpen {
  readonly node: number;
  readonly since: Date;
  readonly now: Date;
}

/** In a database transaction of several merchants'. @returns how many events without an outcome were found */
export async function takeOverOfOne(
  one: TransactionSql,
  merchantId: string,
  { node, since, now }: LeftOpen,
): Promise<number> {
  const taken = await one<{ transaction_id: string; sequence: number }[]>`
    insert into unresolved (merchant_id, transaction_id, sequence, processor_id, remedy, attempts, due_at, created_at)
    select merchant_id, transaction_id, sequence, processor_id, case when type in ('sale', 'auth') then 'reverse' else 'repeat' end,
      0, ${now}::timestamptz, created_at
    from events e
    where merchant_id = ${merchantId} and created_at >= ${since} and node_id = ${node} and not exists (
      select from outcomes o
      where o.merchant_id = ${merchantId} and o.transaction_id = e.transaction_id and o.sequence = e.sequence)
    on conflict do nothing returning transaction_id, sequence`;
  if (taken.length > 0 && (await isListening(one, merchantId)))
    for (const { transaction_id, sequence } of taken)
      await one.unsafe(TELL_OF_OPEN, [merchantId, transaction_id, sequence, now], { prepare: true });
  return taken.length;
}

const TELL_OF_OPEN = tellOfOpen(
  "(select $1::uuid as merchant_id, $2::uuid as transaction_id, $3::int4 as sequence, $4::timestamptz as created_at)",
  "r.created_at",
  "$1::uuid",
);

export const failLateOfOne = (
  sql: Sql,
  { merchantId, transactionId, sequence }: EventPlace,
  { at, ...failure }: LateFailure,
): Promise<void> =>
  sql.begin(async (one) => {
    const [failed] = await one.unsafe<{ created_at: Date }[]>(FAIL, [
      ...[merchantId, transactionId, sequence],
      ...[JSON.stringify(failure), at],
    ]);
    if (failed !== undefined && (await isListening(one, merchantId)))
      await one.unsafe(TELL_OF_FAILURE, [merchantId, transactionId, sequence, failed.created_at], { prepare: true });
  });

const FAIL = `
insert into late_failures (merchant_id, transaction_id, sequence, failure, created_at)
values ($1::uuid, $2::uuid, $3::int, $4::text::json, ${timeOfChange("$5::timestamptz")})
on conflict do nothing returning created_at`;

const TELL_OF_FAILURE = tell(
  `
  select e.merchant_id, e.transaction_id, e.sequence, e.type as event_type, $4::timestamptz as at,
    'failed-after-all' as kind, null::timestamptz as visible_at
  from events e where e.merchant_id = $1::uuid and e.transaction_id = $2::uuid and e.sequence = $3::int`,
  "$1::uuid",
);
