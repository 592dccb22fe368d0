// Looks up secrets in turn. Secrets that were good before have a queue of their own, so somebody who guesses secrets delays only those
// that nobody knows yet.

import { forgetOldest } from "../shares/forget-oldest.ts";
import { networkOf } from "../shares/network.ts";
import { fairTurns, type TurnBounds } from "../shares/turns.ts";

/** Of secrets that were good before, each with turns of its own. */
const OF_KNOWN: TurnBounds = { atOnce: 12, mostOfOne: 4, mostWaiting: 2_000, mostWaitingOfOne: 100 };
/** Of all others, those that one network sends together. */
const OF_OTHERS: TurnBounds = { atOnce: 4, mostOfOne: 2, mostWaiting: 2_000, mostWaitingOfOne: 100 };

const MOST_KNOWN = 10_000;

/** @param find in the database */
export function lookUpsInTurn<T>(
  find: (hash: string) => Promise<T | undefined>,
  isGood: (found: T) => boolean = () => true,
): (hash: string, address: string) => Promise<T | undefined> {
  const [ofKnown, ofOthers] = [fairTurns(OF_KNOWN), fairTurns(OF_OTHERS)];
  const known = new Set<string>();
  const remember = (hash: string): void => {
    known.add(hash);
    forgetOldest(known, MOST_KNOWN);
  };
  return async (hash, address) => {
    const release = await (known.has(hash) ? ofKnown.take(hash) : ofOthers.take(networkOf(address)));
    try {
      const found = await find(hash);
      if (found !== undefined && isGood(found)) remember(hash);
      else known.delete(hash);
      return found;
    } finally {
      release();
    }
  };
}
