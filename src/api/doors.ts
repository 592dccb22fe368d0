// Several listening sockets on one port. From each, Node accepts one connection in a turn of its event loop. With a
// single socket, a client that opens some hundred a second would keep all other new connections waiting, even health checks.

import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** Reached by all clients alike: the system shares new connections out by address and port. */
const DOORS = 16;
/** Connections that wait at each. Few: who comes when all are taken comes again after a second, and does not stand behind thousands. */
export const BACKLOG = 64;

export interface Place {
  readonly host: string;
  readonly port: number;
}

export interface Doors {
  /** On a port that is reserved for this gateway (listen.ts), or 0. @throws as listening does */
  listen(where: Place): Promise<string>;
}

/** The server's own socket and more beside it, all of which answer, and close with it: what ends when it has closed is needed until then. */
export function doorsOf(app: FastifyInstance): Doors {
  // What Node's own HTTP server sets on its sockets.
  const others = Array.from({ length: DOORS - 1 }, () => createServer({ allowHalfOpen: true, noDelay: true }));
  const open: Server[] = [];
  closeTogether(app.server, open);
  return {
    listen: async ({ host, port }) => {
      // Elsewhere sockets do not share a port like this.
      if (process.platform !== "linux") return app.listen({ host, port, backlog: BACKLOG });
      // A port of the system's own choice it gives to nobody else, also not to share it.
      const where = { host, port, reusePort: true, backlog: BACKLOG };
      const url = await app.listen(where);
      const { port: found } = app.server.address() as AddressInfo;
      for (const door of others) {
        door.on("connection", (socket: Socket) => app.server.emit("connection", socket));
        await listening(door, { ...where, port: found });
        open.push(door);
      }
      return url;
    },
  };
}

/** The server has closed when those have, too, each when the last connection that came by it has ended. */
function closeTogether(server: Server, others: readonly Server[]): void {
  const closeOwn = server.close.bind(server);
  server.close = (then) => {
    const doors = others.map((door) => new Promise((closed) => door.close(closed)));
    return closeOwn((fault) => void Promise.all(doors).then(() => then?.(fault)));
  };
}

/** @throws as listening does */
export const listening = (server: Server, where: object): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(where, () => {
      server.off("error", reject);
      resolve();
    });
  });
