// Disputes that processors tell of: the payment is found, and what was said about it is added to the dispute. The transaction stays as
// it is.

import { isArchived } from "../journal/archived.ts";
import type { Sql } from "../journal/database.ts";
import { noteProcessorReport, type ProcessorNoted } from "../journal/disputes.ts";
import {
  aboutOf,
  isTold,
  type NotificationPlace,
  type Result,
  type WaitingNotification,
} from "../journal/notifications.ts";
import { MOST_REPORTS } from "../payment/dispute.ts";
import { keptReference, keptWords } from "../payment/kept-response.ts";
import type { Disputed } from "../payment/news.ts";
import type { Event } from "../payment/transaction.ts";
import { isUuid } from "../uuid.ts";
import { keptReport } from "./kept-notification.ts";
import type { Parts } from "./parts.ts";

const LOOK_UP_MS = 5_000;

export interface Applied {
  readonly result: Result;
  readonly why?: string;
}

/** It is looked at again then. */
export interface PutOff {
  readonly until: Date;
}

/** Whether neither the message nor what else was told says which payment it is about. */
export async function asksProcessor(
  parts: Pick<Parts, "processors">,
  { merchantId, processorId, news, about }: WaitingNotification,
): Promise<boolean> {
  if ((news.kind !== "dispute" && news.kind !== "made") || about !== null || news.payment === null) return false;
  const { processor } = await parts.processors.find(merchantId, processorId);
  return processor.notificationOf === undefined && processor.whose !== undefined;
}

/** Safe to do twice. @throws if nobody can say now which payment it is */
export async function applyDispute(
  parts: Parts,
  sql: Sql,
  notification: WaitingNotification,
  { reference, payment, report }: Disputed,
): Promise<Applied | PutOff> {
  const { merchantId, processorId, id: source, occurredAt } = notification;
  const found = notification.about ?? (payment === null ? null : await askWhose(parts, sql, notification, payment));
  const about = typeof found === "string" ? null : found;
  const transaction = about ? await parts.journal.find(merchantId, about.transactionId) : undefined;
  const event = transaction?.events.find(({ id }) => id === about?.reference);
  if (transaction === undefined || event === undefined || event.processorId !== processorId)
    return ofNothingHere(parts, sql, notification, event, about, "it disputes a payment that was not made here");
  const { id: transactionId, merchantTransactionId } = transaction;
  const opening = { merchantId, id: parts.newId(), transactionId, merchantTransactionId, eventId: event.id };
  const noted = await noteProcessorReport(
    sql,
    { ...opening, processorId, reference: keptReference(reference, transaction.card.mask) },
    { ...keptReport(report, transaction.card.mask), at: occurredAt },
    source,
    parts.clock.now(),
  );
  return RESULTS[noted];
}

/** For so long the copy that comes for another record may be on its way. */
const COPY_AFTER_MS = 10_000;

/**
 * What becomes of a notification about nothing that its record was asked. Records that share an account are all told of each other's
 * operations: it is nothing new once the record that it concerns has been told the same.
 * @param event another record's
 */
export async function ofNothingHere(
  parts: Pick<Parts, "clock">,
  sql: Sql,
  { merchantId, id, receivedAt }: WaitingNotification,
  event: Pick<Event, "processorId"> | undefined,
  about: WaitingNotification["about"],
  otherwise: string,
): Promise<Applied | PutOff> {
  if (event !== undefined) {
    const { processorId } = event;
    if (await isTold(sql, { merchantId, processorId, id })) return { result: "known" };
    const until = new Date(receivedAt.getTime() + COPY_AFTER_MS);
    if (parts.clock.now() < until) return { until };
    return {
      result: "kept",
      why: `it is for processor record ${processorId}, which was not told: that record needs a webhook of its own`,
    };
  }
  if (about !== null && (await isArchived(sql, merchantId, about.transactionId)))
    return {
      result: "kept",
      why: `it is about transaction ${about.transactionId}, which is archived: restore it, and enter by hand what was told`,
    };
  return { result: "kept", why: otherwise };
}

const RESULTS: Readonly<Record<ProcessorNoted, Applied>> = {
  new: { result: "applied" },
  known: { result: "known" },
  "too-many": {
    result: "kept",
    why: `${MOST_REPORTS} reports about this dispute are on record, and no more are taken`,
  },
  "another-transaction": { result: "kept", why: "the dispute is on record as another transaction's" },
};

export async function askWhose(
  parts: Parts,
  sql: Sql,
  { merchantId, processorId }: NotificationPlace,
  payment: string,
  operation?: string,
): Promise<WaitingNotification["about"] | "moved-nothing" | "not-told"> {
  const { processor } = await parts.processors.find(merchantId, processorId);
  if (processor.notificationOf !== undefined)
    return (await aboutOf(sql, { merchantId, processorId, id: processor.notificationOf(payment) })) ?? "not-told";
  if (processor.whose === undefined) return null;
  const answer = await processor.whose(payment, AbortSignal.timeout(LOOK_UP_MS), operation);
  if (answer.kind === "not-sent" || answer.kind === "unanswered") throw new Error(keptWords(answer.why));
  if (answer.kind === "moved-nothing") return "moved-nothing";
  return answer.kind === "ours" && isUuid(answer.transactionId) ? answer : null;
}
