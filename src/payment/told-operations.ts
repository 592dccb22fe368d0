// A processor may make several operations under one reference of ours: which of them news are about, and what was told of it before or
// since. Pure.

import type { Ended, Failed, Heard, Succeeded } from "./news.ts";
import { type Event, isCharge, succeeded, type Transaction } from "./transaction.ts";

/** An event, and what else was told of it. */
export interface Situation {
  readonly transaction: Transaction;
  readonly event: Event;
  readonly heard: readonly Heard[];
}

/** The processor itself: an operator's entry yields to it. */
export const isSuccess = (one: Heard): one is Succeeded => one.kind === "succeeded" && one.entered !== true;
export const isEntered = (heard: readonly Heard[]): boolean =>
  heard.some(({ kind, entered }) => kind === "succeeded" && entered === true);

/** This success came before a failure that was told, or before the operation was made again under another name. */
export const isOvertaken = (situation: Situation, { operation, again }: Succeeded): boolean =>
  situation.heard.some((one) => {
    if (failsForGood(one) && one.operation === operation) return again !== true || isNotOwn(situation, operation);
    return again !== true && one.kind === "succeeded" && one.again === true && one.operation !== operation;
  });

/** This failure came before the operation was made again. What was made again under a name of its own fails after that. */
export function isMadeAgain(situation: Situation, { operation, entered }: Failed): boolean {
  const again = situation.heard.filter((one): one is Succeeded => one.kind === "succeeded" && one.again === true);
  if (entered || again.some((one) => one.operation === operation && isNotOwn(situation, operation))) return false;
  return again.some((one) => one.operation === operation || one.operation === ownOperation(situation));
}

function isNotOwn(situation: Situation, operation: string | undefined): boolean {
  const own = ownOperation(situation);
  return own !== null && operation !== undefined && operation !== own;
}

/** Not the operation that the event's outcome is about, but another one under the same reference. */
export function isAnother(situation: Situation, { operation }: Ended): boolean {
  const own = ownOperation(situation);
  return own !== null && operation !== undefined && own !== operation;
}

/** What an operator entered may name it otherwise than the processor does, which is asked first. */
function ownOperation({ event: { outcome }, heard }: Situation): string | null {
  if (isEntered(heard)) return heard.find(isSuccess)?.operation ?? null;
  if (outcome?.kind === "approved") return outcome.processorResponse.transactionId;
  return outcome?.kind === "failed-after-all" ? outcome.approval.processorResponse.transactionId : null;
}

/** What is there of another operation of the same event. */
export function madeBefore(situation: Situation, news: Succeeded): Event | undefined {
  const { transaction, event } = situation;
  if (succeeded(event) && isAnother(situation, news)) return event;
  const own = addedFor(transaction, event, news.operation);
  return transaction.events.find((one) => isAddedFor(event, one) && succeeded(one) && !own.includes(one));
}

/** The approved charge that this one is: itself, or the one that was added because the processor carried it out contrary to the record. */
export const carriedOut = ({ events }: Transaction, charge: Event): Event | undefined =>
  succeeded(charge) ? charge : events.find((one) => isCharge(one) && isAddedFor(charge, one) && succeeded(one));

const isAddedFor = ({ id }: Event, { byProcessor }: Event): boolean => byProcessor?.split(" ")[0] === id;

/** Events that were added for this operation under this event's reference. */
export const addedFor = ({ events }: Transaction, { id }: Event, operation: string | undefined): readonly Event[] =>
  events.filter(
    ({ byProcessor }) => byProcessor === nameOf(id, operation) || byProcessor === nameOf(id, operation, true),
  );

/** Under which an event is added for an operation of the processor that is about one of ours. */
export const nameOf = (id: string, operation = "", again = false): string =>
  `${id} ${operation}${again ? " again" : ""}`.trim();

export const failsForGood = (one: Heard): one is Failed => one.kind === "failed" && !one.refused && !one.entered;
