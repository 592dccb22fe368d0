// What the status of a plan and of its payments means, and why a payment was not charged, in words.

import type { Plan, PlanPayment } from "../../../packages/client/src/openapi.ts";
import type { StatusLabel } from "./status.ts";

export const PLAN_STATUSES: Readonly<Record<Plan["status"], StatusLabel>> = {
  active: { word: "Active", tone: "info" },
  completed: { word: "Completed", tone: "good" },
  failed: { word: "Failed", tone: "bad" },
  canceled: { word: "Canceled", tone: "plain" },
};

export const PAYMENT_STATUSES: Readonly<Record<PlanPayment["status"], StatusLabel>> = {
  scheduled: { word: "Scheduled", tone: "plain" },
  pending: { word: "Pending", tone: "wait" },
  retrying: { word: "Tried again", tone: "wait" },
  charged: { word: "Charged", tone: "good" },
  failed: { word: "Failed", tone: "bad" },
  canceled: { word: "Canceled", tone: "plain" },
};

const REASONS: Readonly<Record<string, string>> = {
  overdue: "It was more than a week late: move it to charge it.",
  "after-recovery":
    "It fell due before recovery mode ended, and may have been charged: look at the processor before you move it.",
  "repeat-limit": "One more try would exceed a card scheme's limit.",
  "no-answer": "The processor did not answer, and has confirmed that it took nothing.",
  "not-sent": "The processor was out of reach.",
  "stored-card-unknown": "The card on file was deleted.",
  "processor-disabled": "The processor is switched off.",
};

/** `Insufficient funds`, where there is no sentence for it. */
export function reasonOf({ reason }: Pick<PlanPayment, "reason">): string | undefined {
  if (reason === null) return undefined;
  const words = reason.replaceAll("-", " ");
  return REASONS[reason] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** The payment that is charged next. */
export const nextOf = ({ payments }: Pick<Plan, "payments">): PlanPayment | undefined =>
  payments.find(({ next_charge_at }) => next_charge_at !== null);

/** Whether it may get a new date, as far as can be seen here: the gateway decides. */
export const mayMove = ({ status }: Pick<Plan, "status">, payment: Pick<PlanPayment, "status">): boolean =>
  status !== "canceled" && ["scheduled", "retrying", "failed"].includes(payment.status);
