// A database that ends the session of whoever writes to the audit log, as every operator's change does.

import type { Sql } from "../src/journal/database.ts";

/** Before the change commits, or as it does: then nobody but the database knows that it was not made. */
export async function loseChanges(pool: Sql, when: "before" | "at commit", work: () => Promise<void>): Promise<void> {
  const timing = when === "before" ? "not deferrable" : "deferrable initially deferred";
  await pool.unsafe(`
    create function lose_change() returns trigger language plpgsql as
      $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
    create constraint trigger lose_change after insert on audit_log ${timing} for each row execute function lose_change()`);
  try {
    await work();
  } finally {
    await pool.unsafe("drop function lose_change cascade");
  }
}
