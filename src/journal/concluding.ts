// Concludes events, in groups or one by itself.

import { arrayOf, parametersFor, read } from "./columns.ts";
import { insertsBatch, statementFor } from "./conclusion-statements.ts";
import { codeOf, type Sql } from "./database.ts";
import { run } from "./group-statements.ts";
import type { Concluded, Conclusion } from "./journal.ts";
import { batchOfConclusion, type KnownBatches, NO_BATCHES, rememberedBatches } from "./known-batches.ts";
import { type KnownListeners, rememberedListeners } from "./known-listeners.ts";
import { concludeUsual } from "./usual-conclusion.ts";
import type { GroupWrite } from "./writer.ts";

/** Within a database transaction or alone. @param known batches that are surely there */
export async function concludeIn(
  sql: Sql,
  rows: readonly Conclusion[],
  known: KnownBatches = NO_BATCHES,
): Promise<readonly Concluded[]> {
  const its = read(rows);
  const { text, input } = statementFor(its, known);
  const written = await run<{ transaction_id: string; sequence: number }>(sql, text, parametersFor(sql, input, its));
  const places = new Set(written.map((row) => `${row.transaction_id} ${row.sequence}`));
  // Two outcomes of one event in one group: the first row is the one that is there.
  const first = (row: Conclusion) => places.delete(`${row.transactionId} ${row.sequence}`);
  return rows.map((row) => (first(row) ? "concluded" : "already-concluded"));
}

const UNIQUE_VIOLATION = "23505";

/** @returns why nothing was written, if it was not all of them */
async function triedAsUsual(
  sql: Sql,
  rows: readonly Conclusion[],
  merchants: readonly string[],
  known: KnownBatches,
): Promise<"concluded" | "not-usual" | "there-already"> {
  try {
    const written = await concludeUsual(sql, rows, merchants, known);
    return written === rows.length ? "concluded" : "not-usual";
  } catch (fault) {
    if (codeOf(fault) !== UNIQUE_VIOLATION) throw fault;
    return "there-already";
  }
}

/**
 * Most merchants have no endpoint for webhooks, and what tells them costs PostgreSQL a fifth of an outcome. So where none is known the usual
 * statement goes first, and if it writes nothing the whole one follows. An endpoint misses no outcome for it, whenever and on whichever
 * node it came.
 */
async function concludeGroup(
  sql: Sql,
  rows: readonly Conclusion[],
  known: KnownBatches,
  listeners: KnownListeners,
): Promise<readonly Concluded[]> {
  const merchants = [...new Set(rows.map(({ merchantId }) => merchantId))];
  if (merchants.some(listeners.has)) return concludeIn(sql, rows, known);
  const concluded = await triedAsUsual(sql, rows, merchants, known);
  switch (concluded) {
    case "concluded":
      return rows.map(() => concluded);
    case "there-already":
      return concludeIn(sql, rows);
    case "not-usual": {
      const listening = await sql<{ merchant_id: string }[]>`
        select distinct merchant_id from webhook_endpoints
        where enabled and merchant_id = any(${arrayOf(sql, "uuid", merchants)})`;
      for (const { merchant_id } of listening) listeners.add(merchant_id);
      return concludeIn(sql, rows, known);
    }
  }
}

/** Of several outcomes of one event the first goes in, alone: nothing of the others may be written, and of them it stands there already. */
async function concludeFirsts(
  rows: readonly Conclusion[],
  conclude: (firsts: readonly Conclusion[]) => Promise<readonly Concluded[]>,
): Promise<readonly Concluded[]> {
  const firsts = new Map<string, Conclusion>();
  const placeOf = ({ transactionId, sequence }: Conclusion) => `${transactionId} ${sequence}`;
  for (const row of rows) if (!firsts.has(placeOf(row))) firsts.set(placeOf(row), row);
  if (firsts.size === rows.length) return conclude(rows);
  const written = [...firsts.values()];
  const concluded = await conclude(written);
  const ends = new Map(written.map((row, nth) => [row, concluded[nth]]));
  return rows.map((row) => ends.get(row) ?? "already-concluded");
}

/** Concludes groups of rows, of any merchants. */
export function concluding(): GroupWrite<Conclusion, Concluded> {
  const [known, listeners] = [rememberedBatches(), rememberedListeners()];
  return {
    statement: async (sql, rows) => {
      const inserts = insertsBatch(rows, known);
      try {
        const concluded = await concludeFirsts(rows, (firsts) => concludeGroup(sql, firsts, known, listeners));
        for (const [index, row] of rows.entries())
          if (inserts && concluded[index] === "concluded") known.add(batchOfConclusion(row));
        return concluded;
      } catch (fault) {
        known.forget();
        throw fault;
      }
    },
    // Writing an outcome again does no harm: whoever is told that there was one already reads what stands.
    look: async (_, rows) => rows.map(() => undefined),
  };
}
