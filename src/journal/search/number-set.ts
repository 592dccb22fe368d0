// Some of a merchant's numbers, block by block.

import { type Bits, bitsBetween, bitsOf, blockOf, either, firstOf, put, without } from "./block-set.ts";
import type { Span } from "./span.ts";

export interface Numbers {
  /** Is there perhaps one in this block? */
  maybeIn(block: number): boolean;
  bits(block: number): Bits;
}

/** Numbers as they are gathered. */
export class NumberSet implements Numbers {
  readonly #blocks = new Map<number, Bits>();

  /** @param numbers eight bytes each; null: none */
  add(numbers: Buffer | null): void {
    for (let at = 0; numbers !== null && at < numbers.length; at += 8) this.put(Number(numbers.readBigInt64BE(at)));
  }

  put(number: number): void {
    const block = blockOf(number);
    const bits = this.bits(block);
    put(bits, number - firstOf(block));
    this.#blocks.set(block, bits);
  }

  /** All of a block, which nobody changes any more. */
  putBlock(block: number, bits: Bits): void {
    this.#blocks.set(block, bits);
  }

  maybeIn = (block: number): boolean => this.#blocks.has(block);
  bits = (block: number): Bits => this.#blocks.get(block) ?? bitsOf([]);
}

/** Those in the span and in the set, without the others. */
export const spanAnd = ({ first, last }: Span, some: Numbers, others?: Numbers): Numbers => ({
  maybeIn: (block) => some.maybeIn(block) || (blockOf(first) <= block && block <= blockOf(last)),
  bits: (block) => {
    const all = either(bitsBetween(block, first, last), some.bits(block));
    return others?.maybeIn(block) ? without(all, others.bits(block)) : all;
  },
});
