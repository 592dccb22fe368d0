// Repeats some work while the process lives, one round at a time. A round that fails is logged, and the next one follows. Where they go on
// failing, as in an outage, the log says once a minute how many more there were.

import type { Log } from "./log.ts";

/** @param round says whether there is more to do at once */
export function every(pauseMs: number, log: Log, round: () => Promise<"at once" | "pause">): { stop(): Promise<void> } {
  const failures = failuresOf(log, "background work failed and is tried again");
  let stopped = false;
  let wake = (): void => undefined;
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const running = (async () => {
    while (!stopped) {
      const next = await round().catch((fault: unknown) => {
        failures.tell(String(fault));
        return "pause" as const;
      });
      if (!stopped && next === "pause") await pause();
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      wake();
      await running;
      failures.close();
    },
  };
}

const SUMMED_UP_EVERY_MS = 60_000;

/**
 * Logs failures that repeat: the first at once, then once a minute how many more there were.
 * @param failed what the log says
 */
export function failuresOf(log: Log, failed: string): { tell(fault: string): void; close(): void } {
  let [more, last] = [0, ""];
  /** Within a minute of what was told. */
  let timer: NodeJS.Timeout | undefined;
  const pass = () => {
    timer = setTimeout(() => {
      timer = undefined;
      if (sumUp()) pass();
    }, SUMMED_UP_EVERY_MS).unref();
  };
  const sumUp = (): boolean => {
    if (more === 0) return false;
    log.warn({ fault: last, more }, `more of the same: ${failed}`);
    more = 0;
    return true;
  };
  return {
    tell: (fault) => {
      if (timer === undefined) {
        log.warn({ fault }, failed);
        pass();
      } else [more, last] = [more + 1, fault];
    },
    close: () => {
      clearTimeout(timer);
      sumUp();
    },
  };
}
