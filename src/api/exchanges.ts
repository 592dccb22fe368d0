// The requests in flight on each connection, oldest first, until their responses were read or never will be.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface Exchanges {
  /** Of all open connections. */
  readonly connections: ReadonlyMap<Socket, ReadonlySet<Exchange>>;
  /** Told when an exchange has ended. */
  onEnd(listener: (socket: Socket) => void): void;
  /** That are never begun, since the gateway reads no more of their connection. */
  readonly notServed: WeakSet<IncomingMessage>;
}

/** To be called before the server listens. An exchange is there before any hook runs. */
export function trackExchanges(app: FastifyInstance): Exchanges {
  const connections = new Map<Socket, Set<Exchange>>();
  const listeners: ((socket: Socket) => void)[] = [];
  app.server.on("connection", (socket: Socket) => {
    connections.set(socket, new Set());
    socket.once("close", () => connections.delete(socket));
  });
  app.server.prependListener("request", (request, response) => {
    const { socket } = request;
    const inFlight = connections.get(socket);
    const exchange = { request, response };
    inFlight?.add(exchange);
    response.once("close", () => {
      inFlight?.delete(exchange);
      for (const listener of listeners) listener(socket);
    });
  });
  return { connections, onEnd: (listener) => void listeners.push(listener), notServed: new WeakSet() };
}
