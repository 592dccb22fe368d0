// A reconciliation while it runs: holds what it finds, adds it up, and keeps all of it when it has come to its end. One that breaks
// off is not kept.

import { basename } from "node:path";
import type { Sql } from "../../journal/database.ts";
import { type Exact, renderExact } from "../../processors/exact-amount.ts";
import { newId } from "../../uuid.ts";
import { shownName } from "../../validation/stray-card-numbers.ts";
import type { KeptFinding, KeptKind, Weighed } from "./kept-finding.ts";

export const RECONCILED_WITH = ["books", "report"] as const;

export interface RunOf {
  readonly merchantId: string;
  readonly processorId: string;
  readonly currency: string;
  readonly source: (typeof RECONCILED_WITH)[number];
  readonly day: string | null;
  readonly payout: string | null;
  /** As it was named; null: stdin, or the processor was asked. */
  readonly file: string | null;
}

/** What the findings of a kind come to in a currency. Amounts have no sign. */
export interface SumOfFindings {
  readonly finding: KeptKind;
  readonly currency: string;
  readonly count: number;
  readonly here: string;
  readonly there: string;
}

/** Differences first. A file of another account differs in every line: nobody reads more of them. */
export const MOST_FINDINGS = 10_000;
export const MOST_BATCHES = 1_000;
const WRITTEN_AT_ONCE = 500;

/** One that is under way; `keep` ends it. */
export class Run {
  readonly #of: RunOf;
  readonly #most: number;
  readonly #differences: KeptFinding[] = [];
  readonly #others: KeptFinding[] = [];
  readonly #sums = new Map<string, { finding: KeptKind; currency: string; count: number; here: Exact; there: Exact }>();

  constructor(of: RunOf, mostFindings = MOST_FINDINGS) {
    this.#of = of;
    this.#most = mostFindings;
  }

  add(weighed: Weighed | undefined): void {
    if (weighed === undefined) return;
    const { finding, here, there } = weighed;
    const { kind } = finding;
    const [ours, theirs] = [finding.here?.currency, finding.there?.currency];
    if (ours !== undefined) this.#weigh(kind, ours, here ?? 0n, ours === theirs ? (there ?? 0n) : 0n);
    if (theirs !== undefined && theirs !== ours) this.#weigh(kind, theirs, 0n, there ?? 0n);
    const alike = finding.difference ? this.#differences : this.#others;
    if (alike.length < this.#most) alike.push(finding);
  }

  #weigh(finding: KeptKind, currency: string, here: Exact, there: Exact): void {
    const key = `${finding} ${currency}`;
    const sum = this.#sums.get(key) ?? { finding, currency, count: 0, here: 0n, there: 0n };
    this.#sums.set(key, { ...sum, count: sum.count + 1, here: sum.here + here, there: sum.there + there });
  }

  /** @returns the run's id */
  async keep(sql: Sql, now: Date, counts: object, batches: readonly object[] = []): Promise<string> {
    const id = newId(now);
    const { merchantId: merchant_id, processorId: processor_id, file, ...of } = this.#of;
    const findings = [...this.#differences, ...this.#others].slice(0, this.#most);
    const sums = [...this.#sums.values()].map(({ here, there, ...sum }): SumOfFindings => {
      return { ...sum, here: renderExact(here), there: renderExact(there) };
    });
    await sql.begin(async (one) => {
      const kept = {
        counts: one.json(counts),
        sums: one.json(sums),
        batches: one.json(batches.slice(0, MOST_BATCHES)),
      };
      const name = file === null ? null : shownName(basename(file));
      await one`insert into reconciliations ${one({ merchant_id, id, processor_id, ...of, file: name, ...kept, created_at: now })}`;
      for (let from = 0; from < findings.length; from += WRITTEN_AT_ONCE) {
        const rows = findings.slice(from, from + WRITTEN_AT_ONCE).map((finding, index) => {
          const { transactionId: transaction_id, here, there, ...rest } = finding;
          const sides = { here: here && one.json(here), there: there && one.json(there) };
          const key = { merchant_id, reconciliation_id: id, number: from + index + 1 };
          return { ...key, ...rest, transaction_id, ...sides };
        });
        await one`insert into reconciliation_findings ${one(rows)}`;
      }
    });
    return id;
  }
}
