// Compares the database with what a processor has booked, line by line: reads the operations that the lines name, and those that are open.

import type { Sql } from "../journal/database.ts";
import { lastRecovery } from "../journal/lineage.ts";
import { instant, orNull, text } from "../journal/rows.ts";
import { holdsMasked } from "../payment/kept-response.ts";
import type { ProcessorRecord } from "../payment/processor-record.ts";
import { isChargeType } from "../payment/transaction.ts";
import type { Booking, Bookings, BookingsReader, OpenCharge } from "../processors/bookings.ts";
import type { BrokenLine } from "../processors/books.ts";
import type { Operation } from "../settlement/reconciliation/operations.ts";
import {
  archivedOf,
  ofOtherMerchants,
  operationsOf,
  operationsSent,
} from "../settlement/reconciliation/read-operations.ts";
import { CLOCK_SKEW_MS, Comparison, type Finding, type Placed, type Situation, type Totals } from "./comparison.ts";

export interface Source {
  /** Null: the processor is asked. */
  readonly file: string | null;
  readonly bookings: Bookings;
}

export interface Comparing {
  readonly record: ProcessorRecord;
  readonly reader: BookingsReader;
  readonly sources: readonly Source[];
  /** Operations since then are compared. */
  readonly from: Date;
  /** The records are complete until then; undefined: until their last line. */
  readonly until: Date | undefined;
  /** Where recovery mode has not begun: since when operations are missing. Undefined: as recovery mode says. Null: all. */
  readonly lostSince?: Date | null | undefined;
  /** What is covered does not follow from the lines: the processor was asked for all. */
  readonly asked: boolean;
}

export interface Compared {
  readonly findings: readonly Finding[];
  readonly totals: Totals;
}

const LOOKED_UP_AT_ONCE = 500;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/**
 * An hour before the newest transaction that the database had: what is older was compared before it was lost.
 * @param lostSince as of {@link Comparing}
 */
export async function beginningOf(sql: Sql, now: Date, lostSince: Date | null | undefined): Promise<Date> {
  const recovery = lostSince === undefined ? await lastRecovery(sql) : { newest: lostSince?.toISOString() ?? null };
  if (recovery?.newest != null) return new Date(Date.parse(recovery.newest) - HOUR_MS);
  if (recovery === undefined) return new Date(now.getTime() - HOUR_MS);
  // It had no transactions at all.
  const [row] = await sql`select min(created_at) as at from merchants`;
  return orNull(instant)(row?.at ?? null) ?? now;
}

/** @throws NoBooks, NoReport, NoBookings */
export async function compare(
  sql: Sql,
  comparing: Comparing,
  now: Date,
  broken: (line: BrokenLine, file: string | null) => void,
): Promise<Compared> {
  const { record, sources, from, until, asked } = comparing;
  const account = { merchantId: record.merchantId, processorId: record.id };
  const comparison = new Comparison(record.currency, comparing.reader.overlapping);
  const lookUp = lookingUp(sql, comparing, comparison, now);
  const coverage = new Coverage();
  for (const { file, bookings } of sources)
    for await (const some of bookings) {
      const ours: Placed[] = [];
      for (const line of some) {
        comparison.totals.bookings++;
        if ("fault" in line) {
          comparison.totals.broken++;
          broken(line, file);
        } else if ("foreign" in line) comparison.totals.others++;
        else {
          coverage.add(line.at);
          ours.push({ ...usable(line), file });
        }
      }
      for (let at = 0; at < ours.length; at += LOOKED_UP_AT_ONCE) await lookUp(ours.slice(at, at + LOOKED_UP_AT_ONCE));
    }
  const covers = asked
    ? (at: number) => at >= from.getTime() && at <= (until ?? now).getTime()
    : coverage.of(from, until);
  const { lostSince } = comparing;
  const window = lostSince === undefined ? await lostTime(sql) : windowOf(lostSince, now);
  const situation: Situation = {
    currency: record.currency,
    window,
    covers: comparing.reader.complete ? covers : () => false,
    missing: asked || !comparing.reader.complete ? [] : coverage.missing(window, until),
  };
  const recent: Operation[] = [];
  for await (const some of operationsSent(sql, account, from.getTime(), now.getTime() + HOUR_MS)) recent.push(...some);
  const open = await openOf(sql, account, recent);
  return { findings: comparison.findings(situation, open, recent), totals: comparison.totals };
}

