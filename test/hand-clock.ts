// Clocks for tests: one that is moved by hand, and never goes back unless it is told to, and one that stands still.

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

export const fixedClock = (iso: string): Clock => ({ now: () => new Date(iso) });
