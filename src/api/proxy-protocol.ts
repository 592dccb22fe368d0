// PROXY_PROTOCOL: connections from these load balancers begin with a header that says who the client is. It is read before the first request,
// and counts as the connection's address from then on. Other connections are as they are: a header from them is no HTTP. Without the
// setting nothing of this is in the way of a connection.

import type { Server, Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { isAmong } from "./places.ts";
import { type ProxiedFrom, type ProxyHeader, readProxyHeader } from "./proxy-header.ts";

/** Load balancers send it with the connection. */
const PATIENCE_MS = 5_000;
/** Connections whose header has not come, beyond which new ones are closed. */
const MOST_WAITING = 2_000;
const WARN_EVERY_MS = 60_000;

/** To be called when all that follows connections does, and before the server listens. @param networks of the load balancers */
export function readProxyHeaders(app: FastifyInstance, networks: readonly string[], patienceMs = PATIENCE_MS): void {
  if (networks.length === 0) return;
  const server: Server = app.server;
  const isLoadBalancer = isAmong(networks);
  const listeners = server.listeners("connection") as ((socket: Socket) => void)[];
  const goOn = (socket: Socket) => {
    for (const listener of listeners) listener.call(server, socket);
  };
  const waiting = new Set<Socket>();
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  const refuse = (socket: Socket, why: string) => {
    const address = socket.remoteAddress;
    waiting.delete(socket);
    socket.destroy();
    if (performance.now() - warnedAtMs < WARN_EVERY_MS) return;
    warnedAtMs = performance.now();
    app.log.warn({ address }, `a connection from PROXY_PROTOCOL's addresses was closed: ${why}`);
  };
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    if (!isLoadBalancer(socket.remoteAddress ?? "")) return goOn(socket);
    if (waiting.size >= MOST_WAITING) return refuse(socket, "too many others have sent no header yet");
    waiting.add(socket);
    readHeader(socket, patienceMs, (header) => {
      if (header.kind === "wrong") return refuse(socket, header.why);
      waiting.delete(socket);
      if (header.from !== undefined) comesFrom(socket, header.from);
      goOn(socket);
    });
  });
  app.addHook("preClose", async () => {
    for (const socket of waiting) socket.destroy();
  });
}

/** What comes behind it is put back, for whoever reads next. */
function readHeader(
  socket: Socket,
  patienceMs: number,
  then: (header: Exclude<ProxyHeader, { readonly kind: "incomplete" }>) => void,
): void {
  let come = Buffer.alloc(0);
  const late = setTimeout(() => end({ kind: "wrong", why: "no header came in time" }), patienceMs).unref();
  const end = (header: Exclude<ProxyHeader, { readonly kind: "incomplete" }>) => {
    clearTimeout(late);
    socket.off("readable", read).off("end", gone).off("error", gone).off("close", gone);
    if (header.kind === "read" && come.length > header.bytes) socket.unshift(come.subarray(header.bytes));
    then(header);
  };
  const gone = () => end({ kind: "wrong", why: "it ended before its header" });
  const read = () => {
    for (let piece: Buffer | null = socket.read(); piece !== null; piece = socket.read()) {
      come = Buffer.concat([come, piece]);
      const header = readProxyHeader(come);
      if (header.kind !== "incomplete") return end(header);
    }
  };
  socket.on("readable", read).on("end", gone).on("error", gone).on("close", gone);
}

/** Node finds both out from the system; what is the socket's own goes before that. */
function comesFrom(socket: Socket, { address, port }: ProxiedFrom): void {
  Object.defineProperties(socket, {
    remoteAddress: { value: address, configurable: true },
    remotePort: { value: port, configurable: true },
    remoteFamily: { value: address.includes(":") ? "IPv6" : "IPv4", configurable: true },
  });
}
