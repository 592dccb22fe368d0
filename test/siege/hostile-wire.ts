// A connection of a hostile client: bytes as they are, and what came back, as far as it reads at all.

import { connect, type Socket } from "node:net";
import { HOST } from "./ground.ts";

/** How it ended, or a status that was answered. */
export type Outcome = string;

export interface Wire {
  readonly socket: Socket;
  send(bytes: string | Buffer): void;
  /** Reads for so long what has come. */
  glance(ms: number): Promise<void>;
  /** All that was read, as far as it is kept. */
  readonly received: () => string;
  /** Ends it from this side, without a word. */
  leave(): void;
  /** When it has ended, from whichever side. */
  readonly ended: Promise<void>;
}

const STATUS = /HTTP\/1\.1 (\d{3}) /g;
/** A status line may be cut by two portions. */
const OVERLAP = "HTTP/1.1 200".length;
const MOST_KEPT = 64 * 1024;

export function openWire(port: number, from: string, count: (outcome: Outcome) => void): Wire {
  const socket = connect({ host: HOST, port, localAddress: from });
  let [left, kept, tail] = [false, "", ""];
  socket.setNoDelay(true);
  socket.on("connect", () => count("connected"));
  socket.on("data", (bytes: Buffer) => {
    const text = bytes.toString("latin1");
    for (const [, status = ""] of (tail + text).matchAll(STATUS)) count(status);
    tail = text.slice(-OVERLAP);
    if (kept.length < MOST_KEPT) kept += text.slice(0, MOST_KEPT);
  });
  socket.on("error", (fault: NodeJS.ErrnoException) => {
    if (!left) count(fault.code === "ECONNREFUSED" ? "refused" : "reset");
    left = true;
  });
  const ended = new Promise<void>((resolve) =>
    socket.on("close", () => {
      if (!left) count("closed");
      resolve();
    }),
  );
  return {
    socket,
    send: (bytes) => void (socket.writable && socket.write(bytes)),
    glance: async (ms) => {
      socket.resume();
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, ms))]);
    },
    received: () => kept,
    leave: () => {
      left = true;
      socket.destroy();
    },
    ended,
  };
}
