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
