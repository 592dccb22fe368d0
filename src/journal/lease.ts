// A lease in a table: the row is leased until `taken_until`; null means to nobody. gateway/lease.ts works under a lease.

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
