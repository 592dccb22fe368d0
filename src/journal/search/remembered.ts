// What was found in the blocks of merchants, so that it is looked for once. Numbers are only ever added behind the last, so
// nothing that is kept here becomes wrong; what was not asked for longest is forgotten when it takes too much room.

import type { BlockSet } from "./block-set.ts";

/** What matches one filter among one merchant's numbers, as far as it is known: `upTo` this number, from its block's start. */
export type KnownBlocks = ReadonlyMap<number, KnownBlock>;
export interface KnownBlock {
  readonly upTo: number;
  readonly set: BlockSet;
}

/** Half of all of 500 million transactions, or some 100,000 filters with few matches. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Roughly what the maps take for an entry, and for a block of it. */
const ENTRY_BYTES = 300;
const BLOCK_BYTES = 150;

export class Remembered {
  readonly #mostBytes: number;
  /** In the order in which they were asked for, the latest last. */
  readonly #filters = new Map<string, Map<number, KnownBlock>>();
  #bytes = 0;

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @param filter a name for the merchant and the filter */
  recall(filter: string): KnownBlocks {
    const known = this.#filters.get(filter) ?? new Map<number, KnownBlock>();
    if (!this.#filters.delete(filter)) this.#bytes += entryBytes(filter);
    this.#filters.set(filter, known);
    this.#forget();
    return known;
  }

  /** @param known as it was recalled; it learns this even if it has been forgotten here meanwhile */
  learn(filter: string, known: KnownBlocks, block: number, found: KnownBlock): void {
    const blocks = known as Map<number, KnownBlock>;
    const before = blocks.get(block);
    blocks.set(block, found);
    if (this.#filters.get(filter) !== known) return;
    this.#bytes += bytesOf(found) - (before ? bytesOf(before) : 0);
    this.#forget();
  }

  #forget(): void {
    for (const [filter, known] of this.#filters) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#filters.delete(filter);
      this.#bytes -= entryBytes(filter);
      for (const found of known.values()) this.#bytes -= bytesOf(found);
    }
  }
}

const entryBytes = (filter: string): number => ENTRY_BYTES + 2 * filter.length;
const bytesOf = ({ set }: KnownBlock): number => BLOCK_BYTES + set.content.byteLength;
