// Delivers what is in the outbox, at least once, on every node: endpoints take turns, shared out fairly among merchants, and
// the slow ones in a lane of their own. Each delivery is leased to one node; the leases of a dead node end soon.

import { setTimeout as sleep } from "node:timers/promises";
import { every } from "../gateway/every.ts";
import { leaseOf } from "../gateway/lease.ts";
import { fairTurns, type TurnBounds } from "../shares/turns.ts";
import { openBodies } from "./bodies.ts";
import { endpointHealth } from "./health.ts";
import { openLanes } from "./lanes.ts";
import { type Endpoint, outboxOf } from "./outbox.ts";
import { deliverPortion, type Sending, type Work } from "./portion.ts";

const LOOK_EVERY_MS = 250;
/** Endpoints that are being served or wait for their turn. */
const MOST_SERVED = 1_024;
/** Of these, so that the slow ones leave room for those that are not. */
const MOST_SLOW = 512;
/** A node renews its leases while it lives; those of one that died end after this. */
const LEASE_MS = 8_000;
/** Two connections at the most; each endpoint being served has one renewal that waits. */
const RENEWALS: TurnBounds = { atOnce: 2, mostOfOne: 1, mostWaiting: MOST_SERVED, mostWaitingOfOne: MOST_SERVED };
/** What is sent when the gateway stops has so long to be answered; then it is released. */
const STOP_MS = 3_000;
/** And that has so long, if the database is away: then it is free when the lease has passed. */
const RELEASE_MS = 2_000;

export interface Delivering extends Sending {
  readonly leaseMs?: number;
}

export interface Deliverer {
  stop(): Promise<void>;
}

export function startDelivering(parts: Delivering): Deliverer {
  const { sql, clock, log, leaseMs = LEASE_MS } = parts;
  const [outbox, lanes, health] = [outboxOf(sql, clock), openLanes(), endpointHealth()];
  const served = new Map<string, Promise<void>>();
  const [stop, giveUp] = [new AbortController(), new AbortController()];
  const stopping = () => stop.signal.aborted;
  const work: Work = {
    parts,
    outbox,
    bodies: openBodies(parts),
    lease: leaseOf(leaseMs),
    renewals: fairTurns(RENEWALS),
    stopping,
    giveUp: giveUp.signal,
  };

  /** @returns whether there may be more that is worth trying now */
  const takeTurn = async (endpoint: Endpoint): Promise<boolean> => {
    const { slow, failing } = health.of(endpoint.id);
    const turn = await lanes.take(slow ? "slow" : "quick", endpoint.merchantId, stop.signal);
    try {
      // Looked at again: it may have another address by then, or another secret.
      const now = await outbox.find(endpoint);
      if (now === undefined) return false;
      const found = await deliverPortion(work, now, turn, failing);
      if (found === undefined) return false;
      health.found(endpoint.id, found, clock.now());
      return found.more && !stopping();
    } finally {
      turn.end();
    }
  };
  const deliverTo = async (endpoint: Endpoint): Promise<void> => {
    try {
      while (await takeTurn(endpoint));
    } catch (fault) {
      // Others send it when the lease has passed.
      if (!stopping()) log.warn({ webhook: endpoint.id, fault: String(fault) }, "webhooks could not be delivered");
    } finally {
      served.delete(endpoint.id);
    }
  };
  const look = every(LOOK_EVERY_MS, log, async () => {
    const slow = health.slow();
    const slowFull = slow.filter((id) => served.has(id)).length >= MOST_SLOW;
    const but = [...served.keys(), ...health.resting(clock.now()), ...(slowFull ? slow : [])];
    const room = MOST_SERVED - served.size;
    const due = room > 0 ? await outbox.due([...new Set(but)], room) : [];
    for (const endpoint of due) served.set(endpoint.id, deliverTo(endpoint));
    return "pause";
  });

  const finish = async (): Promise<void> => {
    await look.stop();
    await Promise.all(served.values());
  };
  return {
    stop: async () => {
      stop.abort();
      const timer = setTimeout(() => giveUp.abort(), STOP_MS);
      await Promise.race([finish(), sleep(STOP_MS + RELEASE_MS, undefined, { ref: false })]);
      clearTimeout(timer);
      parts.sender.close();
    },
  };
}
