// Which settlement batches are surely in their table, so that a sale need not insert its batch once more: to try costs PostgreSQL as
// much as the outcome itself. It holds for a second only, and until a statement fails: a standby that was promoted may lack what was
// committed last, and then the next sale brings its batch back.

import { settlementOf } from "../payment/outcome.ts";
import { batchId } from "../payment/status.ts";
import type { Conclusion } from "./journal.ts";

export interface KnownBatches {
  has(batch: string): boolean;
}

interface RememberedBatches extends KnownBatches {
  /** Only of what is committed. */
  add(batch: string | null): void;
  forget(): void;
}

const KEPT_MS = 1_000;
const MOST_KEPT = 10_000;

export const NO_BATCHES: KnownBatches = { has: () => false };

/** @param now milliseconds that never go back */
export function rememberedBatches(now = () => performance.now()): RememberedBatches {
  const seenAt = new Map<string, number>();
  const has = (batch: string) => now() - (seenAt.get(batch) ?? Number.NEGATIVE_INFINITY) < KEPT_MS;
  return {
    has,
    add: (batch) => {
      if (batch === null || has(batch)) return;
      if (seenAt.size >= MOST_KEPT) seenAt.clear();
      seenAt.set(batch, now());
    },
    forget: () => seenAt.clear(),
  };
}

/** The batch that the money of this outcome is in; a batch's id is two hashes, and nearly all sales have the last one's. */
export function batchOfConclusion({ outcome, processorId }: Conclusion): string | null {
  const settlement = settlementOf(outcome);
  if (settlement === null) return null;
  const cutoffAt = settlement.cutoffAt.getTime();
  if (last?.processorId !== processorId || last.cutoffAt !== cutoffAt)
    last = { processorId, cutoffAt, id: batchId(processorId, settlement) };
  return last.id;
}
let last: { readonly processorId: string; readonly cutoffAt: number; readonly id: string } | undefined;
