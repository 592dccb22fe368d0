// What is measured, how often and how long: the whole takes about five minutes, the quick one less than one.

export interface Plan {
  readonly connections: readonly number[];
  readonly rounds: number;
  readonly secondsAPoint: number;
  readonly warmUpSeconds: number;
  /** Connections for each statement when nothing is grouped; the best one is compared with. */
  readonly writers: readonly number[];
  readonly secondsAWriter: number;
  /** Memory is read after so many sales. */
  readonly memoryAfter: readonly number[];
  /** Ends the reading of memory on a slow machine. */
  readonly memorySeconds: number;
  readonly starts: number;
}

/** The number of connections that the targets speak of. */
export const TARGET_CONNECTIONS = 64;

/**
 * Of each process, before it is measured. Node compiles the gateway's functions while it sells: on other threads it spends 105 µs of CPU
 * time a sale on that and on memory in the first 10,000, and 21 after 40,000.
 */
export const WARM_UP_SALES = 40_000;

export const FULL: Plan = {
  connections: [1, TARGET_CONNECTIONS, 256],
  rounds: 3,
  secondsAPoint: 4,
  warmUpSeconds: 4,
  writers: [1, 4, 8, 16, 32],
  secondsAWriter: 2,
  memoryAfter: [5_000, 50_000, 100_000, 200_000],
  memorySeconds: 100,
  starts: 5,
};

export const QUICK: Plan = {
  connections: [1, TARGET_CONNECTIONS, 256],
  rounds: 1,
  secondsAPoint: 2,
  warmUpSeconds: 2,
  writers: [8],
  secondsAWriter: 2,
  memoryAfter: [2_000, 5_000, 10_000],
  memorySeconds: 20,
  starts: 2,
};