/** From the newest transaction that is left to the beginning of recovery mode. */
async function lostTime(sql: Sql): Promise<Situation["window"]> {
  const recovery = await lastRecovery(sql);
  if (recovery === undefined) return undefined;
  const since = recovery.newest == null ? null : new Date(recovery.newest);
  return windowOf(since, new Date(recovery.since));
}

const windowOf = (since: Date | null, until: Date): NonNullable<Situation["window"]> => ({
  from: since === null ? 0 : since.getTime() - CLOCK_SKEW_MS,
  until: until.getTime() + CLOCK_SKEW_MS,
});

/** Those of the comparison's time, and older ones that are still waited for. */
async function openOf(
  sql: Sql,
  account: { readonly merchantId: string; readonly processorId: string },
  recent: readonly Operation[],
): Promise<readonly Operation[]> {
  const { merchantId, processorId } = account;
  const rows = await sql`
    select distinct transaction_id from unresolved where merchant_id = ${merchantId} and processor_id = ${processorId}`;
  const ids = rows.map((row) => text(row.transaction_id));
  const older: Operation[] = [];
  for (let at = 0; at < ids.length; at += LOOKED_UP_AT_ONCE)
    for (const { operation, processorId: its } of await operationsOf(
      sql,
      account,
      ids.slice(at, at + LOOKED_UP_AT_ONCE),
    ))
      if (its === processorId) older.push(operation);
  const all = new Map([...recent, ...older].map((one) => [one.eventId, one]));
  return [...all.values()].filter(({ outcome }) => outcome === null);
}

/** @returns gives bookings to the comparison, each with its operation */
function lookingUp(sql: Sql, { record, reader, from }: Comparing, comparison: Comparison, now: Date) {
  const account = { merchantId: record.merchantId, processorId: record.id };
  const { totals } = comparison;
  /** For records without the gateway's names: those that may be meant. */
  let nearby: Promise<ReadonlyMap<string, Operation>> | undefined;
  const unnamed = async (reference: string | null): Promise<Operation | undefined> => {
    const { referenceOf } = reader;
    if (referenceOf === undefined || reference === null) return undefined;
    nearby ??= byReference(operationsSent(sql, account, from.getTime() - DAY_MS, now.getTime() + HOUR_MS), referenceOf);
    return (await nearby).get(reference);
  };
  return async (bookings: readonly Placed[]): Promise<void> => {
    const ids = [...new Set(bookings.flatMap(({ transactionId }) => transactionId ?? []))];
    const here = Map.groupBy(await operationsOf(sql, account, ids), ({ operation }) => operation.transactionId);
    const unknown = ids.filter((id) => !here.has(id));
    const elsewhere = await ofOtherMerchants(sql, account, unknown);
    const archived = await archivedOf(sql, account, unknown);
    for (const booking of bookings) {
      const id = booking.transactionId;
      const its = id === null ? [] : (here.get(id) ?? []);
      const found =
        its.find(({ operation }) => reader.isOf(operation.eventId, booking)) ??
        its.find(({ operation }) => isEntered(operation, booking));
      const one = found?.operation ?? (id === null ? await unnamed(booking.reference) : undefined);
      if (found !== undefined && found.processorId !== record.id) totals.others++;
      else if (one !== undefined) comparison.add(booking, one);
      else if (elsewhere.has(id ?? "")) totals.others++;
      else if (archived.has(id ?? "")) totals.archived++;
      else {
        const charge = id === null ? await unnamed(booking.ofCharge) : undefined;
        const isChargeHere = [...its.map(({ operation }) => operation), ...(charge ? [charge] : [])].some(
          isApprovedCharge,
        );
        comparison.addAbsent(charge ? { ...booking, transactionId: charge.transactionId } : booking, isChargeHere);
      }
    }
  };
}

/** Entered by hand under another id: a charge or a refund has the processor's own name (adopt-lost.ts). */
const isEntered = ({ type, processorName }: Operation, { operation, reference }: Booking): boolean =>
  processorName === reference &&
  (isChargeType(type) ? operation === type || operation === "reversal" : type === "refund" && operation === type);

const isApprovedCharge = ({ type, outcome }: Operation): boolean =>
  (type === "sale" || type === "auth") && (outcome === "approved" || outcome === null);

