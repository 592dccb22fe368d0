// The reversal: all that can be given back, in one operation under one idempotency key; first the void, where one is possible, and,
// where that leaves something, the refund (specification 3, decisions 4).

import { otherCurrency } from "../payment/readable-follow-up.ts";
import { refuseAll } from "../payment/refusal.ts";
import { decideReversal, decideReversalAfterVoid } from "../payment/reversal.ts";
import { type Event, newestOf, type Transaction } from "../payment/transaction.ts";
import { begin, carryOutFollowUp, type FollowUpCall, newEvent } from "./follow-up.ts";
import type { Parts } from "./parts.ts";
import type { ProcessorAtWork } from "./processors-at-work.ts";
import type { Result } from "./result.ts";

/** A void or, where that fails, a refund, from the request to its response (specification 3). */
export async function reverse(parts: Parts, call: FollowUpCall, currency?: string): Promise<Result> {
  const begun = await begin(
    parts,
    call,
    true,
    (transaction, { capabilities }) =>
      refuseAll(otherCurrency(transaction, { currency })) ??
      decideReversal(transaction, capabilities, parts.clock.now()),
  );
  if (begun.kind !== "begun") return begun;
  const { atWork } = begun;
  const first = await carryOutFollowUp(parts, begun, call, ({ transaction }) =>
    refundAfterVoid(parts, transaction, atWork),
  );
  // Another operation came first: what it took is not this one's to give back.
  if (first.goesOn === undefined) return { kind: "responded", response: first.response, replayed: false };
  const { response } = await carryOutFollowUp(parts, { kind: "begun", transaction: first.goesOn, atWork }, call);
  return { kind: "responded", response, replayed: false };
}

/** The intent that follows a reversal's void with this end; undefined where nothing is left that may be refunded. */
export function refundAfterVoid(
  parts: Parts,
  transaction: Transaction,
  { capabilities }: ProcessorAtWork,
): Event | undefined {
  const last = newestOf(transaction);
  if (last.type !== "void" || !last.reversal || last.outcome === null) return undefined;
  const refund = decideReversalAfterVoid(transaction, capabilities, parts.clock.now());
  return refund.kind === "ask" ? newEvent(parts, transaction, refund, last, true) : undefined;
}
