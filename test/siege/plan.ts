// What a run consists of: how long its phases are, what the merchants have on record before, and who attacks.

export interface Plan {
  readonly seed: number;
  readonly warmUpMs: number;
  /** Nobody but the victim. */
  readonly quietMs: number;
  readonly siegeMs: number;
  /** From the end of the siege until everything is to be as before. */
  readonly recoveryMs: number;
  /** Nobody but the victim, after that. */
  readonly calmMs: number;
  /** Between two looks at the machine. */
  readonly siegeLookMs: number;
  /** A health check that takes longer counts as failed. */
  readonly healthWithinMs: number;
  readonly stock: Stock;
  /** Names of kinds. */
  readonly kinds: readonly string[];
}

export interface Stock {
  /** Sales of merchant A through one processor record: the events of one batch. */
  readonly batch: number;
  /** Sales of each of the others. */
  readonly others: number;
  /** Sales of merchant A with a megabyte of `meta`. */
  readonly large: number;
}

const MINUTE_MS = 60_000;
const PHASES = { warmUpMs: 5_000, recoveryMs: 5_000, calmMs: 15_000, healthWithinMs: 1_000 } as const;
const SHORT_STOCK: Stock = { batch: 8_000, others: 1_000, large: 60 };

/** In an hour there is time to look at the quiet for a minute. */
export const planOf = (minutes: number, seed: number, kinds: readonly string[]): Plan => ({
  ...PHASES,
  seed,
  kinds,
  quietMs: minutes >= 10 ? MINUTE_MS : 20_000,
  siegeMs: minutes * MINUTE_MS,
  siegeLookMs: minutes >= 10 ? 10_000 : 2_000,
  stock: minutes >= 10 ? { batch: 20_000, others: 4_000, large: 220 } : SHORT_STOCK,
});

/**
 * Two minutes, on whatever machine: nothing is slow there as long as it is answered. So what comes before is not compared with, and is
 * short; in the calm after it the machine is looked at once.
 */
export const planOfTest = (seed: number, kinds: readonly string[]): Plan => ({
  ...PHASES,
  ...{ seed, kinds, warmUpMs: 1_000, quietMs: 1_000, siegeMs: 2 * MINUTE_MS, siegeLookMs: 2_000, calmMs: 3_000 },
  healthWithinMs: 20_000,
  stock: { ...SHORT_STOCK, batch: 2_000, others: 250 },
});
