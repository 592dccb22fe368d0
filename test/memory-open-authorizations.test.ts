// The open authorizations in memory keep the contract that the rows in PostgreSQL keep.

import { v7 as uuidv7 } from "uuid";
import { openAuthorizationsConformance } from "./conformance/open-authorizations.ts";
import { handClock } from "./hand-clock.ts";
import { memoryInstallation } from "./memory-journal.ts";
import { memoryOpenAuthorizations } from "./memory-open-authorizations.ts";
import { at } from "./transactions.ts";

openAuthorizationsConformance("a map", async () => {
  const installation = memoryInstallation();
  const open = memoryOpenAuthorizations();
  const { journal } = installation.join(handClock(at("1 12:00")));
  return {
    journal: open.around(journal),
    nodes: [open.join(journal.find), open.join(journal.find)],
    newMerchant: async () => {
      const id = uuidv7();
      installation.addMerchant(id);
      return id;
    },
    setCaptureTime: async (record, dueAt) => open.setCaptureTime(record, dueAt),
    end: async () => undefined,
  };
});
