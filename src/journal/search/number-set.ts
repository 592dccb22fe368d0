// Some of a merchant's numbers, block by block.

import { type Bits, bitsOf, blockOf, firstOf, put } from "./block-set.ts";

export interface Numbers {
  /** Is there perhaps one in this block? */
  maybeIn(block: number): boolean;
  bits(block: number): Bits;
}

/** Numbers as they are gathered from the database. */
export class NumberSet implements Numbers {
  readonly #blocks = new Map<number, Bits>();

  /** @param numbers eight bytes each; null: none */
  add(numbers: Buffer | null): void {
    for (let at = 0; numbers !== null && at < numbers.length; at += 8) {
      const number = Number(numbers.readBigInt64BE(at));
      const block = blockOf(number);
      const bits = this.bits(block);
      put(bits, number - firstOf(block));
      this.#blocks.set(block, bits);
    }
  }

  maybeIn = (block: number): boolean => this.#blocks.has(block);
  bits = (block: number): Bits => this.#blocks.get(block) ?? bitsOf([]);
}
