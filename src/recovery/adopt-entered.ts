// A lost operation as an operator enters it, from a page of the processor's that no program reads.

import { rowReader, text } from "../journal/rows.ts";
import type { Author, Backoffice, Invalid } from "../merchants/backoffice.ts";
import { invalid } from "../merchants/backoffice.ts";
import { LostEntry } from "../merchants/lost-entry.ts";
import { fitsCurrency } from "../payment/currency.ts";
import { parseAmount } from "../payment/money.ts";
import type { ProcessorRecord } from "../payment/processor-record.ts";
import { isChargeType } from "../payment/transaction.ts";
import type { BookingsReader } from "../processors/bookings.ts";
import { operationsSent } from "../settlement/reconciliation/read-operations.ts";
import { idOfName } from "../uuid.ts";
import { noProblems, type Problems, problemsOf } from "../validation/problems.ts";
import { type InTheWay, inTheWay } from "./adopt.ts";
import { type Adopted, adoptLost, type LostOperation } from "./adopt-lost.ts";
import { idOfCharge, keptCard } from "./plan.ts";

/** @param userId whose charge it is */
export async function adoptEntered(
  office: Backoffice,
  author: Author,
  record: ProcessorRecord,
  reader: BookingsReader | undefined,
  input: unknown,
  userId: string,
): Promise<Adopted | InTheWay | Invalid> {
  const problems = problemsOf(LostEntry, input);
  if (!noProblems(problems)) return invalid(problems);
  const entry = input as LostEntry;
  const at = new Date(entry.at);
  const parsed = parseAmount(entry.amount);
  const wrong = problemsBeyond(entry, record, reader, at, office.clock.now());
  if (!noProblems(wrong)) return invalid(wrong);
  if (!parsed.ok) return invalid({ amount: ["must be an amount like 12.34, from 0.01 to 9999999"] });
  const { amount } = parsed;
  if (!fitsCurrency(amount, record.currency)) return invalid({ amount: [`is no amount of ${record.currency}`] });
  const { type, reference } = entry;
  const isCharge = isChargeType(type);
  const named = { reference, at, eventId: entry.event ?? null };
  const derived = reader?.eventIdOf(named);
  const operation: LostOperation = {
    ...{ type, amount, at, reference, evidence: entry.evidence, code: "00", authCode: entry.auth_code ?? null },
    eventId: derived ?? entry.event ?? idOfName(`${record.id} ${type} ${reference}`, at),
    // Where the reference is the gateway's own, the processor has another name for it, if any.
    processorTransactionId: entry.processor_transaction_id ?? (reader?.reference === undefined ? reference : null),
    trace: traceOf(entry, reader),
    isOf: reader && ((eventId) => reader.isOf(eventId, { reference, eventId: entry.event ?? null })),
  };
  const known = await knownAs(office, record, reader, entry, operation);
  if (known !== undefined) return inTheWay(`this operation is here, in transaction ${known}: it is not lost`);
  return adoptLost(office, author, record, {
    id: entry.transaction ?? idOfCharge(record.id, reference),
    opening: isCharge
      ? { userId, merchantTransactionId: entry.merchant_transaction_id ?? "", card: cardOf(entry) }
      : undefined,
    operations: [operation],
  });
}

function problemsBeyond(
  { type, currency, reference, merchant_transaction_id, transaction }: LostEntry,
  record: ProcessorRecord,
  reader: BookingsReader | undefined,
  at: Date,
  now: Date,
): Problems {
  const problems: Record<string, string[]> = {};
  if (currency !== undefined && currency !== record.currency)
    problems.currency = [`must be ${record.currency}, as of the processor record`];
  if (reader?.reference && !reader.reference.pattern.test(reference))
    problems.reference = [`must be ${reader.reference.words}`];
  if (at > now) problems.at = ["must not be later than now"];
  if (isChargeType(type) && merchant_transaction_id === undefined)
    problems.merchant_transaction_id = ["is required for a sale or auth"];
  if (!isChargeType(type) && transaction === undefined)
    problems.transaction = ["is required for a capture, void or refund: the transaction of its charge"];
  return problems;
}

const DAY_MS = 86_400_000;

/** Under another id. What was adopted under this one is found by its transaction. @returns the id of its transaction */
async function knownAs(
  { sql, clock }: Backoffice,
  { merchantId, id }: ProcessorRecord,
  reader: BookingsReader | undefined,
  { type, reference, event }: LostEntry,
  { eventId, at }: LostOperation,
): Promise<string | undefined> {
  const account = { merchantId, processorId: id };
  const until = clock.now().getTime() + DAY_MS;
  for await (const some of operationsSent(sql, account, at.getTime() - DAY_MS, until)) {
    const found = some.find(
      (one) =>
        one.type === type &&
        one.eventId !== eventId &&
        (reader?.isOf(one.eventId, { reference, eventId: event ?? null }) ||
          ((isChargeType(type) || type === "refund") && one.processorName === reference)),
    );
    if (found !== undefined) return found.transactionId;
  }
  return undefined;
}

function cardOf({ card, brand, expiry }: LostEntry) {
  const [expiryMonth = null, expiryYear = null] = expiry?.split("/") ?? [];
  return keptCard({ mask: card ?? "*".repeat(16), brand: brand ?? null, expiryMonth, expiryYear });
}

/** Of protocols that number their messages. */
function traceOf({ type, stan, sent_at, at }: LostEntry, reader: BookingsReader | undefined): LostOperation["trace"] {
  if (stan === undefined || !isChargeType(type)) return null;
  return reader?.traceOf?.(type, stan, new Date(sent_at ?? at)) ?? null;
}

const userRow = rowReader<{ readonly id: string }>("tokens", { id: text });

/** The merchant's only user with a token that may charge; of several, one has to be named. */
export async function onlyUser({ sql }: Backoffice, merchantId: string): Promise<string | undefined> {
  const rows = await sql`
    select distinct user_id as id from tokens where merchant_id = ${merchantId} and 'charge' = any(scopes) limit 2`;
  const [only, other] = rows.map((row) => userRow(row).id);
  return other === undefined ? only : undefined;
}
