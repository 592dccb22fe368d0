// A clock that is moved by hand: it stands still in between, and never goes back unless it is told to.

import type { Clock } from "../src/clock.ts";

export interface HandClock extends Clock {
  set(instant: Date): void;
}

export function handClock(start: Date): HandClock {
  let now = start;
  return {
    now: () => new Date(now),
    set: (instant) => {
      now = instant;
    },
  };
}
