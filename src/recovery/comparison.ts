// A processor's bookings held against the operations of a database that may have lost some: what is the same, what can be adopted, and what
// somebody has to decide. Pure: bookings and operations come in, findings come out.

import { isChargeType } from "../payment/transaction.ts";
import type { Booking } from "../processors/bookings.ts";
import type { Operation } from "../settlement/reconciliation/operations.ts";

/** Each with what it means; docs/recovery.md has the same list. */
export const FINDING_KINDS = {
  "open-booked": "open here, approved there: adopt it",
  "open-declined": "open here, declined there: adopt it as declined",
  "open-absent": "open here, and not there: reversed or repeated after the release, which is safe",
  "no-evidence": "these records do not cover what is open here, or a day that was lost: get those that do",
  lost: "approved there, absent here: adopt it",
  "lost-incomplete": "approved there, absent here, and the records lack something: adopt it singly",
  unexplained: "approved there, absent here, and not of the time that was lost: another program may use the account",
  "declined-booked": "failed here, and money is held or taken there: void or refund it at the processor",
  "approved-absent": "approved here, and not there: ask the processor",
  "approved-reversed": "approved here, and taken back there: ask the processor",
  "other-operation": "the records have another operation under its reference: ask the processor",
  "other-amount": "the records have another amount: ask the processor",
  "other-currency": "the records have another currency: ask the processor",
  "booked-twice": "a second booking of the same operation: ask the processor",
} as const;
export type FindingKind = keyof typeof FINDING_KINDS;

/** What a gateway does right by itself is not. */
export const isToDecide = (kind: FindingKind): boolean => kind !== "open-absent";

/** A booking, and where it was read. */
export interface Placed extends Booking {
  /** Null: the processor was asked. */
  readonly file: string | null;
}

export interface Finding {
  readonly kind: FindingKind;
  /** Null for what is absent here. */
  readonly here: Operation | null;
  /** Null for what is absent there. */
  readonly there: Placed | null;
  /** Of what is incomplete, what it lacks, in words. */
  readonly lacks?: string;
}

/** Only counted. */
export interface Totals {
  bookings: number;
  broken: number;
  /** Of other accounts, records or merchants. */
  others: number;
  /** In an archive. */
  archived: number;
  equal: number;
  /** Absent here and nothing there: declined, or taken back. */
  lost_declined: number;
  lost_reversed: number;
}

export interface Situation {
  /** ISO 4217, of the record. */
  readonly currency: string;
  /** The time that was lost; undefined: the database was never recovered. */
  readonly window: { readonly from: number; readonly until: number } | undefined;
  /** Whether the records have all that was done at this time, in milliseconds. */
  readonly covers: (at: number) => boolean;
  /** Days of the time that was lost of which there are no records: `2030-05-15`. */
  readonly missing: readonly string[];
}

/** By how much two clocks may differ. */
export const CLOCK_SKEW_MS = 300_000;

export class Comparison {
  readonly totals: Totals = {
    ...{ bookings: 0, broken: 0, others: 0, archived: 0, equal: 0, lost_declined: 0, lost_reversed: 0 },
  };
  readonly #currency: string;
  readonly #overlapping: boolean;
  readonly #reversed = new Set<string>();
  /** By event, each with whether it was approved there. */
  readonly #seen = new Map<string, boolean>();
  #known: { readonly here: Operation; readonly there: Placed }[] = [];
  readonly #absent: { readonly there: Placed; readonly isChargeHere: boolean }[] = [];
  readonly #twice: Finding[] = [];
  /** Transactions whose charge was released there: a processor may have no line for the void that did it. */
  readonly #released = new Set<string>();

  /** @param overlapping of several lines about an operation all but one say nothing new */
  constructor(currency: string, overlapping = false) {
    this.#currency = currency;
    this.#overlapping = overlapping;
  }

