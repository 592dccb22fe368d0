// The journal in memory keeps the contract that the one in PostgreSQL keeps.

import { v7 as uuidv7 } from "uuid";
import { journalConformance } from "./conformance/journal.ts";
import type { JournalNode } from "./conformance/journal-subject.ts";
import { handClock } from "./hand-clock.ts";
import { memoryInstallation } from "./memory-journal.ts";
import { at } from "./transactions.ts";

journalConformance("the journal in memory", async () => {
  const installation = memoryInstallation();
  const join = (): JournalNode => {
    const clock = handClock(at("1 12:00"));
    return { ...installation.join(clock), clock };
  };
  return {
    nodes: [join(), join()],
    newMerchant: async () => {
      const id = uuidv7();
      installation.addMerchant(id);
      return id;
    },
    numbered: async (merchantId) =>
      installation
        .transactionsOf(merchantId)
        .map(({ number, transaction: { id, createdAt } }) => ({ number, id, createdAt })),
    declareDead: async ({ id }) => installation.declareDead(id),
    end: async () => undefined,
  };
});
