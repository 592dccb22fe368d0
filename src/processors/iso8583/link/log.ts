// A link's log lines, limited so that they do not flood the log.

import type { ProcessorLog } from "../../kind.ts";

const EVERY_MS = 1_000;

/** A host that sends rubbish by the thousand fills no disk: the same text once a second, with how often it was left out. */
export function calmed(log: ProcessorLog, now: () => number = () => performance.now()): ProcessorLog {
  const told = new Map<string, { at: number; leftOut: number }>();
  const calm = (tell: ProcessorLog["warn"]) => (facts: object, text: string) => {
    const before = told.get(text);
    if (before !== undefined && now() - before.at < EVERY_MS) {
      before.leftOut++;
      return;
    }
    told.set(text, { at: now(), leftOut: 0 });
    tell(before?.leftOut ? { ...facts, leftOut: before.leftOut } : facts, text);
  };
  return { info: calm((facts, text) => log.info(facts, text)), warn: calm((facts, text) => log.warn(facts, text)) };
}
