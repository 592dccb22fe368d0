// Merchants' changes as far as they were read, so that each is read once. Whoever asks reads what came since, and what is older than
// all that anybody asked for; when it takes too much memory, the merchant who did not ask for longest is forgotten.

import { type Place, placeAt } from "./changes.ts";
import { CHANGE_BYTES, LastChanges } from "./last-changes.ts";

/** All changes since one instant, up to another: what comes later has not been read, or not all of it. */
export interface KnownChanges {
  readonly version: number;
  readonly changes: LastChanges;
  /** Nothing before this place has been read. */
  begin: { readonly place: Place; readonly atMs: number };
  /** All before this instant has been read that will ever be there. */
  end: Date;
  /** There is too much since this instant to remember it. */
  tooMuchSinceMs: number;
}

/** More than six million transactions with changes. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Roughly what a merchant's entry takes beside them. */
const MERCHANT_BYTES = 500;

export class RememberedChanges {
  readonly #mostBytes: number;
  /** In the order in which they were asked for, the latest last. */
  readonly #merchants = new Map<string, KnownChanges>();

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#merchants.values().reduce((sum, known) => sum + bytesOf(known), 0);
  }

  /** @param numbers of this many transactions at least is something to be remembered */
  hasRoomFor = (numbers: number): boolean => numbers * CHANGE_BYTES <= this.#mostBytes;

  /** @param settled where it begins, if nothing of this version is known */
  recall(merchantId: string, version: number, settled: Date): KnownChanges {
    const before = this.#merchants.get(merchantId);
    const known = before?.version === version ? before : nothingKnown(version, settled);
    this.#merchants.delete(merchantId);
    this.#merchants.set(merchantId, known);
    return known;
  }

  /** Makes room for what was just learnt. @returns false if there is too much of it, which is forgotten then */
  makeRoom(merchantId: string, known: KnownChanges, sinceMs: number): boolean {
    let { bytes } = this;
    for (const [other, its] of this.#merchants) {
      if (bytes <= this.#mostBytes) return true;
      if (other === merchantId) continue;
      this.#merchants.delete(other);
      bytes -= bytesOf(its);
    }
    if (bytesOf(known) <= this.#mostBytes) return true;
    const forgotten = nothingKnown(known.version, known.end);
    if (this.#merchants.has(merchantId)) this.#merchants.set(merchantId, { ...forgotten, tooMuchSinceMs: sinceMs });
    return false;
  }
}

const bytesOf = ({ changes }: KnownChanges): number => changes.bytes + MERCHANT_BYTES;

const nothingKnown = (version: number, settled: Date): KnownChanges => ({
  ...{ version, changes: new LastChanges(), tooMuchSinceMs: Number.NEGATIVE_INFINITY },
  ...{ begin: { place: placeAt(settled), atMs: settled.getTime() }, end: settled },
});
