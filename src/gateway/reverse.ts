// The reversal: everything back in one operation under one idempotency key, first the void and, where that leaves
// something, the refund (specification 3, decisions 4).

import { decideReversal, decideReversalAfterVoid } from "../payment/reversal.ts";
import type { Transaction } from "../payment/transaction.ts";
import type { End, Result } from "./answer.ts";
import { append } from "./append.ts";
import { type Begun, begin, carryOutFollowUp, type FollowUpCall, newEvent } from "./follow-up.ts";
import type { Parts } from "./parts.ts";
import type { ProcessorAtWork } from "./processors-at-work.ts";

export async function reverse(parts: Parts, call: FollowUpCall): Promise<Result> {
  const begun = await begin(parts, call, true, (transaction, { processor }) =>
    decideReversal(transaction, processor.abilities, parts.clock.now()),
  );
  if (begun.kind !== "begun") return begun;
  const refundFollows = (end: End) => secondStep(parts, end.transaction, begun.atWork) !== undefined;
  const { end, answer } = await carryOutFollowUp(parts, begun, call, refundFollows);
  if (!refundFollows(end)) return { kind: "answered", answer, replayed: false };
  const second = await finishReversal(parts, end.transaction, begun.atWork, call);
  return { kind: "answered", answer: second?.answer ?? answer, replayed: false };
}

/**
 * The refund after the void of a reversal, also where a crash lies between the two.
 * @returns undefined where none is to follow
 */
export async function finishReversal(
  parts: Parts,
  transaction: Transaction,
  atWork: ProcessorAtWork,
  call: Pick<FollowUpCall, "claim" | "render">,
) {
  const refund = secondStep(parts, transaction, atWork);
  if (refund === undefined) return undefined;
  const event = newEvent(parts, transaction, refund, transaction.events.at(-1)?.ipAddress ?? null, true);
  // Beaten by another operation: what that one took is not this one's to give back.
  const appended = await append(parts, transaction, event, null);
  if (appended === undefined) return undefined;
  const begun: Begun = { kind: "begun", transaction: appended, atWork };
  return carryOutFollowUp(parts, begun, call);
}

/** What the refund would be, after a void that has ended. */
function secondStep({ clock }: Parts, transaction: Transaction, { processor }: ProcessorAtWork) {
  const last = transaction.events.at(-1);
  if (last?.type !== "void" || !last.reversal || last.outcome === null) return undefined;
  const refund = decideReversalAfterVoid(transaction, processor.abilities, clock.now());
  return refund.kind === "ask" ? refund : undefined;
}
