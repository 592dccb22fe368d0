// Writes that failed because the database was away. They are retried until they succeed: a known outcome is not given up while
// this process lives. If it dies, the event is found without an outcome.

import { atOnce } from "../shares/at-once.ts";

export interface RetryQueue {
  /** @param write safe to do twice */
  add(write: () => Promise<void>): void;
  /** Tries each once; those that fail stay. */
  retry(): Promise<void>;
  readonly size: number;
}

const AT_ONCE = 16;

/** Empty, as a process begins. */
export function retryQueue(): RetryQueue {
  const writes = new Set<() => Promise<void>>();
  return {
    add: (write) => void writes.add(write),
    retry: async () => {
      let failedInARow = 0;
      // Ends when as many in a row have failed as are tried at once: the database is still away, and the others would wait as long.
      const worthTrying = function* () {
        for (const write of [...writes]) if (failedInARow < AT_ONCE) yield write;
      };
      await atOnce(AT_ONCE, worthTrying(), async (write) => {
        const done = await write().then(
          () => true,
          () => false,
        );
        failedInARow = done ? 0 : failedInARow + 1;
        writes.delete(write);
        // To the end of the line: one that never succeeds does not stand in the way of others.
        if (!done) writes.add(write);
      });
    },
    get size() {
      return writes.size;
    },
  };
}
