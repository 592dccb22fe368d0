// What the merchant may see of a reconciliation: findings with an operation of its own. An account at the processor may be shared,
// so that every other line may be another merchant's.

import { FindingSums, type SumOfFindings } from "./finding-sums.ts";
import type { KeptFinding, Weighed } from "./kept-finding.ts";

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
