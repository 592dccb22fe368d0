// All that is wrong with a capture, void or refund, told at once: beside the fields that their schema refuses, the passengers that
// are not the transaction's.

import type { Journal } from "../journal/journal.ts";
import { type Named, wrongPassengers } from "../payment/follow-up.ts";
import { refuseAll } from "../payment/refusal.ts";
import { isUuid } from "../uuid.ts";
import { refusalFault } from "./refusal-responses.ts";
import { type FaultMessages, RequestFault } from "./request-fault.ts";
import type { FollowUpFields } from "./schema/follow-up.ts";

export class WrongFollowUp extends RequestFault {
  readonly named: Named;

  /** @param fields what of it can be read */
  constructor(problems: FaultMessages, fields: Partial<FollowUpFields>) {
    super(422, problems);
    this.named = namedIn(fields, (field) => problems[field] !== undefined);
  }
}

/** What is wrong by itself counts as there. */
function namedIn(
  { amount, passenger_transport: shares }: Partial<FollowUpFields>,
  isWrong: (field: string) => boolean,
): Named {
  const isThere = amount !== undefined || isWrong("amount");
  if (!Array.isArray(shares)) return { amount: isThere, passengers: isWrong("passenger_transport") ? [] : undefined };
  const passengers = shares.map((share, index) => {
    // Not all that is wrong is told, so what is not told may be wrong too.
    const id: unknown = share?.passenger_id;
    return isWrong(`passenger_transport.${index}.passenger_id`) || typeof id !== "string"
      ? undefined
      : id.toLowerCase();
  });
  return { amount: isThere, passengers };
}

/** The same fault, with what is wrong with its passengers. Of a transaction that is not there nothing else is told. */
export async function withPassengers(
  journal: Journal,
  merchantId: string,
  transactionId: string,
  fault: WrongFollowUp,
): Promise<RequestFault> {
  const transaction = isUuid(transactionId) ? await journal.find(merchantId, transactionId.toLowerCase()) : undefined;
  const wrong = transaction && refuseAll(wrongPassengers(transaction, fault.named));
  if (wrong === undefined) return fault;
  const { messages, headers } = refusalFault(wrong);
  return new RequestFault(422, { ...messages, ...fault.messages }, headers);
}
