// The contract between the gateway and a payment processor. One folder beside this file implements it for each kind;
// test/conformance/processor.ts is the suite that every implementation passes.

import type { Capabilities } from "../payment/account-terms.ts";
import type { CardBrand } from "../payment/card-brand.ts";
import type { ChallengePage } from "../payment/challenge.ts";
import type { DeclineCategory } from "../payment/decline.ts";
import type { Limit, ToExpress } from "../payment/expressible.ts";
import type { DescribedCard, Instrument, KeptToken, PresentedCard, ProcessorToken } from "../payment/instrument.ts";
import type { Amount } from "../payment/money.ts";
import type { News } from "../payment/news.ts";
import type { ProcessorResponse, SettlementTimes } from "../payment/outcome.ts";
import type { ConditionalFields } from "../payment/processor-record.ts";
import type { CardNumber } from "../payment/secret.ts";
import type { StoredCredential } from "../payment/stored-credential.ts";
import type { ThreeDSecure } from "../payment/three-d-secure.ts";
import type { ChargeType, EchoedFields, EventType, FollowUpType, Passenger, Share } from "../payment/transaction.ts";

export interface Processor {
  /** What follow-ups it can do; the rules refuse the others before anything is asked. */
  readonly capabilities: Capabilities;
  /** Whether follow-ups and reversals need the full card number, so that the vault keeps it. */
  readonly keepsCardNumber: boolean;
  takes(brand: CardBrand): boolean;
  /**
   * What of a charge or follow-up its protocol has no form for. Pure: asked before anything is sent, and whatever it lists is refused. What
   * it does not list can be sent.
   */
  cannotExpress(asked: ToExpress): readonly Limit[];
  /** Fields it demands by its nature, beyond what the operator set on the record. */
  readonly requires: ConditionalFields;

  charge(question: ChargeQuestion, signal: AbortSignal): Promise<Answer>;
  /** Asked again under the same `reference`, nothing is moved twice. */
  followUp(question: FollowUpQuestion, signal: AbortSignal): Promise<Answer>;
  /** Takes back a charge whose answer never came. Confirmed means: no money of it is held or taken, now or later. */
  timeoutReversal(question: TimeoutReversalQuestion, signal: AbortSignal): Promise<TimeoutReversalAnswer>;
  /** What became of what was asked under a reference. Where there is one, doubt is inquired about before all else. */
  inquire?(question: InquiryQuestion, signal: AbortSignal): Promise<InquiryAnswer>;
  /**
   * What became of a charge whose payer comes back from a challenge. Where there is none, payers are sent to no challenge. What the payer
   * brings may be forged, or another payment's: it decides nothing by itself.
   * @param brought the query or form of the return: a name that came twice is left out
   */
  returned?(question: InquiryQuestion, brought: Brought, signal: AbortSignal): Promise<InquiryAnswer>;
  /** Reads what claims to come from this processor, and asks nobody. What it cannot verify it takes for forged. */
  receive?(message: IncomingMessage): Promise<Received>;
  /**
   * Which charge of ours a payment is, by the processor's name for it: where what it says of disputes, or of what was done without us, names
   * no other.
   * @param operation what was done, by the processor's name for it
   */
  whose?(payment: string, signal: AbortSignal, operation?: string): Promise<PaymentOwner>;
  /** The id of the notification that tells of this payment, and of which charge of ours it is: where the processor cannot be asked that. */
  notificationOf?(payment: string): string;
  /** What it says of a card that it keeps. Where there is none, only card numbers can be charged. */
  describeToken?(kept: KeptToken, signal: AbortSignal): Promise<TokenAnswer>;
  /** Asks the card's issuer about it, without money. Asked again, nothing else happens. Where there is none, the kind cannot. */
  verify?(question: VerificationQuestion, signal: AbortSignal): Promise<VerificationAnswer>;
  health(signal: AbortSignal): Promise<Health>;
  /** Asks harmless questions, and says in words what of the account is not as it must be. */
  check?(signal: AbortSignal): Promise<readonly Check[]>;
  close(): Promise<void>;
}

