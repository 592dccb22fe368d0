// How an unresolved operation ended, as an operator found out at the processor: for what nobody there will answer or report any more.
// It waits with the processors' notifications, so what follows from one of those follows from it.

import Type from "typebox";
import type { Sql } from "../journal/database.ts";
import { keepNotifications } from "../journal/notifications.ts";
import { count, rowReader, text } from "../journal/rows.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { findTransaction } from "../journal/whole-transactions.ts";
import { keptWords, MOST_SAID } from "../payment/kept-response.ts";
import { type EventNews, isGivenUp } from "../payment/news.ts";
import { type Event, isCharge } from "../payment/transaction.ts";
import { NOTHING_CHECKED } from "../payment/verification.ts";
import { isUuid } from "../uuid.ts";
import { Name, Timestamp, timestamp, Uuid } from "../validation/fields.ts";
import { MUST_BE, noProblems, type Problems, problemsOf } from "../validation/problems.ts";
import { MAY_HOLD } from "../validation/stray-card-numbers.ts";
import { audited } from "./audit.ts";
import {
  type Author,
  type Backoffice,
  type Done,
  done,
  type Invalid,
  invalid,
  type Unknown,
  unknown,
} from "./backoffice.ts";
import { problemsOfOwnCard } from "./own-card.ts";

export const RESOLVED_AS = ["approved", "declined", "reversed"] as const;
export type ResolvedAs = (typeof RESOLVED_AS)[number];

export const Evidence = {
  ...Name,
  description: "Where you saw that, for the audit log.",
  examples: ["Customer Area: refund 8825408195409505, settled 2031-05-02"],
};

export const ProcessorReference = Type.String({
  pattern: "^[!-~]{1,255}$",
  description:
    "The processor's reference for the operation. Required for an approved sale or auth: follow-ups name it.",
  [MUST_BE]: "a reference of 1 to 255 letters, digits and signs, without blanks",
  [MAY_HOLD]: "identifier",
  examples: ["8825408195409505"],
});

const FIELDS = {
  outcome: Type.Enum([...RESOLVED_AS], {
    description:
      "`approved` or `declined`: how the processor carried the operation out. " +
      "`reversed`: of a charge that was given up (`given_up`), the processor holds and takes no money.",
  }),
  evidence: Evidence,
  processor_transaction_id: Type.Optional(ProcessorReference),
};

export const NewResolution = Type.Object(FIELDS, { description: "How an unresolved operation ended." });
export type NewResolution = Type.Static<typeof NewResolution>;

export const ADOPTED_AS = ["approved", "declined"] as const;

/** How an open operation ended, in recovery mode. */
export const Adoption = Type.Object({
  outcome: Type.Enum([...ADOPTED_AS]),
  evidence: Evidence,
  processor_transaction_id: Type.Optional(ProcessorReference),
});
export type Adoption = Type.Static<typeof Adoption>;

/** How it is known what is missing, at the end of recovery mode. */
export const Release = Type.Object({ evidence: Evidence });

export const Resolution = Type.Object({
  event_id: Uuid,
  merchant_id: Uuid,
  transaction_id: Uuid,
  processor_id: Uuid,
  ...FIELDS,
  entered_at: Timestamp,
});
export type Resolution = Type.Static<typeof Resolution>;

/**
 * Durable when it resolves; a gateway applies it within a second. With an entry in the audit log.
 * @param id of an event that is unresolved, in either case
 */
