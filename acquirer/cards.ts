// The host's own card table, the same as the simulator's: what each of its cards does. Any other card is approved, unless
// its number fails Luhn or its month is over.

import type { Question } from "./question.ts";

export interface Conduct {
  /** Response code of its charges. */
  readonly code?: string;
  readonly timing?: "late" | "never";
  readonly avs?: "N";
  /** Response code of one follow-up. */
  readonly followUp?: { readonly operation: "capture" | "refund"; readonly code: string };
}

const CARDS: ReadonlyMap<string, Conduct> = new Map([
  ["4000000000000002", { code: "05" }],
  ["4000000000009995", { code: "51" }],
  ["4000000000000069", { code: "54" }],
  ["4000000000000127", { code: "N7" }],
  ["4000000000000911", { code: "91" }],
  ["4000000000000119", { code: "96" }],
  ["4000000000000010", { avs: "N" }],
  ["4000000000000408", { timing: "never" }],
  ["4000000000000689", { timing: "late" }],
  ["4000000000000341", { followUp: { operation: "capture", code: "05" } }],
  ["4000000000005126", { followUp: { operation: "refund", code: "05" } }],
]);

export const conductOf = (number: string): Conduct => CARDS.get(number) ?? {};

/** First six, last four, and never more than that. */
export const maskOf = (number: string): string =>
  number.length < 14
    ? "*".repeat(number.length)
    : `${number.slice(0, 6)}${"*".repeat(number.length - 10)}${number.slice(-4)}`;

export function chargeCode(card: NonNullable<Question["card"]>, now: Date): string {
  const { code } = conductOf(card.number);
  if (code !== undefined) return code;
  if (!passesLuhn(card.number)) return "14";
  return card.expiry < now.toISOString().slice(2, 7).replace("-", "") ? "54" : "00";
}

/** A cavv that cannot be verified: base64 of `CAVV NOT VERIFIABLE!`. */
const UNVERIFIABLE_CAVV = "Q0FWViBOT1QgVkVSSUZJQUJMRSE=";
const ISSUER_NOT_ASKED = new Set(["14", "91", "96"]);

/** Field 44: the AVS, the CVV and the CAVV letter, a space for none. */
export function resultLetters(question: Question, code: string): string {
  const { card, tag } = question;
  if (card === null) return "";
  const [street, zip, cvv, cavv] = [tag("ST"), tag("ZP"), tag("CV"), tag("3C")];
  const asked = !ISSUER_NOT_ASKED.has(code);
  const address = street === undefined ? (zip === undefined ? " " : "Z") : zip === undefined ? "A" : "Y";
  const avs = address === " " || asked ? (conductOf(card.number).avs ?? address) : "U";
  const cvvLetter = code === "N7" ? "N" : cvv === undefined ? " " : asked ? "M" : "P";
  const cavvLetter = cavv === undefined || !asked ? " " : cavv === UNVERIFIABLE_CAVV ? "U" : "V";
  return (avs + cvvLetter + cavvLetter).trimEnd();
}

function passesLuhn(number: string): boolean {
  let total = 0;
  for (let index = 0; index < number.length; index++) {
    const digit = Number(number.charAt(number.length - 1 - index));
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    total += doubled > 9 ? doubled - 9 : doubled;
  }
  return total % 10 === 0;
}
