// A node shows that it lives whatever else it does: others would take over what it has in flight.

import { test } from "node:test";
import { freshDatabase } from "../../test/database.ts";
import { installation, record, render } from "../../test/gateway-in-memory.ts";
import { postgresInstallation } from "../../test/postgres-installation.ts";
import { until } from "../../test/receiver.ts";
import { openPool } from "../journal/database.ts";
import { startResolver } from "./resolve.ts";

test("a node that is long at taking over what a dead one left, and has no other connection for it, is seen to live", async (t) => {
  const database = postgresInstallation(await freshDatabase());
  t.after(() => database.end());
  const { address, pool } = database;
  const [dead, alive] = [await database.join(), await database.join()];
  await database.declareDead(dead.id);
  const background = openPool(address, "background", { connections: 1 });
  t.after(() => background.end({ timeout: 1 }));
  const { parts } = installation([record()]).join(() => alive.journal);
  const resolver = await pool.begin(async (sql) => {
    await sql`lock table unresolved in exclusive mode`;
    const started = startResolver(parts, { heartbeats: pool, background }, alive.id, render);
    await until("it is seen while its takeover waits", async () => {
      const seen = await pool`
        select from pg_locks l join nodes n on n.seen_at > l.waitstart
        where l.relation = 'unresolved'::regclass and not l.granted and n.id = ${alive.id}`;
      return seen.length > 0;
    });
    return started;
  });
  await resolver.stop();
});
