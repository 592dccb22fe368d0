// Capture, void and refund: look, decide, write the intent, ask, write the outcome. After a conflict with
// another writer it looks again and decides anew.

import type { KeyClaim } from "../journal/journal.ts";
import { inexpressible } from "../payment/expressible.ts";
import { type Ask, decideFollowUp, type FollowUpRequest } from "../payment/follow-up.ts";
import { type Refused, refuse, refuseAll } from "../payment/refusal.ts";
import {
  chargeOf,
  type Event,
  type FollowUpType,
  newestOf,
  type Transaction,
  updatedAt,
} from "../payment/transaction.ts";
import { fairTurns, type TurnBounds, type Turns } from "../shares/turns.ts";
import { append } from "./append.ts";
import { askFollowUp, lacksCardNumber } from "./card-numbers.ts";
import { carryOut } from "./carry-out.ts";
import { replay } from "./idempotency.ts";
import { notBefore } from "./outcome.ts";
import type { Parts } from "./parts.ts";
import type { ProcessorAtWork } from "./processors-at-work.ts";
import { followUpQuestion } from "./questions.ts";
import type { End, Render, Result } from "./result.ts";

/** Every loser of a race lets somebody else by; after this many the caller is asked to wait. */
const MOST_LOST_RACES = 20;

export interface FollowUpCall {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly ipAddress: string | null;
  readonly requestId?: string;
  readonly claim: KeyClaim | null;
  readonly render: Render;
}

/** A capture, void or refund from its request to its response. */
export async function followUp(
  parts: Parts,
  call: FollowUpCall,
  type: FollowUpType,
  request: FollowUpRequest,
): Promise<Result> {
  const begun = await begin(parts, call, false, (transaction, { capabilities }) =>
    decideFollowUp(type, transaction, request, capabilities, parts.clock.now()),
  );
  if (begun.kind !== "begun") return begun;
  const { response } = await carryOutFollowUp(parts, begun, call);
  return { kind: "responded", response, replayed: false };
}

export interface Begun {
  readonly kind: "begun";
  /** Its newest event is the intent. */
  readonly transaction: Transaction;
  readonly atWork: ProcessorAtWork;
}

type Decide = (transaction: Transaction, atWork: ProcessorAtWork) => Ask | Refused;

/**
 * The first step of an operation on a transaction: its intent is durable, or it is refused. One at a time of a transaction:
 * of a hundred at once each would read all of its events again each time that another was quicker.
 * @throws ShareUsedUp if too many wait for the same transaction
 */
export async function begin(parts: Parts, call: FollowUpCall, reversal: boolean, decide: Decide) {
  const release = await parts.transactionTurns.take(`${call.merchantId} ${call.transactionId}`);
  try {
    return await beginInTurn(parts, call, reversal, decide);
  } finally {
    release();
  }
}

const OF_A_TRANSACTION: TurnBounds = { atOnce: 20_000, mostOfOne: 1, mostWaiting: 20_000, mostWaitingOfOne: 50 };
/** Who begins next on a transaction: of each process, whoever asks. Between processes the journal lets one by. */
export const transactionTurns = (): Turns => fairTurns(OF_A_TRANSACTION);

async function beginInTurn(
  parts: Parts,
  { merchantId, transactionId, claim, render, ...origin }: FollowUpCall,
  reversal: boolean,
  decide: Decide,
): Promise<Begun | Result> {
  for (let lost = 0; lost < MOST_LOST_RACES; lost++) {
    const answered = await replay(parts, merchantId, claim, render);
    if (answered !== undefined) return answered;
    const transaction = await parts.journal.find(merchantId, transactionId);
    if (transaction === undefined) return refuse("transaction-unknown");
    const atWork = await parts.processors.find(merchantId, chargeOf(transaction).processorId);
    const decision = decide(transaction, atWork);
    // The same request may have come this far a moment ago on another node, so that now there is nothing left.
    if (decision.kind === "refused") return (await replay(parts, merchantId, claim, render)) ?? decision;
    const unexpressed = inexpressibleAmount(atWork, transaction, decision);
    if (unexpressed !== undefined) return unexpressed;
    // Found before there is an intent; the number itself is opened when the question is asked.
    if (await lacksCardNumber(parts, transaction, atWork)) return refuse("card-number-not-kept");
    // A reversal that begins with the refund has no second step.
    const event = newEvent(parts, transaction, decision, origin, reversal && decision.type === "void", claim);
    const appended = await append(parts, transaction, event, claim);
    if (appended !== undefined) return { kind: "begun", transaction: appended, atWork };
  }
  return refuse("operation-in-flight");
}

/** Of a part of the money: all of it was expressed by its charge. */
function inexpressibleAmount({ cannotExpress }: ProcessorAtWork, { currency }: Transaction, { amount }: Ask) {
  const asked = { amount, currency };
  return refuseAll(inexpressible(cannotExpress(asked), asked));
}

/** Who asked for an event. */
type Origin = Pick<Event, "ipAddress" | "requestId">;

/** The intent of what was decided, not written yet. @param claim of the request that begins with it */
export function newEvent(
  { newId, clock }: Parts,
  transaction: Transaction,
  { type, amount, shares }: Ask,
  { ipAddress, requestId }: Origin,
  reversal: boolean,
  claim: KeyClaim | null = null,
): Event {
  const before = newestOf(transaction);
  return {
    id: newId({ merchantId: transaction.merchantId, claim }),
    sequence: before.sequence + 1,
    type,
    amount,
    shares,
    processorId: chargeOf(transaction).processorId,
    ipAddress,
    reversal,
    ...(requestId !== undefined && { requestId }),
    // Nor before an outcome that it was decided by: what was known then can be told later on (questions.ts).
    createdAt: notBefore(updatedAt(transaction), clock.now()),
    outcome: null,
  };
}

/**
 * Asks for an intent that is written, and writes its outcome.
 * @param next the step that follows by this end, written with it
 */
export function carryOutFollowUp(
  parts: Parts,
  { transaction, atWork }: Begun,
  { claim, render }: Pick<FollowUpCall, "claim" | "render">,
  next?: (end: End) => Event | undefined,
) {
  const event = newestOf(transaction);
  const question = followUpQuestion(transaction, event, parts.clock.now());
  return carryOut(parts, {
    transaction,
    atWork,
    question: (signal) => askFollowUp(parts, transaction, atWork, question, signal),
    claim,
    render,
    ...(next && { next }),
  });
}
