// The journal keeps its contract on a distributed database: CITUS_URL says which. Started by run.ts.

import { after, before, describe } from "node:test";
import { v7 as uuidv7 } from "uuid";
import { openPool } from "../../src/journal/database.ts";
import { journalConformance } from "../conformance/journal.ts";
import { type PostgresInstallation, type PostgresNode, postgresInstallation } from "../postgres-installation.ts";
import { at } from "../transactions.ts";

const url = new URL(process.env.CITUS_URL ?? "");
const address = {
  host: url.hostname,
  port: Number(url.port || 5432),
  user: decodeURIComponent(url.username),
  password: decodeURIComponent(url.password),
  database: url.pathname.slice(1),
};

describe("two nodes on a distributed database", () => {
  let installation: PostgresInstallation;
  let nodes: readonly [PostgresNode, PostgresNode];

  before(async () => {
    const pool = openPool(address, "conformance");
    installation = postgresInstallation({ address, pool, drop: () => pool.end() }, undefined, true);
    nodes = [await installation.join(), await installation.join()];
  });
  after(() => installation.end());

  journalConformance("the journal on Citus", async () => {
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
});
