// Responses that are written portion by portion, only as fast as they are read. Each holds a portion in memory, so their number
// is bounded, in all and for each merchant. While other merchants wait for a place, one that has held it for long may be broken off.

import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { LogLines } from "../shares/log-lines.ts";
import { type YieldTerms, yieldedTurns } from "../shares/yielded-turns.ts";
import { addressOf } from "./callers.ts";
import { baseFault } from "./request-fault.ts";

export interface LongResponses {
  /**
   * Sends what the portions give as soon as there is room for one more response.
   * @param holder whose share it takes
   * @param portions ends when the signal says that the reader is gone
   * @throws ShareUsedUp before anything is written
   */
  send(
    holder: string,
    reply: FastifyReply,
    portions: (gone: AbortSignal) => AsyncIterable<string>,
  ): Promise<FastifyReply>;
  /** For measurements and tests. */
  counts(): { readonly working: number; readonly waiting: number };
}

const TERMS: YieldTerms = {
  ...{ atOnce: 32, mostOfOne: 4, mostWaiting: 200, mostWaitingOfOne: 20, waitMs: 5_000 },
  ...{ keptMs: 30_000, lookEveryMs: 250 },
};

export function longResponses(lines: Pick<LogLines, "tell">, terms: YieldTerms = TERMS): LongResponses {
  const places = yieldedTurns(terms);
  return {
    async send(holder, reply, portions) {
      const gone = readerGone(reply);
      const release = await places.take(holder, () => breakOff(holder, reply, lines), gone);
      // Until then its last portion may be in hand.
      if (gone.aborted) release();
      else gone.addEventListener("abort", release, { once: true });
      return reply.send(streamOf(portions(gone), reply));
    },
    counts: places.counts,
  };
}

/** Not before it has begun: the gateway would make it once more in the place of the process that it asked. */
function breakOff(holder: string, { raw, request, log }: FastifyReply, lines: Pick<LogLines, "tell">): boolean {
  if (!raw.headersSent || raw.socket === null) return false;
  const facts = { address: addressOf(request), holder };
  lines.tell({ log, facts, text: "a long response was broken off: others waited for its place", known: holder });
  breakConnection(raw.socket);
  return true;
}

/** The process for heavy requests is asked over a pipe, which has no reset: the gateway sees that it ended early, and resets its client's. */
function breakConnection(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy();
  else socket.resetAndDestroy();
}

/** Holds nothing that was not asked for: with a mark of zero, the next portion is read when the last one was taken. */
const streamOf = (portions: AsyncIterable<string>, reply: FastifyReply): Readable =>
  Readable.from(untilBroken(portions, reply), { objectMode: false, highWaterMark: 0 });

/** What breaks off breaks the connection, so that nobody takes it for the whole. */
export async function* untilBroken<Portion>(
  portions: AsyncIterable<Portion>,
  { raw }: FastifyReply,
): AsyncGenerator<Portion> {
  try {
    yield* portions;
  } catch (fault) {
    if (!raw.headersSent) throw fault;
    // A response of HTTP/1.0 has no mark of its end: only a connection that is reset tells that something is missing.
    if (raw.socket !== null) breakConnection(raw.socket);
    // It is logged by Fastify: what was asked of a database stays out of it.
    throw new Error("a response broke off", { cause: fault });
  }
}

/** The head of a response to GET, and nothing of what would be read for it (RFC 9110, section 9.3.2). */
export const sendHead = (reply: FastifyReply): FastifyReply => reply.send(Readable.from([]));

/** Nobody sees this response, and it is nothing to be logged. */
export const GONE = baseFault(400, "The connection was closed.");

/** Aborted when the response was taken, or never will be. */
export function readerGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const abort = () => gone.abort(GONE);
  if (raw.destroyed || raw.closed) abort();
  else raw.once("close", abort);
  return gone.signal;
}
