// What the host answers, from its books and the question alone. A question that was answered before has its first answer
// again; nothing is booked twice.

import { hash } from "node:crypto";
import { type AccountTerms, defaultTerms } from "../src/payment/account-terms.ts";
import { currencyOfNumber } from "../src/payment/currency.ts";
import { type Accounts, type Charge, capturedOf } from "./accounts.ts";
import { chargeCode, conductOf, maskOf, resultLetters } from "./cards.ts";
import type { Booked } from "./entry.ts";
import type { Question } from "./question.ts";

export type Decision =
  | { readonly kind: "book"; readonly entry: Booked }
  | { readonly kind: "answered-before"; readonly entry: Booked }
  /** Nothing is held, so nothing is booked. */
  | { readonly kind: "verify"; readonly entry: Booked }
  /** The number was used for something else: nothing is booked. */
  | { readonly kind: "refuse"; readonly code: string };

/** Of an account in this currency (ISO 4217, numeric). */
const termsOf = (currency: string): AccountTerms => defaultTerms(currencyOfNumber(currency) ?? "");

export function decide(accounts: Accounts, question: Question, now: Date): Decision {
  const before = accounts.answered(question.terminal, question.rrn, question.operation === "reversal");
  if (before !== undefined) return again(accounts, before, question);
  const { operation, card, amount } = question;
  const charge = card === null ? accounts.charge(question.terminal, question.originalRrn ?? "") : undefined;
  const code = card === null ? followUpCode(question, charge) : codeOfCharge(accounts, question, card, now);
  const followUp = card && conductOf(card.number).followUp;
  const digest = hash("sha256", `${operation}|${question.terminal}|${question.rrn}`);
  const entry: Booked = {
    kind: "booked",
    at: now.toISOString(),
    operation,
    terminal: question.terminal,
    merchant: question.merchant,
    rrn: question.rrn,
    stan: question.stan,
    amount: String(amount),
    currency: question.currency,
    cardMask: card ? maskOf(card.number) : (charge?.entry.cardMask ?? ""),
    originalRrn: question.originalRrn ?? "",
    transaction: question.transaction,
    sentAt: sentAt(question.transmitted, now),
    ...(card && { merchantReference: question.tag("MR") ?? "", expiry: card.expiry }),
    code,
    authCode: code === "00" && card !== null ? digest.slice(0, 6).toUpperCase() : "",
    id: `acq-${digest.slice(6, 30)}`,
    results: resultLetters(question, code),
    ...(question.storedCard !== null && code === "00" && { networkId: networkIdOf(digest) }),
    ...(followUp && { followUp }),
    ...(question.followedCard !== null && { withCardNumber: true }),
  };
  return { kind: question.verifies ? "verify" : "book", entry };
}

/** Thirteen characters, as Mastercard's: what the network calls the charge, and its day. */
const networkIdOf = (digest: string): string => `MCC${digest.slice(30, 36).toUpperCase()}0515`;

/** Field 7 has no year: it is the one that lies nearest. */
function sentAt(transmitted: string, now: Date): string {
  const [, month, day, hour, minute, second] = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(transmitted) ?? [];
  if (second === undefined) return "";
  const year = now.getUTCFullYear();
  const times = [year - 1, year, year + 1].map((one) =>
    Date.parse(`${one}-${month}-${day}T${hour}:${minute}:${second}Z`),
  );
  const far = (time: number) => Math.abs(time - now.getTime());
  const nearest = times.filter((time) => !Number.isNaN(time)).sort((one, other) => far(one) - far(other))[0];
  return nearest === undefined ? "" : `${new Date(nearest).toISOString().slice(0, 19)}Z`;
}

/** A charge that was reversed since is not approved a second time. */
function again(accounts: Accounts, before: Booked, question: Question): Decision {
  if (!same(before, question)) return { kind: "refuse", code: "94" };
  const reversed = question.card !== null && accounts.charge(question.terminal, question.rrn)?.reversed === true;
  return reversed ? { kind: "refuse", code: "12" } : { kind: "answered-before", entry: before };
}

const same = (before: Booked, { operation, amount, currency, originalRrn }: Question): boolean =>
  before.operation === operation &&
  before.amount === String(amount) &&
  before.currency === currency &&
  before.originalRrn === (originalRrn ?? "");

function codeOfCharge(accounts: Accounts, question: Question, card: NonNullable<Question["card"]>, now: Date): string {
  if (question.amount === 0n && !question.verifies) return "13";
  // A charge that comes after its own reversal was overtaken by it, and must never be approved.
  if (accounts.answered(question.terminal, question.rrn, true) !== undefined) return "12";
  return chargeCode(card, now);
}

function followUpCode(question: Question, charge: Charge | undefined): string {
  const { operation, amount, currency } = question;
  if (operation === "reversal") {
    if (charge === undefined) return "00";
    return amount === BigInt(charge.entry.amount) && currency === charge.entry.currency ? "00" : "64";
  }
  if (charge === undefined || !names(question, charge)) return "25";
  if (charge.reversed) return "12";
  if (amount === 0n || currency !== charge.entry.currency) return "13";
  if (charge.entry.followUp?.operation === operation) return charge.entry.followUp.code;
  if (operation === "capture") return amount <= charge.held ? "00" : "13";
  return operation === "void" ? voidCode(question, charge) : refundCode(question, charge);
}

/** All that the gateway says of the charge must be so. */
const names = ({ authCode, originalMti, followedCard }: Question, { entry }: Charge): boolean =>
  (followedCard === null || maskOf(followedCard) === entry.cardMask) &&
  (authCode === null || authCode === entry.authCode) &&
  (originalMti === null || originalMti === "0000" || originalMti === (entry.operation === "sale" ? "0200" : "0100"));

function voidCode({ amount, currency }: Question, charge: Charge): string {
  const all = charge.held + capturedOf(charge);
  const voidable = charge.held + capturedOf(charge, ({ settled }) => !settled);
  if (amount > all) return "13";
  if (amount > voidable) return "A1";
  return !termsOf(currency).partialVoid && amount < voidable ? "13" : "00";
}

function refundCode({ amount, currency }: Question, charge: Charge): string {
  if (amount > capturedOf(charge)) return charge.held > 0n ? "A2" : "13";
  const waits = !termsOf(currency).refundBeforeSettlement;
  return waits && amount > capturedOf(charge, ({ settled }) => settled) ? "A2" : "00";
}
