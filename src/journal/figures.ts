// Figures of a merchant's events by the hour, so that an overview of a year need not read a year's events. They are added up from the
// journal, in the background and when somebody asks, and an hour is added up anew when an outcome of its events comes later.

import { arrayOf } from "./columns.ts";
import { codeOf, type Sql } from "./database.ts";
import { amongThoseThere } from "./merchants-there.ts";
import { instant, orNull, rowReader, text } from "./rows.ts";
import { type Asker, inTurn } from "./search/ask.ts";
import type { TransactionSql } from "./sql/sql.ts";

/** What is committed so long after its own time is still found. */
const MARGIN_MS = 10 * 60_000;
const HOUR_MS = 3_600_000;
/** Of events in one database transaction: some hundred milliseconds of work for a merchant with five million a year. */
const DAY_MS = 24 * HOUR_MS;
/** For a merchant with so many that the database gives a day up. */
const SHORTEST_MS = HOUR_MS;
/** Hours of an older gateway that are done again at once. */
const MOST_UNTOLD = 24;
const BEGINNING = new Date(0);

/** What is in the figures: all that became known before an instant, of events since another one. */
export interface Known {
  readonly before: Date;
  /** Null: of all events. */
  readonly since: Date | null;
}

/**
 * Brings the figures up to date, a day of events at a time, or less where a day takes too long: first what is new, then what is missing
 * of the past, the newest first. Where another is at it, nothing is done.
 * @param mostDays after so many it ends, however much is left
 */
export async function addUpFigures(asker: Asker, merchantId: string, now: Date, mostDays: number): Promise<Known> {
  let known: Known = { before: BEGINNING, since: null };
  let stretchMs = DAY_MS;
  for (let steps = 0; steps < mostDays && (known.before < now || known.since !== null); steps++) {
    const isUpToDate = known.before >= now;
    try {
      const next = await inTurn(asker, () =>
        isUpToDate
          ? addUpPast(asker.pool, merchantId, stretchMs)
          : addUpStretch(asker.pool, merchantId, now, stretchMs),
      );
      if (next === "busy") return knownOf(asker.pool, merchantId);
      known = next;
    } catch (fault) {
      if (codeOf(fault) !== GIVEN_UP || stretchMs === SHORTEST_MS) throw fault;
      stretchMs = Math.max(stretchMs / 2, SHORTEST_MS);
    }
  }
  return known;
}

/** PostgreSQL, appendix A: query_canceled, here for having taken too long. */
const GIVEN_UP = "57014";

const knownRow = rowReader<Known>("figures_known", { before: instant, since: orNull(instant) });

async function knownOf(sql: Sql, merchantId: string): Promise<Known> {
  const [row] = await sql`select before, since from figures_known where merchant_id = ${merchantId}`;
  return row === undefined ? { before: BEGINNING, since: null } : knownRow(row);
}

const floorHour = (at: Date): Date => new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);

async function addUpStretch(pool: Sql, merchantId: string, now: Date, stretchMs: number): Promise<Known | "busy"> {
  return pool.begin(async (sql): Promise<Known | "busy"> => {
    const begun = floorHour(now);
    await sql`
      insert into figures_known (merchant_id, before, since) values (${merchantId}, ${begun}, ${begun}) on conflict do nothing`;
    const [row] = await sql`
      select before, since from figures_known where merchant_id = ${merchantId} for update skip locked`;
    if (row === undefined) return "busy";
    const { before: known, since: missing } = knownRow(row);
    const since = new Date(known.getTime() - MARGIN_MS);
    const from = floorHour(since);
    const until = await endOfStretch(sql, merchantId, { known, from, now, stretchMs });
    const late = await sql`${lateHours(sql, merchantId, since, from)}`;
    await addUp(
      sql,
      merchantId,
      from,
      until,
      late.map(({ hour }) => instant(hour)),
    );
    const before = until < known ? known : until;
    await sql`update figures_known set before = ${before} where merchant_id = ${merchantId}`;
    return { before, since: missing };
  });
}

