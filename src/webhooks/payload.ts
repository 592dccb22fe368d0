// What a webhook says: its type, when it happened, and the transaction as the API showed it then. It is made anew from the
// journal for each attempt and comes out the same, so nothing of it is stored.

import { arrayOf } from "../journal/columns.ts";
import type { Sql } from "../journal/database.ts";
import { withEvents } from "../journal/reads.ts";
import type { TransactionRow } from "../journal/transaction-rows.ts";
import { timestamp } from "../merchants/fields.ts";
import { asOf } from "../payment/as-of.ts";
import { statuses } from "../payment/status.ts";
import type { Transaction } from "../payment/transaction.ts";
import type { Delivery } from "./outbox.ts";
import { SETTLED } from "./types.ts";

export interface Contents {
  readonly webhookId: string;
  readonly body: string;
}

interface Source {
  readonly sql: Sql;
  readonly represent: (transaction: Transaction, at: Date) => Promise<object>;
}

/** By the deliveries' ids; those that have nothing to tell after all are not there. */
export async function contentsOf(
  { sql, represent }: Source,
  merchantId: string,
  deliveries: readonly Delivery[],
): Promise<ReadonlyMap<string, Contents>> {
  const ids = [...new Set(deliveries.map(({ transactionId }) => transactionId))];
  const rows = await sql<TransactionRow[]>`
    select * from transactions where merchant_id = ${merchantId} and id = any(${arrayOf(sql, "uuid", ids)})`;
  const transactions = new Map((await withEvents(sql, merchantId, rows)).map((one) => [one.id, one]));
  const contents = new Map<string, Contents>();
  for (const delivery of deliveries) {
    const transaction = transactions.get(delivery.transactionId);
    if (transaction === undefined) throw new Error("broken journal: a webhook tells of a transaction that is gone");
    const body = await bodyOf(transaction, delivery, represent);
    if (body !== undefined) contents.set(delivery.id, { webhookId: delivery.id, body });
  }
  return contents;
}

async function bodyOf(
  transaction: Transaction,
  { type, sequence, occurredAt }: Delivery,
  represent: Source["represent"],
): Promise<string | undefined> {
  const then = asOf(transaction, { at: occurredAt, sequence, concluded: !type.endsWith(".pending") });
  // Money that was voided before its settlement showed has not settled.
  if (type === SETTLED && statuses(then, occurredAt)[sequence - 1] !== "settled") return undefined;
  const data = { event_id: then.events[sequence - 1]?.id, transaction: await represent(then, occurredAt) };
  return JSON.stringify({ type, timestamp: timestamp(occurredAt), data });
}
