// When a person last did something on this page. What counts is in idle.ts.

interface Instant {
  readonly byClock: number;
  /** The clock may be set, and this one may stand still while the device sleeps. */
  readonly monotonic: number;
}

const now = (): Instant => ({ byClock: Date.now(), monotonic: performance.now() });

/** Opening a page counts as activity. */
let last = now();

export function noteActivity(): void {
  last = now();
}

/** By the clock that says more: one that was set back does not prolong anything. */
export function idleSeconds(): number {
  const { byClock, monotonic } = now();
  return Math.floor(Math.max(0, byClock - last.byClock, monotonic - last.monotonic) / 1_000);
}
