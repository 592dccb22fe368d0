// Delivers what is in the outbox, at least once, on every node: each endpoint with a worker of its own, so that one that is
// slow or away holds up no other. What one node has taken, no other takes; what a dead node had taken is free again soon.

import type { Clock } from "../clock.ts";
import { every } from "../gateway/every.ts";
import type { Log } from "../gateway/parts.ts";
import type { Sql } from "../journal/database.ts";
import type { Backoffice } from "../merchants/backoffice.ts";
import type { Transaction } from "../payment/transaction.ts";
import { type Endpoint, outboxOf } from "./outbox.ts";
import { deliverPortion } from "./portion.ts";
import type { Sealing } from "./sealing.ts";
import type { Sender } from "./send.ts";

const LOOK_EVERY_MS = 250;
const ENDPOINTS_AT_ONCE = 64;
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
      // Looked at again before each portion: it may have another address by then, or another secret.
      for (let now: Endpoint | undefined = endpoint; now && !stopping; now = await outbox.find(endpoint))
        if (!(await deliverPortion(parts, outbox, now, () => stopping, giveUp.signal))) return;
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