  /** A booking of an operation that is here. */
  add(there: Placed, here: Operation): void {
    if (there.operation === "reversal") {
      if (there.nothingHeld) this.#reversed.add(there.reference);
      if (here.outcome === "approved" && there.nothingHeld) this.#known.push({ here, there });
      return;
    }
    if (there.canceled) this.#released.add(here.transactionId);
    const before = this.#seen.get(here.eventId);
    if (before !== undefined) {
      if (!this.#overlapping) this.#twice.push({ kind: "booked-twice", here, there });
      // It was refused at first, and approved after another try.
      if (!this.#overlapping || before || !there.approved) return;
      const known = this.#known.length;
      this.#known = this.#known.filter((one) => one.here.eventId !== here.eventId);
      if (known === this.#known.length) this.totals.equal--;
    }
    this.#seen.set(here.eventId, there.approved);
    if (this.#differs(here, there) !== undefined || !isSame(here, there)) this.#known.push({ here, there });
    else this.totals.equal++;
  }

  /** @param isChargeHere of a follow-up: whether its charge is here, and approved */
  addAbsent(there: Placed, isChargeHere: boolean): void {
    // Another record may tell the charge as it was before.
    if (there.canceled && this.#overlapping) this.#reversed.add(there.reference);
    if (there.operation !== "reversal") this.#absent.push({ there, isChargeHere });
    else if (there.nothingHeld) this.#reversed.add(there.reference);
  }

  /**
   * When all bookings were added.
   * @param open of this record, without an outcome
   * @param recent of this record, since the beginning of the comparison
   */
  findings(situation: Situation, open: readonly Operation[], recent: readonly Operation[]): readonly Finding[] {
    this.#pairVoids(open);
    const unseen = open.filter(({ eventId }) => !this.#seen.has(eventId));
    return [
      ...situation.missing.map(
        (day): Finding => ({ kind: "no-evidence", here: null, there: null, lacks: `books of ${day}` }),
      ),
      ...this.#known.flatMap(({ here, there }) => this.#ofKnown(here, there)),
      ...this.#ofAbsent(situation),
      ...this.#twice,
      ...unseen.map((here): Finding => {
        const covered = situation.covers(here.sentAt - CLOCK_SKEW_MS) && situation.covers(here.sentAt + CLOCK_SKEW_MS);
        return { kind: covered ? "open-absent" : "no-evidence", here, there: null };
      }),
      ...recent
        .filter((here) => this.#isMissingThere(here, situation))
        .map((here): Finding => ({ kind: "approved-absent", here, there: null })),
    ];
  }

  /** A void that only the payment's state shows is the one that is open here. */
  #pairVoids(open: readonly Operation[]): void {
    const voids = open.filter(({ type, eventId }) => type === "void" && !this.#seen.has(eventId));
    for (const here of voids) {
      const nth = this.#absent.findIndex(
        ({ there }) =>
          there.operation === "void" && there.eventId === null && there.transactionId === here.transactionId,
      );
      const [pair] = nth < 0 ? [] : this.#absent.splice(nth, 1);
      if (pair === undefined) continue;
      this.#seen.set(here.eventId, pair.there.approved);
      this.#known.push({ here, there: pair.there });
    }
  }

  #differs(here: Operation, there: Placed): FindingKind | undefined {
    if (there.operation !== here.type && !(there.isPerhapsVoid && here.type === "void")) return "other-operation";
    if (there.currency !== this.#currency) return "other-currency";
    // What was only held of it moved nothing.
    if (there.isPerhapsVoid && here.type === "void") return undefined;
    return there.amount !== null && there.amount !== here.amount ? "other-amount" : undefined;
  }

  #ofKnown(here: Operation, there: Placed): readonly Finding[] {
    if (there.operation === "reversal") return [{ kind: "approved-reversed", here, there }];
    const differs = this.#differs(here, there);
    if (differs !== undefined) return [{ kind: differs, here, there }];
    const takenBack = there.canceled || (isChargeType(here.type) && this.#reversed.has(there.reference));
    if (here.outcome === null) {
      // It is reversed again after the release, which does no harm.
      if (takenBack) return [{ kind: "open-absent", here, there }];
      return [{ kind: there.approved ? "open-booked" : "open-declined", here, there }];
    }
    return takenBack ? [] : [{ kind: there.approved ? "declined-booked" : "approved-absent", here, there }];
  }

  #ofAbsent({ window }: Situation): readonly Finding[] {
    const held = this.#absent.filter(({ there }) => this.#isHeld(there));
    // Of several lines about one operation, the one that has most of it.
    const lost = this.#overlapping
      ? held.toSorted((one, other) => this.#lack(one.there) - this.#lack(other.there))
      : held;
    const first = new Set<string>();
    const charges = new Set(
      lost.flatMap(({ there }) => (isCharge(there) && this.#lacks(there) === undefined ? [there.reference] : [])),
    );
    return lost.flatMap(({ there, isChargeHere }): Finding | [] => {
      const name = `${there.operation} ${(this.#overlapping && there.eventId) || there.reference}`;
      if (first.has(name)) return this.#overlapping ? [] : { kind: "booked-twice", here: null, there };
      first.add(name);
      const at = there.at?.getTime();
      // What is not dated was done to a charge that is here, after all that is here.
      const within = window && (at === undefined ? isChargeHere : at >= window.from && at <= window.until);
      if (!within) return { kind: "unexplained", here: null, there };
      const lacks = this.#lacks(there) ?? lacksCharge(there, isChargeHere, charges);
      return lacks === undefined
        ? { kind: "lost", here: null, there }
        : { kind: "lost-incomplete", here: null, there, lacks };
    });
  }

  /** Counts what is not. */
  #isHeld(there: Placed): boolean {
    if (!there.approved) this.totals.lost_declined++;
    else if (there.canceled) this.totals.lost_reversed++;
    else if (this.#reversed.has(isCharge(there) ? there.reference : (there.ofCharge ?? "")))
      this.totals.lost_reversed++;
    else return true;
    return false;
  }

  #lacks({ operation, merchantTransactionId, amount, currency }: Placed): string | undefined {
    const missing = [
      ...(amount === null ? ["the amount"] : []),
      ...(currency === this.#currency ? [] : [`the record's currency: it is in ${currency}`]),
      ...(isChargeType(operation as "sale") && merchantTransactionId === null ? ["the merchant's reference"] : []),
    ];
    return missing.length === 0 ? undefined : missing.join(" and ");
  }

  /** How much a line does not say. */
  #lack(there: Placed): number {
    const { card, authCode, processorTransactionId } = there;
    return (
      (this.#lacks(there) === undefined ? 0 : 8) +
      (processorTransactionId === null ? 4 : 0) +
      (card !== null && /\d/.test(card.mask) ? 0 : 2) +
      (authCode === null ? 1 : 0)
    );
  }

  #isMissingThere(here: Operation, { covers }: Situation): boolean {
    if (here.outcome !== "approved" || here.byProcessor !== undefined || this.#seen.has(here.eventId)) return false;
    if (here.type === "void" && this.#released.has(here.transactionId)) return false;
    return covers(here.sentAt - CLOCK_SKEW_MS) && covers((here.endedAt ?? here.sentAt) + CLOCK_SKEW_MS);
  }
}

const isCharge = ({ operation }: Booking): boolean => operation === "sale" || operation === "auth";

/** What a gateway is sure of, or will bring about by itself. */
function isSame({ outcome }: Operation, { approved, canceled }: Booking): boolean {
  if (canceled) return outcome !== null;
  switch (outcome) {
    case "approved":
      return approved;
    case "declined":
    case "already-settled":
      return !approved;
    // What was booked of it is taken back until the processor confirms it, or was approved before it failed.
    case "unanswered":
    case "failed-after-all":
      return true;
    case "not-sent":
      return !approved;
    case null:
      return false;
  }
}

function lacksCharge(there: Placed, isChargeHere: boolean, lost: ReadonlySet<string>): string | undefined {
  if (isCharge(there) || isChargeHere || lost.has(there.ofCharge ?? "")) return undefined;
  return "its charge: adopt that first";
}
