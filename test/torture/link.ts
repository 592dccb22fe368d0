// The wire between the gateways and the acquirer's host: a proxy that passes bytes on until it is told to cut a connection
// after so many of them, to hold them back for a while, or to refuse connections.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export type Way = "to the host" | "from the host";

export interface Link {
  readonly port: number;
  /** The connection that carries the next so many bytes this way ends with them, in both directions. */
  cut(way: Way, bytes: number): void;
  /** Nothing arrives for so long; then all of it does. */
  hold(ms: number): void;
  /** Connections end, and new ones are refused for so long. */
  refuse(ms: number): void;
  /** Whatever it was told is forgotten. */
  behave(): void;
  close(): Promise<void>;
}

export async function openLink(hostPort: number): Promise<Link> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let cut: { readonly way: Way; left: number } | undefined;
  let held: NodeJS.Timeout | undefined;
  let refused: NodeJS.Timeout | undefined;
  let closed = false;

  const pass = (way: Way, from: Socket, to: Socket) => {
    from.on("data", (chunk) => {
      if (cut?.way === way && cut.left <= chunk.length) {
        const last = chunk.subarray(0, cut.left);
        cut = undefined;
        from.destroy();
        to.end(last, () => to.destroy());
        return;
      }
      if (cut?.way === way) cut.left -= chunk.length;
      to.write(chunk);
    });
    from.on("error", () => from.destroy());
    from.on("close", () => to.destroy());
  };
  const meet = (gateway: Socket) => {
    const host = connect(hostPort, "127.0.0.1");
    const pair = [gateway, host] as const;
    pairs.add(pair);
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on("close", () => pairs.delete(pair));
      if (held !== undefined) socket.pause();
    }
    pass("to the host", gateway, host);
    pass("from the host", host, gateway);
    if (held !== undefined) for (const socket of pair) socket.pause();
  };
  const listen = async (port: number): Promise<Server> => {
    const server = createServer(meet).listen(port, "127.0.0.1");
    await once(server, "listening");
    return server;
  };
  const hangUp = () => {
    server.close();
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  const flow = () => {
    clearTimeout(held);
    held = undefined;
    for (const pair of pairs) for (const socket of pair) socket.resume();
  };
  const admit = async () => {
    if (refused === undefined || closed) return;
    clearTimeout(refused);
    refused = undefined;
    server = await listen(port);
  };

  let server = await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    cut: (way, bytes) => {
      cut = { way, left: bytes };
    },
    hold: (ms) => {
      if (held !== undefined) return;
      held = setTimeout(flow, ms);
      for (const pair of pairs) for (const socket of pair) socket.pause();
    },
    refuse: (ms) => {
      if (refused !== undefined) return;
      hangUp();
      refused = setTimeout(() => void admit(), ms);
    },
    behave: () => {
      cut = undefined;
      flow();
      void admit();
    },
    close: async () => {
      closed = true;
      clearTimeout(held);
      clearTimeout(refused);
      hangUp();
    },
  };
}
