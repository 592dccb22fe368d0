// Operations as messages: a sale or an auth, which holds the card number and the CVV and goes nowhere but to the wire; a capture, a void
// or a refund; and the reversal of a charge that was never answered. Those name the charge by its data elements (fields 38, 63, 90 and its
// RRN), so that none of them needs the card number; a host that wants it all the same has it in fields 2 and 14.

import type { EchoedFields, FollowUpType } from "../../../payment/transaction.ts";
import type { CardChargeQuestion, FollowUpQuestion, KeptCardNumber, TimeoutReversalQuestion } from "../../processor.ts";
import type { Trace } from "../../trace-numbers.ts";
import { transliterate } from "../../transliterate.ts";
import { repeatOf } from "../codec/dialect.ts";
import { type Fields, Message } from "../codec/message.ts";
import { renderTagged } from "../codec/tagged.ts";
import {
  type Acceptor,
  envelope,
  NOT_PRESENT,
  ON_FILE,
  PURCHASE,
  padded,
  REFUND,
  rrnOf,
  transmissionTime,
} from "./envelope.ts";
import { privateData } from "./private-data.ts";

export const CHARGE_MTI = { sale: "0200", auth: "0100" } as const;

/** @param sendsStored whether the host is told of stored cards */
export function chargeMessage(
  question: CardChargeQuestion,
  acceptor: Acceptor,
  trace: Trace,
  sendsStored = true,
): Message {
  const { type, amount, currency, instrument, fields, storedCredential } = question;
  return new Message(CHARGE_MTI[type], {
    ...envelope(acceptor, trace, { processingCode: PURCHASE, amount, currency, rrn: rrnOf(question.reference) }),
    ...cardFields(instrument),
    ...(sendsStored && storedCredential?.use === "later" && { 22: ON_FILE }),
    ...(sendsStored && storedCredential?.initiator === "merchant" && { 25: NOT_PRESENT }),
    43: nameAndLocation(acceptor, fields),
    48: privateData(question, sendsStored),
    102: transliterate(fields.document_number ?? "", 28) || undefined,
  });
}

/** Number, and expiry as YYMM; neither where the host does not want them. */
const cardFields = (card: KeptCardNumber | undefined): Fields =>
  card === undefined ? {} : { 2: card.number.reveal(), 14: card.expiryYear.slice(2) + card.expiryMonth };

/** Name 25, city 13, country 2. A descriptor `name|contact` takes the place of the first two, as on a statement. */
function nameAndLocation(acceptor: Acceptor, fields: EchoedFields): string {
  const [name = "", contact = ""] = (fields.dynamic_descriptor ?? fields.dynamic_descripton ?? "").split("|");
  return (
    padded(transliterate(name, 25) || acceptor.name, 25) +
    padded(transliterate(contact, 13) || acceptor.city, 13) +
    padded(acceptor.country, 2)
  );
}

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
    38: original.authCode?.padEnd(6),
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
