// The clients' notes against the journal: whatever an answer said of an event stands in the journal, the first answer under
// a key stays the answer, and every event was asked for under exactly one key.

import { isCharge } from "../../../src/payment/transaction.ts";
import type { JournalEvent } from "../accounts.ts";
import { isFinal, type Request } from "../notes.ts";
import { type Evidence, shown } from "./evidence.ts";
import { type Finding, finding } from "./finding.ts";

export function checkAcknowledged(evidence: Evidence): readonly Finding[] {
  return [...evidence.requests.flatMap((request) => checkRequest(evidence, request)), ...checkAskedFor(evidence)];
}

function checkRequest(evidence: Evidence, request: Request): readonly Finding[] {
  const { key, path, answers } = request;
  const about = `key ${key} (${path})`;
  const final = answers.filter(isFinal).filter(({ status }) => !mayPass(request, status));
  if (final.length === 0) return [finding("open", `${about} was never answered`)];
  const texts = new Set(final.map(({ status, text }) => `${status} ${text}`));
  // Refused twice, it may have been for reasons that differ.
  const changed = texts.size > 1 && final.some(({ status }) => status !== 422);
  return [
    ...(changed ? [finding("lost", `${about} was answered in ${texts.size} ways: ${[...texts].join(" | ")}`)] : []),
    ...final.flatMap(({ status, text }) => told(evidence, request, status, text)),
  ];
}

/** A refusal does not use a key up: of two sendings at once one may be refused and the other done a moment later. */
const mayPass = ({ twice, answers }: Request, status: number): boolean =>
  twice && status === 422 && answers.some((other) => isFinal(other) && other.status !== 422);

function told(evidence: Evidence, { key, path }: Request, status: number, text: string): readonly Finding[] {
  const lost = (why: string) => [finding("lost", `key ${key} (${path}) was answered ${status}: ${why}`)];
  const place = evidence.byKey.get(key);
  const event = place && evidence.byTransaction.get(place.transactionId)?.[place.sequence - 1];
  if (place !== undefined && event === undefined) return lost("its event is gone");
  switch (status) {
    case 200:
    case 202:
      if (event === undefined) return lost("the journal has no such key");
      return shownEvents(text).flatMap((one) => checkShown(evidence, event, one).flatMap(lost));
    case 503:
      return toldNotSent(evidence, event, text) ? [] : lost(event ? shown(event) : "it is not on record");
    case 422:
      // A refusal leaves no trace; a void that came too late does.
      return event === undefined || event.outcome?.kind === "already-settled" ? [] : lost(shown(event));
    default:
      return lost(text);
  }
}

/** Of a reversal whose void did not succeed it is the refund that was not sent, and the answer says so. */
function toldNotSent({ byTransaction }: Evidence, event: JournalEvent | undefined, text: string): boolean {
  if (event === undefined) return false;
  const next = byTransaction.get(event.transactionId)?.[event.sequence];
  const refundFollows = !isCharge(event) && next !== undefined && isSecondStep(next, event);
  if (!refundFollows) return event.outcome?.kind === "not-sent";
  return next.outcome?.kind === "not-sent" && text.includes("did not do the void");
}

interface ShownEvent {
  readonly id: string;
  readonly event_type: string;
  readonly success: boolean;
  readonly amount: string;
  readonly processor_code: string | null;
}

function shownEvents(text: string): readonly ShownEvent[] {
  const { transaction } = JSON.parse(text) as { readonly transaction: { readonly events: readonly ShownEvent[] } };
  return transaction.events;
}

/** @returns what is wrong */
function checkShown({ byId }: Evidence, { transactionId }: JournalEvent, one: ShownEvent): readonly string[] {
  const event = byId.get(one.id);
  if (event === undefined || event.transactionId !== transactionId) return [`event ${one.id} is not in the journal`];
  const ends = [
    event.outcome && { code: event.outcome.code, success: event.outcome.kind === "approved" },
    event.failedLate !== null && { code: event.failedLate, success: false },
  ];
  const same =
    event.type === one.event_type &&
    event.amount === BigInt(one.amount.replace(".", "")) &&
    // Null: it was pending when it was shown.
    (one.processor_code === null ||
      ends.some((end) => end && end.code === one.processor_code && end.success === one.success));
  return same ? [] : [`it showed ${JSON.stringify(one)}, and the journal has ${shown(event)}`];
}

/** One event for each key, and none without: but for the second step of an operation, and what is captured by itself. */
function checkAskedFor({ keys, byTransaction, requests }: Evidence): readonly Finding[] {
  const asked = new Set(requests.map(({ key }) => key));
  const claimed = new Set(keys.map(({ transactionId, sequence }) => `${transactionId} ${sequence}`));
  const twice = keys.length > claimed.size ? [finding("doubled", "an event was claimed by two keys")] : [];
  const foreign = keys.filter(({ key }) => !asked.has(key)).map(({ key }) => finding("doubled", `unknown key ${key}`));
  const unasked = [...byTransaction.values()].flatMap((events) =>
    events
      .filter((event, index) => {
        if (claimed.has(`${event.transactionId} ${event.sequence}`)) return false;
        return !isSecondStep(event, events[index - 1]) && !isAutomatic(event, events);
      })
      .map((event) => finding("doubled", `${shown(event)} was not asked for`)),
  );
  return [...twice, ...foreign, ...unasked];
}

function isSecondStep(event: JournalEvent, before: JournalEvent | undefined): boolean {
  if (isCharge(event)) return before?.outcome?.kind === "not-sent" && before.type === event.type;
  return event.type === "refund" && event.reversal && before?.type === "void" && before.reversal;
}

/** Tried again as long as it fails, and done once. */
const isAutomatic = (event: JournalEvent, events: readonly JournalEvent[]): boolean =>
  event.type === "capture" &&
  event.ipAddress === null &&
  events.filter(({ type, ipAddress, outcome }) => type === "capture" && ipAddress === null && !failed(outcome))
    .length <= 1;

const failed = (outcome: JournalEvent["outcome"]): boolean => outcome !== null && outcome.kind !== "approved";
