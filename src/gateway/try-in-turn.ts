// A charge from its durable intent to its end: one processor is asked after the other, as long as the rules let it go on. The intent
// of each is durable together with the outcome of the one before, so a crash leaves at most one of which nobody knows the end.

import type { KeyClaim } from "../journal/journal.ts";
import { goesOn } from "../payment/going-on.ts";
import type { Instrument } from "../payment/instrument.ts";
import { type Event, newestOf, type Transaction, updatedAt } from "../payment/transaction.ts";
import { type CarriedOut, type Checkout, carryOut } from "./carry-out.ts";
import { notBefore } from "./outcome.ts";
import type { Parts } from "./parts.ts";
import type { ProcessorAtWork } from "./processors-at-work.ts";
import { chargeQuestion } from "./questions.ts";
import type { Render } from "./result.ts";

export interface Tried {
  readonly instrument: Instrument;
  readonly claim: KeyClaim | null;
  readonly render: Render;
  /** To how many processors it may be sent if they decline. */
  readonly attemptsAtMost: number;
  /** The payer may be sent to a challenge. */
  readonly checkout?: Checkout | undefined;
}

/** @param candidates in the order in which they are to be asked; the first has the intent */
export async function tryInTurn(
  parts: Parts,
  opened: Transaction,
  candidates: readonly [ProcessorAtWork, ...ProcessorAtWork[]],
  { instrument, claim, render, attemptsAtMost, checkout }: Tried,
): Promise<CarriedOut> {
  let transaction = opened;
  let [atWork, ...left] = candidates;
  for (;;) {
    const event = newestOf(transaction);
    let next: ProcessorAtWork | undefined;
    const asked = atWork.processor;
    const carriedOut = await carryOut(parts, {
      transaction,
      atWork,
      question: (signal) => asked.charge(chargeQuestion(transaction, event, instrument, checkout?.comesBackTo), signal),
      claim,
      render,
      ...(checkout && { checkout }),
      next: (end, told) => {
        // After silence nothing is sent elsewhere, whatever is found out about it later.
        if (told === "later" || !goesOn(end.transaction, attemptsAtMost, parts.clock.now())) return undefined;
        next = nextOf(parts, end.transaction, left);
        return next && againAt(parts, end.transaction, next);
      },
    });
    if (carriedOut.goesOn === undefined || next === undefined) return carriedOut;
    transaction = carriedOut.goesOn;
    left = left.slice(left.indexOf(next) + 1);
    atWork = next;
  }
}

/** A decline is an answer: one is not left for a processor that may give none. */
function nextOf(
  { failing }: Parts,
  transaction: Transaction,
  left: readonly ProcessorAtWork[],
): ProcessorAtWork | undefined {
  const declined = transaction.events.some(({ outcome }) => outcome?.kind === "declined");
  return declined ? left.find(({ record }) => failing.since(record.id) === undefined) : left[0];
}

/** The same charge once more, at another processor. */
function againAt({ newId, clock }: Parts, transaction: Transaction, { record }: ProcessorAtWork): Event {
  const before = newestOf(transaction);
  return {
    ...before,
    id: newId(),
    sequence: before.sequence + 1,
    processorId: record.id,
    createdAt: notBefore(updatedAt(transaction), clock.now()),
    outcome: null,
  };
}
