// All that is wrong with a capture, void or refund, told at once: beside the fields that their schema refuses, the passengers that
// are not the transaction's, and amounts that are too much.

import type { Parts } from "../gateway/parts.ts";
import { alsoWrong } from "../payment/follow-up.ts";
import { type Amount, parseAmount } from "../payment/money.ts";
import type { Readable } from "../payment/readable-follow-up.ts";
import { chargeOf, type FollowUpType } from "../payment/transaction.ts";
import { isUuid } from "../uuid.ts";
import { refusalFault } from "./refusal-responses.ts";
import { type FaultMessages, RequestFault } from "./request-fault.ts";
import type { FollowUpFields } from "./schema/follow-up.ts";

export class WrongFollowUp extends RequestFault {
  readonly readable: Readable;

  /** @param fields what of it can be read */
  constructor(problems: FaultMessages, fields: Partial<FollowUpFields>) {
    super(422, problems);
    this.readable = readableIn(fields, (field) => problems[field] !== undefined);
  }
}

/** What is wrong by itself counts as there. Not all that is wrong is told, so what is not told may be wrong too. */
function readableIn(
  { amount, currency, passenger_transport: shares }: Partial<FollowUpFields>,
  isWrong: (field: string) => boolean,
): Readable {
  const whole = {
    currency: isWrong("currency") ? undefined : currency,
    hasAmount: amount !== undefined || isWrong("amount"),
    amount: amountIn(amount),
  };
  if (!Array.isArray(shares)) return { ...whole, shares: isWrong("passenger_transport") ? [] : undefined };
  const read = shares.map((share, index) => {
    const id: unknown = share?.passenger_id;
    const hasId = typeof id === "string" && !isWrong(`passenger_transport.${index}.passenger_id`);
    return { passengerId: hasId ? id.toLowerCase() : undefined, amount: amountIn(share?.amount) };
  });
  return { ...whole, shares: read };
}

function amountIn(text: unknown): Amount | undefined {
  const parsed = typeof text === "string" ? parseAmount(text) : undefined;
  return parsed?.ok ? parsed.amount : undefined;
}

/** The same fault, with what else is wrong. Of a transaction that is not there nothing else is told. */
export async function withAlsoWrong(
  { journal, processors, clock }: Parts,
  { merchantId, transactionId, type }: { merchantId: string; transactionId: string; type: FollowUpType },
  fault: WrongFollowUp,
): Promise<RequestFault> {
  const transaction = isUuid(transactionId) ? await journal.find(merchantId, transactionId.toLowerCase()) : undefined;
  if (transaction === undefined) return fault;
  const { capabilities } = await processors.find(merchantId, chargeOf(transaction).processorId);
  const wrong = alsoWrong(type, transaction, fault.readable, capabilities, clock.now());
  if (wrong === undefined) return fault;
  const { messages, headers } = refusalFault(wrong);
  return new RequestFault(422, { ...messages, ...fault.messages }, headers);
}
