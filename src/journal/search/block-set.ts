// Sets of transaction numbers, block by block. A block is 65,536 numbers of a merchant; once the merchant's numbers are
// beyond it, its content never changes. Asks nothing of the database.

/** As in 0001-journal.sql, `number >> 16`. */
export const BLOCK_SIZE = 65_536;

export const blockOf = (number: number): number => Math.floor(number / BLOCK_SIZE);
export const firstOf = (block: number): number => block * BLOCK_SIZE;
export const lastOf = (block: number): number => firstOf(block) + BLOCK_SIZE - 1;

/** One bit for each number of a block, the first number's lowest: a set that is quick to work with. */
export type Bits = Uint32Array;

const WORDS = BLOCK_SIZE / 32;
const ALL = 0xffff_ffff;

/** @param offsets of numbers within their block */
export function bitsOf(offsets: Iterable<number>): Bits {
  const bits = new Uint32Array(WORDS);
  for (const offset of offsets) put(bits, offset);
  return bits;
}

/** The only change that is ever made to bits, and only by who is still gathering them. */
export function put(bits: Bits, offset: number): void {
  bits[offset >>> 5] = (bits[offset >>> 5] ?? 0) | (1 << (offset & 31));
}

/** The numbers from `first` to `last` that are in this block. */
export function bitsBetween(block: number, first: number, last: number): Bits {
  const from = Math.max(first - firstOf(block), 0);
  const to = Math.min(last - firstOf(block), BLOCK_SIZE - 1);
  const bits = new Uint32Array(WORDS);
  if (from > to) return bits;
  const [head, tail] = [from >>> 5, to >>> 5];
  bits.fill(ALL, head, tail + 1);
  bits[head] = (bits[head] ?? 0) & (ALL << (from & 31));
  bits[tail] = (bits[tail] ?? 0) & (ALL >>> (31 - (to & 31)));
  return bits;
}

export const both = (one: Bits, other: Bits): Bits => one.map((word, index) => word & (other[index] ?? 0));
export const either = (one: Bits, other: Bits): Bits => one.map((word, index) => word | (other[index] ?? 0));
export const without = (one: Bits, other: Bits): Bits => one.map((word, index) => word & ~(other[index] ?? 0));

export function countOf(bits: Bits): number {
  let count = 0;
  for (const word of bits) if (word !== 0) count += ones(word);
  return count;
}

/** The bits of a word that are set, counted in halves, quarters and so on (H. S. Warren, Hacker's Delight, 5-1). */
function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** Ascending. */
export function offsetsOf(bits: Bits): Uint16Array {
  const offsets = new Uint16Array(countOf(bits));
  let found = 0;
  for (let index = 0; index < WORDS; index++) {
    let left = bits[index] ?? 0;
    for (; left !== 0; left &= left - 1) offsets[found++] = index * 32 + 31 - Math.clz32(left & -left);
  }
  return offsets;
}

/** Descending; `take` of them after the first `skip`. */
export function greatestOf(bits: Bits, skip: number, take: number): number[] {
  const offsets: number[] = [];
  let toSkip = skip;
  for (let index = WORDS - 1; index >= 0 && offsets.length < take; index--) {
    let left = bits[index] ?? 0;
    const here = ones(left);
    if (here <= toSkip) toSkip -= here;
    else {
      for (; left !== 0 && offsets.length < take; toSkip--) {
        const greatest = 31 - Math.clz32(left);
        if (toSkip <= 0) offsets.push(index * 32 + greatest);
        left ^= 1 << greatest;
      }
    }
  }
  return offsets;
}

/** A set that is small to keep: its offsets while they are few, its bits when they are many. Never changed. */
export interface BlockSet {
  readonly count: number;
  readonly content: Uint16Array | Bits;
}

export const EMPTY: BlockSet = { count: 0, content: new Uint16Array() };

/** Above this the bits are smaller. */
const MOST_OFFSETS = (WORDS * 4) / 2;

export function pack(bits: Bits): BlockSet {
  const count = countOf(bits);
  if (count === 0) return EMPTY;
  return { count, content: count > MOST_OFFSETS ? bits : offsetsOf(bits) };
}

export const unpack = ({ content }: BlockSet): Bits => (content instanceof Uint32Array ? content : bitsOf(content));
