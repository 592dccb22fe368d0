// The bytes of a request: read up to a limit or, when they are not needed any more, discarded up to a limit.

import type { Readable } from "node:stream";
import { baseFault, type RequestFault } from "../request-fault.ts";
import type { Arrival } from "./arriving.ts";

/** What Node keeps of a piece besides its bytes: 225 to 300 were measured for pieces of a byte. */
const BYTES_OF_A_PIECE = 512;

/**
 * All bytes, or `undefined` as soon as it is certain that there are more than `maxBytes`; what has not come by then is
 * left unread. A `RequestFault` of 400 if the client goes away meanwhile, or if the body is not as long as announced.
 * @param announcedBytes what Content-Length says; NaN where there is none
 * @param begin of what does not come in one piece; what it is given refuses the body
 */
export function readBytes(
  incoming: Readable,
  announcedBytes: number,
  maxBytes: number,
  begin: (refuse: (fault: RequestFault) => void) => Arrival = () => COUNTED_BY_NOBODY,
): Promise<Buffer | undefined> {
  if (announcedBytes > maxBytes) return Promise.resolve(undefined);
  if (isHere(incoming, announcedBytes)) return Promise.resolve(incoming.read() as Buffer);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let arrival: Arrival | undefined;
    const refuse = (fault: RequestFault) => finish(() => reject(fault));
    function onData(chunk: Buffer): void {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > maxBytes) finish(() => resolve(undefined));
      else if (bytes !== announcedBytes) {
        arrival ??= begin(refuse);
        arrival.came(chunk.length + BYTES_OF_A_PIECE);
      }
    }
    const whole = () => resolve(chunks.length === 1 ? chunks.pop() : Buffer.concat(chunks, bytes));
    // Part of a body, or none, might say something else: a refund without an amount gives back all that remains.
    const isShort = () => bytes !== announcedBytes && !Number.isNaN(announcedBytes);
    const onEnd = () => (isShort() ? onBreak() : finish(whole));
    const onBreak = () => finish(() => reject(baseFault(400, "The body ended before it was complete.")));
    function finish(outcome: () => void): void {
      incoming.off("data", onData).off("end", onEnd).off("close", onBreak).off("error", onBreak);
      incoming.pause();
      arrival?.end();
      outcome();
      // What is left of them may be a card number's only copy.
      for (const chunk of chunks) chunk.fill(0);
    }
    // It may be gone before anyone reads; no event tells of that any more.
    if (incoming.destroyed) return onBreak();
    incoming.on("data", onData).on("end", onEnd).on("close", onBreak).on("error", onBreak);
  });
}

/** Nearly always, and then nothing need be listened to: that costs more than to read a body of a kilobyte. */
const isHere = ({ destroyed, readableLength }: Readable, announcedBytes: number): boolean =>
  !destroyed && readableLength > 0 && readableLength === announcedBytes;

const COUNTED_BY_NOBODY: Arrival = { came: () => undefined, end: () => undefined };

export interface DrainLimits {
  readonly drainBytes: number;
  readonly drainMs: number;
}

/** Throws away what still comes, until it ends, the client goes, or a limit is reached. Never rejects. */
export function drain(incoming: Readable, { drainBytes, drainMs }: DrainLimits): Promise<void> {
  return new Promise((resolve) => {
    if (incoming.readableEnded || incoming.destroyed) return resolve();
    let bytes = 0;
    function onData(chunk: Buffer): void {
      bytes += chunk.length;
      if (bytes > drainBytes) finish();
    }
    const timer = setTimeout(finish, drainMs);
    function finish(): void {
      clearTimeout(timer);
      incoming.off("data", onData).off("end", finish).off("close", finish).off("error", finish);
      incoming.pause();
      resolve();
    }
    incoming.on("data", onData).on("end", finish).on("close", finish).on("error", finish);
    incoming.resume();
  });
}
