// A merchant's transactions to which something happened in a period, for the ledger: read in portions, newest first.

import type { Transaction } from "../../payment/transaction.ts";
import type { Sql } from "../database.ts";
import { exporter } from "./ask.ts";
import { blockOf, countOf, firstOf, greatestOf } from "./block-set.ts";
import { touchedIn } from "./changed.ts";
import { TICKETS } from "./numbered.ts";
import { inPortions, MOST_ROWS } from "./portions.ts";
import { type Period, spansOf } from "./span.ts";

/** Around the period: nodes' clocks may differ, and an outcome within the second of its event is found by the event's time. */
const MARGIN_MS = 60_000;
/** The years that both JavaScript and PostgreSQL write with four digits. */
const [FIRST_MS, LAST_MS] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];

/**
 * May include some to which something happened shortly before or after the period: who needs it exactly looks at each.
 * @param signal ends it when nobody reads it any more
 */
export async function* streamTouched(
  pool: Sql,
  merchantId: string,
  { from, before }: Period,
  signal?: AbortSignal,
): AsyncGenerator<readonly Transaction[], void, void> {
  const asker = exporter(pool, merchantId, signal);
  const wider = { from: moved(from, -MARGIN_MS), before: moved(before, MARGIN_MS) };
  const { newest, spans } = await spansOf(asker, merchantId, [wider]);
  const touched = await touchedIn(asker, { merchantId, newest }, wider, spans[0] ?? { first: 1, last: 0 });
  for (let block = blockOf(newest); block >= 0; block--) {
    if (!touched.maybeIn(block)) continue;
    const bits = touched.bits(block);
    const count = countOf(bits);
    for (let skip = 0; skip < count; skip += MOST_ROWS) {
      const numbers = greatestOf(bits, skip, MOST_ROWS).map((offset) => firstOf(block) + offset);
      yield* inPortions(asker, { merchantId, newest }, numbers, TICKETS);
    }
  }
}

const moved = (instant: Date | null, ms: number): Date | null => {
  if (instant === null) return null;
  return new Date(Math.min(Math.max(instant.getTime() + ms, FIRST_MS), LAST_MS));
};
