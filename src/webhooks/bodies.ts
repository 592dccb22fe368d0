// Bodies of webhooks, few in memory at a time: each is made when it is sent. Big ones have places of their own, which bounds the
// memory.

import { releaseAfterRest } from "../shares/rest.ts";
import { fairTurns, type TurnBounds } from "../shares/turns.ts";
import type { Lane } from "./lanes.ts";
import type { Delivery } from "./outbox.ts";
import { bytesOf, type Content, contentOf, type Source } from "./payload.ts";

/** Bytes. What is smaller is bounded by how many are sent at once. */
const BIG = 16_384;
/** Reading and rendering one takes a few milliseconds at most. */
const SMALL_ONES: TurnBounds = { atOnce: 3, mostOfOne: 2, mostWaiting: 4_096, mostWaitingOfOne: 256 };
/** From making to the answer. */
const BIG_ONES: TurnBounds = { atOnce: 12, mostOfOne: 3, mostWaiting: 4_096, mostWaitingOfOne: 256 };
/** Reading, rendering and signing a big one takes tens of milliseconds for each megabyte: a sixth of the time, for all. */
const MAKING_BIG: TurnBounds = { atOnce: 1, mostOfOne: 1, mostWaiting: 4_096, mostWaitingOfOne: 256 };
const REST_TIMES = 5;

export interface Bodies {
  /** @throws what the signal says, if it comes before the body is made */
  use<T>(wanted: Wanted, signal: AbortSignal, send: (content: Content) => Promise<T>): Promise<T>;
}

export interface Wanted {
  readonly lane: Lane;
  readonly merchantId: string;
  readonly delivery: Delivery;
}

export function openBodies(source: Source): Bodies {
  const makingSmall = fairTurns(SMALL_ONES);
  const makingBig = fairTurns(MAKING_BIG);
  const bigOnes = { quick: fairTurns(BIG_ONES), slow: fairTurns(BIG_ONES) };

  /** Undefined: it is a big one. */
  const makeSmall = async ({ merchantId, delivery }: Wanted, signal: AbortSignal): Promise<Content | undefined> => {
    const done = await makingSmall.take(merchantId, signal);
    try {
      if ((await bytesOf(source.sql, merchantId, delivery)) > BIG) return undefined;
      const content = await contentOf(source, merchantId, delivery);
      // Some are bigger than they were thought to be.
      return content.kind === "body" && content.body.length > BIG ? undefined : content;
    } finally {
      done();
    }
  };
  const makeBig = async ({ merchantId, delivery }: Wanted, signal: AbortSignal): Promise<Content> => {
    const done = await makingBig.take(merchantId, signal);
    const sinceMs = performance.now();
    try {
      return await contentOf(source, merchantId, delivery);
    } finally {
      // It is signed and written in this turn of the loop.
      setImmediate(() => releaseAfterRest(done, sinceMs, REST_TIMES));
    }
  };
  return {
    use: async (wanted, signal, send) => {
      const small = await makeSmall(wanted, signal);
      if (small !== undefined) return send(small);
      const done = await bigOnes[wanted.lane].take(wanted.merchantId, signal);
      try {
        return await send(await makeBig(wanted, signal));
      } finally {
        done();
      }
    },
  };
}
