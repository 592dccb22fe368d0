// The draw among processors: by weight, and by chances that follow from the transaction's id, so that anybody can repeat it.

/** One of several, and how much more often than the others it comes first. */
export interface Weighted<T> {
  readonly item: T;
  /** A whole number. 0: after all that have a weight. */
  readonly weight: number;
}

/**
 * Numbers from 0 up to, not including, 1: evenly spread, and the same ones for the same transaction. Mulberry32 (Tommy Ettinger, in
 * the public domain), seeded with the last eight digits of the id, which are random. A hash took longer than the rest of the choice.
 */
export function chancesOf(transactionId: string): () => number {
  let state = Number.parseInt(transactionId.slice(-8), 16);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const once = Math.imul(state ^ (state >>> 15), state | 1);
    const twice = once ^ (once + Math.imul(once ^ (once >>> 7), once | 61));
    return ((twice ^ (twice >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Drawn one after the other, each by its weight among those that are left; those without a weight last, as they were given. */
export function drawInOrder<T>(weighted: readonly Weighted<T>[], chance: () => number): T[] {
  const left = [...weighted];
  return weighted.flatMap(() => left.splice(drawOne(left, chance), 1).map(({ item }) => item));
}

/** @returns the index */
function drawOne(left: readonly Weighted<unknown>[], chance: () => number): number {
  const total = totalOf(left);
  if (left.length === 1 || total === 0) return 0;
  const point = chance() * total;
  let passed = 0;
  return left.findIndex(({ weight }) => {
    passed += weight;
    return point < passed;
  });
}

/** How often this one of all comes first: from 0 to 1. */
export function shareOf(one: Weighted<unknown>, all: readonly Weighted<unknown>[]): number {
  const total = totalOf(all);
  if (total === 0) return one === all[0] ? 1 : 0;
  return one.weight / total;
}

const totalOf = (weighted: readonly Weighted<unknown>[]): number =>
  weighted.reduce((total, { weight }) => total + weight, 0);
