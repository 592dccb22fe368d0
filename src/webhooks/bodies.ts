// Bodies in hand, few at a time: each is made when it is its turn to be sent, and the big ones have places of their own, so
// that their number bounds the memory that they take.

import { fairTurns, type TurnBounds } from "../shares/turns.ts";
import type { Lane } from "./lanes.ts";
import type { Delivery } from "./outbox.ts";
import { type Content, contentOf, type Source } from "./payload.ts";

/** Characters. What is smaller is bounded by how many are sent at once. */
const BIG = 16_384;
/** Reading, rendering and writing one take some milliseconds for each megabyte. */
const MAKING: TurnBounds = { atOnce: 3, mostOfOne: 2, mostWaiting: 4_096, mostWaitingOfOne: 256 };
/** From making to the answer. */
const BIG_ONES: TurnBounds = { atOnce: 12, mostOfOne: 3, mostWaiting: 4_096, mostWaitingOfOne: 256 };

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
  const making = fairTurns(MAKING);
  const bigOnes = { quick: fairTurns(BIG_ONES), slow: fairTurns(BIG_ONES) };

  const make = async ({ merchantId, delivery }: Wanted, signal: AbortSignal): Promise<Content> => {
    const done = await making.take(merchantId, signal);
    return contentOf(source, merchantId, delivery).finally(done);
  };
  return {
    use: async (wanted, signal, send) => {
      let content: Content | undefined = await make(wanted, signal);
      if (!isBig(content)) return send(content);
      // Let go of while it waits for its place, and made anew.
      content = undefined;
      const done = await bigOnes[wanted.lane].take(wanted.merchantId, signal);
      try {
        return await send(await make(wanted, signal));
      } finally {
        done();
      }
    },
  };
}

const isBig = (content: Content): boolean => content.kind === "body" && content.body.length > BIG;
