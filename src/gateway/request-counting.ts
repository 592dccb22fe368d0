// Tells the other nodes once a second how many requests each token sent, and hears it from them: so a limit is one limit, however
// many nodes there are.

import type { Sql } from "../journal/database.ts";
import { othersThatTakeRequests } from "../journal/nodes.ts";
import { removeOldRequestCounts } from "../merchants/request-counts.ts";
import type { SharedCounts } from "../shares/shared-counts.ts";
import { every } from "./every.ts";
import type { Log } from "./log.ts";

const EVERY_MS = 1_000;
const REMOVE_EVERY_ROUNDS = 3_600;

/**
 * To be waited for before requests are taken. Goes on until it is stopped.
 * @param workers of this gateway. One whose others have died does not take itself to be alone: who takes their places counts from its first
 *   request on, and that is known a second later
 */
export async function startRequestCounting(
  counts: SharedCounts,
  {
    sql,
    node,
    workers,
    log,
  }: { readonly sql: Sql; readonly node: number; readonly workers: number; readonly log: Log },
): Promise<{ stop(): Promise<void> }> {
  let rounds = 0;
  const round = async () => counts.tell(Math.max(await othersThatTakeRequests(sql, node), workers - 1));
  await round();
  return every(EVERY_MS, log, async () => {
    await round();
    if (rounds++ % REMOVE_EVERY_ROUNDS === 0) await removeOldRequestCounts(sql);
    return "pause";
  });
}
