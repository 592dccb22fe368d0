// What an implementation of the processor contract brings to its conformance suite: itself in several conditions, the
// cards to try it with, and a look into its books.

import type { Clock } from "../../src/clock.ts";
import type { Amount } from "../../src/payment/money.ts";
import type { EventType } from "../../src/payment/transaction.ts";
import type { Brought, IncomingMessage, Processor } from "../../src/processors/processor.ts";

/**
 * The state that a subject is opened in:
 * - `answers`: everything is answered, at once
 * - `slow`: everything is answered, {@link SLOW_MS} or more after it was asked
 * - `never answers`: questions leave, and none is answered
 * - `never answers charges`: other questions are answered
 * - `refuses connections`: nothing can be sent
 * - `CAD account`: answers by the rules of specification 3
 */
export type Condition =
  | "answers"
  | "slow"
  | "never answers"
  | "never answers charges"
  | "refuses connections"
  | "CAD account"
  | LaterCondition;

/**
 * Of a processor that can be inquired of:
 * - `accepts`: what can be accepted is, and ends when the subject is told so
 * - `answers inquiries only`: what moves money is booked and never answered, inquiries are answered
 */
export type LaterCondition = "accepts" | "answers inquiries only";

export const SLOW_MS = 150;

/** A condition or a capability that this implementation has not, said out loud: the rules that need it are skipped. */
export interface Cannot {
  readonly cannot: string;
}

export interface TestCard {
  readonly number: string;
  readonly cvv: string;
}

export interface OwnToken {
  readonly token: string;
  /** Whose card it is there. */
  readonly customer: string;
  /** Of the card. */
  readonly lastFour: string;
}

export interface Subject {
  readonly processor: Processor;
  /** The one that the processor goes by. */
  readonly clock: Clock;
  /** ISO 4217 */
  readonly currency: string;
  readonly approvedCard: TestCard;
  /** Its charges are declined with this code. */
  readonly declinedCard: TestCard & { readonly code: string };
  /** Of a kind that describes tokens: its own for a card that is approved, and for one that is declined with the same code. */
  readonly ownTokens?: Readonly<Record<"approvedCard" | "declinedCard", OwnToken>>;
  /** The money of a transaction that is held or taken by the processor's own books. */
  readonly balance: ((transactionId: string) => Promise<Amount>) | Cannot;
  /** Lets all the money settle that was captured so far. */
  readonly settle: (() => Promise<void>) | Cannot;
  /** How repeats are turned away by what lies on the way to it. */
  readonly repeats: Repeats | Cannot;
  /** What an ending brings that comes later. */
  readonly later: Later | Cannot;
  /** What it tells of the dispute of a transaction that is opened, answered and won, in this order. */
  readonly disputes: ((transactionId: string) => Promise<readonly IncomingMessage[]>) | Cannot;
  /** What it tells once it has done this to a transaction's payment without being asked: in one message or several. */
  readonly byItself: ((transactionId: string, does: ByItself) => Promise<readonly IncomingMessage[]>) | Cannot;
  /** Of one that only accepts: the notification, once it was sent, that tells the end of what was asked under this reference. */
  sent?(reference: string, of: "question" | "reversal"): Promise<IncomingMessage>;
  /** Absent: it sends payers to no challenge. */
  readonly challenging?: Challenging;
  /** Why it cannot confirm the reversal of a charge that never came. */
  readonly reversalOfNothing?: Cannot;
  /** Closes the processor and ends all that was started for it. */
  end(): Promise<void>;
}

export interface Later {
  /** Of these operations there are some that the other side accepts, to tell their end later. */
  readonly accepted: readonly EventType[];
  /** What was accepted under this reference ends so. */
  end(reference: string, how: "approved" | "declined"): void;
  /** As the other side sends it, signed: the same notification each time. */
  notification(reference: string, tells: "approved" | "declined"): IncomingMessage;
  /** Where less is signed than every byte: the same message with something else in each thing that is. */
  forgeries?(message: IncomingMessage): readonly IncomingMessage[];
}

/** Nothing of it is for good: {@link Repeats.behave} ends it. */
export interface Repeats {
  /** The next sending of an operation of this type, which is carried out or never comes there, is not answered. */
  lose(type: EventType, first: "carried out" | "never came"): void;
  /** The next sending of a charge or follow-up is carried out, and its connection breaks in place of an answer. For a kind that then repeats. */
  readonly breakOff: (() => void) | Cannot;
  /** From 400 to 503, or response codes: each a way to turn a repeat away. */
  readonly ways: readonly string[];
  /** What was sent before is turned away in this way when it comes again, and not looked at. */
  turnAway(way: string): void;
  behave(): void | Promise<void>;
}

/** `expire`, `cancel` an authorization; `capture` all of it; `refund` 3.00 of a sale. */
export const BY_ITSELF = ["expire", "cancel", "capture", "refund"] as const;
export type ByItself = (typeof BY_ITSELF)[number];

export const NOTHING_BY_ITSELF: Cannot = { cannot: "it tells nothing that it was not asked" };

export const NO_CHALLENGES: Cannot = { cannot: "it sends payers to no challenge" };

export interface Challenging {
  /** Its payer has to authenticate. */
  readonly card: TestCard;
  /** Whether what a payer brings names the payment: then another one's is no result of this. */
  readonly namesPayment: boolean;
  /** As the payer does at the page. @returns what the payer brings back */
  choose(page: string, choice: "pass" | "fail"): Promise<Brought>;
}

export const NO_DISPUTES: Cannot = { cannot: "it tells nothing of disputes: an operator enters them" };

export const AT_ONCE: Cannot = { cannot: "it answers at once, or not at all" };

export type Open = (condition: Condition) => Promise<Subject | Cannot>;
