// The gateway's operations of a day, found by the number under which the processor has them (RRN). A million of them and
// more: so they lie in arrays of numbers, some 80 bytes each, and not in objects.

import { type Amount, amountOf } from "../../payment/money.ts";
import type { EventType, Outcome } from "../../payment/transaction.ts";

export interface Operation {
  /** Twelve of 0-9 and A-Z. */
  readonly rrn: string;
  readonly transactionId: string;
  readonly sequence: number;
  readonly type: EventType;
  readonly amount: Amount;
  /** It was sent then or later; in milliseconds. */
  readonly sentAt: number;
  /** Null: not known yet. */
  readonly outcome: OutcomeInBooks | null;
  /** When the outcome was known; in milliseconds. */
  readonly endedAt: number | null;
  /** Of an unanswered charge. */
  readonly reversal: Reversal | null;
}

/** `unanswered` stands for every charge that is taken back. */
export type OutcomeInBooks = Exclude<Outcome["kind"], "action-required">;

/** `confirmed` at null: it is not on record when. */
export type Reversal = { readonly kind: "pending" } | { readonly kind: "confirmed"; readonly at: number | null };

/** What the books say of an operation. */
export const SEEN = { booked: 1, moved: 2, reversal: 4, reversed: 8 } as const;

const TYPES: readonly EventType[] = ["sale", "auth", "capture", "void", "refund"];
const OUTCOMES: readonly (OutcomeInBooks | null)[] = [
  null,
  "approved",
  "declined",
  "already-settled",
  "unanswered",
  "not-sent",
];
const FIRST_CAPACITY = 4_096;
const HALF = 6;

export class Operations {
  #size = 0;
  #columns = columnsFor(FIRST_CAPACITY);
  /** Where each operation is, plus one, by its RRN; half of it is empty. */
  #slots = new Uint32Array(2 * FIRST_CAPACITY);
  /** Few: of charges that were not answered. */
  readonly #reversals = new Map<number, Reversal>();

  get size(): number {
    return this.#size;
  }

  /** One that is there already is left as it is. */
  add(operation: Operation): void {
    const [high, low] = halvesOf(operation.rrn);
    const slot = this.#slotOf(high, low);
    if (this.#slots[slot] !== 0) return;
    if (this.#size === this.#columns.type.length) {
      this.#grow();
      this.add(operation);
      return;
    }
    const index = this.#size++;
    const columns = this.#columns;
    columns.high[index] = high;
    columns.low[index] = low;
    columns.transaction.set(Buffer.from(operation.transactionId.replaceAll("-", ""), "hex"), index * 16);
    columns.sequence[index] = operation.sequence;
    columns.type[index] = TYPES.indexOf(operation.type);
    columns.amount[index] = operation.amount;
    columns.sentAt[index] = operation.sentAt;
    columns.outcome[index] = OUTCOMES.indexOf(operation.outcome);
    columns.endedAt[index] = operation.endedAt ?? Number.NaN;
    if (operation.reversal) this.#reversals.set(index, operation.reversal);
    this.#slots[slot] = index + 1;
  }

  /** @returns its place; undefined if there is none */
  find(rrn: string): number | undefined {
    const [high, low] = halvesOf(rrn);
    const found = this.#slots[this.#slotOf(high, low)] ?? 0;
    return found === 0 ? undefined : found - 1;
  }

  at(index: number): Operation {
    const { high, low, transaction, sequence, type, amount, sentAt, outcome, endedAt } = this.#columns;
    const ended = endedAt[index] ?? Number.NaN;
    return {
      rrn: half(high[index]) + half(low[index]),
      transactionId: uuidOf(transaction.subarray(index * 16, index * 16 + 16)),
      sequence: sequence[index] ?? 0,
      type: TYPES[type[index] ?? 0] ?? "sale",
      amount: amountOf(amount[index] ?? 0n),
      sentAt: sentAt[index] ?? 0,
      outcome: OUTCOMES[outcome[index] ?? 0] ?? null,
      endedAt: Number.isNaN(ended) ? null : ended,
      reversal: this.#reversals.get(index) ?? null,
    };
  }

  /** Bits of {@link SEEN}. */
  seen(index: number): number {
    return this.#columns.seen[index] ?? 0;
  }

  see(index: number, bits: number): void {
    this.#columns.seen[index] = this.seen(index) | bits;
  }

  /** Of this RRN, or the empty one where it belongs. */
  #slotOf(high: number, low: number): number {
    const mask = this.#slots.length - 1;
    // An RRN is a part of a hash already.
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const index = (this.#slots[slot] ?? 0) - 1;
      if (index < 0 || (this.#columns.high[index] === high && this.#columns.low[index] === low)) return slot;
    }
  }

  #grow(): void {
    const before = this.#columns;
    const capacity = before.type.length * 2;
    this.#columns = columnsFor(capacity);
    for (const [name, column] of Object.entries(this.#columns))
      (column as Uint8Array).set(before[name as keyof typeof before] as Uint8Array);
    this.#slots = new Uint32Array(2 * capacity);
    for (let index = 0; index < this.#size; index++)
      this.#slots[this.#slotOf(before.high[index] ?? 0, before.low[index] ?? 0)] = index + 1;
  }
}

const columnsFor = (capacity: number) => ({
  high: new Uint32Array(capacity),
  low: new Uint32Array(capacity),
  transaction: new Uint8Array(capacity * 16),
  sequence: new Uint32Array(capacity),
  type: new Uint8Array(capacity),
  amount: new BigInt64Array(capacity),
  sentAt: new Float64Array(capacity),
  outcome: new Uint8Array(capacity),
  endedAt: new Float64Array(capacity),
  seen: new Uint8Array(capacity),
});

/** Six characters each: 36 to the sixth is less than 2 to the 32nd. */
const halvesOf = (rrn: string): readonly [number, number] => [
  Number.parseInt(rrn.slice(0, HALF), 36),
  Number.parseInt(rrn.slice(HALF), 36),
];

const half = (number = 0): string => number.toString(36).padStart(HALF, "0").toUpperCase();

function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
