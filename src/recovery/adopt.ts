// The outcome of an open operation in recovery mode, as the processor's books or its own site show it. It is written before the release, so
// that no gateway reverses what a merchant was told is approved.

import { conclusionOf, outcomeOf } from "../gateway/outcome.ts";
import { lastRecovery } from "../journal/lineage.ts";
import { concludeOfOne } from "../journal/one-merchant/conclude.ts";
import { text } from "../journal/rows.ts";
import { findTransaction } from "../journal/whole-transactions.ts";
import { audited } from "../merchants/audit.ts";
import { type Author, type Backoffice, type Done, done, type Invalid, invalid } from "../merchants/backoffice.ts";
import { problemsOfOwnCard } from "../merchants/own-card.ts";
import { findProcessorRecord } from "../merchants/processor-lookup.ts";
import { Adoption } from "../merchants/resolution.ts";
import { settlementTimes } from "../payment/settlement.ts";
import { isCharge } from "../payment/transaction.ts";
import { NOTHING_CHECKED } from "../payment/verification.ts";
import type { Answer } from "../processors/processor.ts";
import { isUuid } from "../uuid.ts";
import { noProblems, problemsOf } from "../validation/problems.ts";
import { oneAtATime } from "./one-at-a-time.ts";

/** Something is in the way, in words. */
export interface InTheWay {
  readonly kind: "in-the-way";
  readonly why: string;
  /** It is nothing but that recovery mode has not begun. */
  readonly notBegun?: true;
}
export const inTheWay = (why: string): InTheWay => ({ kind: "in-the-way", why });

/** What records say of it beyond what an operator enters. */
export interface Booked {
  /** When it was booked: its money settles by that. */
  readonly at: Date | null;
  readonly code: string;
  readonly authCode: string | null;
}

/**
 * Durable when it resolves. With an entry in the audit log.
 * @param eventId of an open operation
 */
export async function adopt(
  office: Backoffice,
  author: Author,
  eventId: string,
  input: unknown,
  booked?: Booked,
): Promise<Done<Adoption> | Invalid | InTheWay> {
  const problems = problemsOf(Adoption, input);
  if (!noProblems(problems)) return invalid(problems);
  const adoption = input as Adoption;
  if (!isUuid(eventId)) return inTheWay(`there is no operation ${eventId}`);
  return audited<Done<Adoption> | Invalid | InTheWay>(office, author, async (sql) => {
    await oneAtATime(sql);
    const nothing = (result: Invalid | InTheWay) => ({ result });
    const [row] = await sql`select merchant_id, transaction_id, processor_id from events where id = ${eventId}`;
    if (row === undefined) return nothing(inTheWay(`there is no operation ${eventId}`));
    const merchantId = text(row.merchant_id);
    const transaction = await findTransaction(sql, merchantId, text(row.transaction_id));
    const event = transaction?.events.find(({ id }) => id === eventId);
    if (transaction === undefined || event === undefined) return nothing(inTheWay(`there is no operation ${eventId}`));
    if (event.outcome !== null) return nothing(inTheWay(`this operation has its outcome: ${event.outcome.kind}`));
    const isApproved = adoption.outcome === "approved";
    if (booked === undefined && isCharge(event) && isApproved && adoption.processor_transaction_id === undefined)
      return nothing(
        invalid({ processor_transaction_id: ["is required for an approved sale or auth: follow-ups name it"] }),
      );
    const own = problemsOfOwnCard(adoption, transaction.card.mask);
    if (!noProblems(own)) return nothing(invalid(own));
    if ((await lastRecovery(sql))?.inForce !== true)
      return nothing({
        ...inTheWay("the gateways are not in recovery mode: enter how an operation ended with faregate resolve"),
        notBegun: true,
      });
    const record = await findProcessorRecord(office.sql, text(row.processor_id), office.secrets);
    if (record === undefined) return nothing(inTheWay(`there is no processor ${row.processor_id}`));
    const answer = answerOf(adoption, booked);
    const settlement = booked?.at && settlementTimes(record.schedule, booked.at);
    const outcome = outcomeOf(
      { transaction, event },
      answer.kind === "approved" && settlement ? { ...answer, settlement } : answer,
      record.schedule,
      office.clock.now(),
    );
    if (outcome === undefined) throw new Error("broken invariant: an answer without an outcome");
    const [written] = await concludeOfOne(sql, [conclusionOf(transaction, event, outcome, record.schedule)]);
    if (written !== "concluded") return nothing(inTheWay("this operation has its outcome since a moment ago"));
    return {
      result: done(adoption),
      entry: { action: "recovery.create", subject: ["recovery", eventId], merchantId, after: adoption },
    };
  });
}

function answerOf({ outcome, processor_transaction_id: reference }: Adoption, booked: Booked | undefined): Answer {
  const response = { ...NOTHING_CHECKED, transactionId: reference ?? null, authCode: booked?.authCode ?? null };
  return outcome === "approved"
    ? {
        kind: "approved",
        processorResponse: { ...response, code: booked?.code ?? "00", message: "APPROVED, AS FOUND AT THE PROCESSOR" },
      }
    : {
        ...{ kind: "declined", category: "refused" },
        processorResponse: { ...response, code: booked?.code ?? "NO", message: "DECLINED, AS FOUND AT THE PROCESSOR" },
      };
}
