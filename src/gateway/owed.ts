// Writes that a database which went away has kept from becoming durable. They are tried again until they are: an outcome
// that is known is not given up while this process lives, and if it dies the event is found without an outcome.

export interface Owed {
  /** @param write safe to do twice */
  add(write: () => Promise<void>): void;
  /** Tries each once; those that fail stay. */
  tryAgain(): Promise<void>;
  readonly size: number;
}

const AT_ONCE = 16;

export function owed(): Owed {
  const writes = new Set<() => Promise<void>>();
  const tryOne = async (write: () => Promise<void>): Promise<void> => {
    try {
      await write();
      writes.delete(write);
    } catch (fault) {
      // To the end of the line: one that never succeeds does not stand in the way of others.
      writes.delete(write);
      writes.add(write);
      throw fault;
    }
  };
  return {
    add: (write) => void writes.add(write),
    tryAgain: async () => {
      for (const some of inPortions([...writes])) {
        const tried = await Promise.allSettled(some.map(tryOne));
        // The database is still away: the others would wait as long.
        if (tried.every(({ status }) => status === "rejected")) return;
      }
    },
    get size() {
      return writes.size;
    },
  };
}

function* inPortions<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += AT_ONCE) yield items.slice(start, start + AT_ONCE);
}
