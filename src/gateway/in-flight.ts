// This process's events in flight, from before the intent is written until the outcome is durable. After a crash, events before
// `clearBefore` need not be looked at. Lists remember what changed before then (journal/search/changed.ts).

import type { EventPlace } from "../journal/journal.ts";

export interface InFlight {
  /** What is there already stays as old as it is. */
  add(place: EventPlace, since: Date): void;
  remove(place: EventPlace): void;
  /** Every event that this process wrote before this instant has its outcome, and no outcome from before is still to be written. */
  clearBefore(now: Date): Date;
  readonly size: number;
}

/** Empty, as a process begins. */
export function inFlight(): InFlight {
  const since = new Map<string, Date>();
  const keyOf = ({ transactionId, sequence }: EventPlace) => `${transactionId} ${sequence}`;
  return {
    add: (place, at) => {
      const key = keyOf(place);
      const before = since.get(key);
      if (before === undefined || at < before) since.set(key, at);
    },
    remove: (place) => void since.delete(keyOf(place)),
    // Not in the order of insertion: an event is never older than the one before it, whose node's clock may be ahead.
    clearBefore: (now) => since.values().reduce((oldest, at) => (at < oldest ? at : oldest), now),
    get size() {
      return since.size;
    },
  };
}
