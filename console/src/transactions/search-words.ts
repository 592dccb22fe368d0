// What the search box takes a word for: an order number, an e-mail address, digits of a card, an amount, a date, a ticket number,
// a passenger's name, an authorization code or an id. Pure; it gives all readings, the likeliest first.

import { typedMoney } from "../words/typed.ts";

export interface Reading {
  /** What it is taken for. */
  readonly what: string;
  /** The filters of the list, or the transaction that the id names. */
  readonly finds:
    | { readonly kind: "filters"; readonly filters: Readonly<Record<string, string>> }
    | { readonly kind: "transaction"; readonly id: string };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MASK = /^(\d{6})[*•xX.]{2,9}(\d{4})$/;
/** With a point, or with its thousands grouped: other digits may be anything. */
const AMOUNT = /\.\d{1,2}\b|\d[,'’ ]\d{3}\b/;
const LAST_FOUR = /^[*•.\s]*[*•]\s*(\d{4})$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

/** None for nothing, and for what could be a whole card number: that is no search word. */
export function readingsOf(typed: string): readonly Reading[] {
  const word = typed.trim();
  if (word === "" || couldBeCardNumber(word)) return [];
  if (UUID.test(word)) return [{ what: "Transaction", finds: { kind: "transaction", id: word.toLowerCase() } }];
  return [...certain(word), ...possible(word)];
}

export const couldBeCardNumber = (word: string): boolean => {
  const digits = word.replace(/[\s-]/g, "");
  return /^\d{14,19}$/.test(digits);
};

const found = (what: string, filters: Readonly<Record<string, string>>): Reading => ({
  what,
  finds: { kind: "filters", filters },
});

/** By the form alone. */
function certain(word: string): readonly Reading[] {
  const mask = MASK.exec(word);
  if (mask !== null) {
    const [, six = "", four = ""] = mask;
    return [found("Card", { card_number: `${six}********`, last_four: four })];
  }
  const [, lastFour] = LAST_FOUR.exec(word) ?? [];
  if (lastFour !== undefined) return [found("Last four digits", { last_four: lastFour })];
  const money = AMOUNT.test(word) ? typedMoney(word) : undefined;
  if (money !== undefined) return [found("Amount", { ...money })];
  if (DATE.test(word) && !Number.isNaN(Date.parse(word)))
    return [found("Day", { created_at_gte: `${word} 00:00:00`, created_at_lte: `${word} 23:59:59` })];
  if (word.includes("@")) return [found("E-mail begins with", { email: word })];
  return [];
}

/** What it could be as well. An order number may look like anything. */
function possible(word: string): readonly Reading[] {
  const digits = /^\d+$/.test(word);
  return [
    ...(/^\d{4}$/.test(word) ? [found("Last four digits", { last_four: word })] : []),
    ...(/^\d{6}$/.test(word) ? [found("First six digits", { card_number: `${word}********` })] : []),
    ...(/^[0-9-]{10,13}$/.test(word) ? [found("Ticket number", { ticket_number: word })] : []),
    ...(/^[A-Za-z][A-Za-z' -]*\/[A-Za-z' -]*$/.test(word)
      ? [found("Passenger begins with", { passenger_name: word })]
      : []),
    found("Order number begins with", { merchant_transaction_id: word }),
    ...possibleAmount(word),
    ...(/^[A-Z0-9]{6}$/.test(word) ? [found("Authorization code", { auth_code: word })] : []),
    ...(!digits && /^[\p{L}][\p{L}' .-]*$/u.test(word) ? names(word) : []),
  ];
}

/** `300`, or `300 CAD`. */
function possibleAmount(word: string): readonly Reading[] {
  const money = AMOUNT.test(word) ? undefined : typedMoney(word);
  return money === undefined ? [] : [found("Amount", { ...money })];
}

function names(word: string): readonly Reading[] {
  return [
    found("Last name begins with", { last_name: word }),
    found("First name begins with", { first_name: word }),
    found("Passenger begins with", { passenger_name: word.toUpperCase() }),
  ];
}
