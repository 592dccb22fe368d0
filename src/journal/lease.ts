// How a lease stands in a table. Who works on a row has it until `taken_until`; null is nobody. What a node does while it has
// a lease is gateway/lease.ts.

import type { Query, TransactionSql } from "./sql/sql.ts";

/** The caller's clock, or the database's own. */
type Now = Date | Query<object>;

/** For leases that go by the database's clock. */
export const databaseNow = (sql: TransactionSql): Query<object> => sql`now()`;

/** Whether nobody has the row. */
export const unleased = (sql: TransactionSql, now: Now): Query<object> =>
  sql`(taken_until is null or taken_until <= ${now})`;

/** The instant at which a lease that begins now ends. */
export const leaseEnd = (sql: TransactionSql, now: Now, leaseMs: number): Query<object> =>
  sql`${now}::timestamptz + ${`${leaseMs} milliseconds`}::interval`;
