// What a webhook says: its type, when it happened, and the transaction as the API showed it then. It is made anew from the
// journal for each attempt and comes out the same, so nothing of it is stored.

import type { Sql } from "../journal/database.ts";
import { findTransactions } from "../journal/reads.ts";
import { timestamp } from "../merchants/fields.ts";
import { asOf } from "../payment/as-of.ts";
import { statuses } from "../payment/status.ts";
import { attemptsOf, type Transaction } from "../payment/transaction.ts";
import type { Delivery } from "./outbox.ts";
import { SETTLED } from "./types.ts";

export type Content =
  | { readonly kind: "body"; readonly body: string }
  /** There is nothing to tell after all. */
  | { readonly kind: "nothing" }
  /** Something of ours is wrong with this one. */
  | { readonly kind: "broken"; readonly fault: unknown };

interface Source {
  readonly sql: Sql;
  readonly represent: (transaction: Transaction, at: Date) => Promise<object>;
}

/** Each with its delivery, in their order. */
export async function contentsOf(
  { sql, represent }: Source,
  merchantId: string,
  deliveries: readonly Delivery[],
): Promise<readonly (readonly [Delivery, Content])[]> {
  const ids = [...new Set(deliveries.map(({ transactionId }) => transactionId))];
  const transactions = new Map((await findTransactions(sql, merchantId, ids)).map((one) => [one.id, one]));
  const contentOf = async (delivery: Delivery): Promise<Content> => {
    try {
      return await made(transactions.get(delivery.transactionId), delivery, represent);
    } catch (fault) {
      return { kind: "broken", fault };
    }
  };
  return Promise.all(deliveries.map(async (delivery) => [delivery, await contentOf(delivery)] as const));
}

async function made(
  transaction: Transaction | undefined,
  { type, sequence, occurredAt }: Delivery,
  represent: Source["represent"],
): Promise<Content> {
  if (transaction === undefined) throw new Error("broken journal: a webhook tells of a transaction that is gone");
  // Another processor was asked instead: the charge did not fail.
  if (attemptsOf(transaction).some((attempt) => attempt.sequence === sequence)) return { kind: "nothing" };
  const then = asOf(transaction, { at: occurredAt, sequence, concluded: !type.endsWith(".pending") });
  // Money that was voided before its settlement showed has not settled.
  if (type === SETTLED && statuses(then, occurredAt)[sequence - 1] !== "settled") return { kind: "nothing" };
  const data = { event_id: then.events[sequence - 1]?.id, transaction: await represent(then, occurredAt) };
  return { kind: "body", body: JSON.stringify({ type, timestamp: timestamp(occurredAt), data }) };
}
