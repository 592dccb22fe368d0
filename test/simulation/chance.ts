// Chance from a seed, so that what happened once happens again.

export interface Chance {
  /** From 0 up to, not including, 1. */
  next(): number;
  below(bound: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
  happens(probability: number): boolean;
}

/** Mulberry32: small, and good enough to shuffle with. */
export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    next,
    below,
    pick: (items) => items[below(items.length)] as (typeof items)[0],
    happens: (probability) => next() < probability,
  };
}
