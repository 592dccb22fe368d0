// A payer comes back from a challenge: the processor is asked for the result, and the charge ends by it. What the payer brings decides
// nothing by itself, and a return that is repeated, forged, or too late changes nothing.

import type { Sql } from "../journal/database.ts";
import { dueNow } from "../journal/unresolved.ts";
import { followsFromChallenge, isExpired } from "../payment/challenge.ts";
import { challengedIn, type Transaction } from "../payment/transaction.ts";
import type { Brought, InquiryAnswer } from "../processors/processor.ts";
import { placeOf } from "./append.ts";
import { ask } from "./ask.ts";
import { endOpen } from "./attempt.ts";
import { OutcomeNotRecorded } from "./carry-out.ts";
import type { Place } from "./checkout-tokens.ts";
import { factsOf, type Parts } from "./parts.ts";
import { inquiryQuestion } from "./questions.ts";
import type { Render } from "./result.ts";

/** @returns the transaction as it is then; undefined if there is none */
export async function payerReturns(
  parts: Parts,
  sql: Sql,
  { merchantId, transactionId }: Place,
  brought: Brought,
  render: Render,
): Promise<Transaction | undefined> {
  const transaction = await parts.journal.find(merchantId, transactionId);
  const challenged = transaction && challengedIn(transaction);
  const now = parts.clock.now();
  // Once it has expired the resolver asks for the last time. While the gateway is halted, nothing may be begun.
  if (!challenged || isExpired(challenged.challenge, now) || parts.halted()) return transaction;
  const { event } = challenged;
  const atWork = await parts.processors.find(merchantId, event.processorId);
  const returned = atWork.processor.returned?.bind(atWork.processor);
  if (returned === undefined) return transaction;
  const question = inquiryQuestion(transaction, event);
  const mask = transaction.card.mask;
  const answer: InquiryAnswer = await ask(atWork.timeoutMs, (signal) => returned(question, brought, signal), mask);
  const place = placeOf(transaction, event);
  switch (followsFromChallenge(answer.kind, false)) {
    case "ends":
      if (answer.kind !== "approved" && answer.kind !== "declined") throw new Error("broken invariant: no end");
      try {
        await endOpen(parts, { transaction, event, atWork }, answer, render);
      } catch (fault) {
        // It is written later; until then the payer's status is pending.
        if (!(fault instanceof OutcomeNotRecorded)) throw fault;
        return transaction;
      }
      // What was left to the resolver is done, or the charge was given up meanwhile and is to be taken back.
      await dueNow(sql, place, parts.clock.now());
      return parts.journal.find(merchantId, transactionId);
    case "asked-again":
      parts.log.warn({ ...factsOf(event), why: "why" in answer ? answer.why : "" }, "a payer's return has no result");
      return transaction;
    case "waits":
    case "given-up":
      return transaction;
  }
}
