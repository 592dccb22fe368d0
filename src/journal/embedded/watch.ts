// Restarts the database server if it dies while the gateway runs. The pauses grow while that fails.
import { setTimeout as sleep } from "node:timers/promises";

const LOOK_EVERY_MS = 500;
/** In looks: the longest pause is 32 seconds. */
const LONGEST_PAUSE = 64;
/** A server that lived this long was no failed start. */
const STEADY_AFTER_MS = 60_000;

export type Watch = { end(): Promise<void> };

type Watched = {
  runs(): boolean;
  restart(signal: AbortSignal): Promise<void>;
  log(line: string): void;
};

export function watchServer({ runs, restart, log }: Watched, lookEveryMs = LOOK_EVERY_MS): Watch {
  const ending = new AbortController();
  const { signal } = ending;
  async function look(): Promise<void> {
    let pauseMs = 0;
    let startedAt = performance.now();
    while (!signal.aborted) {
      await sleep(lookEveryMs, undefined, { signal, ref: false });
      if (runs()) continue;
      if (performance.now() - startedAt > STEADY_AFTER_MS) pauseMs = 0;
      log(`The database server is gone; starting it again${pauseMs > 0 ? ` in ${pauseMs / 1000} s` : ""}`);
      await sleep(pauseMs, undefined, { signal, ref: false });
      pauseMs = Math.min(Math.max(2 * pauseMs, lookEveryMs), LONGEST_PAUSE * lookEveryMs);
      startedAt = performance.now();
      await restart(signal).then(
        () => log("The database server runs again"),
        (error) => signal.aborted || log(error instanceof Error ? error.message : String(error)),
      );
    }
  }
  const watching = look().catch((error) => {
    if (!signal.aborted) throw error;
  });
  return {
    end() {
      ending.abort();
      return watching;
    },
  };
}
