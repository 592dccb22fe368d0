// Gives every route of a Fastify instance its body as a plain tree, and lets clients see the response when that fails.

import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { heavyWork } from "../../shares/heavy-work.ts";
import { type ProcessorTime, processorTime } from "../../shares/processor-time.ts";
import { RequestFault } from "../request-fault.ts";
import { type ArrivingBodies, arrivingBodies, senderOf } from "./arriving.ts";
import { AIRLINE_BODY_BYTES, tooLarge } from "./bounds.ts";
import { type DrainLimits, drain, readBytes } from "./incoming.ts";
import { parseBody } from "./parse-body.ts";
import { type BodyTree, emptyTree } from "./tree.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Checks the body. The time that this takes belongs to the caller's share, as what it took to read the body does. */
    measured<T>(work: () => T): T;
    /** Of a caller with a limit of requests: this one counts as so many more. */
    countsMore: ((times: number) => void) | null;
  }
  interface FastifyContextConfig {
    /** Of a route whose bodies are small. */
    mostBodyBytes?: number;
  }
}

/** What Fastify should be started with, so that a slow or stalled body ends with 408 and a closed connection. */
export const bodyServerOptions = {
  bodyLimit: AIRLINE_BODY_BYTES,
  /** From the first byte of a request to its last. */
  requestTimeout: 30_000,
  // Without a headersTimeout below the requestTimeout, Node 24 swaps its default of 60 s with ours. What is late is looked for
  // often, so that few connections are ended at a time: a hundred hold the event loop for 60 ms.
  http: { headersTimeout: 15_000, connectionsCheckingInterval: 500 },
} as const;

/** After a response that came before the end of the body: a client that still sends would not see it otherwise. */
const DRAIN_LIMITS: DrainLimits = { drainBytes: 8 * AIRLINE_BODY_BYTES, drainMs: 5_000 };

/** A body beyond it takes a turn to be read and checked: the largest take ten milliseconds and more of the processor. */
const HEAVY_BYTES = 65_536;

/** A body up to this size costs hardly more than its request does, so its time is not looked at. */
const LIGHT_BYTES = 2_048;
/** So much processor time for a body that was wrong counts as one more request. */
const MS_OF_A_REQUEST = 1;

/** Bodies of requests that somebody else may answer, because they or their responses cost much. */
export interface LeftBodies {
  has(request: FastifyRequest): boolean;
  /** It is whoever takes it who has it from now on: nothing else keeps its bytes in memory. */
  take(request: FastifyRequest): Buffer | undefined;
  giveBack(request: FastifyRequest, body: Buffer): void;
  /** Reads it here, if there is one. @throws RequestFault */
  read(request: FastifyRequest): Promise<void>;
}

/**
 * From here on `request.body` is a `BodyTree` in every route that takes a body, an empty one if none was sent; a body
 * that cannot be read is a `RequestFault` of 400, 413 or 415. Replaces all content type parsers of the instance.
 * @param leaves whether a merchant's body is left unread until somebody asks for it, besides those that are large; without it
 * all are read at once
 * @param arriving what all bodies on their way share
 * @param time what each caller's bodies have taken of the processor's
 */