/** The newest events that are not in the figures yet, and those up to so long before them. */
async function addUpPast(pool: Sql, merchantId: string, stretchMs: number): Promise<Known | "busy"> {
  return pool.begin(async (sql): Promise<Known | "busy"> => {
    const [row] = await sql`
      select before, since from figures_known where merchant_id = ${merchantId} for update skip locked`;
    if (row === undefined) return "busy";
    const known = knownRow(row);
    if (known.since === null) return known;
    const [newest] = await sql`
      select created_at as at from events where merchant_id = ${merchantId} and created_at < ${known.since}
      order by created_at desc limit 1`;
    const since =
      newest === undefined ? null : floorHour(new Date(floorHour(instant(newest.at)).getTime() + HOUR_MS - stretchMs));
    // Also what an hour came to of which something became known meanwhile.
    await sql`
      delete from figures where merchant_id = ${merchantId} and hour >= ${since ?? "-infinity"}::timestamptz
        and hour < ${known.since} and portion is null`;
    if (since !== null) await addUpEvents(sql, merchantId, eventsBetween(sql, merchantId, since, known.since));
    await sql`update figures_known set since = ${since} where merchant_id = ${merchantId}`;
    return { ...known, since };
  });
}

interface Stretch {
  readonly known: Date;
  readonly from: Date;
  readonly now: Date;
  readonly stretchMs: number;
}

/** So long after the next event, and not after now: where there is nothing, nothing is walked through. */
async function endOfStretch(
  sql: TransactionSql,
  merchantId: string,
  { known, from, now, stretchMs }: Stretch,
): Promise<Date> {
  const [next] = await sql`
    select created_at as at from events where merchant_id = ${merchantId} and created_at >= ${from}
    order by created_at limit 1`;
  // Some of what is known is added up anew, and a short stretch may be no longer than that.
  const end = next === undefined ? now : new Date(Math.max(instant(next.at).getTime(), known.getTime()) + stretchMs);
  return end < now ? end : now;
}

/** Hours before `from` of which something became known since, and some that an older gateway added up without attempts. How a charge ended says whether those before it were attempts. */
const lateHours = (sql: TransactionSql, merchantId: string, since: Date, from: Date) => sql`
  select distinct date_trunc('hour', e.created_at, 'UTC') as hour from (
    select transaction_id, sequence from outcomes
    where merchant_id = ${merchantId} and changed_at is not null and changed_at >= ${since}
    union all
    select transaction_id, sequence from late_failures where merchant_id = ${merchantId} and created_at >= ${since}
  ) known
  cross join lateral (
    select created_at from events
    where merchant_id = ${merchantId} and transaction_id = known.transaction_id and sequence = known.sequence
    union all
    select earlier.created_at from events own join events earlier using (merchant_id, transaction_id)
    where merchant_id = ${merchantId} and transaction_id = known.transaction_id and own.sequence = known.sequence
      and own.type in ('sale', 'auth') and earlier.sequence < own.sequence
  ) e
  where e.created_at < ${from}
  union
  (select distinct hour from figures
    where merchant_id = ${merchantId} and attempt is null and portion is null and hour < ${from} limit ${MOST_UNTOLD})`;

/** From `from` on, and some hours before it. */
async function addUp(
  sql: TransactionSql,
  merchantId: string,
  from: Date,
  until: Date,
  hours: readonly Date[],
): Promise<void> {
  await sql`delete from figures where merchant_id = ${merchantId} and hour >= ${from} and portion is null`;
  await addUpEvents(sql, merchantId, eventsBetween(sql, merchantId, from, until));
  for (const hour of hours) await addUpHour(sql, merchantId, hour);
}

/** What these transactions' events came to stays in the figures while they are archived. To be called before they are removed. */
export async function keepFigures(sql: TransactionSql, merchantId: string, ids: readonly string[], portion: number) {
  const events = sql`
    select * from events where merchant_id = ${merchantId} and transaction_id = any(${arrayOf(sql, "uuid", ids)})`;
  await addUpEvents(sql, merchantId, events, portion);
}

