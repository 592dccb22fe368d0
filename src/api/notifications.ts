// `POST /notifications/{processor_id}`: where processors send notifications. Not part of the merchants' API:
// the sender is known by its signature, which the kind of processor verifies over the raw bytes.

import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Receiving } from "../gateway/notifications.ts";
import type { FailedAuthentications } from "../merchants/failed-authentications.ts";
import { forgetOldest } from "../shares/forget-oldest.ts";
import type { LogLines } from "../shares/log-lines.ts";
import { networkOf } from "../shares/network.ts";
import { fairTurns, type Turns } from "../shares/turns.ts";
import { type ArrivingBodies, senderOf } from "./body/arriving.ts";
import { readBytes } from "./body/incoming.ts";
import { addressOf } from "./callers.ts";
import { baseFault, type RequestFault } from "./request-fault.ts";

export interface NotificationRoute extends Receiving {
  readonly failures: FailedAuthentications;
  readonly lines: LogLines;
  readonly arriving: ArrivingBodies;
}

/** Stripe and Adyen send again what is refused, and may give the endpoint up. */
const MOST_BYTES = 2 * 1024 * 1024;
/** By network. What is beyond this is refused, and sent again by its processor. */
const OF_KNOWN = { atOnce: 24, mostOfOne: 16, mostWaiting: 1_000, mostWaitingOfOne: 250 };
const OF_OTHERS = { atOnce: 8, mostOfOne: 4, mostWaiting: 1_000, mostWaitingOfOne: 100 };
const MOST_KNOWN = 1_000;

type OfProcessor = { Params: { processor_id: string } };

export function notificationRoute(app: FastifyInstance, { receive, arriving, ...refusing }: NotificationRoute): void {
  const senders = knownSenders();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request: FastifyRequest, incoming: IncomingMessage) =>
    bytesOf(request, incoming, arriving),
  );
  const schema = { hide: true } as object;
  app.post<OfProcessor>("/notifications/:processor_id", { schema }, async (request, reply) => {
    const processorId = request.params.processor_id.toLowerCase();
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const network = networkOf(addressOf(request));
    const release = await senders.turnsOf(network).take(network);
    try {
      const received = await receive(processorId, { headers: request.headers, body });
      if (received === undefined) throw baseFault(404, "This processor record takes no notifications.");
      if (received.kind === "forged") throw forged(request, received.why, refusing);
      if (received.kind === "unreadable") throw baseFault(400, `This notification cannot be read: ${received.why}.`);
      senders.remember(network);
      return await reply.type("text/plain; charset=utf-8").send(received.acknowledgement);
    } finally {
      release();
    }
  });
}

/** Networks that sent a genuine notification wait for each other only, however many strangers knock. */
function knownSenders() {
  const [ofKnown, ofOthers] = [fairTurns(OF_KNOWN), fairTurns(OF_OTHERS)];
  const known = new Set<string>();
  return {
    turnsOf: (network: string): Turns => (known.has(network) ? ofKnown : ofOthers),
    remember: (network: string): void => {
      known.add(network);
      forgetOldest(known, MOST_KNOWN);
    },
  };
}

async function bytesOf(request: FastifyRequest, incoming: IncomingMessage, arriving: ArrivingBodies): Promise<Buffer> {
  const announced = Number(incoming.headers["content-length"] ?? Number.NaN);
  const begin = (refuse: (fault: RequestFault) => void) => arriving.begin(senderOf(request), refuse);
  const bytes = await readBytes(incoming, announced, MOST_BYTES, begin);
  if (bytes === undefined) throw baseFault(413, `A notification may have ${MOST_BYTES / 1024} KiB.`);
  return bytes;
}

type Refusing = Pick<NotificationRoute, "failures" | "lines">;

function forged(request: FastifyRequest, why: string, { failures, lines }: Refusing): RequestFault {
  const { log } = request;
  const address = addressOf(request);
  const facts = { address, path: request.routeOptions.url, why };
  lines.tell({ log, level: "warn", facts, text: "a notification is not genuine" });
  const tooMany = failures.failed(address);
  if (tooMany === undefined)
    return baseFault(401, "The signature is missing, wrong or too old.", {}, "forged-notification");
  const { waitSeconds } = tooMany;
  return baseFault(429, `Too many messages that are not genuine. Try again in ${waitSeconds} seconds.`, {
    "retry-after": String(waitSeconds),
  });
}
