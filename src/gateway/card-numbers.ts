// Stored card numbers: sealed before the charge is opened if its processor may need them later, opened for follow-ups and reversals
// at the last moment, removed when none can need them. The vault seals and opens.

import type { Sql } from "../journal/database.ts";
import type { SealedCard } from "../journal/journal.ts";
import { type CardPlace, lookAtCardsLater, removeCards, takeCardsToLookAt } from "../journal/sealed-cards.ts";
import type { Terms } from "../payment/actions.ts";
import { cardNumberNeed } from "../payment/card-number-needed.ts";
import type { CardNumber } from "../payment/secret.ts";
import { chargeOf, type Event, type Transaction } from "../payment/transaction.ts";
import type {
  Answer,
  FollowUpQuestion,
  KeptCardNumber,
  TimeoutReversalAnswer,
  TimeoutReversalQuestion,
} from "../processors/processor.ts";
import { factsOf, type Parts } from "./parts.ts";
import { type ProcessorAtWork, termsOf } from "./processors-at-work.ts";
import { timeoutReversalQuestion } from "./questions.ts";

/** A card number could not be sealed, so nothing was written and nothing sent. */
export class CardNotSealed extends Error {}

/** @throws CardNotSealed */
export async function sealedCard(
  { vault }: Parts,
  { merchantId, id: transactionId }: Transaction,
  number: CardNumber,
  candidates: readonly ProcessorAtWork[],
): Promise<SealedCard | null> {
  // Also for one that is asked only when nothing could be sent to those before it.
  if (!candidates.some(({ processor }) => processor.keepsCardNumber)) return null;
  if (vault === undefined) throw new CardNotSealed("there is no master key");
  try {
    return await vault.seal(number, { merchantId, transactionId });
  } catch (fault) {
    throw new CardNotSealed("the vault could not seal a card number", { cause: fault });
  }
}

/** Whether its processor wants a card number that is not kept: then there is nothing to ask. */
export const lacksCardNumber = async (
  { journal }: Pick<Parts, "journal">,
  { merchantId, id }: Transaction,
  { processor }: ProcessorAtWork,
): Promise<boolean> => processor.keepsCardNumber && (await journal.findSealedCard(merchantId, id)) === undefined;

/** For a transaction that is looked up: its card number may be gone by now. */
export async function termsNow(parts: Pick<Parts, "journal" | "processors">, transaction: Transaction): Promise<Terms> {
  const atWork = await parts.processors.find(transaction.merchantId, chargeOf(transaction).processorId);
  const terms = termsOf(atWork);
  return (await lacksCardNumber(parts, transaction, atWork)) ? { ...terms, cardNumber: "gone" } : terms;
}

/** The same for many of one merchant. @param sealedAmong which of these have a card number that is kept */
export async function termsOfListed(
  { processors }: Pick<Parts, "processors">,
  transactions: readonly Transaction[],
  sealedAmong: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<readonly (readonly [Transaction, Terms])[]> {
  const all = await Promise.all(
    transactions.map(async (transaction) => {
      const atWork = await processors.find(transaction.merchantId, chargeOf(transaction).processorId);
      return [transaction, termsOf(atWork)] as const;
    }),
  );
  const wanted = all.filter(([, { cardNumber }]) => cardNumber === "kept").map(([{ id }]) => id);
  if (wanted.length === 0) return all;
  const sealed = await sealedAmong(wanted);
  return all.map(([transaction, terms]) => {
    const isGone = terms.cardNumber === "kept" && !sealed.has(transaction.id);
    return [transaction, isGone ? { ...terms, cardNumber: "gone" } : terms];
  });
}

/** Asks with the card number where the processor wants it. Without it nothing is sent: what it would say is not guessed. */
export async function askFollowUp(
  parts: Parts,
  transaction: Transaction,
  { processor }: ProcessorAtWork,
  question: FollowUpQuestion,
  signal: AbortSignal,
): Promise<Answer> {
  if (!processor.keepsCardNumber) return processor.followUp(question, signal);
  const card = await openedCard(parts, transaction, question);
  if (card === undefined) return { kind: "not-sent", why: "the card number that the processor wants cannot be opened" };
  return processor.followUp({ ...question, card }, signal);
}

/** Money that may be held is given back even where the card number is gone: a reversal names its charge without it, too. */
export async function askTimeoutReversal(
  parts: Parts,
  transaction: Transaction,
  event: Event,
  { processor }: ProcessorAtWork,
  signal: AbortSignal,
): Promise<TimeoutReversalAnswer> {
  const question = timeoutReversalQuestion(transaction, event);
  const card = processor.keepsCardNumber ? await openedCard(parts, transaction, question) : undefined;
  return processor.timeoutReversal({ ...question, ...(card && { card }) }, signal);
}

async function openedCard(
  { vault, journal, log }: Parts,
  { merchantId, id: transactionId, card }: Transaction,
  question: FollowUpQuestion | TimeoutReversalQuestion,
): Promise<KeptCardNumber | undefined> {
  try {
    const sealed = await journal.findSealedCard(merchantId, transactionId);
    if (sealed === undefined) throw new Error("it is not kept any more");
    if (vault === undefined) throw new Error("there is no master key");
    const number = await vault.open(sealed, { merchantId, transactionId });
    return { number, expiryMonth: card.expiryMonth, expiryYear: card.expiryYear };
  } catch (fault) {
    const why = fault instanceof Error ? fault.message : "a fault";
    const facts = { transaction: transactionId, ...factsOf({ ...question, id: question.reference }), why };
    log.error(facts, "a card number could not be taken from the vault");
    return undefined;
  }
}

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
