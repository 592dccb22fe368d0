// The outcome of an open operation in recovery mode, as the processor's books or its own site show it. It is written before the release, so
// that no gateway reverses what a merchant was told is approved.

import { conclusionOf, outcomeOf } from "../gateway/outcome.ts";
import { concluding } from "../journal/concluding.ts";
import { isDistributed } from "../journal/distribution.ts";
import { lineageExpression, readLineage } from "../journal/lineage.ts";
import { concludingOfOne } from "../journal/one-merchant/conclude.ts";
import { text } from "../journal/rows.ts";
import { findTransaction } from "../journal/whole-transactions.ts";
import { audited } from "../merchants/audit.ts";
import type { Author, Backoffice } from "../merchants/backoffice.ts";
import { findProcessorRecord } from "../merchants/processor-lookup.ts";
import { isCharge } from "../payment/transaction.ts";
import { NOTHING_CHECKED } from "../payment/verification.ts";
import type { Answer } from "../processors/processor.ts";

export const ADOPTED_AS = ["approved", "declined"] as const;

export interface Adoption {
  readonly eventId: string;
  readonly outcome: (typeof ADOPTED_AS)[number];
  /** Where it was seen, for the audit log. */
  readonly evidence: string;
  /** The processor's reference; required for an approved sale or auth, since follow-ups name it. */
  readonly processorTransactionId?: string | undefined;
}

/** @returns what is in the way, in words; undefined: the outcome is durable */
export async function adopt(office: Backoffice, author: Author, adoption: Adoption): Promise<string | undefined> {
  const { sql } = office;
  const { recovery } = await readLineage(sql, await lineageExpression(sql));
  if (recovery === null)
    return "the gateways are not in recovery mode: enter how an operation ended with faregate resolve";
  const [row] = await sql`select merchant_id, transaction_id, processor_id from events where id = ${adoption.eventId}`;
  if (row === undefined) return `there is no operation ${adoption.eventId}`;
  const [merchantId, transactionId] = [text(row.merchant_id), text(row.transaction_id)];
  const transaction = await findTransaction(sql, merchantId, transactionId);
  const event = transaction?.events.find(({ id }) => id === adoption.eventId);
  if (transaction === undefined || event === undefined) return `there is no operation ${adoption.eventId}`;
  if (event.outcome !== null) return `this operation has its outcome: ${event.outcome.kind}`;
  if (isCharge(event) && adoption.outcome === "approved" && adoption.processorTransactionId === undefined)
    return "--processor-transaction-id is required for an approved sale or auth: follow-ups name it";
  const record = await findProcessorRecord(sql, text(row.processor_id), office.secrets);
  if (record === undefined) return `there is no processor ${row.processor_id}`;
  const outcome = outcomeOf({ transaction, event }, answerOf(adoption), record.schedule, office.clock.now());
  if (outcome === undefined) throw new Error("broken invariant: an answer without an outcome");
  const conclusion = conclusionOf(transaction, event, outcome, record.schedule);
  const { statement } = (await isDistributed(sql)) ? concludingOfOne() : concluding();
  const [written] = await statement(sql, [conclusion]);
  if (written !== "concluded") return "this operation has its outcome since a moment ago";
  const { eventId, ...after } = adoption;
  await audited(office, author, async () => ({
    result: undefined,
    entry: { action: "recovery.create", subject: ["recovery", eventId], merchantId, after },
  }));
  return undefined;
}

function answerOf({ outcome, processorTransactionId }: Adoption): Answer {
  const response = { ...NOTHING_CHECKED, transactionId: processorTransactionId ?? null, authCode: null };
  return outcome === "approved"
    ? {
        kind: "approved",
        processorResponse: { ...response, code: "00", message: "APPROVED, AS FOUND AT THE PROCESSOR" },
      }
    : {
        ...{ kind: "declined", category: "refused" },
        processorResponse: { ...response, code: "NO", message: "DECLINED, AS FOUND AT THE PROCESSOR" },
      };
}
