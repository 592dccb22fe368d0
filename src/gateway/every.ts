// Repeats some work while the process lives, one round at a time. A round that fails is logged, and the next one follows.

import type { Log } from "./parts.ts";

/** @param round says whether there is more to do at once */
export function every(pauseMs: number, log: Log, round: () => Promise<"at once" | "pause">): { stop(): Promise<void> } {
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
        log.warn({ fault: String(fault) }, "background work failed and is tried again");
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
    },
  };
}
