// One portion of what an endpoint is to be told: taken, sent a few at once, and written down what became of each.

import type { Delivering } from "./deliver.ts";
import { disableWebhook } from "./endpoints.ts";
import type { Delivery, Endpoint, Outbox } from "./outbox.ts";
import { type Content, contentsOf } from "./payload.ts";
import { sequelOf, toldOf } from "./retry.ts";
import type { Reply } from "./send.ts";
import { signedHeaders } from "./signature.ts";

const AT_ONCE = 8;
const PORTION = 32;
/** Of what a node that died had taken; one that lives holds on to what it is at work on. */
const LEASE_MS = 8_000;

/** @returns whether there may be more that is worth trying now */
export async function deliverPortion(
  parts: Delivering,
  outbox: Outbox,
  endpoint: Endpoint,
  stopping: () => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const { atOnce = AT_ONCE, leaseMs = LEASE_MS } = parts;
  const taken = await outbox.take(endpoint, PORTION, leaseMs);
  if (taken.length === 0) return false;
  const inHand = new Set(taken);
  const hold = () => outbox.hold(endpoint, inHand, leaseMs).catch(() => undefined);
  const holding = setInterval(hold, leaseMs / 4).unref();
  const left: Delivery[] = [];
  let unwell = false;

  const deliverOne = async (delivery: Delivery, content: Content): Promise<void> => {
    switch (content.kind) {
      case "nothing":
        return outbox.drop(endpoint, delivery);
      case "broken":
        return putAside(parts, outbox, endpoint, delivery, content.fault);
      case "body": {
        if (unwell || stopping()) return void left.push(delivery);
        const reply = await post(parts, endpoint, delivery, content.body, signal);
        if (signal.aborted && reply.kind === "unanswered") return void left.push(delivery);
        unwell ||= !(await settle(parts, outbox, endpoint, delivery, reply));
      }
    }
  };
  try {
    const contents = await contentsOf(parts, endpoint.merchantId, taken);
    // What concerns one transaction is sent one after the other.
    const lines = [...Map.groupBy(contents, ([{ transactionId }]) => transactionId).values()].values();
    const worker = async () => {
      for (const line of lines)
        for (const [delivery, content] of line)
          await deliverOne(delivery, content).finally(() => inHand.delete(delivery));
    };
    const ends = await Promise.allSettled(Array.from({ length: atOnce }, worker));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  } finally {
    clearInterval(holding);
  }
  if (left.length > 0) await outbox.giveBack(endpoint, left);
  return !unwell && taken.length === PORTION;
}

function post(
  { sealing, sender }: Delivering,
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
      await outbox.again(endpoint, delivery, answer, later(parts, sequel.pauseMs));
      return false;
    case "over":
      await outbox.givenUp(endpoint, delivery, answer);
      if (await disableWebhook(parts, endpoint.id, sequel.reason))
        parts.log.error({ webhook: endpoint.id, merchant: endpoint.merchantId, answer }, "a webhook was disabled");
      return false;
  }
}

/** What cannot be made stands in nobody's way, and is no fault of the endpoint's. */
async function putAside(
  parts: Delivering,
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

const later = ({ clock }: Delivering, pauseMs: number): Date => new Date(clock.now().getTime() + pauseMs);
