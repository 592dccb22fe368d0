// Looks archived transactions up in their files. What is found is told; nothing is changed.

import type { Sql } from "../journal/database.ts";
import { type Line, readFileOf } from "./file.ts";
import { type Portion, portionsOf } from "./portions.ts";

/** Each field that is named must be exactly so; of e-mails, letters' case aside. */
export type Sought = { readonly [name in SoughtField]?: string };

export const SOUGHT_FIELDS = [
  "id",
  "merchant_transaction_id",
  "card_mask",
  "first_name",
  "last_name",
  "email",
  "mobile_phone",
] as const satisfies readonly (keyof Line)[];
export type SoughtField = (typeof SOUGHT_FIELDS)[number];

export interface Found {
  readonly portion: Portion;
  /** The oldest first; at least one. */
  readonly lines: readonly Line[];
}

/**
 * File by file, the oldest first.
 * @throws BrokenArchive if a file is not what was written
 */
export async function* findArchived(
  sql: Sql,
  folder: string,
  merchantId: string,
  sought: Sought,
): AsyncGenerator<Found, void, void> {
  for (const portion of await portionsOf(sql, merchantId)) {
    const lines = (await readFileOf(folder, portion)).filter((line) => fits(line, sought));
    if (lines.length > 0) yield { portion, lines };
  }
}

const fits = (line: Line, sought: Sought): boolean =>
  SOUGHT_FIELDS.every((name) => sought[name] === undefined || folded(name, line[name]) === folded(name, sought[name]));

const folded = (name: SoughtField, value: string): string => (name === "email" ? value.toLowerCase() : value);
