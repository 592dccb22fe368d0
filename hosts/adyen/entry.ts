// What stands in the books of this host, a line each: what was asked, what was answered, and what Adyen would tell of it by webhook.
// A card number is never here.

/** An item of a standard webhook before it is signed. */
export interface Item {
  readonly eventCode: string;
  readonly success: "true" | "false";
  readonly pspReference: string;
  readonly originalReference?: string;
  readonly merchantReference: string;
  readonly merchantAccountCode: string;
  readonly amount: { readonly value: number; readonly currency: string };
  readonly eventDate: string;
  readonly reason: string;
  readonly additionalData: Readonly<Record<string, string>>;
}

/** What changed, if anything did. */
export type Effect =
  | {
      readonly kind: "payment";
      readonly psp: string;
      readonly reference: string;
      /** The merchant's own; missing in older books, as the method. */
      readonly order?: string;
      /** `visa` */
      readonly method?: string;
      readonly value: number;
      readonly currency: string;
      /** Captured by the host itself: at once, or with the next settlement. */
      readonly captures: "at once" | "later" | "by hand";
    }
  | { readonly kind: "capture" | "refund"; readonly payment: string; readonly value: number }
  | { readonly kind: "cancel"; readonly payment: string };

export interface Booked {
  readonly kind: "booked";
  readonly at: string;
  /** Of the company account, whatever it was used for: the same again is answered from here. */
  readonly key: string | null;
  readonly answer: Answer;
  readonly effect: Effect | null;
  readonly item: Item | null;
}

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sales that were to be captured later are captured. */
export interface Settled {
  readonly kind: "settled";
  readonly at: string;
}

/** All that was captured or refunded until then is in a batch, and paid out. */
export interface PaidOut {
  readonly kind: "paid-out";
  readonly at: string;
}

export type Entry = Booked | Settled | PaidOut;
