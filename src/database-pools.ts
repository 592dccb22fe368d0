// The connections of a gateway, separated by purpose, so that nothing waits behind something slower. Payments use the
// database's own pool.

import { setPriority } from "node:os";
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
/** Of the system's processes: payments come first where both want the processor. */
const SLOW_PRIORITY = 10;

export function openPools(address: DatabaseAddress): Pools {
  const pools = {
    lookUps: openPool(address, "faregate look-ups", { connections: 2 }),
    slowReads: openPool(address, "faregate slow reads", {
      ...{ connections: 4, statementTimeoutMs: SLOW_STATEMENT_MS },
      // The embedded database is on this machine, and nobody else's.
      opened: typeof address === "string" ? undefined : yieldToOthers,
    }),
    office: openPool(address, "faregate office", { connections: 2 }),
    background: openPool(address, "faregate background", { connections: 4 }),
    webhooks: openPool(address, "faregate webhooks", { connections: 3 }),
  };
  const close = async () => {
    await Promise.all(Object.values(pools).map((pool) => pool.end({ timeout: 5 })));
  };
  return { ...pools, close };
}

function yieldToOthers(pid: number): void {
  try {
    setPriority(pid, SLOW_PRIORITY);
  } catch {
    // Another user's process, or one that has ended: then it is as quick as the others.
  }
}
