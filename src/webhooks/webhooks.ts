// The webhooks of a process: delivering, and removing old deliveries.

import { every } from "../gateway/every.ts";
import { slowerClock } from "../gateway/slower-clock.ts";
import type { Sql } from "../journal/database.ts";
import { isOf } from "../journal/distribution.ts";
import { turnsOf } from "../journal/merchants-there.ts";
import type { Mode } from "../settings.ts";
import { type Delivering, startDelivering } from "./deliver.ts";
import { openSender } from "./send.ts";

const REMOVE_EVERY_MS = 60_000;

export type Webhooks = Omit<Delivering, "sender"> & { readonly mode: Mode };

/** Goes on until it is stopped. */
export function startWebhooks(parts: Webhooks): { stop(): Promise<void> } {
  const { sql, clock, log, mode } = parts;
  const deliverer = startDelivering({ ...parts, sender: openSender(mode) });
  const removing = every(REMOVE_EVERY_MS, log, async () => {
    const { now } = await slowerClock(clock, sql);
    return (await removeOldDeliveries(sql, now())) ? "at once" : "pause";
  });
  return {
    stop: async () => {
      await Promise.all([deliverer.stop(), removing.stop()]);
    },
  };
}

const KEPT_DAYS = 30;
const PORTION = 1_000;
/** A statement that found the endpoint enabled may still be adding to it. */
const LAST_WORDS = "1 minute";

/** @returns whether there may be more to remove */
export async function removeOldDeliveries(sql: Sql, now: Date): Promise<boolean> {
  const before = new Date(now.getTime() - KEPT_DAYS * 86_400_000);
  let more = false;
  for (const merchantId of await turnsOf(sql, "webhook_deliveries", sql`ended_at < ${before}`)) {
    const old = await sql`
      delete from webhook_deliveries where ${isOf(sql, merchantId)} and ctid = any(array(
        select ctid from webhook_deliveries where ${isOf(sql, merchantId)} and ended_at < ${before}
        limit ${PORTION} for update skip locked))`;
    more ||= old.count === PORTION;
  }
  for (const merchantId of await turnsOf(sql, "webhook_endpoints", sql`deleted_at is not null`))
    more = (await removeDeleted(sql, merchantId, now)) || more;
  return more;
}

/** Endpoints that are gone, after what they were still to be told. */
async function removeDeleted(sql: Sql, merchantId: string | undefined, now: Date): Promise<boolean> {
  const orphans = await sql`
    delete from webhook_deliveries where ${isOf(sql, merchantId)} and ctid = any(array(
      select d.ctid from webhook_endpoints e join webhook_deliveries d
        on d.merchant_id = e.merchant_id and d.endpoint_id = e.id
      where ${isOf(sql, merchantId, "e")} and e.deleted_at is not null limit ${PORTION} for update of d skip locked))`;
  await sql`
    delete from webhook_endpoints e
    where ${isOf(sql, merchantId, "e")} and deleted_at < ${now}::timestamptz - ${LAST_WORDS}::interval and not exists (
      select from webhook_deliveries d where ${isOf(sql, merchantId, "d")} and d.merchant_id = e.merchant_id
        and d.endpoint_id = e.id)`;
  return orphans.count === PORTION;
}
