// Recovery mode begun by an operator: of a database that was put back to a moment in the past, where no gateway could notice it. Such as one
// that has not started since, or a copy of the same disk without a fence file.

import { setTimeout as pause } from "node:timers/promises";
import type { Sql } from "../journal/database.ts";
import { unleased } from "../journal/lease.ts";
import { enterRecovery, lastRecovery, lineageExpression, readLineage } from "../journal/lineage.ts";
import { countNodes } from "../journal/nodes.ts";
import { instant, orNull } from "../journal/rows.ts";
import { audited } from "../merchants/audit.ts";
import { type Author, type Backoffice, type Invalid, invalid } from "../merchants/backoffice.ts";
import { Release } from "../merchants/resolution.ts";
import { timestamp } from "../validation/fields.ts";
import { noProblems, problemsOf } from "../validation/problems.ts";

/**
 * - `in-force`: recovery mode has begun and not ended
 * - `other-lineage`: the database is another one than its gateways accepted, and none of them has begun recovery mode yet
 * - `never`: nobody has noticed anything so far
 * - `released`: recovery mode has ended
 * - `standby`: nothing can be written
 */
export type Standing = "in-force" | "other-lineage" | "never" | "released" | "standby";

/** Where the gateways of this database stand. */
export async function standingOf(sql: Sql): Promise<Standing> {
  const { lineage, accepted, recovery } = await readLineage(sql, await lineageExpression(sql));
  if (recovery !== null) return "in-force";
  if (lineage === null) return "standby";
  if (accepted?.lineage !== lineage) return "other-lineage";
  return (await lastRecovery(sql)) === undefined ? "never" : "released";
}

/** When the newest transaction was created that is here; null: there is none. */
export async function newestTransaction(sql: Sql): Promise<Date | null> {
  const [newest] = await sql`select max(newest_at) as at from merchant_counters`;
  return orNull(instant)(newest?.at ?? null);
}

/**
 * Running gateways charge nothing within a second. With an entry in the audit log.
 * @param evidence how it is known that the database is older than it was, for the audit log
 * @param lostSince what was done since then is missing; undefined: since the newest transaction
 */
export async function beginRecovery(
  office: Backoffice,
  author: Author,
  evidence: string,
  lostSince?: Date,
): Promise<"begun" | "in-force" | "standby" | Invalid> {
  const problems = problemsOf(Release, { evidence });
  if (!noProblems(problems)) return invalid(problems);
  const { lineage } = await readLineage(office.sql, await lineageExpression(office.sql));
  if (lineage === null) return "standby";
  return audited(office, author, async (sql) => {
    if (
      !(await enterRecovery(sql, `an operator says that the database is older than it was: ${evidence}`, [], lostSince))
    )
      return { result: "in-force" as const };
    const after = { lineage, evidence, ...(lostSince && { lost_since: timestamp(lostSince) }) };
    return {
      result: "begun" as const,
      entry: { action: "recovery.change", subject: ["recovery", lineage], before: { reason: null }, after },
    };
  });
}

/** In which each gateway looks whether recovery mode has begun. */
const NOTICED_WITHIN_MS = 2_500;
const LOOK_EVERY_MS = 250;
const LONGEST_MS = 60_000;

/**
 * Waits until running gateways have noticed that recovery mode has begun, and have ended what they were asking processors for.
 * @returns false: after a minute one is still at it
 */
export async function gatewaysHalted({ sql, clock }: Backoffice): Promise<boolean> {
  if ((await countNodes(sql)) === 0) return true;
  const since = performance.now();
  await pause(NOTICED_WITHIN_MS);
  while (performance.now() - since < LONGEST_MS) {
    const [row] = await sql<[{ busy: boolean }]>`
      select exists (select from unresolved where not ${unleased(sql, clock.now())}) as busy`;
    if (!row.busy) return true;
    await pause(LOOK_EVERY_MS);
  }
  return false;
}
