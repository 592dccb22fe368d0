// The newest intents and outcomes that this process knows to be committed. PostgreSQL replays its log in order, so a database that
// has the newest of them has all that came before.

import type { EventPlace } from "../journal/journal.ts";

export interface AcknowledgedWrite extends EventPlace {
  /** Its outcome, too. */
  readonly concluded: boolean;
}

/** An older one may be in the archive. */
const FRESH_MS = 3_600_000;
/** More than a group of commits has, in each of the three kinds of groups. */
const REMEMBERED = 1_024;
const IN_FENCE_FILE = 32;

export class AcknowledgedWrites {
  readonly #newest: (AcknowledgedWrite & { readonly atMs: number })[] = [];
  #next = 0;

  note({ merchantId, transactionId, sequence }: EventPlace, concluded: boolean): void {
    this.#newest[this.#next] = { merchantId, transactionId, sequence, concluded, atMs: performance.now() };
    this.#next = (this.#next + 1) % REMEMBERED;
  }

  forget(): void {
    this.#newest.length = 0;
    this.#next = 0;
  }

  /** For the fence file. */
  newest(): readonly AcknowledgedWrite[] {
    const [before, after] = [this.#newest.slice(0, this.#next), this.#newest.slice(this.#next)];
    return [...after, ...before].slice(-IN_FENCE_FILE).map(({ atMs: _, ...write }) => write);
  }

  all(): readonly AcknowledgedWrite[] {
    const since = performance.now() - FRESH_MS;
    return this.#newest.filter(({ atMs }) => atMs >= since);
  }
}