export function readBodies(
  app: FastifyInstance,
  drainLimits: DrainLimits = DRAIN_LIMITS,
  leaves?: (request: FastifyRequest) => boolean,
  arriving: ArrivingBodies = arrivingBodies(),
  time: ProcessorTime = processorTime(),
): LeftBodies {
  /** Requests whose body was refused, after all of it was read or before. */
  const refused = new WeakMap<FastifyRequest, "read" | "unread">();

  const left = new WeakMap<FastifyRequest, Buffer>();
  const heavyTurn = heavyWork();
  /** Requests with bodies whose time is counted, and what they took so far. */
  const weighty = new WeakMap<FastifyRequest, number>();
  const measure = <T>(request: FastifyRequest, work: () => T): T =>
    time.measure(spenderOf(request), work, (ms) => weighty.set(request, ms + (weighty.get(request) ?? 0)));
  const read = async (request: FastifyRequest, bytes: Buffer): Promise<BodyTree> => {
    const parse = () => parseBody(bytes, request.headers, request.routeOptions.config.scope === "follow_up");
    try {
      if (bytes.length <= LIGHT_BYTES) return parse();
      weighty.set(request, 0);
      if (bytes.length > HEAVY_BYTES || time.isUsedUp(spenderOf(request))) await heavyTurn(sharerOf(request));
      return measure(request, parse);
    } finally {
      // Memory that is freed keeps its bytes until it is used again, and this may have a card number.
      bytes.fill(0);
    }
  };
  app.decorateRequest("countsMore", null);
  app.decorateRequest("measured", function <T>(this: FastifyRequest, work: () => T): T {
    return weighty.has(this) ? measure(this, work) : work();
  });
  const take = (request: FastifyRequest): Buffer | undefined => {
    const bytes = left.get(request);
    left.delete(request);
    return bytes;
  };
  const isLeft = (request: FastifyRequest, { length }: Buffer): boolean =>
    leaves !== undefined && request.caller !== null && (length > HEAVY_BYTES || leaves(request));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", async (request: FastifyRequest, incoming: IncomingMessage) => {
    // The answer is 404, whatever the body.
    if (request.is404) return emptyTree();
    let state: "read" | "unread" = "unread";
    try {
      const bytes = await receive(request, incoming, arriving);
      state = "read";
      if (!isLeft(request, bytes)) return await read(request, bytes);
      left.set(request, bytes);
      return emptyTree();
    } catch (error) {
      refused.set(request, state);
      throw error;
    }
  });
  app.addHook("onError", (request, _reply, error, done) => {
    const more = Math.floor((weighty.get(request) ?? 0) / MS_OF_A_REQUEST);
    if (more > 0 && error instanceof RequestFault) request.countsMore?.(more);
    done();
  });
  app.addHook("preValidation", (request, _reply, done) => {
    if (request.body === undefined && request.method !== "GET" && request.method !== "HEAD") request.body = emptyTree();
    done();
  });
  app.addHook("onSend", (request, reply, payload, done) => {
    const state = refused.get(request);
    if (state === undefined || typeof payload !== "string") return done(null, payload);
    // Fastify closes the connection after every body that was refused. There is no need to when all of it is here.
    if (request.raw.complete) reply.removeHeader("connection");
    else reply.header("connection", "close");
    if (state === "read") return done(null, payload);
    reply.header("content-length", Buffer.byteLength(payload));
    return done(null, Readable.from(respondThenDrain(payload, request.raw, drainLimits)));
  });
  return {
    has: (request) => left.has(request),
    take,
    giveBack: (request, body) => void left.set(request, body),
    read: async (request) => {
      const bytes = take(request);
      if (bytes !== undefined) request.body = await read(request, bytes);
    },
  };
}

/** Whose processor time a body takes. */
const spenderOf = ({ caller, operator }: FastifyRequest): string => caller?.tokenId ?? operator?.tokenId ?? "nobody";
/** Who takes turns with others. */
const sharerOf = ({ caller }: FastifyRequest): string => caller?.merchantId ?? "operator";

// The client has the whole response with the first piece, by its Content-Length. Only when this has ended does Node
// close the connection; closed at once, it would be reset under a client that still sends.
async function* respondThenDrain(
  payload: string,
  incoming: IncomingMessage,
  limits: DrainLimits,
): AsyncGenerator<string> {
  yield payload;
  await drain(incoming, limits);
}

async function receive(request: FastifyRequest, incoming: IncomingMessage, arriving: ArrivingBodies): Promise<Buffer> {
  const { mostBodyBytes } = request.routeOptions.config;
  const announcedBytes = Number(incoming.headers["content-length"] ?? Number.NaN);
  const begin = (refuse: (fault: RequestFault) => void) => arriving.begin(senderOf(request), refuse);
  const bytes = await readBytes(incoming, announcedBytes, mostBodyBytes ?? AIRLINE_BODY_BYTES, begin);
  if (bytes === undefined) throw tooLarge(mostBodyBytes);
  return bytes;
}
