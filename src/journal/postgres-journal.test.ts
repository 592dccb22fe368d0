// The journal in PostgreSQL keeps its contract, with two nodes on one database; also when they write as they do where the tables are
// distributed by merchant.

import { after, before, describe } from "node:test";
import { v7 as uuidv7 } from "uuid";
import { journalConformance } from "../../test/conformance/journal.ts";
import { freshDatabase } from "../../test/database.ts";
import {
  type PostgresInstallation,
  type PostgresNode,
  postgresInstallation,
} from "../../test/postgres-installation.ts";
import { at } from "../../test/transactions.ts";

for (const distributed of [false, true]) {
  describe(distributed ? "two nodes that write groups of one merchant each" : "two nodes on one database", () => {
    let installation: PostgresInstallation;
    let nodes: readonly [PostgresNode, PostgresNode];

    before(async () => {
      installation = postgresInstallation(await freshDatabase(), undefined, distributed);
      nodes = [await installation.join(), await installation.join()];
    });
    after(() => installation.end());

    journalConformance("the journal in PostgreSQL", async () => {
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
        },
      };
    });
  });
}
