// The gateway's operations of a day, found by what the processor knows them by. A million of them and more: so they lie in
// arrays of numbers, some 90 bytes each, and not in objects.

import { type Amount, amountOf } from "../../payment/money.ts";
import type { Outcome } from "../../payment/outcome.ts";
import { EVENT_TYPES, type EventType } from "../../payment/transaction.ts";
import type { BookLine } from "../../processors/books.ts";

export interface Operation {
  readonly eventId: string;
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
  /** The processor's name for it, as its answer had it. */
  readonly processorName?: string;
  /** The processor made it by itself: under this name. */
  readonly byProcessor?: string;
}

/** `unanswered` stands for every charge that is taken back. Of what failed after all, `endedAt` is when that was known. */
export type OutcomeInBooks = Exclude<Outcome["kind"], "action-required">;

/** `confirmed` at null: it is not on record when. */
export type Reversal = { readonly kind: "pending" } | { readonly kind: "confirmed"; readonly at: number | null };

/** What the books say of an operation. */
export const SEEN = { booked: 1, moved: 2, reversal: 4, reversed: 8 } as const;

export const OUTCOMES_IN_BOOKS = [
  "approved",
  "declined",
  "already-settled",
  "unanswered",
  "not-sent",
  "failed-after-all",
] as const satisfies readonly OutcomeInBooks[];
const OUTCOMES: readonly (OutcomeInBooks | null)[] = [null, ...OUTCOMES_IN_BOOKS];
const FIRST_CAPACITY = 4_096;
const UUID_BYTES = 16;

export class Operations {
  #size = 0;
  #columns = columnsFor(FIRST_CAPACITY);
  /** Where each operation is, plus one, by the digest of its reference; half of it is empty. */
  #slots = new Uint32Array(2 * FIRST_CAPACITY);
  /** Few: of charges that were not answered. */
  readonly #reversals = new Map<number, Reversal>();
  /** Few: of what has no end yet. */
  readonly #lines = new Map<number, BookLine>();
  readonly #referenceOf: (eventId: string) => string;

  /** @param referenceOf what the processor knows an event by */
  constructor(referenceOf: (eventId: string) => string) {
    this.#referenceOf = referenceOf;
  }

  get size(): number {
    return this.#size;
  }

  /** One that is there already is left as it is. */
  add(operation: Operation): void {
    const reference = this.#referenceOf(operation.eventId);
    const digest = digestOf(reference);
    const slot = this.#slotOf(digest, reference);
    if (this.#slots[slot] !== 0) return;
    if (this.#size === this.#columns.type.length) {
      this.#grow();
      this.add(operation);
      return;
    }
    const index = this.#size++;
    const columns = this.#columns;
    columns.digest[index] = digest;
    columns.event.set(bytesOf(operation.eventId), index * UUID_BYTES);
    columns.transaction.set(bytesOf(operation.transactionId), index * UUID_BYTES);
    columns.sequence[index] = operation.sequence;
    columns.type[index] = EVENT_TYPES.indexOf(operation.type);
    columns.amount[index] = operation.amount;
    columns.sentAt[index] = operation.sentAt;
    columns.outcome[index] = OUTCOMES.indexOf(operation.outcome);
    columns.endedAt[index] = operation.endedAt ?? Number.NaN;
    if (operation.reversal) this.#reversals.set(index, operation.reversal);
    this.#slots[slot] = index + 1;
  }

  /** @returns its place; undefined if there is none */
  find(reference: string): number | undefined {
    const found = this.#slots[this.#slotOf(digestOf(reference), reference)] ?? 0;
    return found === 0 ? undefined : found - 1;
  }

  at(index: number): Operation {
    const { event, transaction, sequence, type, amount, sentAt, outcome, endedAt } = this.#columns;
    const ended = endedAt[index] ?? Number.NaN;
    return {
      eventId: uuidAt(event, index),
      transactionId: uuidAt(transaction, index),
      sequence: sequence[index] ?? 0,
      type: EVENT_TYPES[type[index] ?? 0] ?? "sale",
      amount: amountOf(amount[index] ?? 0n),
      sentAt: sentAt[index] ?? 0,
      outcome: OUTCOMES[outcome[index] ?? 0] ?? null,
      endedAt: Number.isNaN(ended) ? null : ended,
      reversal: this.#reversals.get(index) ?? null,
    };
  }

  referenceAt(index: number): string {
    return this.#referenceOf(uuidAt(this.#columns.event, index));
  }

  /** Bits of {@link SEEN}. */
  seen(index: number): number {
    return this.#columns.seen[index] ?? 0;
  }

  see(index: number, bits: number): void {
    this.#columns.seen[index] = this.seen(index) | bits;
  }

  /** The last line about an operation, for what shows at the end of the books. */
  keep(index: number, line: BookLine): void {
    this.#lines.set(index, line);
  }

  kept(index: number): BookLine | null {
    return this.#lines.get(index) ?? null;
  }

  /** Of this reference, or the empty one where it belongs. */
  #slotOf(digest: number, reference: string): number {
    const mask = this.#slots.length - 1;
    for (let slot = digest & mask; ; slot = (slot + 1) & mask) {
      const index = (this.#slots[slot] ?? 0) - 1;
      if (index < 0) return slot;
      if (this.#columns.digest[index] === digest && this.referenceAt(index) === reference) return slot;
    }
  }

  #emptySlot(digest: number): number {
    const mask = this.#slots.length - 1;
    let slot = digest & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const before = this.#columns;
    const capacity = before.type.length * 2;
    this.#columns = columnsFor(capacity);
    for (const [name, column] of Object.entries(this.#columns))
      (column as Uint8Array).set(before[name as keyof typeof before] as Uint8Array);
    this.#slots = new Uint32Array(2 * capacity);
    for (let index = 0; index < this.#size; index++)
      this.#slots[this.#emptySlot(before.digest[index] ?? 0)] = index + 1;
  }
}

const columnsFor = (capacity: number) => ({
  digest: new Uint32Array(capacity),
  event: new Uint8Array(capacity * UUID_BYTES),
  transaction: new Uint8Array(capacity * UUID_BYTES),
  sequence: new Uint32Array(capacity),
  type: new Uint8Array(capacity),
  amount: new BigInt64Array(capacity),
  sentAt: new Float64Array(capacity),
  outcome: new Uint8Array(capacity),
  endedAt: new Float64Array(capacity),
  seen: new Uint8Array(capacity),
});

/** 32 bits: FNV-1a. What has the same one is told apart by the reference itself. */
function digestOf(reference: string): number {
  let digest = 0x811c9dc5;
  for (let at = 0; at < reference.length; at++) digest = Math.imul(digest ^ reference.charCodeAt(at), 0x01000193);
  return digest >>> 0;
}

const bytesOf = (uuid: string): Buffer => Buffer.from(uuid.replaceAll("-", ""), "hex");

function uuidAt(column: Uint8Array, index: number): string {
  const hex = Buffer.from(column.buffer, index * UUID_BYTES, UUID_BYTES).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
