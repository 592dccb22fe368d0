// Bounds on responses that nobody reads: a client that reads too slowly is cut off, and the bytes that wait to be read are bounded,
// for each address and in all.

import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { networkOf } from "../shares/network.ts";
import type { Exchanges } from "./exchanges.ts";

export interface UnreadLimits {
  /** So much, at least, is taken of a response in each such time. */
  readonly leastBytes: number;
  readonly withinMs: number;
  /** Waiting to be taken; beyond it those that have waited for longest are cut off. */
  readonly mostBytesOfOneAddress: number;
  readonly mostBytesOfAll: number;
  readonly lookEveryMs: number;
}

const MIB = 1_048_576;
const LIMITS: UnreadLimits = {
  leastBytes: 40_960,
  withinMs: 10_000,
  mostBytesOfOneAddress: 16 * MIB,
  mostBytesOfAll: 64 * MIB,
  lookEveryMs: 500,
};

/** A response that waits to be taken. */
interface Unread {
  readonly socket: Socket;
  readonly bytes: number;
  sinceMs: number;
  takenBefore: number;
}

/** To be called before the server listens. */
export function cutOffUnread(app: FastifyInstance, { connections }: Exchanges, limits: UnreadLimits = LIMITS): void {
  let unread = new Map<Socket, Unread>();
  const look = (): void => {
    const nowMs = performance.now();
    const still = new Map<Socket, Unread>();
    for (const [socket, inFlight] of connections) {
      const bytes = socket.writableLength;
      if (bytes === 0 || inFlight.size === 0) continue;
      const one = followed({ socket, bytes, sinceMs: nowMs, takenBefore: takenOf(socket) }, unread.get(socket), limits);
      if (one === undefined) cutOff(app, socket, "its response was read too slowly");
      else still.set(socket, one);
    }
    unread = still;
    for (const { socket } of beyond([...still.values()], limits)) cutOff(app, socket, "too much waited to be read");
  };
  const looking = setInterval(look, limits.lookEveryMs).unref();
  app.addHook("onClose", async () => clearInterval(looking));
}

/** The response as it is followed from now on; undefined if it is read too slowly. */
function followed(now: Unread, before: Unread | undefined, { withinMs, leastBytes }: UnreadLimits): Unread | undefined {
  if (before === undefined) return now;
  if (now.sinceMs - before.sinceMs < withinMs) return { ...before, bytes: now.bytes };
  return now.takenBefore - before.takenBefore < leastBytes ? undefined : now;
}

/** What is to go so that the rest keeps within the bounds: what has waited for longest first. */
export function beyond<T extends Pick<Unread, "socket" | "bytes" | "sinceMs">>(
  unread: readonly T[],
  { mostBytesOfOneAddress, mostBytesOfAll }: UnreadLimits,
): readonly T[] {
  const ofAddress = new Map<string, number>();
  let ofAll = 0;
  // The youngest are kept first.
  return [...unread]
    .sort((one, other) => other.sinceMs - one.sinceMs)
    .filter(({ socket, bytes }) => {
      const address = networkOf(socket.remoteAddress ?? "");
      const ofThis = (ofAddress.get(address) ?? 0) + bytes;
      if (ofThis > mostBytesOfOneAddress || ofAll + bytes > mostBytesOfAll) return true;
      ofAddress.set(address, ofThis);
      ofAll += bytes;
      return false;
    });
}

function cutOff(app: FastifyInstance, socket: Socket, why: string): void {
  app.log.info({ address: socket.remoteAddress, bytes: socket.writableLength }, `a connection was closed: ${why}`);
  socket.destroy();
}

/** Bytes that the system has taken for the client. Of a large write Node tells nothing in between, but its handle knows. */
function takenOf(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { _handle: { bytesWritten: number; writeQueueSize: number } | null };
  return handle === null ? 0 : handle.bytesWritten - handle.writeQueueSize;
}
