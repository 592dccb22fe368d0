// The batches that events show: one for each record and cut-off that has passed, the same on all of its events and for
// good, whatever becomes of the schedule.

import assert from "node:assert/strict";
import { batchOf } from "../../src/payment/status.ts";
import type { Transaction } from "../../src/payment/transaction.ts";
import type { Mirrored } from "../simulation/mirror.ts";

export interface ShownBatches {
  check(stored: readonly Transaction[], mirrors: readonly Mirrored[], now: number): void;
  /** By record and cut-off, as {@link batchName}. */
  readonly ids: ReadonlyMap<string, string>;
}

export const batchName = (processorId: string, cutoffAt: number): string => `${processorId} ${cutoffAt}`;

export function shownBatches(): ShownBatches {
  const ids = new Map<string, string>();
  const names = new Map<string, string>();
  return {
    ids,
    check: (stored, mirrors, now) => {
      for (const [place, { events }] of mirrors.entries())
        for (const [index, { processorId, cutoffAt, id: eventId }] of events.entries()) {
          const event = stored[place]?.events[index];
          const shown = event ? batchOf(event, new Date(now)) : null;
          if (now < cutoffAt) {
            assert.equal(shown, null, `${eventId} has no batch before its cut-off`);
            continue;
          }
          assert.ok(shown, `${eventId} has a batch from its cut-off on`);
          const name = batchName(processorId, cutoffAt);
          assert.equal(shown, ids.get(name) ?? shown, "money of one cut-off is in one batch");
          assert.equal(name, names.get(shown) ?? name, "a batch is of one cut-off");
          ids.set(name, shown);
          names.set(shown, name);
        }
    },
  };
}
