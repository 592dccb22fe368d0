// One portion of an endpoint's deliveries: leased, sent a few at once while the turn lasts, and the result of each recorded.

import type { Clock } from "../clock.ts";
import { type Lease, underLease } from "../gateway/lease.ts";
import type { Log } from "../gateway/log.ts";
import type { Sql } from "../journal/database.ts";
import type { Backoffice } from "../merchants/backoffice.ts";
import { atOnce } from "../shares/at-once.ts";
import type { Turns } from "../shares/turns.ts";
import type { Bodies } from "./bodies.ts";
import { PING } from "./endpoint-schema.ts";
import { disableWebhook } from "./endpoints.ts";
import type { Finding } from "./health.ts";
import type { Lane, Turn } from "./lanes.ts";
import type { Delivery, Endpoint, Outbox } from "./outbox.ts";
import type { Content, Source } from "./payload.ts";
import { sequelOf, toldOf } from "./retry.ts";
import { type Sealing, signedHeaders } from "./secrets.ts";
import type { Reply, Sender } from "./send.ts";

const AT_ONCE: Record<Lane, number> = { quick: 8, slow: 4 };
const PORTION: Record<Lane, number> = { quick: 32, slow: 8 };

/** What sending takes, whoever's turn it is. */
export interface Sending {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Log;
  readonly sealing: Sealing;
  /** A webhook that is disabled leaves an entry in the audit log. */
  readonly auditKey: Backoffice["auditKey"];
  readonly sender: Sender;
  readonly represent: Source["represent"];
  /** From 0 up to, not including, 1. */
  readonly chance: () => number;
  readonly atOnce?: number;
}

export interface Work {
  readonly parts: Sending;
  readonly outbox: Outbox;
  readonly bodies: Bodies;
  readonly lease: Lease;
  /** Renewals are not to take all connections. */
  readonly renewals: Turns;
  readonly stopping: () => boolean;
  /** Gives up what is not answered when the gateway stops. */
  readonly giveUp: AbortSignal;
}

export interface Found extends Finding {
  /** There may be more that is worth trying now. */
  readonly more: boolean;
}

/**
 * Undefined if there was nothing to send, which says nothing of the endpoint.
 * @param failing it is tried with one
 */
export async function deliverPortion(
  work: Work,
  endpoint: Endpoint,
  turn: Turn,
  failing: boolean,
): Promise<Found | undefined> {
  const { parts, outbox, lease, stopping } = work;
  const most = failing ? 1 : PORTION[turn.lane];
  const taken = await outbox.lease(endpoint, most, lease.ms);
  if (taken.length === 0) return undefined;
  const signal = AbortSignal.any([work.giveUp, turn.cut]);
  const left: Delivery[] = [];
  let [failed, slowestMs] = [false, 0];
  const noMore = () => failed || turn.over() || stopping();

  const send = async (delivery: Delivery, content: Content): Promise<void> => {
    switch (content.kind) {
      case "nothing":
        return outbox.drop(endpoint, delivery);
      case "broken":
        return putAside(parts, outbox, endpoint, delivery, content.fault);
      case "body": {
        if (noMore()) return void left.push(delivery);
        turn.sending();
        const started = performance.now();
        const reply = await post(parts, endpoint, delivery, content.body, signal);
        slowestMs = Math.max(slowestMs, performance.now() - started);
        if (signal.aborted && reply.kind === "unanswered") return void left.push(delivery);
        failed = !(await record(parts, outbox, endpoint, delivery, reply)) || failed;
      }
    }
  };
  const deliverOne = async (delivery: Delivery): Promise<void> => {
    if (noMore()) return void left.push(delivery);
    const wanted = { lane: turn.lane, merchantId: endpoint.merchantId, delivery };
    try {
      await work.bodies.use(wanted, signal, (content) => send(delivery, content));
    } catch (fault) {
      // Given up before it was made.
      if (fault !== signal.reason) throw fault;
      left.push(delivery);
    }
  };
  const renew = async () => {
    const done = await work.renewals.take(endpoint.merchantId);
    await outbox.renew(endpoint, taken, lease.ms).finally(done);
  };
  // What concerns one transaction is sent one after the other.
  const lines = Map.groupBy(taken, ({ transactionId }) => transactionId).values();
  await underLease(lease, renew, () =>
    atOnce(parts.atOnce ?? AT_ONCE[turn.lane], lines, async (line) => {
      for (const delivery of line) await deliverOne(delivery);
    }),
  );
  if (left.length > 0) await outbox.release(endpoint, left);
  return { slowestMs, failed, more: !failed && (left.length > 0 || taken.length === most) };
}

function post(
  { sealing, sender }: Sending,
  endpoint: Endpoint,
  { id }: Delivery,
  body: string,
  signal: AbortSignal,
): Promise<Reply> {
  const { url, secret, previousSecret } = endpoint;
  const sealed = previousSecret === null ? [secret] : [secret, previousSecret];
  const secrets = sealed.map((each) => sealing.open(each, endpoint.id));
  const headers = {
    "content-type": "application/json",
    "user-agent": "Faregate",
    ...signedHeaders({ id, body }, secrets, new Date()),
  };
  return sender.send({ url, headers, body }, signal);
}

/** @returns whether it was delivered */
async function record(
  parts: Sending,
  outbox: Outbox,
  endpoint: Endpoint,
  delivery: Delivery,
  reply: Reply,
): Promise<boolean> {
  const sequel = sequelOf(reply, delivery.attempts + 1, parts.chance());
  const answer = toldOf(reply);
  // Whoever asked for a ping hears what came of it, and can ask again.
  if (delivery.type === PING && sequel.kind !== "delivered") {
    await outbox.givenUp(endpoint, delivery, answer);
    return false;
  }
  switch (sequel.kind) {
    case "delivered":
      await outbox.delivered(endpoint, delivery, answer);
      return true;
    case "again":
      await outbox.again(endpoint, delivery, answer, later(parts, sequel.pauseMs));
      return false;
    case "over":
      if (!(await outbox.givenUp(endpoint, delivery, answer))) return false;
      if (await disableWebhook(parts, endpoint.id, sequel.reason))
        parts.log.error({ webhook: endpoint.id, merchant: endpoint.merchantId, answer }, "a webhook was disabled");
      return false;
  }
}

/** What cannot be made stands in nobody's way, and is no fault of the endpoint's. */
async function putAside(
  parts: Sending,
  outbox: Outbox,
  endpoint: Endpoint,
  delivery: Delivery,
  fault: unknown,
): Promise<void> {
  parts.log.error({ delivery: delivery.id, webhook: endpoint.id, fault: String(fault) }, "a webhook could not be made");
  const why = "the gateway could not make it";
  const sequel = sequelOf({ kind: "unanswered", why }, delivery.attempts + 1, parts.chance());
  if (sequel.kind === "again") await outbox.again(endpoint, delivery, why, later(parts, sequel.pauseMs));
  else await outbox.givenUp(endpoint, delivery, why);
}

const later = ({ clock }: Sending, pauseMs: number): Date => new Date(clock.now().getTime() + pauseMs);
