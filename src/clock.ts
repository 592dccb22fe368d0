// The gateway's time. In the sandbox it is real time plus an offset that only grows.

export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** The sandbox's clock: it never stands still and never goes back. */
export interface MovableClock extends Clock {
  /** Ahead of real time by this much. */
  readonly offsetMs: number;
  /** Has no effect if the clock is further ahead already. */
  moveAhead(offsetMs: number): void;
}

export function movableClock(): MovableClock {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    get offsetMs() {
      return offsetMs;
    },
    moveAhead: (ms) => {
      offsetMs = Math.max(offsetMs, ms);
    },
  };
}
