// How the simulator judges a sale or an auth. The card table's declines win over all else; then a number that fails Luhn
// is declined with 14, and only then a card whose month is over with 54.

import { expired, parseExpiry, passesLuhn } from "../../payment/card.ts";
import type { PresentedCard } from "../../payment/instrument.ts";
import { eciNote, threeDSecureOutcome } from "../../payment/three-d-secure.ts";
import { avsWord, cvvWord } from "../../payment/verification.ts";
import type { Answer, CardChargeQuestion } from "../processor.ts";
import { type Conduct, conductOf, type Timing } from "./cards.ts";
import { approve, type Checks, type DeclineCode, decline, networkTransactionIdOf } from "./processor-response.ts";

/** A cavv that the simulator cannot verify: base64 of `CAVV NOT VERIFIABLE!`, twenty bytes as a real one has. */
export const UNVERIFIABLE_CAVV = "Q0FWViBOT1QgVkVSSUZJQUJMRSE=";

/** Declines before the issuer was asked: nobody compared an address, a CVV or a cavv. */
const ISSUER_NOT_ASKED: ReadonlySet<DeclineCode | undefined> = new Set(["03", "14", "91", "96"] as const);

export function judgeCharge(
  question: CardChargeQuestion,
  now: Date,
  /** Whatever the card. */
  always?: DeclineCode,
): { readonly answer: Answer; readonly timing: Timing } {
  const ofCard = conductOf(question.instrument.number);
  const conduct = always === undefined ? ofCard : { ...ofCard, decline: always };
  const code = conduct.decline ?? wrongWithCard(question.instrument, now);
  const checks = ISSUER_NOT_ASKED.has(code) ? unchecked(question) : checked(question, conduct);
  const answer = code ? decline(code, question.reference, checks) : approve(question.reference, told(question, checks));
  return { answer, timing: conduct.timing };
}

/** Of a stored card a scheme has an id for the charge. What was told of the merchant's reason is repeated, so that it can be seen here. */
function told({ reference, storedCredential }: CardChargeQuestion, checks: Checks): Checks {
  if (storedCredential === undefined) return checks;
  const { initiator, reason, networkTransactionId: first } = storedCredential;
  const why =
    initiator === "merchant" ? `Initiated by the merchant: ${reason}` : reason && `The first charge: ${reason}`;
  const after = first === undefined ? null : `after ${first}`;
  return {
    ...checks,
    detail: remarks(checks.detail, why === undefined ? null : remarks(why, after)),
    networkTransactionId: networkTransactionIdOf(reference),
  };
}

function wrongWithCard({ number, expiryMonth, expiryYear }: PresentedCard, now: Date) {
  if (!passesLuhn(number)) return "14";
  const expiry = parseExpiry(expiryMonth, expiryYear);
  return !expiry || expired(expiry, now) ? "54" : undefined;
}

function checked(question: CardChargeQuestion, conduct: Conduct): Checks {
  const { threeDSecure, instrument } = question;
  const verifiable = threeDSecure?.cavv !== UNVERIFIABLE_CAVV;
  return {
    // The table's card without a match has none whatever was sent; so has the one whose CVV is wrong.
    ...avs(conduct.addressMatches === false ? "N" : addressLetter(question, "Y", "A", "Z")),
    ...cvv(conduct.decline === "N7" ? "N" : instrument.cvv && "M"),
    threeDSecure: threeDSecureOutcome(threeDSecure, verifiable ? "verified" : "unverifiable"),
    rawThreeDSecure: threeDSecure?.status ?? null,
    detail: remarks(eciRemark(question), verifiable ? null : "The cavv could not be verified"),
  };
}

const unchecked = (question: CardChargeQuestion): Checks => ({
  ...avs(addressLetter(question, "U", "U", "U")),
  ...cvv(question.instrument.cvv && "P"),
  threeDSecure: threeDSecureOutcome(question.threeDSecure, "not-checked"),
  rawThreeDSecure: question.threeDSecure?.status ?? null,
  detail: eciRemark(question),
});

const eciRemark = ({ instrument, threeDSecure }: CardChargeQuestion): string | null =>
  threeDSecure && eciNote(instrument.brand, threeDSecure.status, threeDSecure.eci);

const remarks = (...given: readonly (string | null)[]): string | null =>
  given.filter((remark) => remark !== null).join("; ") || null;

/** The letter for what was sent of the billing address; none where there was nothing to compare. */
function addressLetter({ fields }: CardChargeQuestion, both: string, street: string, zip: string): string | undefined {
  if (fields.street_address_1 !== undefined) return fields.zip !== undefined ? both : street;
  return fields.zip !== undefined ? zip : undefined;
}

const avs = (letter: string | undefined) => ({
  avs: letter === undefined ? null : avsWord("simulator", letter),
  rawAvs: letter ?? null,
});

const cvv = (letter: string | undefined) => ({
  cvv: letter === undefined ? null : cvvWord("simulator", letter),
  rawCvv: letter ?? null,
});
