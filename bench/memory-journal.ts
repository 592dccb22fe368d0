// A journal that answers at once and keeps nothing: what the server costs without a database. It is for charges only.

import type { PostgresJournal } from "../src/journal/postgres-journal.ts";

export const memoryJournal: PostgresJournal = {
  open: async ({ createdAt }) => ({ createdAt }),
  append: async () => "appended",
  conclude: async () => "concluded",
  failLate: async () => undefined,
  defer: async () => undefined,
  find: async () => undefined,
  findSealedCard: async () => undefined,
  findKey: async () => undefined,
  storeResponse: async (_, { key: _key, ...answer }) => answer,
  close: async () => undefined,
};
