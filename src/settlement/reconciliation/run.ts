// A reconciliation while it runs: holds what it finds, adds it up, and keeps all of it when it has come to its end. One that breaks
// off is not kept.

import { basename } from "node:path";
import { arrayOf } from "../../journal/columns.ts";
import type { Sql } from "../../journal/database.ts";
import { text } from "../../journal/rows.ts";
import type { TransactionSql } from "../../journal/sql/sql.ts";
import { keptReference, keptWords } from "../../payment/kept-response.ts";
import { shownName } from "../../validation/stray-card-numbers.ts";
import { FindingSums, isOwn, OwnFindings } from "./finding-sums.ts";
import type { KeptFinding, Weighed } from "./kept-finding.ts";

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

/** Differences first, the merchant's own before others. A file of another account differs in every line: nobody reads more of them. */
const MOST_FINDINGS = 10_000;
const MOST_BATCHES = 1_000;
const WRITTEN_AT_ONCE = 500;

/** A run in progress; `keep` ends it. */
export class Run {
  readonly #of: RunOf;
  readonly #most: number;
  /** In the order in which they are kept. */
  readonly #found: Readonly<Record<"own differences" | "differences" | "own" | "others", KeptFinding[]>> = {
    ...{ "own differences": [], differences: [], own: [], others: [] },
  };
  readonly #sums = new FindingSums();
  readonly #own = new OwnFindings();

  constructor(of: RunOf, mostFindings = MOST_FINDINGS) {
    this.#of = of;
    this.#most = mostFindings;
  }

  add(weighed: Weighed | undefined): void {
    if (weighed === undefined) return;
    const { finding } = weighed;
    this.#sums.add(weighed);
    this.#own.add(weighed);
    const own = isOwn(finding);
    const alike = this.#found[finding.difference ? (own ? "own differences" : "differences") : own ? "own" : "others"];
    if (alike.length < this.#most) alike.push(finding);
  }

  async keep(sql: Sql, as: { id: string; now: Date }, counts: object, batches: readonly object[] = []): Promise<void> {
    const { id, now } = as;
    const { merchantId: merchant_id, processorId: processor_id, file, ...of } = this.#of;
    const findings = Object.values(this.#found).flat().slice(0, this.#most);
    await sql.begin(async (one) => {
      const kept = {
        counts: one.json(counts),
        sums: one.json(this.#sums.list()),
        own: one.json(this.#own.whole()),
        batches: one.json(batches.slice(0, MOST_BATCHES)),
      };
      const name = file === null ? null : shownName(basename(file));
      await one`insert into reconciliations ${one({ merchant_id, id, processor_id, ...of, file: name, ...kept, created_at: now })}`;
      for (let from = 0; from < findings.length; from += WRITTEN_AT_ONCE) {
        const some = findings.slice(from, from + WRITTEN_AT_ONCE);
        const masks = await cardMasks(one, merchant_id, some);
        const rows = some.map((found, index) => {
          const finding = withoutCardNumber(found, masks.get(found.transactionId ?? ""));
          const { transactionId: transaction_id, here, there, ...rest } = finding;
          const sides = { here: here && one.json(here), there: there && one.json(there) };
          const key = { merchant_id, reconciliation_id: id, number: from + index + 1 };
          return { ...key, ...rest, transaction_id, ...sides };
        });
        await one`insert into reconciliation_findings ${one(rows)}`;
      }
    });
  }
}

/** Of the transactions that findings are about, by their ids; those in an archive are not known. */
async function cardMasks(sql: TransactionSql, merchantId: string, findings: readonly KeptFinding[]) {
  const ids = [...new Set(findings.flatMap(({ transactionId }) => (transactionId === null ? [] : [transactionId])))];
  const rows = await sql`
    select id, card_mask from transactions where merchant_id = ${merchantId} and id = any(${arrayOf(sql, "uuid", ids)})`;
  return new Map(rows.map((row) => [text(row.id), text(row.card_mask)]));
}

/**
 * What a processor says of a transaction, as it may be printed: no text has the number of the card that was charged.
 * @param said its texts, among other things
 */
export async function asPrinted<S extends object>(
  sql: Sql,
  merchantId: string,
  transactionId: string | null | undefined,
  said: S,
): Promise<S> {
  const holdsNumber = Object.values(said).some((text) => typeof text === "string" && SOME_NUMBER.test(text));
  if (!holdsNumber || !transactionId) return said;
  const [row] =
    await sql`select card_mask from transactions where merchant_id = ${merchantId} and id = ${transactionId}`;
  const mask = row && text(row.card_mask);
  const shown = Object.entries(said).map(([name, value]) => [
    name,
    typeof value === "string" ? keptReference(value, mask) : value,
  ]);
  return Object.fromEntries(shown) as S;
}

/** As short as a card's may be, in groups or not. */
const SOME_NUMBER = /(?:\p{Nd}\D{0,2}){8}/u;

/** The processor's words and references, as all of them are kept. */
function withoutCardNumber(finding: KeptFinding, cardMask: string | undefined): KeptFinding {
  const { operation, reference, there } = finding;
  const kept = (name: string | null) => (name === null ? null : keptReference(name, cardMask));
  return {
    ...finding,
    operation: keptWords(operation, cardMask),
    reference: kept(reference),
    there: there && { ...there, batch_id: kept(there.batch_id) },
  };
}
