// Writes that failed because the database was away. They are retried until they succeed: a known outcome is not given up while
// this process lives. If it dies, the event is found without an outcome. A write that the database refuses for what is in it would
// never succeed: after some tries the event goes to the resolver, and so to the operator.

import { faultOfRow } from "../journal/database.ts";
import { atOnce } from "../shares/at-once.ts";
import { failuresOf } from "./every.ts";
import type { Log } from "./log.ts";

export interface RetryQueue {
  /**
   * @param write safe to do twice
   * @param giveUp what is done instead if the database refuses the row again and again; safe to do twice
   */
  add(write: () => Promise<void>, giveUp?: () => Promise<void>): void;
  /** Tries each once; those that fail stay. */
  retry(): Promise<void>;
  readonly size: number;
}

const AT_ONCE = 16;
/** A try a second. */
const TRIES_WHEN_REFUSED = 60;

interface Waiting {
  readonly write: () => Promise<void>;
  readonly giveUp: (() => Promise<void>) | undefined;
  refused: number;
}

/** Empty, as a process begins. */
export function retryQueue(log: Log): RetryQueue {
  const waiting = new Set<Waiting>();
  const failures = failuresOf(log, "an outcome could not be written and is tried again");
  const tried = async (one: Waiting): Promise<boolean> => {
    try {
      await (one.giveUp !== undefined && one.refused >= TRIES_WHEN_REFUSED ? one.giveUp() : one.write());
      if (one.refused >= TRIES_WHEN_REFUSED && one.giveUp !== undefined)
        log.error({}, "the database refuses an outcome that is known: the operation is unresolved");
      return true;
    } catch (fault) {
      failures.tell(String(fault));
      if (faultOfRow(fault)) one.refused++;
      return false;
    }
  };
  return {
    add: (write, giveUp) => void waiting.add({ write, giveUp, refused: 0 }),
    retry: async () => {
      let failedInARow = 0;
      // Ends when as many in a row have failed as are tried at once: the database is still away, and the others would wait as long.
      const worthTrying = function* () {
        for (const one of [...waiting]) if (failedInARow < AT_ONCE) yield one;
      };
      await atOnce(AT_ONCE, worthTrying(), async (one) => {
        const done = await tried(one);
        failedInARow = done ? 0 : failedInARow + 1;
        waiting.delete(one);
        // To the end of the line: one that never succeeds does not stand in the way of others.
        if (!done) waiting.add(one);
      });
    },
    get size() {
      return waiting.size;
    },
  };
}
