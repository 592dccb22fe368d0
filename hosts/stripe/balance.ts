// The balance of the host's account: a balance transaction for each capture, refund, refund that failed and dispute, and payouts of them.
// https://docs.stripe.com/api/balance_transactions. Each follows from the books, so that it is the same after a restart.

import { WHOLE_PAYOUTS } from "./currency.ts";

/** Of a payment. */
interface Payment {
  readonly id: string;
  readonly amount: number;
  readonly status: string;
  readonly received: number;
  readonly currency: string;
}

interface Refund {
  readonly id: string;
  readonly releases?: "all" | "rest";
  readonly amount: number;
  readonly currency: string;
  readonly status: string;
}

export interface BalanceTransaction {
  readonly id: string;
  readonly created: number;
  readonly amount: number;
  readonly fee: number;
  readonly currency: string;
  readonly type:
    | "charge"
    | "refund"
    | "refund_failure"
    | "partial_capture_reversal"
    | "dispute"
    | "dispute_reversal"
    | "payout";
  /** Of the payment, refund or dispute; of a payout its own. */
  readonly source: string;
}

export interface Payout {
  readonly id: string;
  readonly currency: string;
}

interface Dispute {
  readonly id: string;
  readonly currency: string;
  readonly movements: readonly number[];
}

export class Balance {
  readonly transactions: BalanceTransaction[] = [];
  readonly #payoutOf = new Map<string, string>();
  /** By currency: too small a part to be paid out, which the next payout has. */
  readonly #carried = new Map<string, number>();

  captured(payment: Payment, before: Payment | undefined, at: string): void {
    const received = payment.received - (before?.received ?? 0);
    // https://docs.stripe.com/reports/reporting-categories: of a partial capture "you see two balance transactions: one for the full
    // amount of the authorization, and another reversing the uncaptured portion".
    const once = payment.status === "succeeded" && received === payment.received;
    const [amount, fee, source] = [once ? payment.amount : received, feeOf(received), payment.id];
    if (received > 0) this.#add({ amount, fee, type: "charge", source }, payment.currency, at);
  }

  refunded(refund: Refund, before: Refund | undefined, at: string): void {
    const [was, is] = [holds(before), holds(refund)];
    const { amount, id: source, currency, releases } = refund;
    // What was never captured is not in the balance.
    if (releases === "all") return;
    const type = releases === "rest" ? "partial_capture_reversal" : "refund";
    if (is && !was) this.#add({ amount: -amount, fee: 0, type, source }, currency, at);
    if (was && !is) this.#add({ amount, fee: 0, type: "refund_failure", source }, currency, at);
  }

  disputed({ id: source, currency, movements }: Dispute, before: Dispute | undefined, at: string): void {
    for (const amount of movements.slice(before?.movements.length ?? 0)) {
      const taken = amount < 0;
      this.#add({ amount, fee: taken ? 1500 : 0, type: taken ? "dispute" : "dispute_reversal", source }, currency, at);
    }
  }

  /** All that was not paid out yet. */
  paidOut({ id, currency }: Payout, at: string): void {
    const open = this.transactions.filter((one) => one.currency === currency && !this.#payoutOf.has(one.id));
    const carried = this.#carried.get(currency) ?? 0;
    const sum = open.reduce((all, { amount, fee }) => all + amount - fee, carried);
    const rest = WHOLE_PAYOUTS.includes(currency) ? sum % 100 : 0;
    this.#carried.set(currency, rest);
    const own = this.#add({ amount: rest - sum, fee: 0, type: "payout", source: id }, currency, at);
    for (const one of [...open, own]) this.#payoutOf.set(one.id, id);
  }

  of(payout: string): readonly BalanceTransaction[] {
    return this.transactions.filter(({ id }) => this.#payoutOf.get(id) === payout);
  }

  #add(
    given: Pick<BalanceTransaction, "amount" | "fee" | "type" | "source">,
    currency: string,
    at: string,
  ): BalanceTransaction {
    const id = `txn_${String(this.transactions.length + 1).padStart(14, "0")}`;
    const added = { id, created: Math.floor(Date.parse(at) / 1000), currency, ...given };
    this.transactions.push(added);
    return added;
  }
}

/** 2.9 % and 30. */
const feeOf = (amount: number): number => Math.round((amount * 29) / 1000) + 30;

const holds = (refund: Refund | undefined): boolean => refund?.status === "succeeded" || refund?.status === "pending";
