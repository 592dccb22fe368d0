// The journal's contract, kept by two nodes on one PostgreSQL.

import { v7 as uuidv7 } from "uuid";
import type { PostgresInstallation, PostgresNode } from "../postgres-installation.ts";
import { at } from "../transactions.ts";
import { journalConformance } from "./journal.ts";

export interface TwoNodes {
  readonly installation: PostgresInstallation;
  readonly nodes: readonly [PostgresNode, PostgresNode];
}

/** @param running the two nodes, once they have been started */
export function postgresJournalConformance(name: string, running: () => TwoNodes): void {
  journalConformance(name, async () => {
    const { installation, nodes } = running();
    const { pool, declareDead } = installation;
    for (const { clock, backlog } of nodes) {
      clock.set(at("1 12:00"));
      await backlog.heartbeat(clock.now());
    }
    return {
      nodes,
      newMerchant: async () => {
        const id = uuidv7();
        await installation.addMerchant(id);
        return id;
      },
      numbered: async (merchantId) => {
        const rows = await pool<{ number: string; id: string; created_at: Date }[]>`
          select number, id, created_at from transactions where merchant_id = ${merchantId} order by number`;
        return rows.map(({ number, id, created_at }) => ({ number: Number(number), id, createdAt: created_at }));
      },
      declareDead: ({ id }) => declareDead(id),
      end: async () => {
        await pool`truncate transactions, events, outcomes, idempotency_keys, idempotency_answers, unresolved`;
        await pool`delete from nodes where not id = any(${nodes.map(({ id }) => id)})`;
      },
    };
  });
}
