// Delivers what is in the outbox, at least once, on every node: each endpoint with a worker of its own, so that one that is
// slow or away holds up no other. What one node has taken, no other takes; what a dead node had taken is free again soon.

import type { Clock } from "../clock.ts";
import { every } from "../gateway/every.ts";
import type { Log } from "../gateway/parts.ts";
import type { Sql } from "../journal/database.ts";
import type { Backoffice } from "../merchants/backoffice.ts";
import type { Transaction } from "../payment/transaction.ts";
import { disableWebhook } from "./endpoints.ts";
import { type Delivery, type Endpoint, type Outbox, outboxOf } from "./outbox.ts";
import { type Contents, contentsOf } from "./payload.ts";
import { sequelOf, toldOf } from "./retry.ts";
import type { Sealing } from "./sealing.ts";
import type { Reply, Sender } from "./send.ts";
import { signedHeaders } from "./signature.ts";

const LOOK_EVERY_MS = 250;
const ENDPOINTS_AT_ONCE = 64;
const AT_ONCE_PER_ENDPOINT = 8;
const PORTION = 32;
/** Of what a node that died had taken; one that lives holds on to what it is at work on. */
const LEASE_MS = 8_000;
/** What is sent when the gateway stops has so long to be answered; then it is given back. */
const STOP_MS = 3_000;

export interface Delivering {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Log;
  readonly sealing: Sealing;
  /** A webhook that is disabled leaves an entry in the audit log. */
  readonly auditKey: Backoffice["auditKey"];
  readonly sender: Sender;
  /** The transaction as the API shows it. */
  readonly represent: (transaction: Transaction, at: Date) => Promise<object>;
  /** From 0 up to, not including, 1. */
  readonly chance: () => number;
  readonly atOnce?: number;
  readonly leaseMs?: number;
}

export interface Deliverer {
  stop(): Promise<void>;
}

export function startDelivering(parts: Delivering): Deliverer {
  const outbox = outboxOf(parts.sql, parts.clock);
  const atWork = new Map<string, Promise<void>>();
  let stopping = false;
  const giveUp = new AbortController();
  const work = async (endpoint: Endpoint): Promise<void> => {
    try {
      while (!stopping) if (!(await deliverPortion(parts, outbox, endpoint, () => stopping, giveUp.signal))) return;
    } catch (fault) {
      // What was taken is free again when the lease has passed.
      parts.log.warn({ webhook: endpoint.id, fault: String(fault) }, "webhooks could not be delivered");
    } finally {
      atWork.delete(endpoint.id);
    }
  };
  const look = every(LOOK_EVERY_MS, parts.log, async () => {
    const free = ENDPOINTS_AT_ONCE - atWork.size;
    const due = free > 0 ? await outbox.due([...atWork.keys()], free) : [];
    for (const endpoint of due) atWork.set(endpoint.id, work(endpoint));
    return "pause";
  });
  return {
    stop: async () => {
      stopping = true;
      await look.stop();
      const timer = setTimeout(() => giveUp.abort(), STOP_MS);
      await Promise.all(atWork.values());
      clearTimeout(timer);
      parts.sender.close();
    },
  };
}

/** @returns whether there may be more that is worth trying now */
async function deliverPortion(
  parts: Delivering,
  outbox: Outbox,
  endpoint: Endpoint,
  stopping: () => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const { atOnce = AT_ONCE_PER_ENDPOINT, leaseMs = LEASE_MS } = parts;
  const taken = await outbox.take(endpoint, PORTION, leaseMs);
  if (taken.length === 0) return false;
  const contents = await contentsOf(parts, endpoint.merchantId, taken);
  let unwell = false;
  const left: Delivery[] = [];
  const inHand = new Set(taken);
  const hold = () => outbox.hold(endpoint, inHand, leaseMs).catch(() => undefined);
  const holding = setInterval(hold, leaseMs / 4).unref();

  const deliverOne = async (delivery: Delivery): Promise<void> => {
    const content = contents.get(delivery.id);
    if (content === undefined) return outbox.drop(endpoint, delivery);
    if (unwell || stopping()) return void left.push(delivery);
    const reply = await post(parts, endpoint, content, signal);
    if (signal.aborted && reply.kind === "unanswered") return void left.push(delivery);
    unwell ||= !(await settle(parts, outbox, endpoint, delivery, reply));
  };
  // What concerns one transaction is sent one after the other.
  const lines = [...Map.groupBy(taken, ({ transactionId }) => transactionId).values()].values();
  const worker = async () => {
    for (const line of lines)
      for (const delivery of line) await deliverOne(delivery).finally(() => inHand.delete(delivery));
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  clearInterval(holding);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  if (left.length > 0) await outbox.giveBack(endpoint, left);
  return !unwell && taken.length === PORTION;
}

function post(
  { sealing, sender }: Delivering,
  { id, url, secret, previousSecret }: Endpoint,
  { webhookId, body }: Contents,
  signal: AbortSignal,
): Promise<Reply> {
  const secrets = [secret, ...(previousSecret ? [previousSecret] : [])].map((sealed) => sealing.open(sealed, id));
  const headers = {
    "content-type": "application/json",
    "user-agent": "Faregate",
    ...signedHeaders({ id: webhookId, body }, secrets, new Date()),
  };
  return sender.send({ url, headers, body }, signal);
}

/** @returns whether it was delivered */
async function settle(
  parts: Delivering,
  outbox: Outbox,
  endpoint: Endpoint,
  delivery: Delivery,
  reply: Reply,
): Promise<boolean> {
  const sequel = sequelOf(reply, delivery.attempts + 1, parts.chance());
  const answer = toldOf(reply);
  switch (sequel.kind) {
    case "delivered":
      await outbox.delivered(endpoint, delivery, answer);
      return true;
    case "again":
      await outbox.again(endpoint, delivery, answer, new Date(parts.clock.now().getTime() + sequel.pauseMs));
      return false;
    case "over":
      await outbox.givenUp(endpoint, delivery, answer);
      if (await disableWebhook(parts, endpoint.id, sequel.reason))
        parts.log.error({ webhook: endpoint.id, merchant: endpoint.merchantId, answer }, "a webhook was disabled");
      return false;
  }
}
