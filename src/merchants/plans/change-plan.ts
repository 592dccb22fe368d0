// Changes of a plan under the lock of its row: what is new of it, and what merchants are told, in one database transaction.

import { lockPlan, type PlanNews, tellOfPlan, updatePlan } from "../../journal/plan-rows.ts";
import type { TransactionSql } from "../../journal/sql/sql.ts";
import {
  canceledPlan,
  type MovedPayment,
  movedPlan,
  type Plan,
  planStatusOf,
  type ScheduleFault,
} from "../../payment/plan.ts";
import { type Refused, refuse } from "../../payment/refusal.ts";
import { audited } from "../audit.ts";
import type { Author, Backoffice } from "../backoffice.ts";
import { showPlan } from "./plan-schema.ts";

type Office = Pick<Backoffice, "sql" | "clock" | "auditKey">;

/** Writes it, with its news. The plan's row is locked. */
export async function writePlan(
  sql: TransactionSql,
  before: Plan,
  after: Plan,
  news: readonly PlanNews[],
): Promise<void> {
  await updatePlan(sql, before, after);
  await tellOfPlan(sql, after, news, showPlan(after), after.updatedAt);
}

/**
 * Cancels what is not charged. Again it does no harm.
 * @returns the plan as it is now
 */
export function cancelPlan(office: Office, author: Author, merchantId: string, id: string): Promise<Plan | Refused> {
  return audited<Plan | Refused>(office, author, async (sql) => {
    const before = await lockPlan(sql, merchantId, id);
    if (before === undefined) return { result: refuse("plan-unknown") };
    if (before.canceledAt !== null) return { result: before };
    const after = canceledPlan(before, office.clock.now());
    if (after === undefined) return { result: refuse("plan-ended") };
    await writePlan(sql, before, after, [{ type: "plan.canceled", payment: null }]);
    return { result: after, entry: entryOf("plan.delete", before, after) };
  });
}

/** @returns the plan as it is now; or what is wrong with the dates */
export function movePlan(
  office: Office,
  author: Author,
  merchantId: string,
  id: string,
  moves: readonly MovedPayment[],
): Promise<Plan | Refused | { readonly faults: readonly ScheduleFault[] }> {
  return audited<Plan | Refused | { readonly faults: readonly ScheduleFault[] }>(office, author, async (sql) => {
    const before = await lockPlan(sql, merchantId, id);
    if (before === undefined) return { result: refuse("plan-unknown") };
    const after = movedPlan(before, moves, office.clock.now());
    if (after === undefined) return { result: refuse("plan-ended") };
    if ("faults" in after) return { result: after };
    await writePlan(sql, before, after, []);
    return { result: after, entry: entryOf("plan.change", before, after) };
  });
}

/** Of a new, moved or canceled plan: nobody's name. */
export const shownInAudit = (plan: Plan): object => ({
  ...{ id: plan.id, status: planStatusOf(plan), card_id: plan.cardId, total: showPlan(plan).total },
  ...{ currency: plan.currency, payments: showPlan(plan).payments },
});

const entryOf = (action: "plan.change" | "plan.delete", before: Plan, after: Plan) => ({
  ...{ action, merchantId: after.merchantId, subject: ["plan", after.id] as const },
  ...{ before: shownInAudit(before), after: shownInAudit(after) },
});
