// faregate plan …
import { type Command, Option } from "commander";
import type { Sql } from "../journal/database.ts";
import { findPlan, listPlans, ownerOfPlan, PLANS_ON_A_PAGE } from "../journal/plan-rows.ts";
import { cancelPlan } from "../merchants/plans/change-plan.ts";
import { type ShownPayment, showPlan } from "../merchants/plans/plan-schema.ts";
import { pageMeta } from "../page-meta.ts";
import { PLAN_STATUSES, type Plan, type PlanStatus } from "../payment/plan.ts";
import { isUuid } from "../uuid.ts";
import { group, leaf, type Output, pageNumber, uuid } from "./command.ts";
import { withOffice } from "./office.ts";
import { details, print, progress, table } from "./print.ts";
import { Refused } from "./refused.ts";

interface Listed extends Output {
  readonly merchant?: string;
  readonly card?: string;
  readonly status?: PlanStatus;
  readonly page: number;
}

export function planCommands(faregate: Command): void {
  const records = group(faregate, "plan", "Plans: orders that are charged to a card on file in several payments.");

  leaf(
    records,
    "list",
    `List plans, newest first, ${PLANS_ON_A_PAGE} a page.`,
    "faregate plan list --merchant 0193e5b0-… --status active",
  )
    .option("--merchant <id>", "only this merchant's", uuid)
    .option("--card <id>", "only those of this card on file", uuid)
    .addOption(new Option("--status <status>", "only those with this status").choices(PLAN_STATUSES))
    .option("--page <number>", "the page number", pageNumber, 1)
    .action(async ({ json, merchant, card, status, page }: Listed) => {
      const filter = { merchantId: merchant, cardId: card, status };
      const { plans, total } = await withOffice(({ sql }) => listPlans(sql, filter, page));
      const meta = pageMeta(total, PLANS_ON_A_PAGE, page);
      const shown = plans.map((plan) => showPlan(plan));
      print(json, { plans: shown, meta }, () => table(HEADINGS, shown.map(row), "There are no plans."));
      if (page < meta.last_page) progress(`${plans.length} of ${total} shown. Continue with --page ${page + 1}`);
    });

  leaf(records, "show <id>", "Show a plan and its payments.", "faregate plan show 0193e5b9-…").action(
    async (id: string, { json }: Output) => {
      const plan = await withOffice(({ sql }) => planOf(sql, id));
      tellOf(json, "The plan:", plan);
    },
  );

  leaf(
    records,
    "cancel <id>",
    "Cancel what is not charged of a plan. What was charged stays charged.",
    "faregate plan cancel 0193e5b9-…",
  ).action(async (id: string, { json }: Output) => {
    const canceled = await withOffice(async (office, author) => {
      const { merchantId } = await planOf(office.sql, id);
      const plan = await cancelPlan(office, author, merchantId, id);
      if (!("kind" in plan)) return plan;
      throw new Refused(`all payments of plan ${id} were charged or have failed: nothing is left to cancel`, {
        code: plan.refusals[0].name,
      });
    });
    tellOf(json, "The plan is now:", canceled);
  });
}

async function planOf(sql: Sql, id: string): Promise<Plan> {
  const merchantId = isUuid(id) ? await ownerOfPlan(sql, id) : undefined;
  const plan = merchantId === undefined ? undefined : await findPlan(sql, merchantId, id);
  if (plan === undefined) throw new Refused(`there is no plan ${id}`, { code: "not-found" });
  return plan;
}

function tellOf(json: boolean | undefined, heading: string, plan: Plan): void {
  const shown = showPlan(plan);
  const { payments, ...facts } = shown;
  print(json, { plan: shown }, () =>
    [details(heading, facts), table(PAYMENT_HEADINGS, payments.map(paymentRow), "It has no payments.")].join("\n\n"),
  );
}

const HEADINGS = ["id", "made", "status", "total", "charged", "next charge", "order", "card"];

const row = (plan: ReturnType<typeof showPlan>) => [
  plan.id,
  plan.created_at,
  plan.status,
  `${plan.total} ${plan.currency}`,
  plan.charged,
  plan.payments.find(({ next_charge_at }) => next_charge_at !== null)?.next_charge_at ?? null,
  plan.merchant_transaction_id,
  plan.card_id,
];

const PAYMENT_HEADINGS = ["payment", "due", "amount", "status", "next charge", "declines", "reason", "transaction"];

const paymentRow = (one: ShownPayment) => [
  one.number,
  one.due_at,
  one.amount,
  one.status,
  one.next_charge_at,
  one.declines,
  one.reason,
  one.transaction_id,
];
