// Requests of one connection run one after the other: the next begins when the response before it has left. Node begins all that
// have arrived, so for a client that reads nothing, all responses would be made and kept. What waits has cost nothing yet but to
// be read: Fastify sees it when it begins.

import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Holder } from "../shares/loop-turns.ts";
import type { Exchanges } from "./exchanges.ts";
import { baseFault, type RequestFault } from "./request-fault.ts";

export interface PipeliningLimits {
  /** Requests that were read and wait for those before them, on one connection. */
  readonly mostWaiting: number;
  /** Of a merchant, or an address without a token. A request that waits takes some 6 KB. */
  readonly mostWaitingOfOne: number;
  /** Of known callers together, and of strangers: neither takes anything from the other. */
  readonly mostWaitingOfAll: number;
}

/** Few clients send ahead at all. With a hundred on each of 130 connections, single turns of the event loop took 100 ms. */
const LIMITS: PipeliningLimits = { mostWaiting: 20, mostWaitingOfOne: 500, mostWaitingOfAll: 2_500 };

interface Line {
  /** Whose requests wait; told anew when the first of them comes. */
  holder: Holder;
  /** Whoever waits, by its request, in order; undefined is never begun, since the connection ends before. */
  readonly waiting: Map<object, (() => void) | undefined>;
}

/**
 * To be called before any other hook is added, and after exchanges are tracked.
 * @param holderOf whose share a request that waits on this connection is part of
 * @param inTurn when a request that is the first on its connection begins, now or later
 */
export function oneAfterTheOther(
  app: FastifyInstance,
  { connections, onEnd, notServed }: Exchanges,
  holderOf: (socket: Socket) => Holder,
  inTurn: (request: IncomingMessage, begin: () => void) => void = (_request, begin) => begin(),
  limits: PipeliningLimits = LIMITS,
): void {
  const lines = new Map<Socket, Line>();
  const [known, strangers] = [waitingRequests(limits), waitingRequests(limits)];
  const sharesOf = (holder: Holder): WaitingRequests => (holder.known ? known : strangers);
  const count = ({ holder }: Line, more: number): void => sharesOf(holder).count(holder.name, more);

  const newLine = (socket: Socket): Line => {
    const line: Line = { holder: holderOf(socket), waiting: new Map() };
    lines.set(socket, line);
    socket.once("close", () => leave(socket, line));
    return line;
  };

  const leave = (socket: Socket, line: Line): void => {
    lines.delete(socket);
    count(line, -line.waiting.size);
    line.waiting.clear();
  };

  onEnd((socket) => {
    const line = lines.get(socket);
    const [next] = connections.get(socket) ?? [];
    if (line === undefined || next === undefined || !line.waiting.has(next.request)) return;
    if (notServed.has(next.request)) return;
    const begin = line.waiting.get(next.request);
    if (begin === undefined) return;
    line.waiting.delete(next.request);
    count(line, -1);
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
    const { size } = line.waiting;
    if (size === 0) line.holder = holderOf(socket);
    if (sharesOf(line.holder).isFull(line.holder.name)) return void socket.destroy();
    const begin = () => serve(request, response);
    // The one after the last that waits is told so, and closes the connection; those behind it are not served.
    line.waiting.set(request, size < limits.mostWaiting ? begin : undefined);
    count(line, 1);
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

interface WaitingRequests {
  isFull(name: string): boolean;
  count(name: string, more: number): void;
}

function waitingRequests({ mostWaitingOfOne, mostWaitingOfAll }: PipeliningLimits): WaitingRequests {
  const ofHolders = new Map<string, number>();
  let ofAll = 0;
  return {
    isFull: (name) => ofAll >= mostWaitingOfAll || (ofHolders.get(name) ?? 0) >= mostWaitingOfOne,
    count(name, more) {
      ofAll += more;
      const ofOne = (ofHolders.get(name) ?? 0) + more;
      if (ofOne === 0) ofHolders.delete(name);
      else ofHolders.set(name, ofOne);
    },
  };
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
