// The untouched authorizations of a record that had no time of automatic capture when they were made: found portion by portion among all
// events of its merchant, they are open from then on (auto-capture-rows.ts).

import type { Sql } from "./database.ts";

/** A merchant's event, by the columns of `events_by_time`. */
export interface PlaceInTime {
  readonly createdAt: Date;
  readonly transactionId: string;
  readonly sequence: number;
}

/** Before all others. */
export const BEGINNING: PlaceInTime = {
  createdAt: new Date(0),
  transactionId: "00000000-0000-0000-0000-000000000000",
  sequence: 0,
};

/**
 * Those of a portion of the merchant's events, with this place on.
 * @returns up to where; undefined: there is nothing more
 */
export async function gatherAfter(
  sql: Sql,
  { merchantId, processorId }: { readonly merchantId: string; readonly processorId: string },
  after: PlaceInTime,
  most: number,
): Promise<PlaceInTime | undefined> {
  // Planned as joins, all rows of the merchant might be read for each portion.
  const [last] = await sql<PlaceInTime[]>`
    with portion as materialized (
      select transaction_id, sequence, type, processor_id, created_at from events
      where merchant_id = ${merchantId}
        and (created_at, transaction_id, sequence)
          > (${after.createdAt}::timestamptz, ${after.transactionId}::uuid, ${after.sequence}::int)
      order by created_at, transaction_id, sequence limit ${most}
    ),
    gathered as (
      insert into open_authorizations (merchant_id, processor_id, transaction_id, authorized_at)
      select ${merchantId}::uuid, e.processor_id, e.transaction_id, o.created_at
      from portion e cross join lateral (
        select kind, created_at from outcomes
        where merchant_id = ${merchantId} and transaction_id = e.transaction_id and sequence = e.sequence limit 1
      ) o
      where e.processor_id = ${processorId} and e.type = 'auth' and o.kind = 'approved'
        and not exists (
          select from events f join outcomes p using (merchant_id, transaction_id, sequence)
          where merchant_id = ${merchantId} and transaction_id = e.transaction_id
            and f.type in ('capture', 'void') and p.kind = 'approved' offset 0)
        and not exists (
          select from open_authorizations a
          where a.merchant_id = ${merchantId} and a.processor_id = e.processor_id
            and a.transaction_id = e.transaction_id offset 0)
      on conflict do nothing
    )
    select created_at as "createdAt", transaction_id as "transactionId", sequence from portion
    order by created_at desc, transaction_id desc, sequence desc limit 1`;
  return last;
}
