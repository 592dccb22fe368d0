// Cards that charges brought to be stored: each stays if its charge was approved, and goes if it ended otherwise. Until then lookups follow the
// charge by themselves (journal/stored-cards.ts); this only tidies up.

import type { Sql } from "../journal/database.ts";
import {
  keepNewCards,
  lookAtNewCardsLater,
  type NewCardPlace,
  removeNewCards,
  takeNewCards,
} from "../journal/new-cards.ts";
import { cardIdOf } from "../payment/stored-card.ts";
import type { Parts } from "./parts.ts";

const PORTION = 200;
const AGAIN_MS = 60_000;

/** One portion. @returns whether there may be more to look at now */
export async function settleNewCards({ journal, clock }: Pick<Parts, "journal" | "clock">, sql: Sql): Promise<boolean> {
  const now = clock.now();
  const again = new Date(now.getTime() + AGAIN_MS);
  const due = await takeNewCards(sql, now, again, PORTION);
  const [kept, removed, later]: [NewCardPlace[], NewCardPlace[], NewCardPlace[]] = [[], [], []];
  for (const place of due) {
    const transaction = await journal.find(place.merchantId, place.storedBy);
    if (transaction === undefined) later.push(place);
    else if (cardIdOf(transaction) === place.cardId) kept.push(place);
    else if (transaction.events.some(({ outcome }) => outcome === null)) later.push(place);
    else removed.push(place);
  }
  if (kept.length > 0) await keepNewCards(sql, kept);
  if (removed.length > 0) await removeNewCards(sql, removed);
  if (later.length > 0) await lookAtNewCardsLater(sql, later, again);
  return due.length === PORTION;
}
