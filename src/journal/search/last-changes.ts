// The second in which each of a merchant's transactions was last changed, and what follow-ups it has: in five bytes each, so that a period
// that nobody asked for before is found without the database.

import { type Bits, BLOCK_SIZE, bitsOf, blockOf, firstOf, put } from "./block-set.ts";
import { NumberSet } from "./number-set.ts";

interface Block {
  /** By offset; 0: not changed. No longer than it has to be, nearly: a small merchant has few. */
  seconds: Uint32Array<ArrayBuffer>;
  /** By offset, bits of the types of its follow-ups. */
  types: Uint8Array<ArrayBuffer>;
  /** Of all of them. */
  latest: number;
}

/** In seconds since 1970, and nobody's clock is there before the year 2106. */
export const LATEST_SECOND = 0xffff_ffff;
const FEWEST = 256;
/** Of each transaction. */
export const CHANGE_BYTES = Uint32Array.BYTES_PER_ELEMENT + Uint8Array.BYTES_PER_ELEMENT;

export class LastChanges {
  readonly #blocks = new Map<number, Block>();
  bytes = 0;

  /** In any order: of a transaction's changes the last one stands. @param types bits of the follow-ups that it was */
  put(number: number, second: number, types = 0): void {
    const block = this.#block(blockOf(number));
    const offset = number - firstOf(blockOf(number));
    if (offset >= block.seconds.length) this.#grow(block, offset);
    if (second > (block.seconds[offset] ?? 0)) block.seconds[offset] = second;
    if (second > block.latest) block.latest = second;
    if (types !== 0) block.types[offset] = (block.types[offset] ?? 0) | types;
  }

  /** Those that have a follow-up with this bit, as they are now. */
  having(bit: number): NumberSet {
    const having = new NumberSet();
    for (const [nth, { types }] of this.#blocks) {
      const bits = bitsOf([]);
      for (let offset = 0; offset < types.length; offset++) if (((types[offset] ?? 0) & bit) !== 0) put(bits, offset);
      having.putBlock(nth, bits);
    }
    return having;
  }

  /** Those last changed in this period and those last changed after it, as they are now. */
  in(from: number, before: number): { readonly inside: NumberSet; readonly after: NumberSet } {
    const [inside, after] = [new NumberSet(), new NumberSet()];
    for (const [nth, { seconds, latest }] of this.#blocks) {
      if (latest < from) continue;
      inside.putBlock(nth, changedIn(seconds, from, before));
      if (latest >= before) after.putBlock(nth, changedIn(seconds, before, Number.POSITIVE_INFINITY));
    }
    return { inside, after };
  }

  /** Those of a block last changed in this second or later, as they are now; undefined: none. */
  since(nth: number, second: number): Bits | undefined {
    const block = this.#blocks.get(nth);
    return block === undefined || block.latest < second
      ? undefined
      : changedIn(block.seconds, second, Number.POSITIVE_INFINITY);
  }

  #block(nth: number): Block {
    const known = this.#blocks.get(nth);
    if (known) return known;
    const block = { seconds: new Uint32Array(0), types: new Uint8Array(0), latest: 0 };
    this.#blocks.set(nth, block);
    return block;
  }

  #grow(block: Block, offset: number): void {
    const length = Math.min(Math.max(2 ** Math.ceil(Math.log2(offset + 1)), FEWEST), BLOCK_SIZE);
    const seconds = new Uint32Array(length);
    const types = new Uint8Array(length);
    seconds.set(block.seconds);
    types.set(block.types);
    this.bytes += (length - block.seconds.length) * CHANGE_BYTES;
    [block.seconds, block.types] = [seconds, types];
  }
}

function changedIn(seconds: Uint32Array, from: number, before: number): Bits {
  const bits = bitsOf([]);
  const first = Math.max(from, 1);
  for (let offset = 0; offset < seconds.length; offset++) {
    const second = seconds[offset] ?? 0;
    if (second >= first && second < before) put(bits, offset);
  }
  return bits;
}
