// Bounds on connections: how many there are, how long one may be idle or slow. Bodies (body/bounds.ts), waiting requests
// (pipelining.ts) and unread responses (unread-responses.ts) have their own; closing.ts closes what is open when the server stops.

import type { Socket } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Exchanges } from "./exchanges.ts";
import { isAmong, openPlaces, type PlaceLimits, type Places } from "./places.ts";
import { baseFault } from "./request-fault.ts";

/**
 * An idle connection takes some 15 KB and a file descriptor; of those there must be some left for the database. A shop's
 * server needs about as many connections as it has sales in flight.
 */
const LIMITS: PlaceLimits = {
  most: 12_000,
  mostOfOneAddress: 4_000,
  mostStrangersOfOneAddress: 1_000,
  mostKnown: 11_500,
  mostOfOneMerchant: 4_000,
};

/** What Fastify should be started with besides the options of bodies. */
export const connectionServerOptions = {
  /** Between requests; above the 60 s of common proxies, so that they are the ones to close. */
  keepAliveTimeout: 72_000,
} as const;
/** Bytes of a request's line and headers together; beyond it 431. */
export const MOST_HEADER_BYTES = 16_384;
/** Node would refuse what lacks a Host, and what expects something unknown, with answers that say nothing. */
export const connectionHttpOptions = { maxHeaderSize: MOST_HEADER_BYTES, requireHostHeader: false } as const;

/** Of the process for heavy requests: what the gateway took is longer when it is passed on, by a few headers and spaces. */
export const behindDoorHttpOptions = { ...connectionHttpOptions, maxHeaderSize: 4 * MOST_HEADER_BYTES } as const;

const WARN_EVERY_MS = 60_000;

/**
 * To be called before the server listens and before its routes are made.
 * @param trustProxy whose connections are many clients'
 */
export function limitConnections(
  app: FastifyInstance,
  { connections }: Exchanges,
  trustProxy: readonly string[] = [],
  limits = LIMITS,
): Places {
  const isIdle = (socket: Socket) => (connections.get(socket)?.size ?? 0) === 0;
  const places = openPlaces(limits, isIdle, isAmong(trustProxy));
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  app.server.on("connection", (socket: Socket) => {
    endWithoutStacks(socket);
    if (places.enter(socket)) return;
    const address = socket.remoteAddress;
    socket.destroy();
    if (performance.now() - warnedAtMs < WARN_EVERY_MS) return;
    warnedAtMs = performance.now();
    app.log.warn({ address, ...places.counts() }, "connections are refused: there are too many");
  });
  app.server.on("timeout", closeUnlessHeard);
  app.server.prependListener("request", ({ headers }) => {
    const chain = headers["x-forwarded-for"];
    if (chain !== undefined) headers["x-forwarded-for"] = nearestOf(String(chain));
  });

  // An expectation that nobody knows may be ignored (RFC 9110, section 10.1.1).
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  app.addHook("onRequest", ({ raw: { httpVersion, headers, rawHeaders } }, _reply, done) => {
    // RFC 9112, section 3.2.
    if (headers.host === undefined && httpVersion === "1.1")
      return done(baseFault(400, "The request has no Host header."));
    if (rawHeaders.filter(isHostName).length > 1)
      return done(baseFault(400, "The request has more than one Host header."));
    done();
  });
  return places;
}

/** Proxies one behind the other. Of 3,000 that were all trusted, each look at who asks took 7 ms, and there are several in a request. */
const MOST_FORWARDED = 20;

/** The last of them is the nearest. */
function nearestOf(chain: string): string {
  let from = chain.length;
  for (let count = 0; count < MOST_FORWARDED && from !== -1; count++) from = chain.lastIndexOf(",", from - 1);
  return chain.slice(from + 1);
}

/**
 * An idle connection's time is over. A request may have arrived meanwhile that this turn of the event loop has not read yet: to close
 * now would reset the connection under it, and its sender would not know whether it was carried out.
 */
function closeUnlessHeard(socket: Socket): void {
  const { bytesRead } = socket;
  setImmediate(() => socket.bytesRead === bytesRead && socket.destroy());
}

/**
 * For each request that a connection ends with, Node makes an error, and where it comes from is of no use to anybody: a hundred
 * of them held the event loop for 90 ms. Node's own listener stands between these two.
 */
function endWithoutStacks(socket: Socket): void {
  socket.prependListener("close", () => {
    Error.stackTraceLimit = 0;
  });
  socket.on("close", () => {
    Error.stackTraceLimit = STACK_TRACE_LIMIT;
  });
}

const STACK_TRACE_LIMIT = Error.stackTraceLimit;

/** To be called where it is known who calls. */
export function knowConnections(
  app: FastifyInstance,
  places: Places,
  holderOf: (request: FastifyRequest) => string,
): void {
  app.addHook("onRequest", (request, _reply, done) => {
    if (places.know(request.raw.socket, holderOf(request), request.ip)) return done();
    done(baseFault(429, "You have too many connections open. Nothing reached the processor.", REFUSED));
  });
}

/** Names and values take turns. */
const isHostName = (text: string, at: number): boolean =>
  at % 2 === 0 && text.length === 4 && text.toLowerCase() === "host";

const REFUSED = { "retry-after": "1", connection: "close" };
