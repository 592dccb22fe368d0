// Stands between the gateway's connections and PostgreSQL and passes their messages on, except for one: that on which the fault
// falls which it was last told of.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { MADE_UP, messagesOf, shortened } from "./messages.ts";

export type Way = "to the server" | "to the client";

export const KINDS = [
  "hang up",
  "hang up in the midst",
  "silence",
  "delay",
  "double",
  "shorten",
  "bytes lost",
  "leave out",
  "swap with the next",
  "the reply before, again",
  "a reply of another connection",
  ...(Object.keys(MADE_UP) as (keyof typeof MADE_UP)[]),
] as const;
export type Kind = (typeof KINDS)[number];

export interface Fault {
  readonly kind: Kind;
  readonly way: Way;
  /** So many messages pass this way before. */
  readonly after: number;
  readonly delayMs: number;
}

export interface FaultyLine {
  readonly port: number;
  /** The fault to come. */
  arm(fault: Fault): void;
  /** @returns the type of the message on which it fell, if it did */
  disarm(): string | undefined;
  hangUp(): void;
  close(): Promise<void>;
}

interface Line {
  readonly client: Socket;
  readonly server: Socket;
  /** Since the last question was complete. */
  reply: Buffer[];
  last: Buffer | undefined;
}

export async function openProxy(host: string, port: number): Promise<FaultyLine> {
  const lines = new Set<Line>();
  let fault: Fault | undefined;
  let left = 0;
  let fell: string | undefined;

  const pass = (line: Line, way: Way, from: Socket, to: Socket) => {
    let held: Buffer | undefined;
    let silent = false;
    let waiting: Promise<unknown> | undefined;
    let first = way === "to the server";
    const send = (...messages: Buffer[]) => {
      if (silent || to.destroyed) return;
      const bytes = Buffer.concat(held === undefined ? messages : [...messages, held]);
      held = undefined;
      if (waiting === undefined) to.write(bytes);
      else waiting = waiting.then(() => to.destroyed || to.write(bytes));
    };
    const spoil = ({ kind, delayMs }: Fault, message: Buffer) => {
      switch (kind) {
        case "hang up":
          return from.destroy();
        case "hang up in the midst":
          return to.end(message.subarray(0, message.length >> 1), () => from.destroy());
        case "silence":
          silent = true;
          return;
        case "delay":
          waiting = new Promise((resolve) => setTimeout(resolve, delayMs));
          return send(message);
        case "double":
          return send(message, message);
        case "shorten":
          return send(shortened(message, 1 + (delayMs % 7)));
        case "bytes lost":
          return send(message.subarray(0, -(1 + (delayMs % 3))));
        case "leave out":
          return;
        case "swap with the next":
          held = message;
          return;
        case "the reply before, again":
          return send(line.last ?? Buffer.alloc(0), message);
        case "a reply of another connection":
          return send([...lines].find((one) => one !== line && one.last)?.last ?? Buffer.alloc(0), message);
        default:
          return send(MADE_UP[kind], message);
      }
    };
    const next = messagesOf(first, (message) => {
      if (way === "to the client") note(line, message);
      const untyped = first;
      first = false;
      if (fault?.way !== way || left-- > 0) return send(message);
      const now = fault;
      fault = undefined;
      fell = untyped ? "startup" : String.fromCharCode(message[0] as number);
      spoil(now, message);
    });
    from.on("data", next);
    from.on("error", () => from.destroy());
    from.on("close", () => to.destroy());
  };

  const meet = (client: Socket) => {
    const server = connect(host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
    const line: Line = { client, server, reply: [], last: undefined };
    lines.add(line);
    client.on("close", () => lines.delete(line));
    client.setNoDelay(true);
    pass(line, "to the server", client, server);
    pass(line, "to the client", server, client);
  };
  const listening = createServer(meet).listen(0, "127.0.0.1");
  await once(listening, "listening");
  const hangUp = () => {
    for (const { client } of lines) client.destroy();
  };
  return {
    port: (listening.address() as AddressInfo).port,
    arm: (next) => {
      fault = next;
      left = next.after;
      fell = undefined;
    },
    disarm: () => {
      fault = undefined;
      return fell;
    },
    hangUp,
    close: async () => {
      hangUp();
      listening.close();
      await once(listening, "close");
    },
  };
}

/** The reply to a whole question, for whoever is to get it once more. */
function note(line: Line, message: Buffer): void {
  line.reply.push(message);
  if (message[0] !== 0x5a) return;
  line.last = Buffer.concat(line.reply);
  line.reply = [];
}
