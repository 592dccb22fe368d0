// Who may work next where only so many may work at once. Each holder (a merchant, a token, an address) has a share, and turns
// go round among the holders that wait: whoever asks for a thousand turns waits for the thousand, and nobody else does.

export interface TurnBounds {
  /** Works at once, of all holders together. */
  readonly atOnce: number;
  /** Works at once of one holder; below `atOnce`, so that one holder never has all. */
  readonly mostOfOne: number;
  /** Places in the queue, for all holders together. */
  readonly mostWaiting: number;
  readonly mostWaitingOfOne: number;
}

/** Gives the turn back. Once is enough, and more does no harm. */
export type Release = () => void;

export interface Turns {
  /** A turn that is free at this moment. */
  takeFree(holder: string): Release | undefined;
  /**
   * Resolves when it is this holder's turn.
   * @param signal leaves the queue; of a turn that was given already it means nothing
   * @throws ShareUsedUp if too many wait; what the signal says if it leaves
   */
  take(holder: string, signal?: AbortSignal): Promise<Release>;
  /** Whether this holder works as much as it may: what it waits for is its own. */
  usesItsShare(holder: string): boolean;
  /** For measurements and tests. */
  counts(): { readonly working: number; readonly waiting: number; readonly holders: number };
}

/** Too many wait already: so many of this holder, or so many of all. */
export class ShareUsedUp extends Error {
  readonly whose: "own" | "all";
  constructor(whose: "own" | "all") {
    super(whose === "own" ? "too many of one holder wait" : "too many wait");
    this.whose = whose;
  }
}

interface Holder {
  working: number;
  /** Each gives its waiter the turn; in the order in which they came. */
  readonly waiting: Set<() => void>;
}

/** A queue for each holder, and turns that go round among them. */
export function fairTurns({ atOnce, mostOfOne, mostWaiting, mostWaitingOfOne }: TurnBounds): Turns {
  const holders = new Map<string, Holder>();
  /** Holders that wait and have less than their share, the one whose turn it is first. */
  const next = new Set<Holder>();
  let [working, waiting] = [0, 0];

  const isDue = ({ waiting, working }: Holder): boolean => waiting.size > 0 && working < mostOfOne;

  /** Goes on until nobody is left who may work. */
  const serve = (): void => {
    for (const holder of next) {
      if (working >= atOnce) return;
      next.delete(holder);
      const [give] = holder.waiting;
      give?.();
      if (isDue(holder)) next.add(holder);
    }
  };

  const begin = (name: string, holder: Holder): Release => {
    working++;
    holder.working++;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      working--;
      holder.working--;
      update(name, holder);
      serve();
    };
  };

  const update = (name: string, holder: Holder): void => {
    if (isDue(holder)) next.add(holder);
    else next.delete(holder);
    if (holder.working === 0 && holder.waiting.size === 0) holders.delete(name);
  };

  const enqueue = (name: string, holder: Holder, signal: AbortSignal | undefined): Promise<Release> =>
    new Promise((resolve, reject) => {
      const leave = () => {
        holder.waiting.delete(give);
        waiting--;
        update(name, holder);
        reject(signal?.reason);
      };
      const give = () => {
        signal?.removeEventListener("abort", leave);
        holder.waiting.delete(give);
        waiting--;
        resolve(begin(name, holder));
      };
      holder.waiting.add(give);
      waiting++;
      signal?.addEventListener("abort", leave, { once: true });
      update(name, holder);
    });

  const holderOf = (name: string): Holder => holders.get(name) ?? { working: 0, waiting: new Set() };

  const takeFree = (name: string): Release | undefined => {
    const holder = holderOf(name);
    if (working >= atOnce || holder.working >= mostOfOne || next.size > 0) return undefined;
    holders.set(name, holder);
    return begin(name, holder);
  };

  return {
    takeFree,
    async take(name, signal) {
      signal?.throwIfAborted();
      const free = takeFree(name);
      if (free !== undefined) return free;
      const holder = holderOf(name);
      if (holder.waiting.size >= mostWaitingOfOne) throw new ShareUsedUp("own");
      if (waiting >= mostWaiting) throw new ShareUsedUp("all");
      holders.set(name, holder);
      return enqueue(name, holder, signal);
    },
    usesItsShare: (name) => (holders.get(name)?.working ?? 0) >= mostOfOne,
    counts: () => ({ working, waiting, holders: holders.size }),
  };
}

/**
 * A turn soon, or a refusal: who waits for a response is better told to come again than kept waiting.
 * @param signal leaves the queue
 * @throws ShareUsedUp also if the turn does not come in time
 */
export async function takeWithin(turns: Turns, holder: string, waitMs: number, signal?: AbortSignal): Promise<Release> {
  signal?.throwIfAborted();
  // Nearly always: then there is nothing to give up, and no timer to be set for it.
  const free = turns.takeFree(holder);
  if (free !== undefined) return free;
  const waiting = new AbortController();
  const leave = () => waiting.abort(signal?.reason);
  const giveUp = () => waiting.abort(new ShareUsedUp(turns.usesItsShare(holder) ? "own" : "all"));
  const timer = setTimeout(giveUp, waitMs);
  signal?.addEventListener("abort", leave, { once: true });
  try {
    return await turns.take(holder, waiting.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", leave);
  }
}
