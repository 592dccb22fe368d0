// A ping: a webhook that tells of nothing, sent when somebody asks, the way all others are. It is tried once, and its failure does not
// disable the endpoint.

import { setTimeout as sleep } from "node:timers/promises";
import { text } from "../journal/rows.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { audited } from "../merchants/audit.ts";
import {
  type Author,
  type Backoffice,
  type Done,
  done,
  type Invalid,
  invalid,
  type Unknown,
  unknown,
} from "../merchants/backoffice.ts";
import { newId } from "../uuid.ts";
import { findDelivery, type WebhookDelivery } from "./deliveries.ts";
import { PING } from "./endpoint-schema.ts";
import { findWebhook } from "./endpoints.ts";

const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** An answer takes 15 s at most, and a place among the slow endpoints some more. */
const PATIENCE_MS = 20_000;

const DISABLED = invalid({ base: ["This webhook is disabled: enable it first."] });

/**
 * Sends a ping, and waits for what comes of it. While one waits there is no second one. With an entry in the audit log.
 * @returns the delivery; it is still waiting if its turn did not come in time
 */
export async function ping(
  office: Backoffice,
  author: Author,
  endpointId: string,
): Promise<Done<WebhookDelivery> | Invalid | Unknown> {
  const webhook = await findWebhook(office.sql, endpointId);
  if (webhook === undefined) return unknown("webhook", endpointId);
  const { id, merchant_id } = webhook;
  const begun = await audited<Done<string> | Invalid>(office, author, async (sql) => {
    const [row] = await sql`
      select created_at from webhook_endpoints where merchant_id = ${merchant_id} and id = ${id} and enabled for update`;
    if (row === undefined) return { result: DISABLED };
    const deliveryId = (await waiting(sql, merchant_id, id)) ?? newId(office.clock.now());
    const now = office.clock.now();
    // Due before everything else that waits for the endpoint: nothing there is older than itself.
    await sql`
      insert into webhook_deliveries
        (merchant_id, endpoint_id, id, type, sequence, occurred_at, created_at, due_at, attempts, delivered)
      select merchant_id, id, ${deliveryId}, ${PING}, 0, ${now}, ${now}, created_at, 0, false
      from webhook_endpoints where merchant_id = ${merchant_id} and id = ${id}
      on conflict do nothing`;
    const entry = { action: "webhook.ping", subject: ["webhook", id], after: { delivery_id: deliveryId } } as const;
    return { result: done(deliveryId), entry };
  });
  if (begun.kind !== "done") return begun;
  const delivery = await attempted(office, id, begun.value);
  return delivery === undefined ? unknown("webhook", endpointId) : done(delivery);
}

async function waiting(sql: TransactionSql, merchantId: string, endpointId: string): Promise<string | undefined> {
  const [row] = await sql`
    select id from webhook_deliveries
    where merchant_id = ${merchantId} and endpoint_id = ${endpointId} and due_at is not null and type = ${PING} limit 1`;
  return row && text(row.id);
}

/** Undefined: it was deleted with its endpoint. */
async function attempted({ sql }: Backoffice, endpointId: string, id: string): Promise<WebhookDelivery | undefined> {
  const began = performance.now();
  for (;;) {
    const delivery = await findDelivery(sql, endpointId, id);
    const waitedMs = performance.now() - began;
    if (delivery?.status !== "waiting" || waitedMs > PATIENCE_MS) return delivery;
    await sleep(pauseAfter(waitedMs));
  }
}

/** A quick answer is told at once. Many pings that wait for a slow one are not to take the connections that people sign in with. */
export const pauseAfter = (waitedMs: number): number =>
  Math.min(Math.max(SHORTEST_PAUSE_MS, waitedMs / 4), LONGEST_PAUSE_MS);
