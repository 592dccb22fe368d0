// A capture, a void or a refund as a message, and the reversal of a charge that was never answered. They name the charge
// by its data elements (fields 38, 63, 90 and its RRN), so that none of them needs the card number;
// a host that wants it all the same has it in fields 2 and 14.

import type { FollowUpType } from "../../../payment/transaction.ts";
import type { FollowUpQuestion, TimeoutReversalQuestion } from "../../processor.ts";
import type { Trace } from "../../trace-numbers.ts";
import { repeatOf } from "../codec/dialect.ts";
import { Message } from "../codec/message.ts";
import { renderTagged } from "../codec/tagged.ts";
import { CHARGE_MTI, cardFields } from "./charge-message.ts";
import { type Acceptor, envelope, PURCHASE, REFUND, rrnOf, transmissionTime } from "./envelope.ts";

export const FOLLOW_UP_MTI: Readonly<Record<FollowUpType, string>> = {
  capture: "0220",
  void: "0400",
  refund: "0200",
};
export const REVERSAL_MTI = "0420";

export interface Sending {
  readonly trace: Trace;
  /** It may have been sent before: it is told as a repeat. */
  readonly repeated: boolean;
  /** Of the charge; undefined where it is not known any more. */
  readonly original: Trace | undefined;
}

export function followUpMessage(question: FollowUpQuestion, acceptor: Acceptor, sending: Sending): Message {
  const { type, amount, currency, reference, transactionId, original } = question;
  const processingCode = type === "refund" ? REFUND : PURCHASE;
  return new Message(mtiOf(FOLLOW_UP_MTI[type], sending), {
    ...envelope(acceptor, sending.trace, { processingCode, amount, currency, rrn: rrnOf(reference) }),
    ...cardFields(question.card),
    38: original.authCode ?? undefined,
    48: renderTagged([
      ["OR", rrnOf(original.reference)],
      ["TI", transactionId],
    ]),
    63: original.processorTransactionId ?? undefined,
    90: originalDataElements(acceptor, sending.original),
  });
}

/** Field 37 is that of the charge itself: a reversal is no operation of its own. */
export function reversalMessage(question: TimeoutReversalQuestion, acceptor: Acceptor, sending: Sending): Message {
  const { type, amount, currency, reference, transactionId } = question;
  return new Message(mtiOf(REVERSAL_MTI, sending), {
    ...envelope(acceptor, sending.trace, { processingCode: PURCHASE, amount, currency, rrn: rrnOf(reference) }),
    ...cardFields(question.card),
    48: renderTagged([["TI", transactionId]]),
    90: originalDataElements(acceptor, sending.original, CHARGE_MTI[type]),
  });
}

/** A refund has no repeat of its own type: 0200 comes again as it was, under the same RRN. */
const mtiOf = (mti: string, { repeated }: Sending): string =>
  repeated && mti !== FOLLOW_UP_MTI.refund ? repeatOf(mti) : mti;

/** Type, STAN, time, acquirer, forwarder (ISO 8583:1987, field 90), with zeros for what is not known. */
function originalDataElements({ acquirerId }: Acceptor, original: Trace | undefined, mti = "0000"): string {
  const time = original ? transmissionTime(original.at) : "0".repeat(10);
  const numbers = (original?.mti ?? mti) + (original?.stan ?? "000000") + time;
  return numbers + acquirerId.padStart(11, "0") + "0".repeat(11);
}
