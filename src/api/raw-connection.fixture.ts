// A connection to a server, byte for byte: what is sent on it and what came back.

import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface RawConnection {
  readonly socket: Socket;
  readonly received: () => string;
  readonly statuses: () => readonly string[];
  /** Resolves when the other side has closed it. */
  readonly closed: Promise<void>;
}

/** @param reading false: takes nothing of what is sent to it until it is resumed */
export async function rawConnection(port: number, sent = "", reading = true): Promise<RawConnection> {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.setEncoding("utf8").on("error", () => undefined);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  if (reading)
    socket.on("data", (text: string) => {
      received += text;
    });
  await Promise.race([once(socket, "connect"), closed]);
  if (!reading) socket.pause();
  socket.write(sent);
  const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => String(status));
  return { socket, received: () => received, statuses, closed };
}

export const get = (path: string, more = ""): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;

export async function until(fact: () => boolean, patienceMs = 20_000): Promise<void> {
  const since = performance.now();
  while (!fact()) {
    if (performance.now() - since > patienceMs) throw new Error(`still not so: ${fact}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
