// Parses the body of a card that is stored or changed, or lists all wrong fields. The rules and words are those of a charge's card fields.

import type { CardToStore } from "../gateway/cards-on-file.ts";
import { parseCardNumber } from "../payment/card.ts";
import type { CardNumber } from "../payment/secret.ts";
import { CARDHOLDER_FIELDS, cardholderIn, type StoredCardChange } from "../payment/stored-card.ts";
import { noProblems, type Problems } from "../validation/problems.ts";
import type { BodyTree } from "./body/tree.ts";
import { checker } from "./check.ts";
import { type Parsed, withShortStates } from "./parse-charge.ts";
import { RequestFault } from "./request-fault.ts";
import { CardBody, CardChangeBody } from "./schema/card.ts";

const checkCard = checker(CardBody);
const checkChange = checker(CardChangeBody);

export interface CardRequest extends CardToStore {
  /** For card testing only. */
  readonly ipAddress: string | null;
}

export function parseCard(body: BodyTree): Parsed<CardRequest> {
  const { value, problems, ignored } = checkCard(withShortStates(body));
  if (!noProblems(problems)) throw new RequestFault(422, problems);
  const { card_expiry_month: expiryMonth, card_expiry_year: expiryYear, ip_address } = value;
  const number = numberOf(value.card_number);
  return {
    request: { number, expiryMonth, expiryYear, cardholder: cardholderIn(value), ipAddress: ip_address ?? null },
    ignored,
  };
}

function numberOf(text: string): CardNumber {
  const number = parseCardNumber(text);
  if (number === undefined) throw new Error("broken invariant: a card number that its schema let through");
  return number;
}

/** What is said of a card once and for all, or never stored: whoever sends it means something that would not happen. */
const UNCHANGEABLE: Problems = {
  card_number: ["cannot be changed: store the other card, and delete this one"],
  card_cvv: ["is never stored"],
};

export function parseCardChange(body: BodyTree): Parsed<StoredCardChange> {
  const wrong = Object.entries(UNCHANGEABLE).filter(([field]) => (body[field] ?? "") !== "");
  const rest = Object.fromEntries(Object.entries(body).filter(([field]) => !Object.hasOwn(UNCHANGEABLE, field)));
  const { value, problems, ignored } = checkChange(withShortStates(rest));
  const { base: nothing, ...others } = problems;
  const all = { ...(wrong.length === 0 && nothing && { base: nothing }), ...others, ...Object.fromEntries(wrong) };
  if (!noProblems(all)) throw new RequestFault(422, all);
  const { card_expiry_month: month, card_expiry_year: year } = value;
  const cardholder = Object.fromEntries(
    CARDHOLDER_FIELDS.filter((field) => value[field] !== undefined).map((field) => [field, value[field]]),
  );
  const expiry = {
    ...(month !== undefined && { expiryMonth: month }),
    ...(year !== undefined && { expiryYear: year }),
  };
  return { request: { ...expiry, cardholder }, ignored };
}
