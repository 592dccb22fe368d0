// What was found in merchants' blocks, so that it is searched only once. Numbers are only added at the end, and a filter's name has
// the version of the rest (span.ts), so nothing here becomes wrong. When it takes too much memory, the merchant with most of it loses what it has not used for longest.

import type { BlockSet } from "./block-set.ts";

/** What matches one filter among one merchant's numbers, as far as it is known, by block. */
export interface KnownMatches {
  readonly blocks: ReadonlyMap<number, KnownBlock>;
  /** How many match in full blocks of which nobody had to know the numbers. */
  readonly counts: ReadonlyMap<number, number>;
}
/** `upTo` this number, from its block's start. */
export interface KnownBlock {
  readonly upTo: number;
  readonly set: BlockSet;
}

/** Half of all of 500 million transactions, or some 100,000 filters with few matches. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Roughly what the maps take for a merchant, for an entry, and for a block of it. */
const MERCHANT_BYTES = 300;
const ENTRY_BYTES = 300;
const BLOCK_BYTES = 150;
const COUNT_BYTES = 50;

interface OfFilter extends KnownMatches {
  readonly blocks: Map<number, KnownBlock>;
  readonly counts: Map<number, number>;
}

interface OfMerchant {
  /** In the order in which they were asked for, the latest last. */
  readonly filters: Map<string, OfFilter>;
  bytes: number;
}

export class Remembered {
  readonly #mostBytes: number;
  readonly #merchants = new Map<string, OfMerchant>();
  #bytes = 0;

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @param filter a name for the filter */
  recall(merchantId: string, filter: string): KnownMatches {
    const merchant = this.#merchant(merchantId);
    const known = merchant.filters.get(filter) ?? { blocks: new Map(), counts: new Map() };
    if (!merchant.filters.delete(filter)) this.#takes(merchant, entryBytes(filter));
    merchant.filters.set(filter, known);
    this.#forget();
    return known;
  }

  /** @param known as it was recalled; it learns this even if it has been forgotten here meanwhile */
  learn(merchantId: string, filter: string, known: KnownMatches, block: number, found: KnownBlock): void {
    const { blocks } = known as OfFilter;
    const before = blocks.get(block);
    blocks.set(block, found);
    this.#learnt(merchantId, filter, known, bytesOf(found) - (before ? bytesOf(before) : 0));
  }

  /** @param count of all that match in the block, which is full */
  learnCount(merchantId: string, filter: string, known: KnownMatches, block: number, count: number): void {
    const { counts } = known as OfFilter;
    const bytes = counts.has(block) ? 0 : COUNT_BYTES;
    counts.set(block, count);
    this.#learnt(merchantId, filter, known, bytes);
  }

  #learnt(merchantId: string, filter: string, known: KnownMatches, bytes: number): void {
    const merchant = this.#merchants.get(merchantId);
    if (merchant?.filters.get(filter) !== known) return;
    this.#takes(merchant, bytes);
    this.#forget();
  }

  #merchant(merchantId: string): OfMerchant {
    const known = this.#merchants.get(merchantId);
    if (known) return known;
    const merchant = { filters: new Map(), bytes: 0 };
    this.#merchants.set(merchantId, merchant);
    this.#takes(merchant, MERCHANT_BYTES);
    return merchant;
  }

  #takes(merchant: OfMerchant, bytes: number): void {
    merchant.bytes += bytes;
    this.#bytes += bytes;
  }

  #forget(): void {
    while (this.#bytes > this.#mostBytes) {
      const [merchantId, merchant] = this.#biggest();
      const [oldest] = merchant.filters;
      if (oldest) this.#forgetFilter(merchant, ...oldest);
      if (merchant.filters.size > 0) continue;
      this.#bytes -= merchant.bytes;
      this.#merchants.delete(merchantId);
    }
  }

  #forgetFilter(merchant: OfMerchant, filter: string, { blocks, counts }: OfFilter): void {
    merchant.filters.delete(filter);
    this.#takes(merchant, -entryBytes(filter) - counts.size * COUNT_BYTES);
    for (const found of blocks.values()) this.#takes(merchant, -bytesOf(found));
  }

  #biggest(): readonly [string, OfMerchant] {
    return [...this.#merchants].reduce((one, other) => (other[1].bytes > one[1].bytes ? other : one));
  }
}

const entryBytes = (filter: string): number => ENTRY_BYTES + 2 * filter.length;
const bytesOf = ({ set }: KnownBlock): number => BLOCK_BYTES + set.content.byteLength;
