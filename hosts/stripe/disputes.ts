// Disputes, as Stripe's dashboard and the payer's bank would bring them about: each step changes the dispute and is told by one or two
// events. https://docs.stripe.com/disputes/how-disputes-work

import { newId } from "./new-id.ts";
import type { Dispute, Payment } from "./state.ts";

export interface Disputing {
  /** `open` is the step without one. An inquiry moves no money. */
  readonly step?: "inquire" | "open" | "respond" | "win" | "lose" | "close";
  /** Of the first step, in the currency's smallest unit; all of it without. */
  readonly amount?: number;
  readonly currency?: string;
}

interface Step {
  readonly dispute: Dispute;
  /** In the order in which they are told, each with the dispute as it was then. */
  readonly events: readonly { readonly type: string; readonly as: Dispute }[];
}

const DAYS = 7 * 86_400;

export function disputed(payment: Payment, before: Dispute | undefined, disputing: Disputing, now: Date): Step {
  const { step = "open" } = disputing;
  const dispute = before ?? begun(payment, disputing, now);
  const event = (type: string, as: Dispute) => ({ type: `charge.dispute.${type}`, as });
  switch (step) {
    case "inquire": {
      const asked = { ...dispute, status: "warning_needs_response" };
      return { dispute: asked, events: [event("created", asked)] };
    }
    case "open": {
      const opened = { ...dispute, status: "needs_response" };
      const taken = { ...opened, movements: [-dispute.amount] };
      return {
        dispute: taken,
        events: [event(before ? "updated" : "created", opened), event("funds_withdrawn", taken)],
      };
    }
    case "respond": {
      const inquiry = dispute.status.startsWith("warning_");
      const answered = { ...dispute, status: inquiry ? "warning_under_review" : "under_review" };
      return { dispute: answered, events: [event("updated", answered)] };
    }
    case "win": {
      const won = { ...dispute, status: "won" };
      const back = { ...won, movements: [...dispute.movements, dispute.amount] };
      return { dispute: back, events: [event("closed", won), event("funds_reinstated", back)] };
    }
    case "lose": {
      const lost = { ...dispute, status: "lost" };
      return { dispute: lost, events: [event("closed", lost)] };
    }
    case "close": {
      const closed = { ...dispute, status: "warning_closed" };
      return { dispute: closed, events: [event("closed", closed)] };
    }
    default:
      throw new TypeError(`There is no step ${step satisfies never}.`);
  }
}

const begun = (payment: Payment, { amount, currency }: Disputing, now: Date): Dispute => ({
  id: newId("du"),
  created: Math.floor(now.getTime() / 1000),
  payment: payment.id,
  amount: amount ?? payment.amount,
  currency: currency ?? payment.currency,
  status: "needs_response",
  reason: "fraudulent",
  networkReason: "10.4",
  dueBy: Math.floor(now.getTime() / 1000) + DAYS,
  movements: [],
});
