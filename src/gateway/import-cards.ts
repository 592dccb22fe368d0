// Cards that a merchant brings along in a file: each has an id, so that the file can be applied again. What is there stays as it is.

import { insertStoredCard, lockTakesNumbers, storedCardsAmong } from "../journal/stored-cards.ts";
import { audited } from "../merchants/audit.ts";
import type { StoredCard } from "../payment/stored-card.ts";
import { type CardCaller, type CardsOnFile, type CardToStore, newCard } from "./cards-on-file.ts";

export interface CardOfFile extends CardToStore {
  readonly id: string;
  readonly externalKey?: string;
  /** Of the file; 1 and up. */
  readonly line: number;
}

export interface PlannedCard {
  readonly card: CardOfFile;
  readonly there: boolean;
  /** Fields of what is there in which the file says something else. */
  readonly differs: readonly string[];
}

const FORBIDDEN = ["card_number", "is forbidden: this merchant takes no card numbers (card_numbers)"] as const;

/** In each database transaction. */
export const CARDS_AT_ONCE = 500;

/** Writes nothing. @returns problems by their places in the file */
export async function planCards(
  { parts, office: { sql } }: CardsOnFile,
  merchantId: string,
  cards: readonly CardOfFile[],
): Promise<{ readonly planned: readonly PlannedCard[]; readonly problems: readonly (readonly [string, string])[] }> {
  const problems: [string, string][] = [];
  const planned: PlannedCard[] = [];
  if (!(await lockTakesNumbers(sql, merchantId))) return { planned, problems: [FORBIDDEN] };
  for (const some of portionsOf(cards)) {
    const ids = some.map(({ id }) => id);
    const there = new Map((await storedCardsAmong(sql, merchantId, ids)).map((card) => [card.id, card]));
    for (const card of some) {
      const before = there.get(card.id);
      if (before !== undefined && before.fingerprint !== parts.fingerprintOf(merchantId, card.number))
        problems.push([`line ${card.line}`, "has the id of a card on file with another number"]);
      planned.push({ card, there: before !== undefined, differs: before === undefined ? [] : differing(card, before) });
    }
  }
  return { planned, problems };
}

/**
 * Sealed and written some hundred at a time, each with an entry in the audit log. If this is interrupted, those before are stored.
 * @param cards that are not there
 * @param tell hears after each portion how many are stored
 * @returns what is wrong, if card numbers were forbidden since
 * @throws CardNotSealed
 */
export async function importCards(
  { parts, office }: CardsOnFile,
  caller: CardCaller,
  cards: readonly CardOfFile[],
  tell: (stored: number) => unknown,
): Promise<readonly (readonly [string, string])[]> {
  let done = 0;
  for (const some of portionsOf(cards)) {
    const fresh: Awaited<ReturnType<typeof newCard>>[] = [];
    for (const card of some) fresh.push(await newCard(parts, caller, card, card.id));
    const written = await audited(office, caller.author, async (sql) => {
      if (!(await lockTakesNumbers(sql, caller.merchantId))) return { result: false };
      for (const { stored, sealed } of fresh) await insertStoredCard(sql, stored, sealed);
      const ids = some.map(({ id }) => id);
      const subject = ["merchant", caller.merchantId] as const;
      return { result: true, entry: { action: "card.create", subject, after: { cards: ids } } };
    });
    if (!written) return [FORBIDDEN];
    done += some.length;
    tell(done);
  }
  return [];
}

function* portionsOf(cards: readonly CardOfFile[]): Generator<readonly CardOfFile[]> {
  for (let from = 0; from < cards.length; from += CARDS_AT_ONCE) yield cards.slice(from, from + CARDS_AT_ONCE);
}

function differing({ expiryMonth, expiryYear, cardholder }: CardOfFile, before: StoredCard): string[] {
  const flat = (month: string, year: string, holder: StoredCard["cardholder"]): Readonly<Record<string, string>> => ({
    ...{ card_expiry_month: month, card_expiry_year: year, ...holder },
  });
  const [wanted, there] = [
    flat(expiryMonth, expiryYear, cardholder),
    flat(before.card.expiryMonth, before.card.expiryYear, before.cardholder),
  ];
  return [...new Set([...Object.keys(wanted), ...Object.keys(there)])].filter((name) => wanted[name] !== there[name]);
}
