// What the host knows: payments, refunds, and first answers by their keys. Every change is an entry of the books, which are replayed
// at a start. Card numbers are not in it.

import { Balance, type Payout } from "./balance.ts";
import type { Conduct } from "./cards.ts";

export interface Payment {
  readonly id: string;
  readonly created: number;
  readonly amount: number;
  readonly currency: string;
  readonly manual: boolean;
  readonly description: string | null;
  readonly suffix: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly status: string;
  readonly capturable: number;
  readonly received: number;
  readonly multicapture: boolean;
  readonly canceledFor: string | null;
  readonly charge: Charge | null;
  readonly error: PaymentFault | null;
  readonly customer?: string;
  /** To where the payer comes back from a challenge. */
  readonly returnUrl?: string;
  /** Of one whose payer has to authenticate: the charge that it becomes. */
  readonly challenge?: { readonly charge: Charge; readonly url: string };
}

export interface Charge {
  readonly id: string;
  readonly authCode: string;
  readonly last4: string;
  /** Missing in older books, as the next three. */
  readonly networkId?: string;
  readonly brand?: string;
  readonly expMonth?: number;
  readonly expYear?: number;
  readonly checks: Readonly<Record<"address_line1_check" | "address_postal_code_check" | "cvc_check", string | null>>;
  readonly threeDSecure: string | null;
  /** What its card does to its refunds. */
  readonly refund: Conduct["refund"] | null;
}

export interface PaymentFault {
  readonly code: string;
  readonly decline_code?: string;
  readonly message: string;
}

export interface Refund {
  readonly id: string;
  readonly created: number;
  readonly payment: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: string;
  readonly failure: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Made by the host itself: what was authorized and is not captured, of a payment that was canceled or captured in part. */
  readonly releases?: "all" | "rest";
}

export interface Dispute {
  readonly id: string;
  readonly created: number;
  readonly payment: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: string;
  readonly reason: string;
  readonly networkReason: string;
  readonly dueBy: number | null;
  /** Movements of the account's balance: what was withdrawn is below zero. */
  readonly movements: readonly number[];
}

export interface FirstAnswer {
  readonly id: string;
  /** Of the path and the fields, with a key of this run alone: a body may hold a card number. */
  readonly request: string;
  readonly status: number;
  readonly body: string;
}

export type Entry =
  | { readonly kind: "payment"; readonly at: string; readonly value: Payment }
  | { readonly kind: "refund"; readonly at: string; readonly value: Refund }
  | { readonly kind: "dispute"; readonly at: string; readonly value: Dispute }
  | { readonly kind: "payout"; readonly at: string; readonly value: Payout }
  | { readonly kind: "key"; readonly at: string; readonly value: FirstAnswer };

export class State {
  readonly payments = new Map<string, Payment>();
  readonly refunds = new Map<string, Refund>();
  readonly disputes = new Map<string, Dispute>();
  readonly keys = new Map<string, FirstAnswer>();
  readonly #paths = new Map<string, string>();
  readonly money = new Balance();

  apply({ kind, at, value }: Entry): void {
    if (kind === "payment") {
      this.money.captured(value, this.payments.get(value.id), at);
      this.payments.set(value.id, value);
    } else if (kind === "refund") {
      this.money.refunded(value, this.refunds.get(value.id), at);
      this.refunds.set(value.id, value);
    } else if (kind === "dispute") {
      this.money.disputed(value, this.disputes.get(value.id), at);
      this.disputes.set(value.id, value);
    } else if (kind === "payout") this.money.paidOut(value, at);
    else this.#key(value);
  }

  #key(value: FirstAnswer): void {
    this.keys.set(value.id, value);
    const [path = "", key = ""] = value.id.split(" ");
    this.#paths.set(key, path);
  }

  /** Where this key was used first. */
  pathOf(key: string): string | undefined {
    return this.#paths.get(key);
  }

  /** Not in the books: after a restart their keys are known again. */
  forgetErrors(): void {
    for (const [id, { status }] of this.keys) if (status >= 500) this.#forget(id);
  }

  #forget(id: string): void {
    this.keys.delete(id);
    this.#paths.delete(id.split(" ")[1] ?? "");
  }

  refundsOf(payment: string): readonly Refund[] {
    return [...this.refunds.values()].filter((refund) => refund.payment === payment);
  }

  /** What was refunded, or will be. */
  refunded(payment: string): number {
    return this.refundsOf(payment)
      .filter(({ status, releases }) => !releases && (status === "succeeded" || status === "pending"))
      .reduce((sum, { amount }) => sum + amount, 0);
  }

  /** Held or taken for a transaction of the gateway's. */
  balance(transaction: string): number {
    return [...this.payments.values()]
      .filter(({ metadata }) => metadata.faregate_transaction === transaction)
      .reduce((sum, { id, capturable, received }) => sum + capturable + received - this.refunded(id), 0);
  }
}