/** These hours anew, of the events that are there, without those of a restored portion. Nobody else adds up meanwhile. */
export async function figuresAnew(
  sql: TransactionSql,
  merchantId: string,
  hours: readonly Date[],
  restored: number | null = null,
): Promise<void> {
  await sql`select from figures_known where merchant_id = ${merchantId} for update`;
  await sql`delete from figures where merchant_id = ${merchantId} and portion = ${restored}::int8`;
  for (const hour of hours) await addUpHour(sql, merchantId, hour);
}

async function addUpHour(sql: TransactionSql, merchantId: string, hour: Date): Promise<void> {
  await sql`delete from figures where merchant_id = ${merchantId} and hour = ${hour} and portion is null`;
  const until = new Date(hour.getTime() + HOUR_MS);
  await addUpEvents(sql, merchantId, eventsBetween(sql, merchantId, hour, until));
}

// In the order of time, so that what belongs to each is looked up row by row: a join might begin with all of the merchant's rows.
const eventsBetween = (sql: TransactionSql, merchantId: string, from: Date, until: Date) => sql`
  select * from events where merchant_id = ${merchantId} and created_at >= ${from} and created_at < ${until}
  order by created_at`;

async function addUpEvents(
  sql: TransactionSql,
  merchantId: string,
  events: ReturnType<typeof eventsBetween>,
  portion: number | null = null,
): Promise<void> {
  await sql`
    insert into figures
      (merchant_id, hour, currency, processor_id, card_brand, type, kind, code, category, message, portion, attempt, events, amount)
    select ${merchantId}::uuid, date_trunc('hour', e.created_at, 'UTC'), t.currency, e.processor_id, t.card_brand, e.type,
      coalesce(o.kind, 'pending'), o.code, o.category, min(o.message), ${portion}::int8, ${ATTEMPT(sql, merchantId)}, count(*),
      sum(e.amount)::bigint
    from (${events}) e
    cross join lateral (
      select currency, card_brand from transactions where merchant_id = ${merchantId} and id = e.transaction_id limit 1
    ) t
    left join lateral (${OUTCOME(sql, merchantId)}) o on true
    group by 2, 3, 4, 5, 6, 7, 8, 9, 12`;
}

/** Whether the charge that counts is a later one: see `attemptsOf` in payment/transaction.ts. */
const ATTEMPT = (sql: TransactionSql, merchantId: string) => sql`
  e.type in ('sale', 'auth') and exists (
    select from events l left join outcomes lo using (merchant_id, transaction_id, sequence)
    where merchant_id = ${merchantId} and transaction_id = e.transaction_id and sequence > e.sequence
      and l.type in ('sale', 'auth') and coalesce(lo.kind, 'pending') <> 'not-sent')`;

/** As it stands now: an approval that failed after all is no approval. */
const OUTCOME = (sql: TransactionSql, merchantId: string) => sql`
  select case when f.failure is null then one.kind else 'failed-after-all' end as kind,
    case when f.failure is not null then f.failure -> 'processorResponse' ->> 'code'
      when one.kind <> 'approved' then one.processor_code end as code,
    case when f.failure is not null then f.failure ->> 'category' else one.decline_category end as category,
    case when f.failure is not null then f.failure -> 'processorResponse' ->> 'message'
      when one.kind <> 'approved' then one.processor_message end as message
  from (
    select * from outcomes
    where merchant_id = ${merchantId} and transaction_id = e.transaction_id and sequence = e.sequence limit 1
  ) one
  left join late_failures f
    on f.merchant_id = ${merchantId} and f.transaction_id = e.transaction_id and f.sequence = e.sequence`;

/** Merchants whose figures nobody has added up for an hour, the longest first, and those whose past is not in them yet. */
export async function merchantsToAddUp(sql: Sql, now: Date): Promise<string[]> {
  const rows = await amongThoseThere(
    sql,
    (among) => sql`
    select m.id from merchants m left join (select * from figures_known where ${among.of()}) k on k.merchant_id = m.id
    where (coalesce(k.before, ${BEGINNING}) < ${new Date(now.getTime() - HOUR_MS)} or k.since is not null)
      and ${among.of("m.id")}
    order by coalesce(k.before, ${BEGINNING})`,
  );
  return rows.map((row) => merchantRow(row).id);
}

const merchantRow = rowReader("merchants", { id: text });
