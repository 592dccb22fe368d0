// What the issuer says of the billing address (AVS) and of the CVV: from the letter that came back to a word that a
// merchant can use. The same letter means different things by brand, so a letter is never read without one.
// The letter itself is kept beside the word by whoever asks; a letter that is not in the table has no word.
//
// Sources: the letters by brand as published by Global Payments (AVS response codes), TabaPay (verification codes),
// Moneris (AVS and CVD response codes) and Elavon (CVV2/CVC2/CID response codes), compared with each other; where
// they differ, the comment says which reading was taken. The simulator's letters are this project's own.

import type { CardBrand } from "./card-brand.ts";

export const AVS_WORDS = [
  "match",
  "address_match",
  "postal_match",
  "no_match",
  "unavailable",
  "not_supported",
] as const;
export type AvsWord = (typeof AVS_WORDS)[number];
export const CVV_WORDS = ["match", "no_match", "not_processed", "not_present", "unsupported"] as const;
export type CvvWord = (typeof CVV_WORDS)[number];

/** Whose letters these are: those of the sandbox's simulator, or those that the card's brand gives to its letters. */
export type LetterScheme = "simulator" | CardBrand;

type Letters<Word> = Readonly<Record<string, Word>>;

// Of these five every brand says the same. `unavailable` is every way of saying that nothing was compared; only S
// says that there is nobody who could.
const AVS_SHARED: Letters<AvsWord> = {
  N: "no_match",
  Z: "postal_match",
  R: "unavailable", // the issuer's system did not answer: retry
  S: "not_supported",
  U: "unavailable",
};

const AVS_SIMULATOR: Letters<AvsWord> = {
  Y: "match",
  A: "address_match",
  Z: "postal_match",
  N: "no_match",
  U: "unavailable",
  S: "not_supported",
};

const AVS_VISA: Letters<AvsWord> = {
  ...AVS_SHARED,
  Y: "match",
  A: "address_match",
  W: "postal_match", // nine-digit ZIP; today Visa itself turns W into Z and X into Y
  X: "match",
  // Cards issued outside the United States:
  B: "address_match", // postal code in a format that could not be compared
  C: "unavailable", // neither could be compared
  D: "match",
  F: "match", // the United Kingdom's
  G: "unavailable", // issuer takes no part, or sent no result, or has no address on record
  I: "unavailable",
  M: "match",
  P: "postal_match", // address in a format that could not be compared
  E: "unavailable", // the request's address data had an error
};

const AVS_MASTERCARD: Letters<AvsWord> = {
  ...AVS_SHARED,
  Y: "match",
  X: "match", // nine-digit ZIP, or an address outside the United States
  A: "address_match",
  W: "postal_match", // nine-digit ZIP, or an address outside the United States
};

const AVS_AMEX: Letters<AvsWord> = {
  ...AVS_SHARED,
  Y: "match",
  A: "address_match",
  // American Express compares the cardholder's name too; what it says of the name has no word here.
  D: "postal_match", // name wrong
  E: "match", // name wrong
  F: "address_match", // name wrong
  K: "no_match", // only the name is right
  L: "postal_match", // name right
  M: "match", // name right
  O: "address_match", // name right
  W: "no_match", // name, address and postal code wrong. Moneris prints "correct"; CardConnect and PayPal say wrong
};

// A and Y change places, W and U differ too.
const AVS_DISCOVER: Letters<AvsWord> = {
  ...AVS_SHARED,
  A: "match", // five-digit ZIP
  X: "match", // nine-digit ZIP
  Y: "address_match",
  T: "postal_match", // nine-digit ZIP
  W: "unavailable", // no data from the issuer
  G: "unavailable", // issued outside the United States
};

const AVS: Readonly<Record<LetterScheme, Letters<AvsWord>>> = {
  simulator: AVS_SIMULATOR,
  visa: AVS_VISA,
  mastercard: AVS_MASTERCARD,
  maestro: AVS_MASTERCARD,
  amex: AVS_AMEX,
  discover: AVS_DISCOVER,
  // Diners Club and UnionPay cards reach their issuers over Discover's network where AVS is done.
  diners: AVS_DISCOVER,
  unionpay: AVS_DISCOVER,
  // JCB goes by American Express's letters with one acquirer and by Discover's with another: only what both mean.
  jcb: AVS_SHARED,
  elo: AVS_SHARED,
  hipercard: AVS_SHARED,
  unknown: AVS_SHARED,
};

const CVV_SHARED: Letters<CvvWord> = {
  M: "match",
  N: "no_match",
  P: "not_processed",
  S: "not_present", // it should be on the card, but the merchant said that it is not
  U: "unsupported", // the issuer takes no part
};

// No S. Y is about CVC 1, the code of the magnetic stripe, so here it has no word.
const CVV_MASTERCARD: Letters<CvvWord> = { M: "match", N: "no_match", P: "not_processed", U: "unsupported" };

const CVV: Readonly<Record<LetterScheme, Letters<CvvWord>>> = {
  simulator: CVV_SHARED,
  visa: CVV_SHARED,
  mastercard: CVV_MASTERCARD,
  maestro: CVV_MASTERCARD,
  amex: { ...CVV_SHARED, Y: "match", U: "not_processed" }, // American Express: U is "not checked"
  discover: CVV_SHARED,
  diners: CVV_SHARED,
  unionpay: CVV_SHARED,
  jcb: { ...CVV_SHARED, Y: "match", D: "no_match" },
  elo: CVV_SHARED,
  hipercard: CVV_SHARED,
  unknown: CVV_SHARED,
};

/** Null for a letter without a published meaning in this scheme: better no word than a wrong one. */
export function avsWord(scheme: LetterScheme, letter: string): AvsWord | null {
  return wordOf(AVS[scheme], letter);
}

/** Null for a letter without a published meaning in this scheme. */
export function cvvWord(scheme: LetterScheme, letter: string): CvvWord | null {
  return wordOf(CVV[scheme], letter);
}

function wordOf<Word>(letters: Letters<Word>, letter: string): Word | null {
  // Own keys only: letters come from outside, and "constructor" is not one of them.
  return Object.hasOwn(letters, letter) ? (letters[letter] ?? null) : null;
}

/** The checks in a processor's response where nothing was checked. */
export const NOTHING_CHECKED = {
  avs: null,
  rawAvs: null,
  cvv: null,
  rawCvv: null,
  threeDSecure: null,
  rawThreeDSecure: null,
  detail: null,
} as const;
