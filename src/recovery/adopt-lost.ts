// Brings operations back that the database has lost, one transaction at a time: the charge with its own names and those of the processor,
// and what followed. From then on it is an ordinary transaction, and the idempotency key of its request is known again. It is written once,
// also when several operators adopt it at once.

import { conclusionOf, outcomeOf } from "../gateway/outcome.ts";
import { lastRecovery } from "../journal/lineage.ts";
import { appendIn } from "../journal/one-merchant/append.ts";
import { concludeOfOne } from "../journal/one-merchant/conclude.ts";
import { openIn } from "../journal/one-merchant/open.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { findTransaction } from "../journal/whole-transactions.ts";
import { audited } from "../merchants/audit.ts";
import type { Author, Backoffice } from "../merchants/backoffice.ts";
import { balances, refundable } from "../payment/balances.ts";
import { sharesLeft } from "../payment/follow-up.ts";
import { keptReference } from "../payment/kept-response.ts";
import { type Amount, plus, renderAmount, sum } from "../payment/money.ts";
import { isGivenUp } from "../payment/news.ts";
import type { ProcessorRecord } from "../payment/processor-record.ts";
import { settlementTimes } from "../payment/settlement.ts";
import {
  type Event,
  type EventType,
  isChargeType,
  type KeptCard,
  newestOf,
  succeeded,
  type Transaction,
  updatedAt,
} from "../payment/transaction.ts";
import { NOTHING_CHECKED } from "../payment/verification.ts";
import type { Trace } from "../processors/trace-numbers.ts";
import { timestamp } from "../validation/fields.ts";
import { type InTheWay, inTheWay } from "./adopt.ts";
import { keepLostKey } from "./lost-keys.ts";
import { oneAtATime } from "./one-at-a-time.ts";

export interface LostTransaction {
  /** The gateway's, as the processor has it; or one that follows from the charge's reference. */
  readonly id: string;
  /** Undefined: its charge is here. */
  readonly opening:
    | { readonly userId: string; readonly merchantTransactionId: string; readonly card: KeptCard }
    | undefined;
  /** In the order in which they were carried out. */
  readonly operations: readonly LostOperation[];
}

export interface LostOperation {
  readonly eventId: string;
  readonly type: EventType;
  readonly amount: Amount;
  /** When it was carried out, by the processor. */
  readonly at: Date;
  /** What the processor knows it by. */
  readonly reference: string;
  /** As follow-ups name it. */
  readonly processorTransactionId: string | null;
  readonly authCode: string | null;
  readonly code: string;
  readonly trace: Trace | null;
  /** Where it was found. */
  readonly evidence: string;
  /** Whether an event is the same operation under another id. */
  readonly isOf?: ((eventId: string) => boolean) | undefined;
}

export interface Adopted {
  readonly kind: "adopted";
  readonly transactionId: string;
  /** Of what was written now; what was there already is left as it is. */
  readonly eventIds: readonly string[];
  /** Why the operations after those cannot be written. */
  readonly rest?: string;
}

/** No gateway's: a gateway that dies leaves nothing of these open. */
const NO_NODE = 0;

/** Durable when it resolves, with an entry in the audit log; or nothing is written. */
export async function adoptLost(
  office: Backoffice,
  author: Author,
  record: ProcessorRecord,
  lost: LostTransaction,
): Promise<Adopted | InTheWay> {
  const { merchantId } = record;
  return audited<Adopted | InTheWay>(office, author, async (sql) => {
    await oneAtATime(sql);
    if ((await lastRecovery(sql)) === undefined)
      return {
        result: { ...inTheWay("this database was never in recovery mode: nothing of it was lost"), notBegun: true },
      };
    let transaction = await findTransaction(sql, merchantId, lost.id);
    const written: LostOperation[] = [];
    let rest: string | undefined;
    for (const operation of lost.operations) {
      if (transaction?.events.some((event) => isThere(event, operation))) continue;
      rest = transaction === undefined ? problemOfOpening(lost, operation) : problemOf(transaction, operation, office);
      if (rest !== undefined) break;
      await (transaction === undefined
        ? open(sql, office, record, lost, operation)
        : append(sql, office, record, transaction, operation));
      await keepTrace(sql, record, operation);
      written.push(operation);
      transaction = await findTransaction(sql, merchantId, lost.id);
      if (transaction === undefined) throw new Error("broken invariant: what was adopted is not there");
      const { sequence } = newestOf(transaction);
      const id = isChargeType(operation.type) ? lost.id : operation.eventId;
      await keepLostKey(sql, { merchantId, transactionId: lost.id, sequence, id });
    }
    const [first] = written;
    if (first === undefined && rest !== undefined) return { result: inTheWay(rest) };
    const result: Adopted = {
      ...{ kind: "adopted", transactionId: lost.id, eventIds: written.map(({ eventId }) => eventId) },
      ...(rest !== undefined && { rest }),
    };
    if (first === undefined) return { result };
    const after = { transaction_id: lost.id, processor_id: record.id, operations: written.map(shown) };
    return { result, entry: { action: "recovery.create", subject: ["recovery", lost.id], merchantId, after } };
  });
}

const shown = ({ eventId, type, amount, at, reference, evidence }: LostOperation) => ({
  ...{ event_id: eventId, event_type: type, amount: renderAmount(amount) },
  ...{ carried_out_at: timestamp(at), reference, evidence },
});

