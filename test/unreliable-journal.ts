// A journal whose database goes away, or whose process stops, at a chosen write.

import { type Journal, JournalUnavailable, JournalUncertain } from "../src/journal/journal.ts";

/**
 * - `stops before`, `stops after`: the caller never hears of it, as when its process is killed
 * - `lost`, `done and lost`: the database goes away before or after it was done, and nobody can tell
 * - `away`: surely not done
 * - a function: runs first, as something that happens elsewhere at this moment
 */
export type Trouble =
  | "stops before"
  | "stops after"
  | "lost"
  | "done and lost"
  | "away"
  | Error
  | (() => Promise<void>);

/** What happens at the calls of each method, one after the other; after the last of them, and for `fine`, nothing does. */
export type Troubles = Partial<Record<keyof Journal, readonly (Trouble | "fine")[]>>;

export function unreliable(journal: Journal, troubles: Troubles): Journal {
  const left = new Map(Object.entries(troubles).map(([method, list]) => [method, [...list]]));
  const troubled =
    <Arguments extends readonly unknown[], Result>(
      method: keyof Journal,
      call: (...given: Arguments) => Promise<Result>,
    ) =>
    async (...given: Arguments): Promise<Result> => {
      const trouble = left.get(method)?.shift() ?? "fine";
      if (typeof trouble === "function") await trouble();
      if (trouble instanceof Error) throw trouble;
      if (trouble === "stops before") return never();
      if (trouble === "lost") throw new JournalUncertain("lost");
      if (trouble === "away") throw new JournalUnavailable("away");
      const result = await call(...given);
      if (trouble === "stops after") return never();
      if (trouble === "done and lost") throw new JournalUncertain("done and lost");
      return result;
    };
  return {
    open: troubled("open", journal.open),
    append: troubled("append", journal.append),
    appendEnded: troubled("appendEnded", journal.appendEnded),
    conclude: troubled("conclude", journal.conclude),
    failLate: troubled("failLate", journal.failLate),
    defer: troubled("defer", journal.defer),
    openChallenge: troubled("openChallenge", journal.openChallenge),
    find: troubled("find", journal.find),
    findSealedCard: troubled("findSealedCard", journal.findSealedCard),
    findKey: troubled("findKey", journal.findKey),
    storeResponse: troubled("storeResponse", journal.storeResponse),
  };
}

const never = (): Promise<never> => new Promise(() => undefined);
