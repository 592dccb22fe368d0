// What a processor says that was done in an account, with all that an operation needs to come back into a database that has lost it. A kind
// whose processors keep or give out such records brings a reader for them.

import type { Amount } from "../payment/money.ts";
import type { ProcessorRecord } from "../payment/processor-record.ts";
import type { ChargeType } from "../payment/transaction.ts";
import type { BookedOperation, BrokenLine, ForeignLine } from "./books.ts";
import type { Trace } from "./trace-numbers.ts";

export interface Booking {
  /** In the file, from 1; of what came over the API, its place there. */
  readonly line: number;
  readonly operation: BookedOperation;
  /** What the processor knows the operation by; a reversal has that of its charge. */
  readonly reference: string;
  /** When it was done, by the processor's clock; null: its records do not say. */
  readonly at: Date | null;
  /** Null: its records do not say. */
  readonly amount: Amount | null;
  /** ISO 4217, alphabetic; as it came where it is none. */
  readonly currency: string;
  /** Money was held or moved; of a reversal: taken back. */
  readonly approved: boolean;
  /** Of a reversal: nothing of its charge is held, whether or not there was something to take back. */
  readonly nothingHeld: boolean;
  /** Of a charge: it was approved, and nothing of it is held any more; whether by a void or by a reversal, the processor does not say. */
  readonly canceled?: true;
  /** It gave money back: as a void or as a refund, the processor does not say. */
  readonly isPerhapsVoid?: true;
  /** The processor's, for people. */
  readonly code: string;
  /** The gateway's names, where the processor has them. */
  readonly transactionId: string | null;
  readonly eventId: string | null;
  /** Of a follow-up or reversal: what the processor knows its charge by. */
  readonly ofCharge: string | null;
  /** Of a charge. */
  readonly merchantTransactionId: string | null;
  readonly card: BookedCard | null;
  /** As follow-ups name it. */
  readonly processorTransactionId: string | null;
  readonly authCode: string | null;
  /** Under which it was sent, for protocols whose follow-ups name that. */
  readonly trace: Trace | null;
}

export interface BookedCard {
  /** `411111******1111`; asterisks for what is not known. */
  readonly mask: string;
  /** As the processor calls it, in small letters; null: it follows from the digits. */
  readonly brand: string | null;
  /** `12`, `2030`; null: not known. */
  readonly expiryMonth: string | null;
  readonly expiryYear: string | null;
}

/** A surviving charge of which money is left that may have been captured or released since. */
export interface OpenCharge {
  readonly transactionId: string;
  readonly processorTransactionId: string;
}

export type Bookings = AsyncIterable<readonly (Booking | ForeignLine | BrokenLine)[]>;

/** The processor did not give its records. */
export class NoBookings extends Error {}

export interface BookingsReader {
  /** What an operator has to get for a comparison, in words: "the books of each day". */
  readonly needs: string;
  /** What a reference of one is, in words, where only some texts are: "twelve letters and digits". */
  readonly reference?: { readonly pattern: RegExp; readonly words: string };
  /** Under which a charge was sent, for protocols whose follow-ups name that. */
  traceOf?(type: ChargeType, stan: string, sentAt: Date): Trace;
  /** What is not in the records of a time was not done then. False: it may come in later ones. */
  readonly complete: boolean;
  /** Several of its records tell the same operation: a second line is no second booking. */
  readonly overlapping?: true;
  /** The id of the event that comes back: its own, or one that the reference can be told from. Undefined: a new one does. */
  eventIdOf(booking: Pick<Booking, "reference" | "at" | "eventId">): string | undefined;
  /** Whether this event of ours is the one that was booked. */
  isOf(eventId: string, booking: Pick<Booking, "reference" | "eventId">): boolean;
  /** What the processor knows an event by, where its records may name neither transaction nor event. */
  referenceOf?(eventId: string): string;
  /** Of a file. Undefined: the processor is asked instead. @throws NoBooks or NoReport if it is none */
  read?(file: AsyncIterable<string>, record: Pick<ProcessorRecord, "currency" | "settings">): Bookings;
  /** Asks the processor, and changes nothing there. @throws NoBookings */
  ask?(record: ProcessorRecord, since: Date, open: readonly OpenCharge[], signal: AbortSignal): Bookings;
}
