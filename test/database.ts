// Fresh databases for tests, stopped and removed when all tests of this process have run.

import { after } from "node:test";
import { createDatabase, stopDatabases } from "./database-server.ts";

export type FreshDatabase = Awaited<ReturnType<typeof createDatabase>>;

/** A database with all tables and no rows. */
export const freshDatabase = () => createDatabase("migrated");

/** A database without any tables, for tests of migrations. */
export const emptyDatabase = () => createDatabase("template1");

after(stopDatabases);
