// The journal in PostgreSQL keeps its contract, with two nodes on one database; also when they write as they do where the tables are
// distributed by merchant.

import { after, before, describe } from "node:test";
import { postgresJournalConformance } from "../../test/conformance/postgres-journal.ts";
import { freshDatabase } from "../../test/database.ts";
import {
  type PostgresInstallation,
  type PostgresNode,
  postgresInstallation,
} from "../../test/postgres-installation.ts";

for (const distributed of [false, true]) {
  describe(distributed ? "two nodes that write groups of one merchant each" : "two nodes on one database", () => {
    let installation: PostgresInstallation;
    let nodes: readonly [PostgresNode, PostgresNode];

    before(async () => {
      installation = postgresInstallation(await freshDatabase(), undefined, distributed);
      nodes = [await installation.join(), await installation.join()];
    });
    after(() => installation.end());

    postgresJournalConformance("the journal in PostgreSQL", () => ({ installation, nodes }));
  });
}
