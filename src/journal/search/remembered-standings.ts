// Merchants' standings as far as they were learnt, so that only what is new or has changed is read. Whoever works on a merchant's is
// alone with them, which is why lists, exports and preparing have their own; when all take too much memory together, those that were not
// asked for longest are forgotten.

import { fairTurns, takeWithin } from "../../shares/turns.ts";
import type { Sql } from "../database.ts";
import type { Asker } from "./ask.ts";
import type { BlockStandings } from "./block-standings.ts";

/** By block. */
export type KnownStandings = Map<number, BlockStandings>;

interface OfMerchant {
  readonly version: number;
  readonly blocks: KnownStandings;
}

/** For each pool, which is to say for each database. */
const memories = new WeakMap<Sql, RememberedStandings>();
export function standingsOf(pool: Sql): RememberedStandings {
  const memory = memories.get(pool) ?? new RememberedStandings();
  memories.set(pool, memory);
  return memory;
}

/** Sixteen million transactions, each once. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Of one merchant. Of more not even the changes are remembered (remembered-changes.ts). */
export const MOST_NUMBERS = 6_000_000;

const ONE_OF_EACH = { atOnce: Number.POSITIVE_INFINITY, mostOfOne: 1, mostWaiting: 2_000, mostWaitingOfOne: 100 };

export class RememberedStandings {
  readonly #mostBytes: number;
  readonly #turns = fairTurns(ONE_OF_EACH);
  /** In the order in which they were asked for, the latest last. */
  readonly #all = new Map<string, OfMerchant>();

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#all.values().reduce((sum, merchant) => sum + bytesOf(merchant), 0);
  }

  /**
   * @param asker waits for its turn as it does for the database
   * @param whose a merchant's, for a purpose
   * @param work what it leaves half done must be true all the same
   * @throws ShareUsedUp if too many wait
   */
  async alone<T>(
    { waitMs, signal }: Pick<Asker, "waitMs" | "signal">,
    whose: string,
    version: number,
    work: (known: KnownStandings) => Promise<T>,
  ): Promise<T> {
    const release = await (waitMs === undefined
      ? this.#turns.take(whose, signal)
      : takeWithin(this.#turns, whose, waitMs, signal));
    try {
      return await work(this.#recall(whose, version).blocks);
    } finally {
      this.#makeRoom();
      release();
    }
  }

  forget(whose: string): void {
    this.#all.delete(whose);
  }

  #recall(whose: string, version: number): OfMerchant {
    const before = this.#all.get(whose);
    const merchant = before?.version === version ? before : { version, blocks: new Map() };
    this.#all.delete(whose);
    this.#all.set(whose, merchant);
    return merchant;
  }

  #makeRoom(): void {
    let { bytes } = this;
    for (const [whose, merchant] of this.#all) {
      if (bytes <= this.#mostBytes) return;
      this.#all.delete(whose);
      bytes -= bytesOf(merchant);
    }
  }
}

const bytesOf = ({ blocks }: OfMerchant): number => blocks.values().reduce((sum, { bytes }) => sum + bytes, 0);
