// Removes sealed card numbers that no follow-up can need any more, in portions. The rule is payment/card-number-needed.ts.

import type { Sql } from "../journal/database.ts";
import { type CardPlace, lookAtCardsLater, removeCards, takeCardsToLookAt } from "../journal/sealed-cards.ts";
import { cardNumberNeed } from "../payment/card-number-needed.ts";
import type { Parts } from "./parts.ts";

const PORTION = 200;
/** What a node that dies in the middle had taken is taken again after this. */
const LEASE_MS = 600_000;

/** One portion. @returns whether there may be more to look at now */
export async function removeUnneededCards(
  { journal, clock }: Pick<Parts, "journal" | "clock">,
  sql: Sql,
): Promise<boolean> {
  const now = clock.now();
  const due = await takeCardsToLookAt(sql, now, new Date(now.getTime() + LEASE_MS), PORTION);
  const unneeded: CardPlace[] = [];
  const later: (CardPlace & { readonly lookAt: Date })[] = [];
  for (const { merchantId, transactionId, unresolved } of due) {
    const transaction = await journal.find(merchantId, transactionId);
    const need = transaction && cardNumberNeed(transaction, unresolved, now);
    const place = { merchantId, transactionId };
    // Transactions are never removed; what cannot be found now is left to the next look.
    if (need?.kind === "remove") unneeded.push(place);
    else if (need?.kind === "keep") later.push({ ...place, lookAt: need.lookAt });
  }
  if (unneeded.length > 0) await removeCards(sql, unneeded);
  if (later.length > 0) await lookAtCardsLater(sql, later);
  return due.length === PORTION;
}
