// Pearson's chi-square: how far what was seen is from what was to be expected.

/** @param seen how often each thing came @param expected how often it would come on average */
export const chiSquare = (seen: readonly number[], expected: readonly number[]): number =>
  seen.reduce((sum, count, index) => {
    const average = expected[index] ?? 0;
    return sum + (count - average) ** 2 / average;
  }, 0);

/** By degrees of freedom: what chance alone exceeds once in a thousand million times. */
export const MOST_BY_CHANCE = { 1: 37.32, 2: 41.45, 5: 50.69, 9: 60.66 } as const;
