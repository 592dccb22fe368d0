// Bounds on responses that nobody reads: a client that reads too slowly is cut off, and the bytes that wait to be read are bounded,
// for each merchant and each address without a token, and in all. What strangers leave unread cuts no merchant's download off.

import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { LogLines } from "../shares/log-lines.ts";
import type { Holder } from "../shares/loop-turns.ts";
import type { Exchanges } from "./exchanges.ts";

export interface UnreadLimits {
  /** So much, at least, is taken of a response in each such time. */
  readonly leastBytes: number;
  readonly withinMs: number;
  readonly known: WaitingLimits;
  readonly strangers: WaitingLimits;
  readonly lookEveryMs: number;
}

/** Waiting to be taken; beyond it those that have waited for longest are cut off. */
interface WaitingLimits {
  readonly mostBytesOfOne: number;
  readonly mostBytesOfAll: number;
}

const MIB = 1_048_576;
const LIMITS: UnreadLimits = {
  leastBytes: 40_960,
  withinMs: 10_000,
  known: { mostBytesOfOne: 16 * MIB, mostBytesOfAll: 64 * MIB },
  strangers: { mostBytesOfOne: 4 * MIB, mostBytesOfAll: 16 * MIB },
  lookEveryMs: 500,
};

/** A response that waits to be taken. */
interface Unread {
  readonly socket: Socket;
  readonly holder: Holder;
  readonly bytes: number;
  sinceMs: number;
  takenBefore: number;
}

/**
 * To be called before the server listens.
 * @param holderOf whose share a response on this connection is part of
 */
export function cutOffUnread(
  app: FastifyInstance,
  { connections }: Exchanges,
  holderOf: (socket: Socket) => Holder,
  lines: LogLines,
  limits: UnreadLimits = LIMITS,
): void {
  const cutOff = ({ socket, holder }: Pick<Unread, "socket" | "holder">, why: string): void => {
    const facts = { address: socket.remoteAddress ?? "unknown", bytes: socket.writableLength };
    const known = holder.known ? holder.name : undefined;
    lines.tell({ log: app.log, facts, text: `a connection was closed: ${why}`, known });
    socket.destroy();
  };
  let unread = new Map<Socket, Unread>();
  const look = (): void => {
    const nowMs = performance.now();
    const still = new Map<Socket, Unread>();
    for (const [socket, inFlight] of connections) {
      const bytes = socket.writableLength;
      if (bytes === 0 || inFlight.size === 0) continue;
      const now = { socket, holder: holderOf(socket), bytes, sinceMs: nowMs, takenBefore: takenOf(socket) };
      const one = followed(now, unread.get(socket), limits);
      if (one === undefined) cutOff(now, "its response was read too slowly");
      else still.set(socket, one);
    }
    unread = still;
    for (const one of beyond([...still.values()], limits)) cutOff(one, "too much waited to be read");
  };
  const looking = setInterval(look, limits.lookEveryMs).unref();
  app.addHook("onClose", async () => clearInterval(looking));
}

/** The response as it is followed from now on; undefined if it is read too slowly. */
function followed(now: Unread, before: Unread | undefined, { withinMs, leastBytes }: UnreadLimits): Unread | undefined {
  if (before === undefined) return now;
  if (now.sinceMs - before.sinceMs < withinMs) return { ...before, holder: now.holder, bytes: now.bytes };
  return now.takenBefore - before.takenBefore < leastBytes ? undefined : now;
}

/** What is to go so that the rest keeps within the bounds: what has waited for longest first. */
export function beyond<T extends Pick<Unread, "holder" | "bytes" | "sinceMs">>(
  unread: readonly T[],
  limits: Pick<UnreadLimits, "known" | "strangers">,
): readonly T[] {
  const ofHolders = new Map<string, number>();
  const ofAll = { known: 0, strangers: 0 };
  // The youngest are kept first.
  return [...unread]
    .sort((one, other) => other.sinceMs - one.sinceMs)
    .filter(({ holder: { name, known, many }, bytes }) => {
      const kind = known ? "known" : "strangers";
      const ofThis = (ofHolders.get(name) ?? 0) + bytes;
      const isTooMuchOfOne = many !== true && ofThis > limits[kind].mostBytesOfOne;
      if (isTooMuchOfOne || ofAll[kind] + bytes > limits[kind].mostBytesOfAll) return true;
      ofHolders.set(name, ofThis);
      ofAll[kind] += bytes;
      return false;
    });
}

/** Bytes that the system has taken for the client. Of a large write Node tells nothing in between, but its handle knows. */
function takenOf(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { _handle: { bytesWritten: number; writeQueueSize: number } | null };
  return handle === null ? 0 : handle.bytesWritten - handle.writeQueueSize;
}
