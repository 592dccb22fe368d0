// What a link tells of itself. Facts are numbers and short words of ours; never a field of a message but its type, its
// STAN and its response code.

export interface LinkLog {
  info(facts: object, text: string): void;
  warn(facts: object, text: string): void;
}

export const silent: LinkLog = { info: () => {}, warn: () => {} };

const EVERY_MS = 1_000;

/** A host that sends rubbish by the thousand fills no disk: the same text once a second, with how often it was left out. */
export function calmed(log: LinkLog, now: () => number = () => performance.now()): LinkLog {
  const told = new Map<string, { at: number; leftOut: number }>();
  const calm = (tell: LinkLog["warn"]) => (facts: object, text: string) => {
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
