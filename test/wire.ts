// A wire to the database that can be cut: what was on its way is lost, on the way there or on the way back.

import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import type { DatabaseAddress } from "../src/journal/database.ts";

type Place = Exclude<DatabaseAddress, string>;

export interface Wire {
  /** The same database, over this wire. */
  readonly address: Place;
  /** Everything is carried. */
  mend(): void;
  /** All connections break, and new ones are refused. */
  cut(): Promise<void>;
  /** What is asked arrives, what is answered does not: as when the database vanishes after a commit. */
  loseAnswers(): void;
  /** Nothing arrives, and nobody says so: as when a machine is gone. */
  loseQuestions(): void;
  end(): Promise<void>;
}

export async function wireTo(address: Place): Promise<Wire> {
  let carries: "all" | "questions" | "nothing" = "all";
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const { host, port } = address;
    const database = host.startsWith("/") ? createConnection(`${host}/.s.PGSQL.${port}`) : createConnection(port, host);
    for (const [from, to, which] of [
      [client, database, "question"],
      [database, client, "answer"],
    ] as const) {
      open.add(from);
      from.on("data", (data) => {
        const carried = carries === "all" || (carries === "questions" && which === "question");
        if (carried && to.writable) to.write(data);
      });
      from.on("error", () => undefined);
      from.on("close", () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  const listen = async (port: number) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  let refused = false;
  const cut = async () => {
    if (!refused) {
      refused = true;
      server.close();
    }
    for (const socket of open) socket.destroy();
  };
  return {
    address: { ...address, host: "127.0.0.1", port },
    mend: () => {
      carries = "all";
      if (refused) void listen(port);
      refused = false;
    },
    cut,
    loseAnswers: () => {
      carries = "questions";
    },
    loseQuestions: () => {
      carries = "nothing";
    },
    end: cut,
  };
}
