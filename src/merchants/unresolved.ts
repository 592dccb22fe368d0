// Unresolved events as the operator sees them: the payment behind each row, what the attempts so far came to, when the next is due.

import type { Sql } from "../journal/database.ts";
import { REMEDIES, type Remedy } from "../journal/journal.ts";
import { count, flag, instant, list, object, orNull, rowReader, text, wholeNumber, word } from "../journal/rows.ts";
import { type PageMeta, pageMeta } from "../page-meta.ts";
import { amountOf, renderAmount } from "../payment/money.ts";
import { EVENT_TYPES, type EventType } from "../payment/transaction.ts";
import { timestamp } from "../validation/fields.ts";

export interface Unresolved {
  readonly merchant_id: string;
  readonly transaction_id: string;
  readonly merchant_transaction_id: string;
  readonly sequence: number;
  readonly event_id: string;
  readonly event_type: EventType;
  /** Of the request that it began with. */
  readonly request_id: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly processor_id: string;
  readonly remedy: Remedy;
  /** The merchant was told that it failed. */
  readonly given_up: boolean;
  readonly attempts: number;
  readonly since: string;
  readonly due_at: string;
  /** A node has leased it. */
  readonly in_flight: boolean;
  readonly last_said: string | null;
  /** Without success, oldest first: the first and the last twenty. */
  readonly history: readonly Said[];
}

interface Said {
  readonly at: string;
  readonly said: string;
}

export interface UnresolvedPage {
  readonly unresolved: readonly Unresolved[];
  readonly meta: PageMeta;
}

export interface UnresolvedFilter {
  readonly merchantId?: string | undefined;
  readonly processorId?: string | undefined;
}

export const UNRESOLVED_ON_A_PAGE = 50;

/** What waits longest first. */
export async function listUnresolved(
  sql: Sql,
  now: Date,
  { merchantId, processorId }: UnresolvedFilter,
  page: number,
): Promise<UnresolvedPage> {
  const matching = sql`
    from unresolved w where true
      ${merchantId === undefined ? sql`` : sql`and w.merchant_id = ${merchantId}`}
      ${processorId === undefined ? sql`` : sql`and w.processor_id = ${processorId}`}`;
  const [rows, [counted]] = await Promise.all([
    sql`
      select u.merchant_id, u.transaction_id, t.merchant_transaction_id, u.sequence, e.id as event_id,
        e.type as event_type, e.request_id, e.amount, t.currency, u.processor_id, u.remedy,
        coalesce(o.kind in ('unanswered', 'action-required'), false) as given_up, u.attempts, u.created_at as since, u.due_at,
        coalesce(u.taken_until > ${now}, false) as in_flight, u.history
      from (select w.* ${matching} order by w.created_at, w.transaction_id, w.sequence
          limit ${UNRESOLVED_ON_A_PAGE} offset ${(page - 1) * UNRESOLVED_ON_A_PAGE}) u
        join events e using (merchant_id, transaction_id, sequence)
        join transactions t on t.merchant_id = u.merchant_id and t.id = u.transaction_id
        left join outcomes o
          on o.merchant_id = e.merchant_id and o.transaction_id = e.transaction_id and o.sequence = e.sequence
      order by u.created_at, u.transaction_id, u.sequence`,
    sql`select count(*)::int as total ${matching}`,
  ]);
  const total = count(counted?.total);
  return {
    unresolved: rows.map((row) => shown(unresolvedRow(row))),
    meta: pageMeta(total, UNRESOLVED_ON_A_PAGE, page),
  };
}

const said = rowReader<Said>("unresolved.history", { at: text, said: text });

const unresolvedRow = rowReader("unresolved", {
  merchant_id: text,
  transaction_id: text,
  merchant_transaction_id: text,
  sequence: count,
  event_id: text,
  event_type: word(EVENT_TYPES),
  request_id: orNull(text),
  amount: wholeNumber,
  currency: text,
  processor_id: text,
  remedy: word(REMEDIES),
  given_up: flag,
  attempts: count,
  since: instant,
  due_at: instant,
  in_flight: flag,
  history: list((one) => said(object(one))),
});

const shown = ({ history, ...row }: ReturnType<typeof unresolvedRow>): Unresolved => ({
  ...row,
  amount: renderAmount(amountOf(row.amount)),
  since: timestamp(row.since),
  due_at: timestamp(row.due_at),
  last_said: history.at(-1)?.said ?? null,
  history: history.map(({ at, said }) => ({ at: timestamp(new Date(at)), said })),
});
