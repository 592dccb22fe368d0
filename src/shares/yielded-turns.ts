// Turns that end when somebody else pleases, such as the reader of an export. While others wait, a holder that has more of them than they do
// gives up the one that it has had for longest, so that nobody keeps others waiting for good. While nobody waits, none is given up.

import { fairTurns, type Release, type TurnBounds, type Turns, takeWithin } from "./turns.ts";

export interface YieldTerms extends TurnBounds {
  readonly waitMs: number;
  /** Nobody gives a turn up before it was theirs for so long. */
  readonly keptMs: number;
  /** One is given up at a time, and what becomes of it is known at the next look. */
  readonly lookEveryMs: number;
}

export interface YieldedTurns {
  /**
   * A turn within the time that may be waited.
   * @param giveUp ends the work, and so gives the turn back; false if it cannot be ended now
   * @param signal leaves the queue
   * @throws ShareUsedUp
   */
  take(holder: string, giveUp: () => boolean, signal: AbortSignal): Promise<Release>;
  readonly counts: Turns["counts"];
}

interface Held {
  readonly holder: string;
  readonly sinceMs: number;
  readonly giveUp: () => boolean;
}

/** Turns of so many at once, of which those that are held for long go to whoever has fewer. */
export function yieldedTurns({ waitMs, keptMs, lookEveryMs, ...bounds }: YieldTerms): YieldedTurns {
  const turns = fairTurns(bounds);
  /** The one that was given first comes first. */
  const held = new Set<Held>();
  /** Whose requests wait. */
  const waiting: Set<{ readonly holder: string }> = new Set();
  let looking: NodeJS.Timeout | undefined;

  const numberOf = (holder: string): number => [...held].filter((one) => one.holder === holder).length;

  const look = (): void => {
    // With turns left, whoever waits has its share.
    if (turns.counts().working < bounds.atOnce) return;
    const least = Math.min(...[...waiting].map(({ holder }) => numberOf(holder)));
    // To take one from somebody who has one more would only turn the two round.
    const hasMore = ({ holder }: Held) => (least === 0 ? true : numberOf(holder) > least + 1);
    const beforeMs = performance.now() - keptMs;
    const due = [...held].filter((one) => one.sinceMs <= beforeMs && hasMore(one));
    due.sort((one, other) => numberOf(other.holder) - numberOf(one.holder)).some(({ giveUp }) => giveUp());
  };

  const wait = async (holder: string, signal: AbortSignal): Promise<Release> => {
    const waits = { holder };
    waiting.add(waits);
    looking ??= setInterval(look, lookEveryMs).unref();
    try {
      return await takeWithin(turns, holder, waitMs, signal);
    } finally {
      waiting.delete(waits);
      if (waiting.size === 0) {
        clearInterval(looking);
        looking = undefined;
      }
    }
  };

  return {
    async take(holder, giveUp, signal) {
      signal.throwIfAborted();
      const release = turns.takeFree(holder) ?? (await wait(holder, signal));
      const one: Held = { holder, sinceMs: performance.now(), giveUp };
      held.add(one);
      return () => {
        held.delete(one);
        release();
      };
    },
    counts: turns.counts,
  };
}
