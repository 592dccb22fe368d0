// What an answer says, once it is known to which question it belongs (link/pending.ts). Pure. Only a clear yes is an approval: a code that
// is in no list is a decline, and what is no code at all is no answer.

import type { CardBrand } from "../../../payment/card-brand.ts";
import type { ProcessorResponse } from "../../../payment/outcome.ts";
import { networkTransactionIdIn } from "../../../payment/stored-credential.ts";
import { type CavvResult, eciNote, type ThreeDSecure, threeDSecureOutcome } from "../../../payment/three-d-secure.ts";
import type { EventType } from "../../../payment/transaction.ts";
import { avsWord, cvvWord, type LetterScheme, NOTHING_CHECKED } from "../../../payment/verification.ts";
import type { Answer, ChargeQuestion, TimeoutReversalAnswer, VerificationAnswer } from "../../processor.ts";
import type { Dialect } from "../codec/dialect.ts";
import type { Message } from "../codec/message.ts";
import { parseTagged } from "../codec/tagged.ts";
import { REVERSAL_CONFIRMED, responseCode, UNDECIDED_CODES, WHILE_IT_PASSES } from "./response-codes.ts";

/** What a charge says of itself that its answer is read by; a follow-up has none. */
export interface Presented {
  readonly brand: CardBrand;
  readonly threeDSecure: ThreeDSecure | null;
}

export const presentedBy = ({ instrument, threeDSecure }: ChargeQuestion): Presented => ({
  brand: instrument.brand,
  threeDSecure,
});

/** @param letters whose AVS and CVV letters field 44 has; `brand`: those of the card's brand */
export function readAnswer(
  message: Message,
  operation: EventType,
  presented: Presented | null,
  letters: "brand" | "simulator",
): Answer {
  const code = message.get(39) ?? "";
  const said = responseCode(code, operation);
  if (said === undefined) return { kind: "unanswered", why: "the answer's response code is not two letters or digits" };
  const { meaning, message: text } = said;
  const authCode = approvalCode(message);
  if (meaning === "approved" && presented !== null && authCode === null)
    return { kind: "unanswered", why: "the answer says yes and has no auth code" };
  const given = meaning === "approved" ? authCode : null;
  const processorResponse = response(message, text, given, presented, letters);
  switch (meaning) {
    case "approved":
      return { kind: "approved", processorResponse: processorResponse };
    case "declined":
      return { kind: "declined", processorResponse, category: said.category };
    case "undecided": {
      const { category, repeats } = said;
      return { kind: "undecided", why: inWords(code, text), processorResponse, category, repeats };
    }
  }
}

/** To a zero-amount authorization. Nothing is held, so an approval may lack the auth code, and 85 is one: there is no reason to decline. */
export function readVerification(
  message: Message,
  presented: Presented,
  letters: "brand" | "simulator",
): VerificationAnswer {
  const code = message.get(39) ?? "";
  const said = responseCode(code, "auth");
  if (said === undefined) return { kind: "unanswered", why: "the answer's response code is not two letters or digits" };
  const success = said.meaning === "approved" || code === NO_REASON_TO_DECLINE;
  if (said.meaning === "undecided" && !success) return { kind: "unanswered", why: inWords(code, said.message) };
  const authCode = success ? approvalCode(message) : null;
  const processorResponse = response(message, said.message, authCode, presented, letters);
  const category = said.meaning === "declined" ? { category: said.category } : {};
  return { kind: "verified", success, processorResponse, ...category };
}

const NO_REASON_TO_DECLINE = "85";

/** A reversal that is refused is asked for again, since the money may be held; what says the same to every repeat, not for long. */
export function readTimeoutReversalAnswer(message: Message): TimeoutReversalAnswer {
  const code = message.get(39) ?? "";
  if (REVERSAL_CONFIRMED.has(code)) return { kind: "confirmed" };
  const said = responseCode(code, "void");
  if (said === undefined) return { kind: "unanswered", why: "the answer's response code is not two letters or digits" };
  const repeats = UNDECIDED_CODES[code]?.repeats ?? WHILE_IT_PASSES;
  return { kind: "undecided", why: `the host did not confirm the reversal: ${inWords(code, said.message)}`, repeats };
}

/** An approved charge has the scheme's identifier in the private data, tag NT; not every host gives one. */
export function withNetworkTransactionId(answer: Answer, message: Message, dialect: Dialect): Answer {
  const text = message.get(dialect.privateData);
  if (answer.kind !== "approved" || text === undefined) return answer;
  const [, given] = parseTagged(text, dialect, dialect.privateData).find(([tag]) => tag === "NT") ?? [];
  const networkTransactionId = networkTransactionIdIn(given);
  if (networkTransactionId === null) return answer;
  return { ...answer, processorResponse: { ...answer.processorResponse, networkTransactionId } };
}

const response = (
  message: Message,
  text: string,
  authCode: string | null,
  presented: Presented | null,
  letters: "brand" | "simulator",
): ProcessorResponse => ({
  code: message.get(39) ?? "",
  message: text,
  transactionId: message.get(63)?.trimEnd().slice(0, 255) || (message.get(37) ?? null),
  authCode,
  ...(presented ? checked(message, presented, letters) : NOTHING_CHECKED),
});

const inWords = (code: string, message: string): string => `the answer's code is ${code}: ${message.toLowerCase()}`;

/** Up to six characters, which some hosts pad. */
function approvalCode(message: Message): string | null {
  const code = message.get(38)?.trim() ?? "";
  return /^[0-9A-Z]{1,6}$/.test(code) ? code : null;
}

/** Field 44, of this dialect: the AVS letter, the CVV letter, the CAVV letter; a space for none. */
function checked(message: Message, { brand, threeDSecure }: Presented, letters: "brand" | "simulator") {
  const scheme: LetterScheme = letters === "brand" ? brand : letters;
  const [avs, cvv, cavv] = [0, 1, 2].map((at) => message.get(44)?.charAt(at).trim() || null);
  return {
    avs: avs ? avsWord(scheme, avs) : null,
    rawAvs: avs ?? null,
    cvv: cvv ? cvvWord(scheme, cvv) : null,
    rawCvv: cvv ?? null,
    threeDSecure: threeDSecureOutcome(threeDSecure, CAVV_RESULTS[cavv ?? ""] ?? "not-checked"),
    rawThreeDSecure: threeDSecure ? (cavv ?? null) : null,
    detail: threeDSecure && eciNote(brand, threeDSecure.status, threeDSecure.eci),
  };
}

const CAVV_RESULTS: Readonly<Record<string, CavvResult>> = { V: "verified", U: "unverifiable" };
