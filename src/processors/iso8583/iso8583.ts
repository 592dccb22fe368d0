// A processor that is an acquirer's host, spoken to in ISO 8583:1987. Here a question becomes a message, goes by the link
// and comes back as an answer; each of the three stands in a folder of its own.

import type { Clock } from "../../clock.ts";
import type { Capabilities } from "../../payment/account-terms.ts";
import type { CardBrand } from "../../payment/card-brand.ts";
import { isCurrency } from "../../payment/currency.ts";
import type { Limit, ToExpress } from "../../payment/expressible.ts";
import type { ConditionalFields } from "../../payment/processor-record.ts";
import { assertSettings, type ProcessorKind, type ProcessorParts } from "../kind.ts";
import {
  type Answer,
  CARD_NUMBERS_ONLY,
  type CardChargeQuestion,
  type ChargeQuestion,
  chargesCard,
  type FollowUpQuestion,
  type Health,
  type Processor,
  type TimeoutReversalAnswer,
  type TimeoutReversalQuestion,
  type VerificationAnswer,
  type VerificationQuestion,
} from "../processor.ts";
import type { TraceNumbers } from "../trace-numbers.ts";
import { zeroAuth } from "../verification.ts";
import {
  presentedBy,
  readAnswer,
  readTimeoutReversalAnswer,
  readVerification,
  withNetworkTransactionId,
} from "./answers/read-answer.ts";
import { acquirerBookings } from "./bookings.ts";
import { booksReader } from "./books.ts";
import type { Dialect } from "./codec/dialect.ts";
import { CodecFault } from "./codec/fault.ts";
import type { Message } from "./codec/message.ts";
import { messageReader } from "./describe.ts";
import { STANDARD } from "./dialect/standard.ts";
import { Link } from "./link/link.ts";
import type { Reply } from "./link/pending.ts";
import type { Acceptor } from "./messages/envelope.ts";
import {
  CHARGE_MTI,
  chargeMessage,
  FOLLOW_UP_MTI,
  followUpMessage,
  REVERSAL_MTI,
  reversalMessage,
  type Sending,
} from "./messages/operation-messages.ts";
import { inexpressibleIn } from "./messages/private-data.ts";
import {
  acceptorOf,
  ISO8583_SETTINGS,
  type Iso8583Settings,
  peerOf,
  SECRET_SETTINGS,
  type WholeSettings,
  withDefaults,
} from "./settings.ts";

/** A kind that speaks this dialect. */
export function iso8583In(dialect: Dialect, name: string): ProcessorKind {
  const kind: ProcessorKind = {
    name,
    settingsSchema: ISO8583_SETTINGS,
    secretSettings: SECRET_SETTINGS,
    cardNumberSetting: "card_number_in_follow_ups",
    takesCurrency: isCurrency,
    books: booksReader,
    bookings: acquirerBookings,
    messages: messageReader(dialect),
    open(record, parts) {
      assertSettings(kind, record);
      if (!isCurrency(record.currency))
        throw new TypeError(`Processor ${record.id} (${name}): ${record.currency} is not in ISO 4217.`);
      const settings = withDefaults(record.settings as Iso8583Settings);
      return new AcquirerHost(settings, dialect, parts.traceNumbersOf(record), parts);
    },
  };
  return kind;
}

export const iso8583Kind = iso8583In(STANDARD, "iso8583");

class AcquirerHost implements Processor {
  readonly capabilities: Capabilities;
  readonly keepsCardNumber: boolean;
  readonly requires: ConditionalFields = { cvv: [], names: false, document: false };
  readonly #settings: WholeSettings;
  readonly #dialect: Dialect;
  readonly #numbers: TraceNumbers;
  readonly #clock: Clock;
  readonly #link: Link;

  constructor(
    settings: WholeSettings,
    dialect: Dialect,
    numbers: TraceNumbers,
    { clock, log, chance }: ProcessorParts,
  ) {
    this.#settings = settings;
    this.#dialect = dialect;
    this.#numbers = numbers;
    this.#clock = clock;
    this.keepsCardNumber = settings.card_number_in_follow_ups;
    this.#link = new Link(peerOf(settings, dialect), settings.connections, { clock, log, chance });
    this.capabilities = {
      partialVoid: settings.partial_void,
      multipleCaptures: settings.multiple_captures,
      refundBeforeSettlement: settings.refund_before_settlement,
    };
  }

