// What the findings of a reconciliation come to, by kind and currency, without signs; and what of them the merchant may see: those with an
// operation of its own, since an account at the processor may be shared.

import { type Exact, renderExact } from "../../processors/exact-amount.ts";
import type { KeptFinding, KeptKind, Weighed } from "./kept-finding.ts";

/** What the findings of a kind come to in a currency. */
export interface SumOfFindings {
  readonly finding: KeptKind;
  readonly currency: string;
  readonly count: number;
  readonly here: string;
  readonly there: string;
}

export class FindingSums {
  readonly #sums = new Map<string, { finding: KeptKind; currency: string; count: number; here: Exact; there: Exact }>();

  add({ finding: { kind, ...sides }, here, there }: Weighed): void {
    const [ours, theirs] = [sides.here?.currency, sides.there?.currency];
    if (ours !== undefined) this.#weigh(kind, ours, here ?? 0n, ours === theirs ? (there ?? 0n) : 0n);
    if (theirs !== undefined && theirs !== ours) this.#weigh(kind, theirs, 0n, there ?? 0n);
  }

  list(): SumOfFindings[] {
    return [...this.#sums.values()].map(({ here, there, ...sum }) => ({
      ...sum,
      here: renderExact(here),
      there: renderExact(there),
    }));
  }

  #weigh(finding: KeptKind, currency: string, here: Exact, there: Exact): void {
    const key = `${finding} ${currency}`;
    const sum = this.#sums.get(key) ?? { finding, currency, count: 0, here: 0n, there: 0n };
    this.#sums.set(key, { ...sum, count: sum.count + 1, here: sum.here + here, there: sum.there + there });
  }
}

export interface Own {
  readonly differences: number;
  readonly pending: number;
  readonly notClosed: number;
  readonly chargebacks: number;
  /** Findings without an operation of the merchant's. */
  readonly withheld: number;
  readonly sums: readonly SumOfFindings[];
}

/** While the reconciliation runs. */
export class OwnFindings {
  readonly #counts = { differences: 0, pending: 0, notClosed: 0, chargebacks: 0, withheld: 0 };
  readonly #sums = new FindingSums();

  add(weighed: Weighed): void {
    this.#counts[countOf(weighed.finding)]++;
    if (isOwn(weighed.finding)) this.#sums.add(weighed);
  }

  whole(): Own {
    return { ...this.#counts, sums: this.#sums.list() };
  }
}

export const isOwn = ({ here }: Pick<KeptFinding, "here">): boolean => here !== null;

function countOf(finding: KeptFinding): Exclude<keyof Own, "sums"> {
  if (!isOwn(finding)) return "withheld";
  if (finding.difference) return "differences";
  if (finding.kind === "pending") return "pending";
  return finding.kind === "chargeback" ? "chargebacks" : "notClosed";
}
