// Ends a process of the gateway's own whose event loop has stopped, so that another takes its place: whoever waits for it would
// wait for ever.

import type { ChildProcess } from "node:child_process";

/** Far longer than any turn of an event loop, also on a full machine; after four seconds it counts as a dead node already. */
const ASKED: Asked = { everyMs: 10_000, times: 3 };

/** How a process is asked whether it lives. */
export interface Asked {
  readonly everyMs: number;
  readonly times: number;
}

/** Who wants to know long before the process is killed that it is late. */
export interface WhenLate {
  /** So many questions in a row without an answer. */
  readonly times: number;
  /** Told that it is late, and when it answers again. */
  readonly changed: (late: boolean) => void;
}

/**
 * Asks it again and again for any message, and kills it when so many questions in a row had no answer. Questions are counted, not time: who
 * was stopped itself for a while, as a laptop is, hears the answer before it asks the next.
 */
export function endIfSilent(
  child: ChildProcess,
  ask: () => void,
  silent: () => void,
  asked = ASKED,
  late?: WhenLate,
): void {
  let unanswered = 0;
  const timer = setInterval(() => {
    if (unanswered === asked.times) {
      silent();
      child.kill("SIGKILL");
    }
    if (unanswered === late?.times) late.changed(true);
    unanswered += 1;
    ask();
  }, asked.everyMs).unref();
  child.on("message", () => {
    if (late !== undefined && unanswered > late.times) late.changed(false);
    unanswered = 0;
  });
  child.once("exit", () => clearInterval(timer));
}
