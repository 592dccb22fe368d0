// Medians and percentiles.

/** @param sorted ascending, not empty @param share 0.99 for the 99th */
export function percentile(sorted: readonly number[], share: number): number {
  const value = sorted[Math.min(Math.ceil(sorted.length * share), sorted.length) - 1];
  if (value === undefined) throw new Error("nothing was measured");
  return value;
}

export const median = (values: readonly number[]): number =>
  percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
