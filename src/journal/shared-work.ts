// Work that several wait for at once, each for so long: it is done once for all of them, and ends with the last.

/** Begins it unless it is being done. @param until by performance.now(), which no step of the clock moves: for so long it is wanted */
export type SharedWork<Key> = (key: Key, until: number) => Promise<void>;

/** @param work asks now and then whether it is still wanted, and throws when not */
export function sharedWork<Key>(work: (key: Key, isWanted: () => boolean) => Promise<void>): SharedWork<Key> {
  const underWay = new Map<Key, { until: number; readonly done: Promise<void> }>();
  return (key, until) => {
    const there = underWay.get(key);
    if (there !== undefined) {
      there.until = Math.max(there.until, until);
      return there.done;
    }
    const isWanted = () => performance.now() < one.until;
    const done = Promise.resolve()
      .then(() => work(key, isWanted))
      .finally(() => underWay.delete(key));
    const one = { until, done };
    underWay.set(key, one);
    return done;
  };
}
