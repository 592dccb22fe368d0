// Applies what a processor did to a payment of ours without being asked.

import type { Sql } from "../journal/database.ts";
import {
  applyMadeAgain,
  applyMadeToPayment,
  type EndedWait,
  type WaitingNotification,
} from "../journal/notifications.ts";
import { madeByProcessor } from "../payment/made-by-processor.ts";
import type { Made } from "../payment/news.ts";
import { type Event, isCharge, type Transaction } from "../payment/transaction.ts";
import type { Answer } from "../processors/processor.ts";
import { addEnded, failLate } from "./add-ended.ts";
import { placeOf } from "./append.ts";
import { pauseAfter } from "./circuit-breaker.ts";
import { type Applied, askWhose, ofNothingHere, type PutOff } from "./disputes.ts";
import type { Parts } from "./parts.ts";

export interface AppliedMade extends Applied {
  readonly ended?: EndedWait;
}

const PAYMENT_AFTER_MS = 60_000;

/** Safe to do twice, and on several nodes at once. @throws if nobody can say now which payment it is about */
export async function applyMade(
  parts: Parts,
  sql: Sql,
  one: WaitingNotification,
  made: Made,
): Promise<AppliedMade | PutOff> {
  const { merchantId, processorId } = one;
  const found =
    one.about ?? (made.payment === null ? null : await askWhose(parts, sql, one, made.payment, made.operation));
  if (found === "moved-nothing") return { result: "known" };
  // What tells of the payment itself may be on its way.
  const nowMs = parts.clock.now().getTime();
  const lastMs = one.receivedAt.getTime() + PAYMENT_AFTER_MS;
  if (found === "not-told" && nowMs < lastMs)
    return { until: new Date(Math.min(nowMs + pauseAfter(one.attempts), lastMs)) };
  const about = found === "not-told" ? null : found;
  const transaction = about ? await parts.journal.find(merchantId, about.transactionId) : undefined;
  const event = transaction?.events.find(({ id }) => id === about?.reference);
  if (transaction === undefined || event === undefined || event.processorId !== processorId || !isCharge(event))
    return ofNothingHere(parts, sql, one, event, about, "it is about nothing that this processor was asked");
  const consequence = madeByProcessor(transaction, event, made, parts.clock.now());
  switch (consequence.kind) {
    case "add": {
      const { event: done, end, why, exceeds } = consequence;
      if (!(await addEnded(parts, transaction, processorId, done, answerOf(made, end), why)))
        return applyMade(parts, sql, one, made);
      return exceeds === undefined ? { result: "applied" } : { result: "kept", why: exceeds };
    }
    case "late-failure": {
      const { processorResponse } = made;
      await failLate(parts, transaction, consequence.event, { processorResponse, category: "wrong-state" });
      // What is held again by our books may have expired since.
      if (made.type === "capture") await applyVoidsAgain(parts, sql, one, transaction, event);
      return consequence.goesOn ? applyMade(parts, sql, one, made) : { result: "applied" };
    }
    case "reversed":
      return { result: "applied", ended: { ...placeOf(transaction, event), reversed: true } };
    case "wait":
      return { until: new Date(parts.clock.now().getTime() + pauseAfter(one.attempts)) };
    case "known":
      return { result: "known" };
    case "kept":
      return { result: "kept", why: consequence.why };
  }
}

async function applyVoidsAgain(
  { clock }: Parts,
  sql: Sql,
  place: WaitingNotification,
  { id }: Transaction,
  { outcome }: Event,
): Promise<void> {
  const payment = outcome?.processorResponse.transactionId ?? null;
  await applyMadeAgain(sql, place, id, "void", clock.now());
  if (payment !== null) await applyMadeToPayment(sql, place, payment, clock.now());
}

const answerOf = (
  { processorResponse }: Made,
  end: Made["end"],
): Answer & { readonly kind: "approved" | "declined" } =>
  end === "succeeded"
    ? { kind: "approved", processorResponse }
    : { kind: "declined", processorResponse, category: "wrong-state" };
