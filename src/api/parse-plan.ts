// Parses the body of a plan that is made or moved, or lists all wrong fields.

import type { PlanRequest } from "../gateway/plans.ts";
import { type Amount, renderAmount, sum } from "../payment/money.ts";
import {
  FURTHEST_DAYS,
  MOST_DECLINES,
  type MovedPayment,
  type ScheduleFault,
  scheduleOf,
  TOLERANCE_MS,
  type WantedPayment,
} from "../payment/plan.ts";
import { noProblems, type Problems } from "../validation/problems.ts";
import type { BodyTree } from "./body/tree.ts";
import { checker } from "./check.ts";
import { amountOf, type Parsed, passengerOf, withoutEmptyList } from "./parse-charge.ts";
import { RequestFault } from "./request-fault.ts";
import { PlanBody, PlanChangeBody, type PlanFields } from "./schema/plan.ts";

const checkPlan = checker(PlanBody);
const checkChange = checker(PlanChangeBody);

/** @param strict whether identifiers may hold no number that looks like a card's */
export function parsePlan(body: BodyTree, now: Date, strict: boolean): Parsed<PlanRequest> {
  const { value, problems, ignored } = checkPlan(withoutEmptyList(body), strict);
  const all = { ...amountOrRest(value), ...problems };
  if (!noProblems(all)) throw new RequestFault(422, all);
  const total = amountOf(value.total);
  const schedule = scheduleOf(total, value.payments.map(wantedOf), now);
  const faults = "faults" in schedule ? problemsOfSchedule(schedule.faults, total) : {};
  const passengers = value.passenger_transport?.map(passengerOf) ?? null;
  const wrong = {
    ...faults,
    ...wrongFares(
      total,
      passengers?.map(({ fares }) => fares),
    ),
  };
  if ("faults" in schedule || !noProblems(wrong)) throw new RequestFault(422, wrong);
  return {
    request: {
      cardId: value.card_id.toLowerCase(),
      merchantTransactionId: value.merchant_transaction_id,
      processorId: value.processor_id?.toLowerCase(),
      currency: value.currency,
      total,
      fields: value.document_number === undefined ? {} : { document_number: value.document_number },
      passengers,
      payments: schedule,
    },
    ignored,
  };
}

type PaymentFields = PlanFields["payments"][number];

const wantedOf = ({ due_at, amount, rest }: PaymentFields): WantedPayment => ({
  dueAt: new Date(due_at),
  amount: rest === true || amount === undefined ? undefined : amountOf(amount),
});

/** Of each payment one of the two. */
function amountOrRest({ payments }: Partial<PlanFields>): Problems {
  if (!Array.isArray(payments)) return {};
  return Object.fromEntries(
    payments.flatMap((payment: Partial<PaymentFields> | undefined, index) => {
      const { amount, rest } = payment ?? {};
      if (amount !== undefined && rest === true)
        return [[`payments.${index}.rest`, ["must be left out with an amount: it is all that is left"]]];
      return amount === undefined && rest !== true
        ? [[`payments.${index}.amount`, ["is required, or rest: true for the last payment"]]]
        : [];
    }),
  );
}

function wrongFares(total: Amount, fares: readonly Amount[] | undefined): Problems {
  if (fares === undefined || sum(fares) === total) return {};
  return {
    passenger_transport: [
      `must have fares that add up to the total, ${renderAmount(total)}, not ${renderAmount(sum(fares))}`,
    ],
  };
}

const TOLERANCE_MINUTES = TOLERANCE_MS / 60_000;

export function problemsOfSchedule(faults: readonly ScheduleFault[], total?: Amount): Problems {
  const problems: Record<string, string[]> = {};
  for (const fault of faults) problems[fault.field] = [...(problems[fault.field] ?? []), textOf(fault, total)];
  return problems;
}

function textOf({ fault, sum }: ScheduleFault, total: Amount | undefined): string {
  const added = sum === undefined ? "" : renderAmount(sum);
  switch (fault) {
    case "rest-not-last":
      return "is for the last payment only";
    case "nothing-left":
      return `must be more than the other payments, which add up to ${added}: nothing is left for the rest`;
    case "sum-differs":
      return `must be the sum of all payments, ${added}, but is ${total === undefined ? "another" : renderAmount(total)}`;
    case "in-the-past":
      return `must not be in the past by more than ${TOLERANCE_MINUTES} minutes`;
    case "too-far":
      return `must be within ${FURTHEST_DAYS} days`;
    case "not-ascending":
      return "must be later than the payment before it";
    case "no-such-payment":
      return "is the number of no payment of this plan";
    case "named-twice":
      return "must be named once";
    case "not-movable":
      return `is charged, being charged or canceled, or must not be tried again (at most ${MOST_DECLINES} declines in all)`;
  }
}

export function parsePlanChange(body: BodyTree): Parsed<readonly MovedPayment[]> {
  const { value, problems, ignored } = checkChange(body);
  if (!noProblems(problems)) throw new RequestFault(422, problems);
  return { request: value.payments.map(({ number, due_at }) => ({ number, dueAt: new Date(due_at) })), ignored };
}
