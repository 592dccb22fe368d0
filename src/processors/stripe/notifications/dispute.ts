// What an event `charge.dispute.*` of Stripe's says about a dispute. Its object is the whole dispute as it was then, signed with all
// else, so the event's own time is its place in the dispute's course. https://docs.stripe.com/api/disputes/object

import type { DisputeFee, DisputeStage, DisputeState } from "../../../payment/dispute.ts";
import { wordsOfReason } from "../../../payment/dispute-reasons.ts";
import { type Amount, ZERO } from "../../../payment/money.ts";
import type { Disputed } from "../../../payment/news.ts";
import { countsCurrency, ofStripeUnits } from "../currency.ts";
import { type Dispute, disputeOf } from "../objects.ts";

export interface StripeEvent {
  readonly id: string;
  readonly type: string;
  readonly at: Date;
  readonly object: unknown;
}

interface Means {
  readonly stage?: DisputeStage;
  readonly state: DisputeState;
  /** Among events of one second: what comes later. */
  readonly rank: number;
}

/** https://docs.stripe.com/disputes/how-disputes-work; what ends a dispute does not say at which stage. */
const STATUSES: Readonly<Record<string, Means>> = {
  warning_needs_response: { stage: "inquiry", state: "needs_response", rank: 0 },
  warning_under_review: { stage: "inquiry", state: "under_review", rank: 1 },
  warning_closed: { stage: "inquiry", state: "closed", rank: 2 },
  needs_response: { stage: "chargeback", state: "needs_response", rank: 3 },
  under_review: { stage: "chargeback", state: "under_review", rank: 4 },
  prevented: { state: "closed", rank: 5 },
  lost: { state: "lost", rank: 6 },
  appeal_needs_response: { stage: "pre_arbitration", state: "needs_response", rank: 7 },
  appeal_under_review: { stage: "pre_arbitration", state: "under_review", rank: 8 },
  won: { state: "won", rank: 9 },
};

/** Undefined for a dispute that cannot be read, or whose amount or status is not understood. */
export function newsOfDispute({ at, object }: StripeEvent): Disputed | undefined {
  const dispute = disputeOf(object);
  const means = dispute && Object.hasOwn(STATUSES, dispute.status) ? STATUSES[dispute.status] : undefined;
  if (dispute === undefined || means === undefined) return undefined;
  const currency = dispute.currency.toUpperCase();
  const amount = countsCurrency(currency) ? ofStripeUnits(dispute.amount, currency) : undefined;
  if (amount === undefined) return undefined;
  const { rank, ...stands } = means;
  const movements = dispute.balance_transactions.length;
  return {
    kind: "dispute",
    reference: dispute.id,
    payment: dispute.payment_intent,
    report: {
      order: (Math.floor(at.getTime() / 1000) * 10 + Math.min(movements, 9)) * 10 + rank,
      ...stands,
      disputed: { amount, currency },
      withdrawn: withdrawnBy(dispute, amount, currency),
      ...feesOf(dispute),
      ...reasonOf(dispute),
      ...dueOf(dispute),
    },
  };
}

/** Movements of the account's balance, fees apart. Where the account is in another currency, it is all or nothing. */
function withdrawnBy({ balance_transactions: movements }: Dispute, disputed: Amount, currency: string): Amount {
  const balance = movements.reduce((sum, { amount }) => sum + amount, 0);
  if (balance >= 0) return ZERO;
  const same = movements.every((movement) => movement.currency.toUpperCase() === currency);
  return (same ? ofStripeUnits(-balance, currency) : undefined) ?? disputed;
}

/** Those of the movements, by their names, which are the same in reports of the balance. Below zero a fee was given back. */
function feesOf({ balance_transactions: movements }: Dispute): { fees?: readonly DisputeFee[] } {
  const fees = movements.flatMap(({ id: name, fee = 0, currency: code }): DisputeFee[] => {
    const currency = code.toUpperCase();
    const size = countsCurrency(currency) ? ofStripeUnits(Math.abs(fee), currency) : undefined;
    if (name === undefined || size === undefined || fee === 0) return [];
    return [{ name, amount: fee < 0 ? -size : size, currency }];
  });
  return fees.length === 0 ? {} : { fees };
}

function reasonOf({ reason, payment_method_details: of }: Dispute): { reason?: string; reasonCode?: string } {
  const network = of?.card?.network_reason_code?.trim().slice(0, 32) ?? "";
  const words = /^[a-z_]{1,60}$/.test(reason) ? sentence(reason.replaceAll("_", " ")) : undefined;
  const shown = wordsOfReason(network) ?? words;
  return { ...(shown !== undefined && { reason: shown }), ...(network !== "" && { reasonCode: network }) };
}

/** Of dates that can be kept the last, in seconds: 31 December 9999. */
const LAST_SECOND = 253_402_300_799;

/** Only shown: a date that cannot be one is left out, and the rest is told. */
function dueOf({ evidence_details: { due_by: due } }: Dispute): { respondBy?: Date | null } {
  // 0: the bank takes no response.
  if (!due) return { respondBy: null };
  return due < 0 || due > LAST_SECOND ? {} : { respondBy: new Date(due * 1000) };
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
