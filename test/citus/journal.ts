// The journal keeps its contract on a distributed database: CITUS_URL says which. Started by run.ts.

import { after, before, describe } from "node:test";
import { openPool } from "../../src/journal/database.ts";
import { postgresJournalConformance } from "../conformance/postgres-journal.ts";
import { type PostgresInstallation, type PostgresNode, postgresInstallation } from "../postgres-installation.ts";

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

  postgresJournalConformance("the journal on Citus", () => ({ installation, nodes }));
});
