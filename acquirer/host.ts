// The acquirer host as one thing with a life: it opens its books, listens to gateways, settles every day, and stops.

import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { createServer as createTlsServer } from "node:tls";
import type { Dialect } from "../src/processors/iso8583/codec/dialect.ts";
import type { Framing } from "../src/processors/iso8583/codec/frames.ts";
import { type Books, openBooks } from "./books.ts";
import { Misbehaviour, type Rule } from "./misbehaviour.ts";
import { serve } from "./session.ts";

export interface HostOptions {
  readonly folder: string;
  /** Where to listen; port 0 takes a free one. */
  readonly address: string;
  readonly port: number;
  readonly framing: Framing;
  readonly dialect: Dialect;
  /** PEM; without it the connections are plain. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  readonly lateMs: number;
  /** `HH:MM`, UTC. */
  readonly settleAt: string;
  readonly log: (line: string) => void;
  readonly crash: () => void;
}

export interface Host {
  readonly port: number;
  readonly books: Books;
  misbehave(rule: Rule): void;
  behave(): void;
  settle(): Promise<void>;
  /** Nobody is served for so long, and all connections end. */
  outage(ms: number): Promise<void>;
  stop(): Promise<void>;
}

const SETTLE_LOOK_MS = 10_000;

export async function startHost(options: HostOptions): Promise<Host> {
  const books = await openBooks(options.folder);
  const misbehaviour = new Misbehaviour(Math.random);
  const sockets = new Set<Socket>();
  const parts = { ...options, books, misbehaviour, now: () => new Date() };
  const meet = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    serve(socket, parts);
  };
  const listen = async (port: number): Promise<Server> => {
    const server = options.tls ? createTlsServer(options.tls, meet) : createServer(meet);
    server.listen(port, options.address);
    await once(server, "listening");
    return server;
  };
  const hangUp = async (server: Server) => {
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };

  let server = await listen(options.port);
  const { port } = server.address() as AddressInfo;
  await settleIfDue(books, options.settleAt, parts.now());
  const settling = setInterval(() => void settleIfDue(books, options.settleAt, parts.now()), SETTLE_LOOK_MS);
  settling.unref();
  return {
    port,
    books,
    misbehave: (rule) => misbehaviour.add(rule),
    behave: () => misbehaviour.clear(),
    settle: () => books.settle(parts.now(), parts.now()),
    async outage(ms) {
      await hangUp(server);
      await pause(ms);
      server = await listen(port);
    },
    async stop() {
      clearInterval(settling);
      await hangUp(server);
      await books.close();
    },
  };
}

/** Once a day at this time, and at a start that comes after it. */
async function settleIfDue(books: Books, settleAt: string, now: Date): Promise<void> {
  const today = `${now.toISOString().slice(0, 10)}T${settleAt}:00.000Z`;
  const due = today <= now.toISOString() ? today : new Date(Date.parse(today) - 86_400_000).toISOString();
  if (books.settledUntil < due) await books.settle(now, new Date(due));
}
