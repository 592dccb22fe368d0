// What the lines of a report add up to, for each batch and currency of payout. All of it adds up to what is left in the balance:
// nothing, for a batch that is whole.

import type { Exact } from "../../processors/exact-amount.ts";
import type { Reported, ReportLine } from "../../processors/settlement-report.ts";
import { movedBy } from "./check-line.ts";

const SUMMED = ["captured", "refunded", "undone", "chargebacks", "fees", "payouts", "reserves", "other"] as const;
type Summed = (typeof SUMMED)[number];

export interface BatchSums extends Readonly<Record<Summed, Exact>> {
  /** The processor's name for it; null where lines come without one. */
  readonly batch: string | null;
  readonly currency: string;
  readonly left: Exact;
}

const SUM_OF: Readonly<Record<Reported, Summed>> = {
  captured: "captured",
  released: "captured",
  refunded: "refunded",
  undone: "undone",
  "capture-failed": "captured",
  chargeback: "chargebacks",
  "chargeback-reversed": "chargebacks",
  fee: "fees",
  payout: "payouts",
  reserve: "reserves",
  other: "other",
};

/** Of the others all is as it is: nothing was asked for that could be more or less. */
const OF_PAYMENTS: readonly Summed[] = ["captured", "refunded", "undone", "chargebacks"];

export class ReportSums {
  readonly #batches = new Map<string, BatchSums>();

  /** What was kept of a movement is a fee. Where nobody says what it was in the currency of the balance, no fee is shown. */
  add(line: ReportLine): void {
    const { kind, net, netCurrency, batch } = line;
    const key = `${netCurrency} ${batch ?? ""}`;
    const before = this.#batches.get(key) ?? { ...NOTHING, batch, currency: netCurrency };
    const sum = SUM_OF[kind];
    const moved = (OF_PAYMENTS.includes(sum) ? movedBy(line) : undefined) ?? net;
    const after = { ...before, [sum]: before[sum] + moved, left: before.left + net };
    this.#batches.set(key, { ...after, fees: after.fees + net - moved });
  }

  batches(): readonly BatchSums[] {
    return [...this.#batches.values()];
  }
}

const NOTHING = {
  ...{ captured: 0n, refunded: 0n, undone: 0n, chargebacks: 0n, fees: 0n, payouts: 0n, reserves: 0n, other: 0n },
  left: 0n,
};
