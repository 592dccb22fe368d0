// A period that reaches back into what is archived is refused: something of it may be missing, and half an account is none.

import { archivedUntil } from "../journal/archived.ts";
import type { Sql } from "../journal/database.ts";
import type { Period } from "../journal/search/span.ts";
import { timestamp } from "../validation/fields.ts";

/** Whether all of the period is after what is archived. */
export const isAfter = ({ from }: Pick<Period, "from">, archivedUntil: Date): boolean =>
  from !== null && from > archivedUntil;

/**
 * For the end of what is read in portions: what was archived meanwhile may be missing in it, and is to break it off rather than leave it
 * looking whole.
 */
export async function mustBeWhole(sql: Sql, merchantId: string, period: Pick<Period, "from">): Promise<void> {
  const archived = await archivedUntil(sql, merchantId);
  if (archived !== null && !isAfter(period, archived))
    throw new Error("Transactions of this period were archived while it was read.");
}

/** For whoever asked for an earlier day. */
export const archivedText = (archivedUntil: Date): string =>
  `must be after ${timestamp(archivedUntil)}: transactions up to then are archived, and only the operator can restore them`;
