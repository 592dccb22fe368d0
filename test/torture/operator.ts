// The operator, who enters how an operation ended that its processor does not tell of: as the books of the host have it, once they do not
// change any more.

import { setTimeout as sleep } from "node:timers/promises";
import { booksOf } from "./books/books-of.ts";
import { APPROVED } from "./check/evidence.ts";
import type { House } from "./house.ts";
import { dueNow, readBooked } from "./records.ts";

/** Nothing is on its way any more by then. */
const EVERY_MS = 4_000;

export interface Operator {
  /** @returns how many operations were entered */
  stop(): Promise<number>;
}

/** While the load rests: each time after the hosts have been asked once more. */
export function startOperator(house: House, since: Date): Operator {
  const over = new AbortController();
  const { signal } = over;
  let entered = 0;
  const work = async () => {
    for (let looks = 0; !signal.aborted; looks++) {
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      if (looks > 0) entered += await enterByBooks(house, since).catch(() => 0);
      await dueNow(house.sql).catch(() => undefined);
    }
  };
  const working = work();
  return {
    stop: async () => {
      over.abort();
      await working;
      return entered;
    },
  };
}

/** Operations of which a repeat was declined, or that are left to an operator. @returns how many were entered */
async function enterByBooks(house: House, since: Date): Promise<number> {
  const { sql, records, gateways, operatorToken } = house;
  const rows = await sql<{ event: string; processor: string; remedy: string }[]>`
    select e.id as event, u.processor_id as processor, u.remedy
    from unresolved u join events e using (merchant_id, transaction_id, sequence)
      left join outcomes o using (merchant_id, transaction_id, sequence)
    where o.kind is null and (u.remedy = 'operator' or u.history #>> '{-1,said}' like 'a repeat was declined%')`;
  if (rows.length === 0) return 0;
  const booked = await readBooked(house, since);
  const books = booksOf(records);
  let entered = 0;
  for (const { event, processor, remedy } of rows) {
    const book = books.get(processor);
    if (book === undefined) continue;
    const reference = book.referenceOf(event);
    const entry = booked.find(
      (one) => one.book === book.name && one.reference === reference && one.operation !== "reversal",
    );
    const done = entry?.code === APPROVED;
    // A repeat tells it.
    if (done && remedy !== "operator") continue;
    const found = done ? { outcome: "approved", processor_transaction_id: entry.id } : { outcome: "declined" };
    const response = await fetch(`${gateways[0].url}/operator/unresolved/${event}/resolution`, {
      method: "POST",
      headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
      body: JSON.stringify({ ...found, evidence: `the books: ${entry?.code ?? "nothing"}` }),
    });
    if (response.ok) entered++;
  }
  return entered;
}