/** What every question carries. */
interface Question {
  /** Ours, unique for each event, the same each time the question is asked again. */
  readonly reference: string;
  /** Of the request at our API, for protocols that have a place for it. */
  readonly requestId?: string;
  readonly transactionId: string;
  readonly amount: Amount;
  /** ISO 4217 */
  readonly currency: string;
}

export interface ChargeQuestion extends Question {
  readonly type: ChargeType;
  readonly instrument: Instrument;
  readonly merchantTransactionId: string;
  readonly ipAddress: string | null;
  readonly fields: EchoedFields;
  readonly threeDSecure: ThreeDSecure | null;
  readonly passengers: readonly Passenger[] | null;
  /** Absent: the card is not stored by anybody. */
  readonly storedCredential?: StoredCredential;
  /** The payer can be sent to a challenge, and comes back here from it. Without it nobody is there to authenticate. */
  readonly returnUrl?: string;
}

/** With what a payer comes back from a challenge, by name. */
export type Brought = Readonly<Record<string, string>>;

/** For kinds that take card numbers only; any other charge they answer with {@link CARD_NUMBERS_ONLY}. */
export interface CardChargeQuestion extends ChargeQuestion {
  readonly instrument: PresentedCard;
}

export const chargesCard = (question: ChargeQuestion): question is CardChargeQuestion =>
  question.instrument.kind === "card";

/** `customer`: whose it is there, where it says so. `wrong`: it has no such token, or not for this customer. */
export type TokenAnswer =
  | { readonly kind: "described"; readonly card: DescribedCard; readonly customer: string | undefined }
  | { readonly kind: "wrong"; readonly field: "processor_token" | "processor_customer"; readonly why: string }
  | NoAnswer;

/** For kinds that charge what they keep themselves. */
export interface TokenChargeQuestion extends ChargeQuestion {
  readonly instrument: ProcessorToken;
}

export const chargesToken = (question: ChargeQuestion): question is TokenChargeQuestion =>
  question.instrument.kind === "processor-token";

export const CARD_NUMBERS_ONLY = { kind: "not-sent", why: "this kind of processor takes card numbers only" } as const;

/** A card that is verified. Its reference is that of no transaction. */
export type VerificationQuestion = Pick<
  ChargeQuestion,
  "reference" | "requestId" | "currency" | "instrument" | "ipAddress" | "fields"
>;

export type VerificationAnswer = Verified | NoAnswer;

export interface Verified {
  readonly kind: "verified";
  /** Whether the issuer says that the card is good. */
  readonly success: boolean;
  readonly processorResponse: ProcessorResponse;
  /** Of a decline. */
  readonly category?: DeclineCategory;
}

/** The card of an earlier charge: its number comes from the vault. */
export interface KeptCardNumber {
  readonly number: CardNumber;
  readonly expiryMonth: string;
  readonly expiryYear: string;
}

export interface FollowUpQuestion extends Question {
  readonly type: FollowUpType;
  /** Always there where the processor keeps card numbers. */
  readonly card?: KeptCardNumber;
  readonly shares: readonly Share[] | null;
  /** The charge that this follows. */
  readonly original: Original;
  /** Authorized, and neither captured nor voided. */
  readonly uncaptured: Amount;
  /** Captured money of which something is left. */
  readonly captures: readonly CapturedPart[];
}

export interface CapturedPart {
  /** Neither voided nor refunded. */
  readonly left: Amount;
  readonly settlement: SettlementTimes;
}

/** What its charge brought and is kept: for processors that compare a repeated question with the first one. */
type KeptOfCharge = Pick<ChargeQuestion, "merchantTransactionId" | "fields">;

export interface TimeoutReversalQuestion extends Question, KeptOfCharge {
  readonly type: ChargeType;
  /** Where the processor keeps card numbers and this one could be opened. */
  readonly card?: KeptCardNumber;
}

export interface Original {
  readonly type: ChargeType;
  readonly reference: string;
  readonly processorTransactionId: string | null;
  readonly authCode: string | null;
  readonly amount: Amount;
  readonly cardMask: string;
}

/**
 * Silence is never a no: `unanswered` is for a question that left and whose answer did not come, `not-sent` only for one
 * of which not a byte left, or that the processor turned away unread (wrong key, too many questions). What follows from the answer to a
 * repeated question is decided by payment/doubt.ts; a kind that repeats a question by itself decides by it, too.
 */