  takes(brand: CardBrand): boolean {
    return this.#settings.card_brands.includes(brand);
  }

  cannotExpress(asked: ToExpress): readonly Limit[] {
    return inexpressibleIn(this.#dialect, this.#settings.stored_credentials, asked);
  }

  async charge(question: ChargeQuestion, signal: AbortSignal): Promise<Answer> {
    if (!chargesCard(question)) return CARD_NUMBERS_ONLY;
    const reply = await this.#askCharge(question, signal);
    if (reply.kind !== "answered") return reply;
    const { message: said } = reply;
    const answer = readAnswer(said, question.type, presentedBy(question), this.#settings.result_letters);
    return withNetworkTransactionId(answer, said, this.#dialect);
  }

  async verify(asked: VerificationQuestion, signal: AbortSignal): Promise<VerificationAnswer> {
    const question = zeroAuth(asked);
    if (!chargesCard(question)) return CARD_NUMBERS_ONLY;
    const reply = await this.#askCharge(question, signal);
    if (reply.kind !== "answered") return reply;
    return readVerification(reply.message, presentedBy(question), this.#settings.result_letters);
  }

  async followUp(question: FollowUpQuestion, signal: AbortSignal): Promise<Answer> {
    const sending = await this.#sending(question.reference, FOLLOW_UP_MTI[question.type], question.original.reference);
    if (sending.kind === "not-sent") return sending;
    const reply = await this.#ask((acceptor) => followUpMessage(question, acceptor, sending), signal);
    if (reply.kind !== "answered") return reply;
    return readAnswer(reply.message, question.type, null, this.#settings.result_letters);
  }

  async timeoutReversal(question: TimeoutReversalQuestion, signal: AbortSignal): Promise<TimeoutReversalAnswer> {
    const sending = await this.#sending(`${question.reference}/reversal`, REVERSAL_MTI, question.reference);
    if (sending.kind === "not-sent") return sending;
    const reply = await this.#ask((acceptor) => reversalMessage(question, acceptor, sending), signal);
    return reply.kind === "answered" ? readTimeoutReversalAnswer(reply.message) : reply;
  }

  health(signal: AbortSignal): Promise<Health> {
    return this.#link.health(signal);
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  async #askCharge(question: CardChargeQuestion, signal: AbortSignal): Promise<Reply> {
    const assigned = await this.#assign(question.reference, CHARGE_MTI[question.type]);
    if (assigned.kind === "not-sent") return assigned;
    const { stored_credentials: sendsStored } = this.#settings;
    return this.#ask((acceptor) => chargeMessage(question, acceptor, assigned.trace, sendsStored), signal);
  }

  /** A question that does not fit the message format was not sent, and says which field is at fault. */
  async #ask(message: (acceptor: Acceptor) => Message, signal: AbortSignal): Promise<Reply> {
    try {
      return await this.#link.ask(message(acceptorOf(this.#settings)), signal);
    } catch (fault) {
      if (!(fault instanceof CodecFault)) throw fault;
      return { kind: "not-sent", why: `The message cannot be written: ${fault.message}` };
    }
  }

  async #sending(key: string, mti: string, originalKey: string): Promise<(Sending & { kind: "assigned" }) | NotSent> {
    const assigned = await this.#assign(key, mti);
    if (assigned.kind === "not-sent") return assigned;
    try {
      return { ...assigned, original: await this.#numbers.find(originalKey) };
    } catch (fault) {
      return notSent(fault);
    }
  }

  /** Without a number that is written down nothing is sent. */
  async #assign(key: string, mti: string) {
    try {
      return { kind: "assigned", ...(await this.#numbers.assign(key, mti, this.#clock.now())) } as const;
    } catch (fault) {
      return notSent(fault);
    }
  }
}

interface NotSent {
  readonly kind: "not-sent";
  readonly why: string;
}

const notSent = (fault: unknown): NotSent => ({
  kind: "not-sent",
  why: `No trace number: ${fault instanceof Error ? fault.message : fault}`,
});
