// A sale (0200) or an auth (0100) as a message. It holds the card number and the CVV, and goes nowhere but to the wire.

import type { EchoedFields } from "../../../payment/transaction.ts";
import type { CardChargeQuestion, KeptCardNumber } from "../../processor.ts";
import type { Trace } from "../../trace-numbers.ts";
import { type Fields, Message } from "../codec/message.ts";
import { type Acceptor, asciiOf, envelope, PURCHASE, padded, rrnOf } from "./envelope.ts";
import { privateData } from "./private-data.ts";

export const CHARGE_MTI = { sale: "0200", auth: "0100" } as const;

export function chargeMessage(question: CardChargeQuestion, acceptor: Acceptor, trace: Trace): Message {
  const { type, amount, currency, instrument, fields } = question;
  return new Message(CHARGE_MTI[type], {
    ...envelope(acceptor, trace, { processingCode: PURCHASE, amount, currency, rrn: rrnOf(question.reference) }),
    ...cardFields(instrument),
    43: nameAndLocation(acceptor, fields),
    48: privateData(question),
    102: fields.document_number === undefined ? undefined : asciiOf(fields.document_number, 28),
  });
}

/** Number, and expiry as YYMM; neither where the host does not want them. */
export const cardFields = (card: KeptCardNumber | undefined): Fields =>
  card === undefined ? {} : { 2: card.number.reveal(), 14: card.expiryYear.slice(2) + card.expiryMonth };

/** Name 25, city 13, country 2. A descriptor `name|contact` takes the place of the first two, as on a statement. */
function nameAndLocation(acceptor: Acceptor, fields: EchoedFields): string {
  const [name = "", contact = ""] = (fields.dynamic_descriptor ?? fields.dynamic_descripton ?? "").split("|");
  return padded(name || acceptor.name, 25) + padded(contact || acceptor.city, 13) + padded(acceptor.country, 2);
}