export type Answer = Approval | Decline | Pending | ActionRequired | Undecided | NoAnswer;

export interface NoAnswer {
  readonly kind: "unanswered" | "not-sent";
  readonly why: string;
}

export interface Approval {
  readonly kind: "approved";
  readonly processorResponse: ProcessorResponse;
  /** Where the processor tells when this money settles; else it follows from the record's schedule. */
  readonly settlement?: SettlementTimes;
}

export interface Decline {
  readonly kind: "declined";
  readonly processorResponse: ProcessorResponse;
  readonly category: DeclineCategory;
  /**
   * Whether this is known to be the answer to the first sending of the question: the processor promises that a repeat gets the first answer
   * again, and this answer shows that it is one; or it shows that the first sending did nothing and never will. Without it, the decline of
   * a repeat says nothing about the first sending.
   */
  readonly isFirstAnswer?: true;
}

/** The processor has accepted it and tells later how it ends. From then on it is asked about, never asked for again. */
export interface Pending {
  readonly kind: "pending";
  /** For the operator, one line: the processor's word for it, and its own reference. */
  readonly why: string;
}

/** The payer has to authenticate first, in a browser: of charges only. */
export interface ActionRequired {
  readonly kind: "action-required";
  /** Where that is, if the question had a `returnUrl`. Without it nobody is sent there, and the charge is given up. */
  readonly page?: ChallengePage;
  readonly processorResponse: ProcessorResponse;
}

/**
 * It answered, and said neither yes nor no: the issuer is out of reach, the request is in progress, only a part was approved. A charge is
 * reversed. Another operation is repeated as often as that makes sense; after that an operator has to find out how it ended.
 */
export interface Undecided extends UndecidedReversal {
  readonly processorResponse: ProcessorResponse;
  readonly category: DeclineCategory;
}

interface UndecidedReversal {
  readonly kind: "undecided";
  /** For the operator, one line. */
  readonly why: string;
  /** How often it may be answered so before an operator has to look; 1 and up. */
  readonly repeats: number;
}

export interface InquiryQuestion extends Question, KeptOfCharge {
  readonly type: EventType;
  /** The charge that was followed; null where this is the charge. */
  readonly original: Original | null;
}

/** `unknown`: never heard of it. That is no end, since the question may still be on its way. */
export type InquiryAnswer = Answer | { readonly kind: "unknown" };

/** `pending`: accepted, and a notification tells that it is done (`reversed`). Until then it is asked for again, day by day. */
export type TimeoutReversalAnswer = { readonly kind: "confirmed" } | Pending | UndecidedReversal | NoAnswer;

/** As it came over HTTP. */
export interface IncomingMessage {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** `unreadable`: genuine, and not even its id can be told. */
export type Received =
  | {
      readonly kind: "genuine";
      /** In the order in which they are to be applied. */
      readonly notifications: readonly ProcessorNotification[];
      /** The body of the answer, once they are durable. */
      readonly acknowledgement: string;
    }
  | { readonly kind: "forged"; readonly why: string }
  | { readonly kind: "unreadable"; readonly why: string };

export interface ProcessorNotification {
  /** The processor's, the same when it sends this again; 255 characters at most. */
  readonly id: string;
  /** By the processor. */
  readonly occurredAt: Date;
  /** As they stood in the question. Null: it is about nothing that was asked, or cannot be told. */
  readonly about: { readonly transactionId: string; readonly reference: string } | null;
  readonly news: News;
  /** In the processor's words, one line for the operator; nothing sensitive. */
  readonly said: string;
}

export type PaymentOwner =
  | { readonly kind: "ours"; readonly transactionId: string; readonly reference: string }
  | { readonly kind: "not-ours" }
  /** The operation gave back no money, such as the release of what was only held. */
  | { readonly kind: "moved-nothing" }
  | NoAnswer;

export interface Health {
  readonly reachable: boolean;
  readonly detail: string;
}

/** One thing that an account needs, and whether it is so. `unknown`: it shows with the first charge only. */
export interface Check {
  readonly what: string;
  readonly result: "ok" | "wrong" | "unknown";
  /** What was found, and what to do about it. */
  readonly detail: string;
}
