// What the entries of the books add up to: payments, and the money that is held or taken of each.

import type { Answer, Entry, Item } from "./entry.ts";
import { capturedAlone, type Settling, settlingOf, settlingOfDispute } from "./settlement.ts";

export interface Payment {
  readonly psp: string;
  readonly reference: string;
  readonly order?: string;
  readonly method?: string;
  readonly value: number;
  readonly currency: string;
  readonly captures: "at once" | "later" | "by hand";
  captured: number;
  refunded: number;
  cancelled: boolean;
}

export class Accounts {
  readonly #payments = new Map<string, Payment>();
  readonly #byReference = new Map<string, Payment>();
  readonly #answers = new Map<string, Answer>();
  readonly items: Item[] = [];
  /** Captured or refunded, and not paid out yet. */
  readonly settling: Settling[] = [];
  #batches = 0;
  #references = 0;

  apply(entry: Entry): void {
    if (entry.kind === "settled") {
      for (const payment of this.#payments.values())
        if (payment.captures === "later" && !payment.cancelled) this.#capture(payment, entry.at);
      return;
    }
    if (entry.kind === "paid-out") {
      this.settling.length = 0;
      this.#batches++;
      return;
    }
    this.#references++;
    if (entry.key !== null) this.#answers.set(entry.key, entry.answer);
    if (entry.item !== null) this.items.push(entry.item);
    this.#change(entry);
  }

  get nextBatch(): number {
    return this.#batches + 1;
  }

  /** By the host itself, and once. */
  #capture(payment: Payment, at: string): void {
    if (payment.captured === 0) this.settling.push(capturedAlone(payment, payment.value, at));
    payment.captured = payment.value;
  }

  #change({ effect, item, at }: Extract<Entry, { kind: "booked" }>): void {
    const disputed = item?.originalReference && this.#payments.get(item.originalReference);
    const moved = item && disputed && settlingOfDispute(item, disputed, at);
    if (moved) this.settling.push(moved);
    if (effect === null) return;
    if (effect.kind === "payment") {
      const { kind: _, ...given } = effect;
      const payment: Payment = { ...given, captured: 0, refunded: 0, cancelled: false };
      if (given.captures === "at once") this.#capture(payment, at);
      this.#payments.set(payment.psp, payment);
      this.#byReference.set(payment.reference, payment);
      return;
    }
    const payment = this.#payments.get(effect.payment);
    if (payment === undefined) throw new Error(`the books follow a payment that is not in them: ${effect.payment}`);
    if (effect.kind === "capture") payment.captured += effect.value;
    else if (effect.kind === "refund") payment.refunded += effect.value;
    else payment.cancelled = true;
    const settling = settlingOf(effect, item, payment, at);
    if (settling) this.settling.push(settling);
  }

  answerTo(key: string): Answer | undefined {
    return this.#answers.get(key);
  }

  payment(psp: string): Payment | undefined {
    return this.#payments.get(psp);
  }

  paymentOf(reference: string): Payment | undefined {
    return this.#byReference.get(reference);
  }

  /** The first whose reference begins with this. */
  paymentBeginning(prefix: string): Payment | undefined {
    return [...this.#byReference.values()].find(({ reference }) => reference.startsWith(prefix));
  }

  /** In minor units, held or taken, of the payments whose reference begins with this. */
  balance(prefix: string): number {
    let held = 0;
    for (const { reference, value, refunded, cancelled } of this.#payments.values())
      if (reference.startsWith(prefix) && !cancelled) held += value - refunded;
    return held;
  }

  /** Sixteen letters and digits, as Adyen's are. */
  nextPspReference(): string {
    return `H${(this.#references + 1).toString(36).toUpperCase().padStart(15, "0")}`;
  }
}