/** Under its own id, or entered before by the processor's name for it; a charge's is also that of its captures and voids. */
function isThere({ id, type, outcome }: Event, lost: LostOperation): boolean {
  if (id === lost.eventId || lost.isOf?.(id)) return true;
  if (type !== lost.type || !(isChargeType(type) || type === "refund") || outcome === null) return false;
  return outcome.processorResponse.transactionId !== null && outcome.processorResponse.transactionId === lost.reference;
}

const problemOfOpening = ({ opening }: LostTransaction, { type }: LostOperation): string | undefined =>
  isChargeType(type) && opening !== undefined ? undefined : "its charge is not here: adopt that first";

function problemOf(
  transaction: Transaction,
  { type, amount }: LostOperation,
  { clock }: Backoffice,
): string | undefined {
  const { events, currency } = transaction;
  if (events.some(({ outcome }) => outcome === null))
    return "an operation of this transaction is open: enter how it ended first";
  const approved = events.find((event) => isChargeType(event.type) && succeeded(event));
  if (isChargeType(type)) {
    if (approved !== undefined) return "this transaction has an approved charge";
    return events.some(({ outcome }) => isGivenUp(outcome)) ? "this transaction's charge is being reversed" : undefined;
  }
  if (approved === undefined) return "its charge is not approved here";
  const there = balances(transaction, clock.now(), "reserved");
  const captured = refundable(there);
  const most = { capture: there.uncaptured, void: plus(there.uncaptured, captured), refund: captured }[type];
  return amount <= most
    ? undefined
    : `a ${type} of ${renderAmount(amount)} ${currency} is more than what is left (${renderAmount(most)})`;
}

/** With airline data a follow-up's parts are known only where it is all that each passenger has left. */
function sharesOf(transaction: Transaction, { type, amount, reference }: LostOperation, now: Date) {
  if (transaction.passengers === null || isChargeType(type)) return { shares: null };
  const shares = sharesLeft(type, transaction, now);
  if (shares !== undefined && sum(shares.map((share) => share.amount)) === amount) return { shares };
  return { shares: null, byProcessor: keptReference(reference, transaction.card.mask) };
}

function eventOf(transaction: Transaction | undefined, lost: LostOperation, record: ProcessorRecord, now: Date): Event {
  const { eventId: id, type, amount } = lost;
  return {
    ...{ id, type, amount, processorId: record.id, ipAddress: null, reversal: false, outcome: null },
    ...(transaction === undefined ? { shares: null } : sharesOf(transaction, lost, now)),
    sequence: transaction === undefined ? 1 : newestOf(transaction).sequence + 1,
    createdAt: transaction !== undefined && updatedAt(transaction) > now ? updatedAt(transaction) : now,
  };
}

async function open(
  sql: TransactionSql,
  { clock }: Backoffice,
  record: ProcessorRecord,
  { id, opening }: LostTransaction,
  lost: LostOperation,
): Promise<void> {
  if (opening === undefined) throw new Error("broken invariant: a charge without what opens it");
  const { userId, merchantTransactionId, card } = opening;
  const now = clock.now();
  const event = eventOf(undefined, lost, record, now);
  const transaction: Transaction = {
    ...{ merchantId: record.merchantId, id, userId, createdAt: now, currency: record.currency },
    ...{ merchantTransactionId, card, fields: {}, meta: null, threeDSecure: null, passengers: null, events: [event] },
  };
  const [opened] = await openIn(sql, NO_NODE, now, [{ intent: transaction, claim: null, sealedCard: null }]);
  if (opened === undefined || opened === "key-taken") throw new Error("broken invariant: nothing was opened");
  await conclude(
    sql,
    clock.now(),
    record,
    { ...transaction, events: [{ ...event, createdAt: opened.createdAt }] },
    lost,
  );
}

async function append(
  sql: TransactionSql,
  { clock }: Backoffice,
  record: ProcessorRecord,
  transaction: Transaction,
  lost: LostOperation,
): Promise<void> {
  const now = clock.now();
  const event = eventOf(transaction, lost, record, now);
  const { merchantId, id: transactionId } = transaction;
  const [appended] = await appendIn(sql, NO_NODE, [{ merchantId, transactionId, event, claim: null }]);
  if (appended !== "appended")
    throw new Error(`transaction ${transactionId} was changed at the same time, or is being archived: adopt again`);
  await conclude(sql, now, record, { ...transaction, events: [...transaction.events, event] }, lost);
}

async function conclude(
  sql: TransactionSql,
  now: Date,
  record: ProcessorRecord,
  transaction: Transaction,
  lost: LostOperation,
): Promise<void> {
  const event = newestOf(transaction);
  const { processorTransactionId: transactionId, authCode, code, at } = lost;
  const response = {
    ...NOTHING_CHECKED,
    code,
    message: "APPROVED, AS FOUND AT THE PROCESSOR",
    transactionId,
    authCode,
  };
  const outcome = outcomeOf(
    { transaction, event },
    {
      kind: "approved",
      processorResponse: { ...response, detail: `CARRIED OUT ${timestamp(at)}` },
      settlement: settlementTimes(record.schedule, at),
    },
    record.schedule,
    now,
  );
  if (outcome === undefined) throw new Error("broken invariant: an approval without an outcome");
  await concludeOfOne(sql, [conclusionOf(transaction, event, outcome, record.schedule)]);
}

async function keepTrace(sql: TransactionSql, { merchantId, id }: ProcessorRecord, { eventId, trace }: LostOperation) {
  if (trace === null) return;
  await sql`
    insert into trace_numbers (merchant_id, processor_id, key, mti, stan, sent_at)
    values (${merchantId}, ${id}, ${eventId}, ${trace.mti}, ${Number(trace.stan)}, ${trace.at}) on conflict do nothing`;
}
