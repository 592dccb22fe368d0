// Our reference as Adyen has it, on payments and on what follows them: transaction, event and what was asked, in 75 of its 80
// characters. What was asked is in it because a notification about a capture may name the payment instead.

import { EVENT_TYPES, type EventType } from "../../payment/transaction.ts";

export interface Referred {
  readonly transactionId: string;
  /** The event's id. */
  readonly reference: string;
  readonly type: EventType;
}

/** Of the verification of a card, which is no event of any transaction. */
export const verificationReference = (reference: string): string => `verification_${reference}`;
export const isVerification = (text: string): boolean => VERIFICATION.test(text);

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const WRITTEN = new RegExp(`^(${UUID})_(${UUID})_([sacvr])$`);

const VERIFICATION = new RegExp(`^verification_${UUID}$`);

/** `…_…_c`: s for a sale, a auth, c capture, v void, r refund. */
export const renderReference = ({ transactionId, reference, type }: Referred): string =>
  `${transactionId}_${reference}_${type.charAt(0)}`;

/** Null: it is none of ours, such as of a payment that was made elsewhere with the same account. */
export function parseReference(text: string): Referred | null {
  const [, transactionId, reference, letter] = WRITTEN.exec(text) ?? [];
  const type = EVENT_TYPES.find((one) => one.charAt(0) === letter);
  return transactionId && reference && type ? { transactionId, reference, type } : null;
}
