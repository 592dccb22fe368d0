// The connections of a gateway, parted by what they are for, so that nothing waits for a connection behind something slower:
// payments have the pool of the database itself.

import { type DatabaseAddress, openPool, type Sql } from "./journal/database.ts";

export interface Pools {
  /** Who sends a request, and whether the database answers: also while all others wait. */
  readonly lookUps: Sql;
  /** Lists and exports: what reads much, and may take long. */
  readonly slowReads: Sql;
  /** What operators see and change. */
  readonly office: Sql;
  /** The resolver, and what falls due. */
  readonly background: Sql;
  readonly webhooks: Sql;
  close(): Promise<void>;
}

const SLOW_STATEMENT_MS = 60_000;

export function openPools(address: DatabaseAddress): Pools {
  const pools = {
    lookUps: openPool(address, "faregate look-ups", { connections: 2 }),
    slowReads: openPool(address, "faregate slow reads", { connections: 4, statementTimeoutMs: SLOW_STATEMENT_MS }),
    office: openPool(address, "faregate office", { connections: 2 }),
    background: openPool(address, "faregate background", { connections: 4 }),
    webhooks: openPool(address, "faregate webhooks", { connections: 3 }),
  };
  const close = async () => {
    await Promise.all(Object.values(pools).map((pool) => pool.end({ timeout: 5 })));
  };
  return { ...pools, close };
}