async function byReference(
  portions: AsyncIterable<readonly Operation[]>,
  referenceOf: (eventId: string) => string,
): Promise<ReadonlyMap<string, Operation>> {
  const all = new Map<string, Operation>();
  for await (const some of portions) for (const one of some) all.set(referenceOf(one.eventId), one);
  return all;
}

const MOST_DAYS = 31;

const REFERENCE = /^[!-~]{1,255}$/;
const AUTH_CODE = /^[0-9A-Za-z]{1,6}$/;
const NOTHING_HIDDEN = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/** What cannot be kept, or cannot be sent later, is not taken over; a reference of the merchant's with the card's number is none. */
function usable(booking: Booking): Booking {
  const { merchantTransactionId: order, processorTransactionId, authCode, card } = booking;
  const isOrder = order !== null && NOTHING_HIDDEN.test(order) && order.trim() !== "";
  const holdsCard = order !== null && card !== null && /\d/.test(card.mask) && holdsMasked(order, card.mask);
  return {
    ...booking,
    merchantTransactionId: isOrder && !holdsCard ? order : null,
    processorTransactionId:
      processorTransactionId && REFERENCE.test(processorTransactionId) ? processorTransactionId : null,
    authCode: authCode && AUTH_CODE.test(authCode) ? authCode : null,
    card: card !== null && card.mask.length >= 8 && card.mask.length <= 19 ? card : null,
  };
}

/** Which times the lines of books cover. */
class Coverage {
  readonly #days = new Set<number>();
  #last = Number.NEGATIVE_INFINITY;

  add(at: Date | null): void {
    if (at === null) return;
    this.#days.add(Math.floor(at.getTime() / DAY_MS));
    this.#last = Math.max(this.#last, at.getTime());
  }

  /** Days of a time that have no lines, and of which it was not said that there are none: `2030-05-15`. */
  missing(window: Situation["window"], until: Date | undefined): readonly string[] {
    if (window === undefined) return [];
    const [first, last] = [window.from + CLOCK_SKEW_MS, window.until - CLOCK_SKEW_MS].map((at) =>
      Math.floor(at / DAY_MS),
    );
    const said = until === undefined ? Number.NEGATIVE_INFINITY : Math.floor(until.getTime() / DAY_MS);
    const missing: string[] = [];
    for (let day = first ?? 0; day <= (last ?? 0) && missing.length < MOST_DAYS; day++) {
      const isSaid = day <= said && day * DAY_MS > this.#last;
      if (!this.#days.has(day) && !isSaid) missing.push(new Date(day * DAY_MS).toISOString().slice(0, 10));
    }
    return missing;
  }

  /** Days that have lines, until the last line; and what follows, until the time that was given. */
  of(from: Date, until: Date | undefined): (at: number) => boolean {
    const end = until?.getTime() ?? this.#last;
    const lastDay = this.#days.size === 0 ? from.getTime() : Math.floor(this.#last / DAY_MS) * DAY_MS;
    return (at) =>
      at <= end && (this.#days.has(Math.floor(at / DAY_MS)) || (until !== undefined && at >= lastDay && at >= 0));
  }
}

/** Approved authorizations of which something may have been captured or released since. */
export async function openCharges(
  sql: Sql,
  { merchantId, id }: ProcessorRecord,
  since: Date,
): Promise<readonly OpenCharge[]> {
  const rows = await sql`
    select e.transaction_id, o.processor_transaction_id
    from events e join outcomes o using (merchant_id, transaction_id, sequence)
    where e.merchant_id = ${merchantId} and e.processor_id = ${id} and e.created_at >= ${since} and e.type = 'auth'
      and o.kind = 'approved' and o.processor_transaction_id is not null and e.amount > coalesce((
        select sum(f.amount) from events f join outcomes g using (merchant_id, transaction_id, sequence)
        where f.merchant_id = ${merchantId} and f.transaction_id = e.transaction_id and f.type in ('capture', 'void')
          and g.kind = 'approved'), 0)
    order by e.created_at limit ${MOST_OPEN}`;
  return rows.map((row) => ({
    transactionId: text(row.transaction_id),
    processorTransactionId: text(row.processor_transaction_id),
  }));
}

const MOST_OPEN = 10_000;
