// What the accounts of a run are made of, beside the clients' notes: events of the journal, and lines of the hosts' books.

export interface JournalEvent {
  readonly id: string;
  readonly transactionId: string;
  readonly sequence: number;
  readonly type: "sale" | "auth" | "capture" | "void" | "refund";
  /** In hundredths. */
  readonly amount: bigint;
  readonly processorId: string;
  /** Null: nobody asked for it, so it is an automatic capture. */
  readonly ipAddress: string | null;
  readonly reversal: boolean;
  readonly createdAt: Date;
  readonly outcome: JournalOutcome | null;
  /** It was approved, and failed after all: with this code. */
  readonly failedLate: string | null;
}

export interface JournalOutcome {
  readonly kind: "approved" | "declined" | "already-settled" | "unanswered" | "not-sent";
  readonly code: string;
  readonly authCode: string | null;
  /** The host's identifier. */
  readonly processorTransactionId: string | null;
  readonly at: Date;
}

/** An idempotency key and the event that it led to. */
export interface JournalKey {
  readonly key: string;
  readonly transactionId: string;
  readonly sequence: number;
}

export interface Booked {
  readonly at: Date;
  readonly operation: "sale" | "auth" | "capture" | "void" | "refund" | "reversal";
  /** At a host with several: which. */
  readonly book: string;
  /** What the host knows our event by. */
  readonly reference: string;
  /** In hundredths. */
  readonly amount: bigint;
  readonly code: string;
  readonly authCode: string;
  readonly id: string;
  readonly transaction: string;
}
