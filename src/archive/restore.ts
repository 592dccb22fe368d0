// Brings archived transactions back: the newest portions first, each whole and at its old place, so that lists, ledger and batches are
// as they were.

import { figuresAnew } from "../journal/figures.ts";
import { text } from "../journal/rows.ts";
import { forgetDays } from "../journal/search/daily-changes.ts";
import { audited } from "../merchants/audit.ts";
import type { Author } from "../merchants/backoffice.ts";
import { type ArchiveOffice, hoursOf, shown, verifiedRecords } from "./archive.ts";
import { BrokenArchive, removeFile } from "./file.ts";
import { CHANGED, deletePortion, lockArchive, type Portion, portionNow, portionsOf } from "./portions.ts";
import { insertRecords, type Rows } from "./records.ts";

export interface Restoring {
  readonly merchantId: string;
  /** All that was created from then on. */
  readonly from: Date;
  readonly folder: string;
  /** Told of what is back. */
  readonly reached?: (portion: Portion) => void;
}

/** What would come back, the newest first. */
export async function portionsFrom(
  { sql }: Pick<ArchiveOffice, "sql">,
  { merchantId, from }: Pick<Restoring, "merchantId" | "from">,
): Promise<readonly Portion[]> {
  const portions = await portionsOf(sql, merchantId);
  return portions.filter(({ lastCreatedAt }) => lastCreatedAt >= from).toReversed();
}

/**
 * To be run by one at a time. What was marked and not removed yet is only unmarked.
 * @returns how many transactions are back
 * @throws BrokenArchive if a file is not what was written: all of its transactions stay archived then
 */
export async function restore(office: ArchiveOffice, author: Author, given: Restoring): Promise<number> {
  let transactions = 0;
  for (const portion of await portionsFrom(office, given)) {
    const records = await verifiedRecords(given.folder, portion);
    const restored = await audited(office, author, async (sql) => {
      await lockArchive(sql, portion.merchantId);
      const now = await portionNow(sql, portion);
      if (now === undefined) return { result: false };
      if (now.file !== portion.file) throw new BrokenArchive(CHANGED);
      if (now.state === "archived") {
        await insertRecords(sql, records);
        await forgetDays(sql, portion.merchantId);
        const ids = records.map((record) => text((JSON.parse(record) as Rows).transactions?.[0]?.id));
        await figuresAnew(sql, portion.merchantId, await hoursOf(sql, portion.merchantId, ids), portion.first);
      }
      await deletePortion(sql, portion);
      return {
        result: true,
        entry: { action: "archive.delete", subject: ["merchant", portion.merchantId], before: shown(portion) },
      };
    });
    await removeFile(given.folder, portion.file);
    if (!restored) continue;
    given.reached?.(portion);
    transactions += records.length;
  }
  return transactions;
}
