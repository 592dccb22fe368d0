// Tells the other nodes once a second how many requests each token sent, and hears it from them: so a limit is one limit, however
// many nodes there are.

import type { Sql } from "../journal/database.ts";
import { othersThatTakeRequests } from "../journal/nodes.ts";
import { removeOldRequestCounts } from "../merchants/request-counts.ts";
import type { SharedCounts } from "../shares/shared-counts.ts";
import { every } from "./every.ts";
import type { Log } from "./parts.ts";

const EVERY_MS = 1_000;
const REMOVE_EVERY_ROUNDS = 3_600;

/** To be waited for before requests are taken: the others know of this node then. Goes on until it is stopped. */
export async function startRequestCounting(
  counts: SharedCounts,
  sql: Sql,
  node: number,
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  let rounds = 0;
  const round = async () => counts.tell(await othersThatTakeRequests(sql, node));
  await round();
  return every(EVERY_MS, log, async () => {
    await round();
    if (rounds++ % REMOVE_EVERY_ROUNDS === 0) await removeOldRequestCounts(sql);
    return "pause";
  });
}
