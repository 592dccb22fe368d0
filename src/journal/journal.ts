// The contract of the journal: the durable truth about transactions. An event is written as an intent before a processor
// is asked and gets its outcome once, afterwards; nothing of it is ever changed or removed (a sealed
// card number beside it is).

import type { Challenge } from "../payment/challenge.ts";
import type { Consent } from "../payment/consent.ts";
import type { RepeatLimit } from "../payment/going-on.ts";
import type { FirstOutcome, LateFailure } from "../payment/outcome.ts";
import type { Refusal } from "../payment/refusal.ts";
import type { Event, EventType, Transaction } from "../payment/transaction.ts";

/** A transaction as it is before its first event has an outcome. */
export interface OpeningIntent extends Transaction {
  /** Keyed hash of the card's number, where its tries are counted: see {@link Conclusion.limits}. */
  readonly cardKey?: Buffer;
  /** The card that the charge stores, written with it. */
  readonly newCard?: NewCard;
  /** It is written only within what the payer agreed to when the card was stored, and counted. */
  readonly byConsent?: true;
}

/** What {@link Transaction.card} and {@link Transaction.onFile} do not say of it. */
export interface NewCard {
  readonly fingerprint: string;
  readonly sealed: SealedCard;
  readonly consent?: Consent;
}

/** What an idempotency key stands for: this merchant's request with this hash, and the event it led to. */
export interface KeyClaim {
  readonly key: string;
  /** Keyed hash of path and body. */
  readonly requestHash: Buffer;
}

export interface StoredKey extends KeyClaim {
  /** Of a request that the database had lost, only the beginning (recovery/lost-keys.ts). */
  readonly requestHash: Buffer;
  readonly transactionId: string;
  readonly sequence: number;
  readonly response: KeptResponse | null;
}

/** An HTTP answer as it was sent. */
export interface StoredResponse {
  readonly status: number;
  readonly body: string;
}

/** What is kept of it: its bytes, or the moment of the transaction that it shows, which its reader understands. */
export type KeptResponse = StoredResponse | { readonly status: number; readonly moment: string };

/** A card number as the vault sealed it: its bytes, and which data key opens them. */
export interface SealedCard {
  readonly keyId: number;
  readonly sealed: Buffer;
}

/**
 * What is to be done about an event after the caller was answered. `await`: its processor has accepted it. `operator`: its processor says
 * neither yes nor no, and is not asked any more.
 */
export const REMEDIES = ["reverse", "repeat", "await", "operator"] as const;
export type Remedy = (typeof REMEDIES)[number];

export interface Conclusion {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly sequence: number;
  readonly eventType: EventType;
  /** When the event was added. */
  readonly eventCreatedAt: Date;
  readonly outcome: FirstOutcome;
  readonly keyedResponse: KeyedResponse | null;
  /** Written with the outcome: an unanswered charge is to be reversed. */
  readonly remedy: Remedy | null;
  readonly processorId: string;
  /** An approved authorization that is captured by itself at its processor's time of day. */
  readonly awaitsCapture: boolean;
  /** The intent of the operation's next step, durable together with the outcome or not at all: no two steps stand apart. */
  readonly next?: Event;
  /** `next` is written only if the tries of this card at this merchant, this event's among them, are within these. */
  readonly limits?: readonly RepeatLimit[];
  /** `next` is given up if its turn to be written does not come within so long. */
  readonly nextWithinMs?: number;
  /** What this approval tells of its card on file, written with it. */
  readonly learned?: LearnedOfCard;
  /** It charged nothing, so that it does not count within the payer's consent, unless a next step follows. */
  readonly uncounted?: true;
}

/** Nothing was written. */
export interface BeyondConsent {
  readonly refusal: Refusal;
}

export interface LearnedOfCard {
  readonly cardId: string;
  /** The scheme's, of the card's first charge. What is there already stays. */
  readonly networkTransactionId: string;
}

/**
 * - `concluded`: the outcome is durable, and so is the intent of a next step
 * - `conflict`: the outcome is durable, and another event has the place of the next step, so that the operation ends here
 * - `limit-reached`: the outcome is durable, the next step would exceed a limit or come too late, and the operation ends here
 * - `already-concluded`: there was an outcome, which stands
 * - `taken-over`: the event was not sent, and that is not on record: another node took the event over, and may be sending
 */
export type Concluded = "concluded" | "conflict" | "limit-reached" | "already-concluded" | "taken-over";

export type KeyedResponse = KeptResponse & { readonly key: string };

export interface EventPlace {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly sequence: number;
}

export interface Journal {
  /** Resolves when the intent is durable; gives the transaction's `created_at`. */
  open(
    intent: OpeningIntent,
    claim: KeyClaim | null,
    /** Written with the intent, where a processor that may be asked needs the number later. */
    sealedCard?: SealedCard | null,
  ): Promise<{ readonly createdAt: Date } | "key-taken" | BeyondConsent>;
  /** Resolves when the intent is durable. `conflict`: another event has this sequence, or the key is taken: look again. */
  append(
    merchantId: string,
    transactionId: string,
    event: Event,
    claim: KeyClaim | null,
  ): Promise<"appended" | "conflict">;
  /**
   * Resolves when an event is durable together with its outcome: what a processor did by itself, so that nobody ever asks for it.
   * `conflict`: another event has this sequence: look again.
   */
  appendEnded(event: Event, conclusion: Conclusion): Promise<"appended" | "conflict">;
  /** Resolves when the outcome is durable. The keyed answer is stored with it, unless a next step is to give another. */
  conclude(conclusion: Conclusion): Promise<Concluded>;
  /** An approved event failed after all: written beside its outcome, once. */
  failLate(place: EventPlace, failure: LateFailure): Promise<void>;
  /**
   * An event without an outcome is handed to the resolver, together with the answer that its caller gets. One that has its outcome by then,
   * since a notification was faster, is not.
   */
  defer(place: EventPlace, remedy: Remedy, dueAt: Date, keyedResponse: KeyedResponse | null): Promise<void>;

  /**
   * As `defer` with the remedy `await`, of a charge whose payer has to authenticate: the challenge is durable with it. One that was taken over
   * or has its outcome by then has no challenge.
   */
  openChallenge(
    place: EventPlace,
    challenge: Challenge,
    dueAt: Date,
    keyedResponse: KeyedResponse | null,
  ): Promise<void>;

  /** After a write that ended uncertain it tells for good whether that was done. */
  find(merchantId: string, transactionId: string): Promise<Transaction | undefined>;
  /** Undefined where none was needed, or it was removed since. */
  findSealedCard(merchantId: string, transactionId: string): Promise<SealedCard | undefined>;
  findKey(merchantId: string, key: string): Promise<StoredKey | undefined>;
  /** For a key whose first request ended without an answer. The answer that was stored first wins and is given back. */
  storeResponse(merchantId: string, response: KeyedResponse): Promise<KeptResponse>;
}

/** The database cannot be reached, and what was asked of it has surely not been done. */
export class JournalUnavailable extends Error {}

/** An intent or an outcome that may or may not be durable, and the database could not be asked in time. */
export class JournalUncertain extends Error {}
