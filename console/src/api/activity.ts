// When a person last did something on this page: a key, the mouse, a finger, or going back. What the page does by itself does not count,
// nor what a script pretends, nor a mouse that lies still while the page moves below it.

interface Instant {
  readonly byClock: number;
  /** The clock may be set, and this one may stand still while the device sleeps. */
  readonly monotonic: number;
}

const now = (): Instant => ({ byClock: Date.now(), monotonic: performance.now() });

/** Whoever opens a page has just done something. */
let last = now();
let pointer: readonly [number, number] | undefined;

const ACTS = ["keydown", "pointerdown", "click", "input", "wheel", "touchmove", "popstate"] as const;

/** @param before called before each act is noted */
export function watchActivity(before: () => void): void {
  const note = ({ isTrusted }: Event) => {
    if (!isTrusted) return;
    before();
    last = now();
  };
  for (const act of ACTS) addEventListener(act, note, { capture: true, passive: true });
  addEventListener(
    "pointermove",
    (event) => {
      const [x, y] = pointer ?? [event.screenX, event.screenY];
      pointer = [event.screenX, event.screenY];
      if (x !== event.screenX || y !== event.screenY) note(event);
    },
    { capture: true, passive: true },
  );
}

/** By the clock that says more: one that was set back does not prolong anything. */
export function idleSeconds(): number {
  const { byClock, monotonic } = now();
  return Math.floor(Math.max(0, byClock - last.byClock, monotonic - last.monotonic) / 1_000);
}
