// The time for what is removed for good.

import type { Clock } from "../clock.ts";
import type { Sql } from "../journal/database.ts";
import { databaseTime } from "../journal/installation.ts";

/** Stands still. A machine whose clock is far ahead, or a database whose is, removes nothing that is in use. */
export async function slowerClock(clock: Clock, sql: Sql): Promise<Clock> {
  const [there, here] = [await databaseTime(sql), clock.now()];
  return { now: () => (there < here ? there : here) };
}
