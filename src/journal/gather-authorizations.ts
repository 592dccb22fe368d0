// The untouched authorizations of a record that had no time of automatic capture when they were made: found portion by portion among all
// events of its merchant, they are open from then on (auto-capture-rows.ts).

import { fairTurns } from "../shares/turns.ts";
import { NIL_UUID } from "../uuid.ts";
import type { Sql } from "./database.ts";

/**
 * After which every node knows that the record has a time of capture, and no authorization is on its way that began before: one that ends
 * later, and be it since the database was away, would not be found any more.
 */
const KNOWN_AFTER = "1 day";
/** Events in one statement, of all that a merchant has: some hundred milliseconds. */
const GATHERED_AT_ONCE = 10_000;
/**
 * On a node it takes one connection at a time, whichever record it is for: what else goes on in the background needs some, too. So many
 * wait as records are captured at once.
 */
const ONE_AT_A_TIME = {
  ...{ atOnce: 1, mostOfOne: 1 },
  ...{ mostWaiting: Number.POSITIVE_INFINITY, mostWaitingOfOne: Number.POSITIVE_INFINITY },
};

/** A record, and the time of capture that has come. */
interface DueRecord {
  readonly merchantId: string;
  readonly processorId: string;
  readonly dueAt: Date;
}

/** @returns `gather` of auto-capture-rows.ts @param atOnce events in one statement */
export function gathering(sql: Sql, atOnce = GATHERED_AT_ONCE) {
  const turns = fairTurns(ONE_AT_A_TIME);
  /** By record: a node comes back to what rests, and then would read all events of the merchant again. */
  const gatheredFor = new Map<string, number>();
  return async (due: DueRecord, stopping?: AbortSignal): Promise<void> => {
    const { merchantId, processorId, dueAt } = due;
    const [ungathered] = await sql<{ since: Date }[]>`
      select now() as since from auto_captures
      where merchant_id = ${merchantId} and processor_id = ${processorId} and due_at = ${dueAt} and not gathered`;
    if (ungathered === undefined) return void gatheredFor.delete(processorId);
    if (gatheredFor.get(processorId) === dueAt.getTime()) return;
    for (let after: PlaceInTime | undefined = BEGINNING; after !== undefined; ) {
      const release = await turns.take(merchantId);
      try {
        if (stopping?.aborted) return;
        after = await gatherAfter(sql, due, after, atOnce);
      } finally {
        release();
      }
    }
    gatheredFor.set(processorId, dueAt.getTime());
    await sql`
      update auto_captures set gathered = true
      where merchant_id = ${merchantId} and processor_id = ${processorId}
        and set_at < ${ungathered.since}::timestamptz - ${KNOWN_AFTER}::interval`;
  };
}

/** A merchant's event, by the columns of `events_by_time`. */
interface PlaceInTime {
  readonly createdAt: Date;
  readonly transactionId: string;
  readonly sequence: number;
}

/** Before all others. */
const BEGINNING: PlaceInTime = {
  createdAt: new Date(0),
  transactionId: NIL_UUID,
  sequence: 0,
};

/**
 * Those of a portion of the merchant's events, with this place on.
 * @returns up to where; undefined: there is nothing more
 */
async function gatherAfter(
  sql: Sql,
  { merchantId, processorId }: DueRecord,
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
