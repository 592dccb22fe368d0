// Merchants' standings as far as they were learnt, so that only what is new or has changed is read. Whoever works on a merchant's is
// alone with them; when they take too much memory, the merchant who did not ask for longest is forgotten.

import { fairTurns, takeWithin } from "../../shares/turns.ts";
import type { Asker } from "./ask.ts";
import type { BlockStandings } from "./block-standings.ts";

/** By block. */
export type KnownStandings = Map<number, BlockStandings>;

interface OfMerchant {
  readonly version: number;
  readonly blocks: KnownStandings;
}

/** Sixteen million transactions. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Of one merchant. Of more not even the changes are remembered (remembered-changes.ts). */
export const MOST_NUMBERS = 6_000_000;

const ONE_OF_EACH = { atOnce: Number.POSITIVE_INFINITY, mostOfOne: 1, mostWaiting: 1_000, mostWaitingOfOne: 100 };

export class RememberedStandings {
  readonly #mostBytes: number;
  readonly #turns = fairTurns(ONE_OF_EACH);
  /** In the order in which they were asked for, the latest last. */
  readonly #merchants = new Map<string, OfMerchant>();

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#merchants.values().reduce((sum, merchant) => sum + bytesOf(merchant), 0);
  }

  /**
   * @param asker waits for its turn as it does for the database
   * @param work what it leaves half done must be true all the same
   * @throws ShareUsedUp if too many wait
   */
  async alone<T>(
    { waitMs, signal }: Pick<Asker, "waitMs" | "signal">,
    merchantId: string,
    version: number,
    work: (known: KnownStandings) => Promise<T>,
  ): Promise<T> {
    const release = await (waitMs === undefined
      ? this.#turns.take(merchantId, signal)
      : takeWithin(this.#turns, merchantId, waitMs, signal));
    try {
      return await work(this.#recall(merchantId, version).blocks);
    } finally {
      this.#makeRoom();
      release();
    }
  }

  forget(merchantId: string): void {
    this.#merchants.delete(merchantId);
  }

  #recall(merchantId: string, version: number): OfMerchant {
    const before = this.#merchants.get(merchantId);
    const merchant = before?.version === version ? before : { version, blocks: new Map() };
    this.#merchants.delete(merchantId);
    this.#merchants.set(merchantId, merchant);
    return merchant;
  }

  #makeRoom(): void {
    let { bytes } = this;
    for (const [merchantId, merchant] of this.#merchants) {
      if (bytes <= this.#mostBytes) return;
      this.#merchants.delete(merchantId);
      bytes -= bytesOf(merchant);
    }
  }
}

const bytesOf = ({ blocks }: OfMerchant): number => blocks.values().reduce((sum, { bytes }) => sum + bytes, 0);
