// Whose books have what a record asked, and under which name.

import { rrnOf } from "../../../src/processors/iso8583/messages/envelope.ts";
import type { Book } from "../check/evidence.ts";
import { type Records, TERMINALS } from "../house.ts";
import { BOOKS, PROVIDERS } from "../providers.ts";

/** By the record's id; the simulator has none. */
export const booksOf = (records: Records): ReadonlyMap<string, Book> =>
  new Map<string, Book>([
    ...records.atHost.map((id, nth) => [id, { name: TERMINALS[nth] ?? "", referenceOf: rrnOf }] as const),
    ...PROVIDERS.flatMap((provider) => {
      const id = records.atProviders[provider];
      return id === undefined ? [] : [[id, BOOKS[provider]] as const];
    }),
  ]);
