// Chance that is the same at each run: a linear congruential generator (Numerical Recipes' constants), enough for pictures.

export function drawFrom(seed: number) {
  let state = seed;
  const below = (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  return {
    below,
    one: <T>(items: readonly [T, ...T[]] | readonly T[]): T => items[below(items.length)] as T,
    chance: (share: number): boolean => below(10_000) < share * 10_000,
    /** More small ones than large ones. */
    amount: (least: number, most: number): string => {
      const [one, other] = [below(10_000), below(10_000)];
      return (least + ((most - least) * Math.min(one, other)) / 10_000).toFixed(2);
    },
  };
}
