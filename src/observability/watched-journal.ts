// A journal whose writes are watched. Reads are not: they are counted with the request that waits for them.

import type { PostgresJournal } from "../journal/postgres-journal.ts";
import type { JournalStep, Watch } from "./watch.ts";

/** The same journal, as the watch sees it. */
export function watchedJournal(journal: PostgresJournal, watch: Watch): PostgresJournal {
  const watched =
    <Given extends readonly unknown[], Result>(
      name: JournalStep["name"],
      write: (...given: Given) => Promise<Result>,
    ): ((...given: Given) => Promise<Result>) =>
    async (...given) => {
      const end = watch.begin({ name });
      try {
        const result = await write(...given);
        end(typeof result === "string" ? result : "written");
        return result;
      } catch (fault) {
        end("fault");
        throw fault;
      }
    };
  const conclude = watched("conclude", journal.conclude);
  return {
    ...journal,
    open: watched("open", journal.open),
    append: watched("append", journal.append),
    defer: watched("defer", journal.defer),
    conclude: async (conclusion) => {
      const concluded = await conclude(conclusion);
      if (["concluded", "conflict", "limit-reached"].includes(concluded)) watch.concluded(conclusion);
      return concluded;
    },
  };
}
