// Notifications as the operator sees them: each message once, and what became of it.

import type { Sql } from "../journal/database.ts";
import { count, instant, orNull, rowReader, text, word } from "../journal/rows.ts";
import { type PageMeta, pageMeta } from "../page-meta.ts";
import { NEWS_KINDS, type News } from "../payment/news.ts";
import { timestamp } from "../validation/fields.ts";

/** `waiting`: it is not applied yet. */
export const NOTIFICATION_RESULTS = ["waiting", "applied", "known", "kept"] as const;
export type NotificationResult = (typeof NOTIFICATION_RESULTS)[number];
export { NEWS_KINDS };

export interface Notification {
  readonly merchant_id: string;
  readonly processor_id: string;
  readonly id: string;
  readonly kind: News["kind"];
  readonly transaction_id: string | null;
  readonly reference: string | null;
  readonly said: string;
  readonly occurred_at: string;
  readonly received_at: string;
  readonly result: NotificationResult;
  readonly why: string | null;
}

export interface NotificationPage {
  readonly notifications: readonly Notification[];
  readonly meta: PageMeta;
}

export interface NotificationFilter {
  readonly merchantId?: string | undefined;
  readonly processorId?: string | undefined;
  readonly transactionId?: string | undefined;
  readonly result?: NotificationResult | undefined;
}

export const NOTIFICATIONS_ON_A_PAGE = 50;

/** Newest first. */
export async function listNotifications(
  sql: Sql,
  { merchantId, processorId, transactionId, result }: NotificationFilter,
  page: number,
): Promise<NotificationPage> {
  const matching = sql`
    from notifications n left join applied_notifications a using (merchant_id, processor_id, id)
    where true
      ${merchantId === undefined ? sql`` : sql`and n.merchant_id = ${merchantId}`}
      ${processorId === undefined ? sql`` : sql`and n.processor_id = ${processorId}`}
      ${transactionId === undefined ? sql`` : sql`and n.transaction_id = ${transactionId}`}
      ${result === undefined ? sql`` : sql`and coalesce(a.result, 'waiting') = ${result}`}`;
  // One after the other: a turn has one connection.
  const [counted] = await sql`select count(*)::int as total ${matching}`;
  const rows = await sql`
    select n.merchant_id, n.processor_id, n.id, n.kind, n.transaction_id, n.reference, n.said, n.occurred_at,
      n.created_at as received_at, coalesce(a.result, 'waiting') as result, a.why
    ${matching} order by n.created_at desc, n.id desc
    limit ${NOTIFICATIONS_ON_A_PAGE} offset ${(page - 1) * NOTIFICATIONS_ON_A_PAGE}`;
  const total = count(counted?.total);
  return {
    notifications: rows.map((row) => shown(notificationRow(row))),
    meta: pageMeta(total, NOTIFICATIONS_ON_A_PAGE, page),
  };
}

interface Row extends Omit<Notification, "occurred_at" | "received_at"> {
  readonly occurred_at: Date;
  readonly received_at: Date;
}

const notificationRow = rowReader<Row>("notifications", {
  merchant_id: text,
  processor_id: text,
  id: text,
  kind: word(NEWS_KINDS),
  transaction_id: orNull(text),
  reference: orNull(text),
  said: text,
  occurred_at: instant,
  received_at: instant,
  result: word(NOTIFICATION_RESULTS),
  why: orNull(text),
});

const shown = (row: Row): Notification => ({
  ...row,
  occurred_at: timestamp(row.occurred_at),
  received_at: timestamp(row.received_at),
});
