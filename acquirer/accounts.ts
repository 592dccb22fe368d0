// Where the money of each charge stands, by the entries of the books alone. Applying an entry asks nothing: what may be
// booked is decided before (decide.ts).

import type { Booked, Entry } from "./entry.ts";

export interface Captured {
  left: bigint;
  readonly at: string;
  settled: boolean;
}

export interface Charge {
  readonly entry: Booked;
  /** Authorized, and neither captured nor voided. */
  held: bigint;
  readonly captures: Captured[];
  reversed: boolean;
}

export class Accounts {
  /** By terminal and RRN. */
  readonly #charges = new Map<string, Charge>();
  readonly #byTransaction = new Map<string, Charge[]>();
  /** First answers, by terminal, RRN and whether it was a reversal. */
  readonly #answers = new Map<string, Booked>();
  #settledUntil = "";

  get settledUntil(): string {
    return this.#settledUntil;
  }

  charge(terminal: string, rrn: string): Charge | undefined {
    return this.#charges.get(`${terminal}|${rrn}`);
  }

  /** What was answered to this operation, or to another one of the same number. */
  answered(terminal: string, rrn: string, reversal: boolean): Booked | undefined {
    return this.#answers.get(`${terminal}|${rrn}|${reversal}`);
  }

  /** Held or taken, in the currency's minor unit. */
  balance(transaction: string): bigint {
    let total = 0n;
    for (const charge of this.#byTransaction.get(transaction) ?? []) total += charge.held + capturedOf(charge);
    return total;
  }

  apply(entry: Entry): void {
    if (entry.kind === "settled") this.#settle(entry.capturedUntil);
    else this.#book(entry);
  }

  #settle(until: string): void {
    this.#settledUntil = until;
    for (const { captures } of this.#charges.values())
      for (const captured of captures) if (captured.at <= until) captured.settled = true;
  }

  #book(entry: Booked): void {
    this.#answers.set(`${entry.terminal}|${entry.rrn}|${entry.operation === "reversal"}`, entry);
    if (entry.code !== "00") return;
    if (entry.operation === "sale" || entry.operation === "auth") this.#open(entry);
    else this.#follow(entry);
  }

  #open(entry: Booked): void {
    const amount = BigInt(entry.amount);
    const sale = entry.operation === "sale";
    const charge: Charge = {
      entry,
      held: sale ? 0n : amount,
      captures: sale ? [{ left: amount, at: entry.at, settled: false }] : [],
      reversed: false,
    };
    this.#charges.set(`${entry.terminal}|${entry.rrn}`, charge);
    const same = this.#byTransaction.get(entry.transaction);
    if (same === undefined) this.#byTransaction.set(entry.transaction, [charge]);
    else same.push(charge);
  }

  #follow(entry: Booked): void {
    const charge = this.charge(entry.terminal, entry.originalRrn);
    if (charge === undefined) return; // the reversal of a charge that never arrived
    const amount = BigInt(entry.amount);
    switch (entry.operation) {
      case "capture":
        charge.held -= amount;
        charge.captures.push({ left: amount, at: entry.at, settled: false });
        return;
      case "void": {
        const ofHeld = amount < charge.held ? amount : charge.held;
        charge.held -= ofHeld;
        take(amount - ofHeld, charge.captures.filter(({ settled }) => !settled).reverse());
        return;
      }
      case "refund":
        take(
          amount,
          [...charge.captures].sort((one, other) => Number(other.settled) - Number(one.settled)),
        );
        return;
      case "reversal":
        charge.reversed = true;
        charge.held = 0n;
        for (const captured of charge.captures) captured.left = 0n;
    }
  }
}

export const capturedOf = ({ captures }: Charge, counts: (captured: Captured) => boolean = () => true): bigint =>
  captures.reduce((total, captured) => total + (counts(captured) ? captured.left : 0n), 0n);

function take(amount: bigint, from: readonly Captured[]): void {
  let wanted = amount;
  for (const captured of from) {
    const taken = captured.left < wanted ? captured.left : wanted;
    captured.left -= taken;
    wanted -= taken;
  }
  if (wanted > 0n) throw new Error("broken books: more was given back than there was");
}