export async function enterResolution(
  office: Backoffice,
  author: Author,
  id: string,
  input: unknown,
): Promise<Done<Resolution> | Invalid | Unknown> {
  const problems = problemsOf(NewResolution, input);
  if (!noProblems(problems)) return invalid(problems);
  const given = input as NewResolution;
  const place = isUuid(id) ? await placeOf(office.sql, id) : undefined;
  if (place === undefined) return unknown("unresolved event", id);
  return audited<Done<Resolution> | Invalid | Unknown>(office, author, async (sql) => {
    // Nobody else enters another one meanwhile.
    if (!(await locked(sql, place))) return { result: unknown("unresolved event", id) };
    const { merchantId, transactionId, processorId, sequence, eventId } = place;
    const transaction = await findTransaction(sql, merchantId, transactionId);
    const event = transaction?.events[sequence - 1];
    if (event === undefined) throw new Error("broken journal: an unresolved event is gone");
    const own = problemsOfOwnCard(given, transaction?.card.mask);
    const wrong = noProblems(own)
      ? (problemsOfOutcome(event, given) ?? (await problemsOfRepeat(sql, place, given)))
      : own;
    if (wrong !== undefined) return { result: invalid(wrong) };
    const now = office.clock.now();
    const said = `${author.actor}: ${given.outcome}. ${keptWords(given.evidence)}`.slice(0, MOST_SAID);
    const about = { transactionId, reference: eventId };
    const notification = {
      id: notificationId(eventId, given.outcome),
      occurredAt: now,
      about,
      news: newsOf(given),
      said,
    };
    await keepNotifications(sql, place, [notification], now);
    const after: Resolution = {
      ...{ event_id: eventId, merchant_id: merchantId, transaction_id: transactionId, processor_id: processorId },
      ...given,
      entered_at: timestamp(now),
    };
    const subject = ["unresolved event", eventId] as const;
    return { result: done(after), entry: { action: "resolution.create", subject, merchantId, after } };
  });
}

interface Place {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly processorId: string;
  readonly sequence: number;
  readonly eventId: string;
}

async function placeOf(sql: Sql, eventId: string): Promise<Place | undefined> {
  const [row] = await sql`
    select u.merchant_id as "merchantId", u.transaction_id as "transactionId", u.processor_id as "processorId", u.sequence,
      e.id as "eventId"
    from unresolved u join events e using (merchant_id, transaction_id, sequence) where e.id = ${eventId}`;
  return row && placeRow(row);
}

const placeRow = rowReader<Place>("unresolved", {
  merchantId: text,
  transactionId: text,
  processorId: text,
  sequence: count,
  eventId: text,
});

async function locked(sql: TransactionSql, { merchantId, transactionId, sequence }: Place): Promise<boolean> {
  const rows = await sql`
    select 1 from unresolved
    where merchant_id = ${merchantId} and transaction_id = ${transactionId} and sequence = ${sequence} for update`;
  return rows.length > 0;
}

/** Of an event that has a definite outcome nothing is left to say: it is about to leave the list. */
function problemsOfOutcome(event: Event, { outcome, processor_transaction_id: reference }: NewResolution) {
  const givenUp = isGivenUp(event.outcome);
  if (event.outcome !== null && !givenUp) return { base: ["It has its outcome already."] };
  if (givenUp && outcome !== "reversed")
    return { outcome: ["must be reversed: this charge was given up, and the merchant was told that it failed"] };
  if (!givenUp && outcome === "reversed")
    return { outcome: ["must be approved or declined: only a charge that was given up is reversed"] };
  if (isCharge(event) && outcome === "approved" && reference === undefined)
    return { processor_transaction_id: ["is required for an approved sale or auth"] };
  return undefined;
}

async function problemsOfRepeat(
  sql: TransactionSql,
  { merchantId, processorId, eventId }: Place,
  { outcome }: NewResolution,
): Promise<Problems | undefined> {
  const ids = RESOLVED_AS.map((one) => notificationId(eventId, one));
  const [waiting] = await sql`
    select 1 from waiting_notifications
    where merchant_id = ${merchantId} and processor_id = ${processorId} and id = any(${ids}::text[])`;
  if (waiting !== undefined) return { base: ["How it ended was entered a moment ago, and is being applied."] };
  const [before] = await sql`
    select 1 from notifications
    where merchant_id = ${merchantId} and processor_id = ${processorId} and id = ${notificationId(eventId, outcome)}`;
  if (before === undefined) return undefined;
  return { outcome: ["was entered before and changed nothing: the notifications say why"] };
}

const notificationId = (eventId: string, outcome: ResolvedAs): string => `resolution:${eventId}:${outcome}`;

function newsOf({ outcome, processor_transaction_id: reference }: NewResolution): EventNews {
  const response = { ...NOTHING_CHECKED, transactionId: reference ?? null, authCode: null };
  switch (outcome) {
    case "approved":
      return {
        kind: "succeeded",
        processorResponse: { ...response, code: "00", message: "APPROVED, AS FOUND AT THE PROCESSOR" },
        entered: true,
      };
    case "declined":
      return {
        kind: "failed",
        processorResponse: { ...response, code: "NO", message: "DECLINED, AS FOUND AT THE PROCESSOR" },
        category: "refused",
        entered: true,
      };
    case "reversed":
      return { kind: "reversed", entered: true };
  }
}
