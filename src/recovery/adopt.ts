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
import { type Author, type Backoffice, type Done, done, type Invalid, invalid } from "../merchants/backoffice.ts";
import { problemsOfOwnCard } from "../merchants/own-card.ts";
import { findProcessorRecord } from "../merchants/processor-lookup.ts";
import { Adoption } from "../merchants/resolution.ts";
import { isCharge } from "../payment/transaction.ts";
import { NOTHING_CHECKED } from "../payment/verification.ts";
import type { Answer } from "../processors/processor.ts";
import { isUuid } from "../uuid.ts";
import { noProblems, problemsOf } from "../validation/problems.ts";

/** Something is in the way, in words. */
interface InTheWay {
  readonly kind: "in-the-way";
  readonly why: string;
}
const inTheWay = (why: string): InTheWay => ({ kind: "in-the-way", why });

/**
 * Durable when it resolves. With an entry in the audit log.
 * @param eventId of an open operation
 */
export async function adopt(
  office: Backoffice,
  author: Author,
  eventId: string,
  input: unknown,
): Promise<Done<Adoption> | Invalid | InTheWay> {
  const problems = problemsOf(Adoption, input);
  if (!noProblems(problems)) return invalid(problems);
  const adoption = input as Adoption;
  if (!isUuid(eventId)) return inTheWay(`there is no operation ${eventId}`);
  const { sql } = office;
  const { recovery } = await readLineage(sql, await lineageExpression(sql));
  if (recovery === null)
    return inTheWay("the gateways are not in recovery mode: enter how an operation ended with faregate resolve");
  const [row] = await sql`select merchant_id, transaction_id, processor_id from events where id = ${eventId}`;
  if (row === undefined) return inTheWay(`there is no operation ${eventId}`);
  const [merchantId, transactionId] = [text(row.merchant_id), text(row.transaction_id)];
  const transaction = await findTransaction(sql, merchantId, transactionId);
  const event = transaction?.events.find(({ id }) => id === eventId);
  if (transaction === undefined || event === undefined) return inTheWay(`there is no operation ${eventId}`);
  if (event.outcome !== null) return inTheWay(`this operation has its outcome: ${event.outcome.kind}`);
  if (isCharge(event) && adoption.outcome === "approved" && adoption.processor_transaction_id === undefined)
    return invalid({ processor_transaction_id: ["is required for an approved sale or auth: follow-ups name it"] });
  const own = problemsOfOwnCard(adoption, transaction.card.mask);
  if (!noProblems(own)) return invalid(own);
  const record = await findProcessorRecord(sql, text(row.processor_id), office.secrets);
  if (record === undefined) return inTheWay(`there is no processor ${row.processor_id}`);
  const outcome = outcomeOf({ transaction, event }, answerOf(adoption), record.schedule, office.clock.now());
  if (outcome === undefined) throw new Error("broken invariant: an answer without an outcome");
  const conclusion = conclusionOf(transaction, event, outcome, record.schedule);
  const { statement } = (await isDistributed(sql)) ? concludingOfOne() : concluding();
  const [written] = await statement(sql, [conclusion]);
  if (written !== "concluded") return inTheWay("this operation has its outcome since a moment ago");
  await audited(office, author, async () => ({
    result: undefined,
    entry: { action: "recovery.create", subject: ["recovery", eventId], merchantId, after: adoption },
  }));
  return done(adoption);
}

function answerOf({ outcome, processor_transaction_id: reference }: Adoption): Answer {
  const response = { ...NOTHING_CHECKED, transactionId: reference ?? null, authCode: null };
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
