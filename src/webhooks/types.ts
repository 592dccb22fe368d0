// What webhooks tell of: each event of a transaction by what became of it, and money that has settled.

import { EVENT_TYPES } from "../payment/transaction.ts";
/** `resolved`: an outcome that was not known at first. */
export const ENDS = ["succeeded", "failed", "pending", "resolved"] as const;

export const SETTLED = "transaction.settled";

/** `transaction.sale.succeeded` … */
export const WEBHOOK_TYPES: readonly string[] = [
  ...EVENT_TYPES.flatMap((operation) => ENDS.map((end) => `transaction.${operation}.${end}`)),
  SETTLED,
];
