// What the log shows of the automatic capture of one record, while it runs and at its end.

import type { Parts } from "../gateway/parts.ts";
import type { DueCapture } from "../journal/auto-capture-rows.ts";

/**
 * What became of one authorization. `pending`: the outcome is not known yet; if it comes to nothing, the next time of capture tries again.
 * `over`: there is nothing to capture any more. `tried`: the next time of capture tries again. `left`: not looked at. An instant: it
 * could not be sent, and rests until then.
 */
export type Look = "captured" | "pending" | "over" | "tried" | "left" | Date;

export type Progress = ReturnType<typeof progressOf>;
const PROGRESS_EVERY_MS = 5_000;

/** A line in the log every few seconds, and one at the end if there was anything to do. */
export function progressOf({ log }: Parts, { processorId, dueAt }: DueCapture) {
  const count = { captured: 0, pending: 0, tried: 0, unsent: 0 };
  const facts = () => {
    const { captured, pending, tried: failed, unsent } = count;
    return { processor: processorId, due: dueAt, captured, pending, failed, unsent };
  };
  const timer = setInterval(() => log.info(facts(), "automatic capture is running"), PROGRESS_EVERY_MS);
  timer.unref();
  return {
    add: (looks: readonly Look[]) => {
      for (const look of looks) {
        const name = look instanceof Date ? "unsent" : look;
        if (name in count) count[name as keyof typeof count]++;
      }
    },
    /** @param silent because its processor does not answer */
    end: (silent: boolean) => {
      clearInterval(timer);
      if (silent) log.warn(facts(), "a processor does not answer: its automatic capture goes on after a pause");
      else if (count.unsent > 0) log.warn(facts(), "captures could not be sent: they are tried again after a while");
      else if (count.captured + count.pending + count.tried > 0) log.info(facts(), "automatic capture has ended");
    },
  };
}
