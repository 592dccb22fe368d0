// Requests of one connection run one after the other: the next begins when the response before it has left. Node begins all that
// have arrived, so for a client that reads nothing, all responses would be made and kept. What waits has cost nothing yet but to
// be read: Fastify sees it when it begins.

import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { networkOf } from "../shares/network.ts";
import type { Exchanges } from "./exchanges.ts";
import { baseFault, type RequestFault } from "./request-fault.ts";

export interface PipeliningLimits {
  /** Requests that were read and wait for those before them, on one connection. */
  readonly mostWaiting: number;
  /** A request that waits takes some 6 KB. */
  readonly mostWaitingOfOneAddress: number;
  readonly mostWaitingOfAll: number;
}

/** Few clients send ahead at all. With a hundred on each of 130 connections, single turns of the event loop took 100 ms. */
const LIMITS: PipeliningLimits = { mostWaiting: 20, mostWaitingOfOneAddress: 1_000, mostWaitingOfAll: 5_000 };

interface Line {
  readonly address: string;
  /** Whoever waits, by its request, in order; undefined is never begun, since the connection ends before. */
  readonly waiting: Map<object, (() => void) | undefined>;
}

/**
 * To be called before any other hook is added, and after exchanges are tracked.
 * @param inTurn when a request that is the first on its connection begins, now or later
 */
export function oneAfterTheOther(
  app: FastifyInstance,
  { connections, onEnd, notServed }: Exchanges,
  inTurn: (request: IncomingMessage, begin: () => void) => void = (_request, begin) => begin(),
  limits: PipeliningLimits = LIMITS,
): void {
  const lines = new Map<Socket, Line>();
  const waitingOf = new Map<string, number>();
  let waitingOfAll = 0;

  const count = (address: string, more: number): void => {
    waitingOfAll += more;
    const ofAddress = (waitingOf.get(address) ?? 0) + more;
    if (ofAddress === 0) waitingOf.delete(address);
    else waitingOf.set(address, ofAddress);
  };

  const newLine = (socket: Socket): Line => {
    const line: Line = { address: networkOf(socket.remoteAddress ?? ""), waiting: new Map() };
    lines.set(socket, line);
    socket.once("close", () => leave(socket, line));
    return line;
  };

  const leave = (socket: Socket, { address, waiting }: Line): void => {
    lines.delete(socket);
    count(address, -waiting.size);
    waiting.clear();
  };

  const isTooMuch = ({ address }: Line): boolean =>
    waitingOfAll >= limits.mostWaitingOfAll || (waitingOf.get(address) ?? 0) >= limits.mostWaitingOfOneAddress;

  onEnd((socket) => {
    const line = lines.get(socket);
    const [next] = connections.get(socket) ?? [];
    if (line === undefined || next === undefined || !line.waiting.has(next.request)) return;
    if (notServed.has(next.request)) return;
    const begin = line.waiting.get(next.request);
    if (begin === undefined) return;
    line.waiting.delete(next.request);
    count(line.address, -1);
    // What comes after the last one is left with the system until then.
    if (line.waiting.size === 0) socket.resume();
    begin();
  });

  const refused = new WeakSet<IncomingMessage>();
  const handler = takeOver(app.server);
  const serve: RequestListener = (request, response) =>
    inTurn(request, () => {
      // It may have waited for longer than its client did, or behind a response that closes the connection.
      if (request.socket.writable && !notServed.has(request)) handler(request, response);
    });
  app.server.on("request", (request, response) => {
    const { socket } = request;
    const [oldest] = connections.get(socket) ?? [];
    if (oldest === undefined || oldest.request === request) return serve(request, response);
    const line = lines.get(socket) ?? newLine(socket);
    if (isTooMuch(line)) return void socket.destroy();
    const { size } = line.waiting;
    const begin = () => serve(request, response);
    // The one after the last that waits is told so, and closes the connection; those behind it are not served.
    line.waiting.set(request, size < limits.mostWaiting ? begin : undefined);
    count(line.address, 1);
    socket.pause();
    if (size !== limits.mostWaiting) return;
    refused.add(request);
    begin();
  });
  app.addHook("onRequest", ({ raw }, _reply, done) => {
    if (refused.has(raw)) done(tooMany(limits.mostWaiting));
    else done();
  });
}

/** @returns what Fastify does with a request, which the server does by itself no more */
function takeOver(server: Server): RequestListener {
  const serve = server.listeners("request").at(-1) as RequestListener;
  server.removeListener("request", serve);
  return serve;
}

function tooMany(mostWaiting: number): RequestFault {
  const why =
    `More than ${mostWaiting} requests wait on this connection. This one and those after it were not looked at: ` +
    "nothing reached the processor. Send them again on another connection.";
  return baseFault(429, why, { "retry-after": "1", connection: "close" });
}
