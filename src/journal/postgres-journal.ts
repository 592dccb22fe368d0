// The journal in PostgreSQL: the only place that writes transactions, events and outcomes.

import type { Clock } from "../clock.ts";
import type { Challenge } from "../payment/challenge.ts";
import type { LateFailure } from "../payment/outcome.ts";
import { appending } from "./appending.ts";
import { awayWorkers } from "./away-workers.ts";
import { concluding } from "./concluding.ts";
import { bodyOf, momentOf } from "./conclusion-rows.ts";
import { openByConsent } from "./consent-charges.ts";
import { connectionLost, type DatabaseAddress, faultOfRow, type SessionFence, type Sql } from "./database.ts";
import { groupCommit, type WrittenGroup } from "./group-commit.ts";
import { timeOfChange } from "./group-statements.ts";
import {
  type Conclusion,
  type EventPlace,
  type Journal,
  JournalUncertain,
  type KeptResponse,
  type KeyedResponse,
  type StoredKey,
} from "./journal.ts";
import { ANSWERED_DAYS, IS_OWN_ANSWER } from "./kept-keys.ts";
import { appendingOfOne } from "./one-merchant/append.ts";
import { concludingOfOne } from "./one-merchant/conclude.ts";
import { deferOfOne, failLateOfOne, type Later } from "./one-merchant/later.ts";
import { openingOfOne } from "./one-merchant/open.ts";
import { opening } from "./opening.ts";
import { findSealedCard } from "./sealed-cards.ts";
import { appendEnded, concludeStep } from "./step.ts";
import { tell, tellOfOpen } from "./tell.ts";
import { findTransaction } from "./whole-transactions.ts";
import { type GroupWrite, openWriter, type Writer } from "./writer.ts";

export interface JournalOptions {
  readonly address: DatabaseAddress;
  /** For reading; it belongs to the caller. */
  readonly pool: Sql;
  readonly clock: Clock;
  /** This process among those that write to the database (journal/nodes.ts). */
  readonly node: number;
  /** 1 writes each row by itself, which is for comparison only. */
  readonly mostRows?: number;
  readonly groupsInFlight?: number;
  /** @returns is told of each group of this statement */
  readonly groupsOf?: ((statement: string) => (group: WrittenGroup) => void) | undefined;
  /** How long a write waits for a database that is away. */
  readonly patienceMs?: number;
  /** Whether the tables are distributed by merchant: then a group has rows of one, and groups of several go side by side. */
  readonly distributed?: boolean | undefined;
  /** Of the sessions that write. */
  readonly fence?: SessionFence | undefined;
}

export interface PostgresJournal extends Journal {
  close(): Promise<void>;
}

/** Of each kind of write, where the tables are distributed. */
const MERCHANTS_AT_ONCE = 4;

/** Connects when something is to be written, with connections of its own for each kind of write. */
export function openJournal({
  address,
  pool,
  clock,
  node,
  patienceMs,
  groupsOf,
  distributed = false,
  fence,
  ...grouping
}: JournalOptions): PostgresJournal {
  const writers: Pick<Writer<never, never>, "recover" | "close">[] = [];
  const workers = awayWorkers();
  const groupsInFlight = grouping.groupsInFlight ?? (distributed ? MERCHANTS_AT_ONCE : 1);
  const grouped = <Row, Result>(work: string, group: GroupWrite<Row, Result>, whose: (row: Row) => string) => {
    const merchantOf = distributed ? whose : undefined;
    const idle = Array.from({ length: groupsInFlight }, (_, index) =>
      openWriter(address, `faregate node ${node} ${work} ${index}`, group, {
        ...{ patienceMs, merchantOf, workers, fence },
      }),
    );
    writers.push(...idle);
    return groupCommit<Row, Result>({
      ...grouping,
      groupsInFlight,
      keyOf: merchantOf,
      seen: groupsOf?.(work),
      concernsOneRow: faultOfRow,
      write: async (rows) => {
        const writer = idle.pop();
        if (writer === undefined) throw new Error("broken invariant: more groups in flight than writers");
        try {
          return await writer.write(rows);
        } finally {
          idle.push(writer);
        }
      },
    });
  };
  const now = () => clock.now();
  const writes = distributed
    ? { open: openingOfOne(node, now), append: appendingOfOne(node), conclude: concludingOfOne() }
    : { open: opening(node, now), append: appending(node), conclude: concluding() };
  const open = grouped("open", writes.open, ({ intent }) => intent.merchantId);
  const append = grouped("append", writes.append, ({ merchantId }) => merchantId);
  const conclude = grouped("conclude", writes.conclude, ({ merchantId }) => merchantId);
  /** Whoever looks after an uncertain write sees what became of it, and not what is still becoming of it. */
  const recovered = async (merchantId: string): Promise<void> => {
    await Promise.all(writers.map((writer) => writer.recover(merchantId)));
  };

  return {
    open: (intent, claim, sealedCard = null) =>
      intent.byConsent
        ? openByConsent(pool, node, clock.now(), { intent, claim, sealedCard }).catch(uncertainIfLost)
        : open({ intent, claim, sealedCard }),
    append: (merchantId, transactionId, event, claim) => append({ merchantId, transactionId, event, claim }),
    appendEnded: (event, conclusion) => appendEnded(pool, node, event, conclusion, distributed).catch(uncertainIfLost),
    conclude: (conclusion) =>
      needsStep(conclusion)
        ? concludeStep(pool, node, conclusion, distributed).catch(uncertainIfLost)
        : conclude(conclusion),
    defer: (place, remedy, dueAt, response) => {
      const later = { remedy, dueAt, now: clock.now() };
      return (distributed ? deferOfOne : defer)(pool, place, later, response).catch(uncertainIfLost);
    },
    openChallenge: (place, challenge, dueAt, response) => {
      const later = { remedy: "await", dueAt, now: clock.now(), challenge } as const;
      return (distributed ? deferOfOne : openChallenge)(pool, place, later, response).catch(uncertainIfLost);
    },
    failLate: (place, failure) => (distributed ? failLateOfOne : failLate)(pool, place, failure),
    find: async (merchantId, transactionId) => {
      await recovered(merchantId);
      return findTransaction(pool, merchantId, transactionId);
    },
    findSealedCard: (merchantId, transactionId) => findSealedCard(pool, merchantId, transactionId),
    findKey: (merchantId, key) => findKey(pool, merchantId, key),
    storeResponse: (merchantId, response) => storeResponse(pool, clock, merchantId, response),
    close: async () => {
      await Promise.all(writers.map((writer) => writer.close()));
    },
  };
}

/** Whether it takes more than the statement that writes outcomes in groups. */
const needsStep = ({ next, learned, uncounted, outcome }: Conclusion): boolean =>
  next !== undefined || learned !== undefined || uncounted !== undefined || outcome.kind === "not-sent";

function uncertainIfLost(fault: unknown): never {
  if (!connectionLost(fault)) throw fault;
  throw new JournalUncertain("the database went away while it was writing", { cause: fault });
}

async function defer(
  sql: Sql,
  { merchantId, transactionId, sequence }: EventPlace,
  { remedy, dueAt, now }: Later,
  response: KeyedResponse | null,
): Promise<void> {
  const parameters = [merchantId, transactionId, sequence, remedy, dueAt, now];
  const answer = [response?.key ?? null, response?.status ?? null, bodyOf(response), momentOf(response)];
  await sql.unsafe(deferring(), [...parameters, ...answer], { prepare: true });
}

async function openChallenge(
  sql: Sql,
  { merchantId, transactionId, sequence }: EventPlace,
  { remedy, dueAt, now, challenge }: Later & { readonly challenge: Challenge },
  response: KeyedResponse | null,
): Promise<void> {
  const parameters = [merchantId, transactionId, sequence, remedy, dueAt, now];
  const answer = [response?.key ?? null, response?.status ?? null, bodyOf(response), momentOf(response)];
  const { checkoutUrl, page, expiresAt } = challenge;
  const opened = [checkoutUrl, JSON.stringify(page), expiresAt];
  await sql.unsafe(deferring(OPENED), [...parameters, ...answer, ...opened], { prepare: true });
}

const OPENED = `opened as (
  insert into challenges (merchant_id, transaction_id, sequence, checkout_url, page, expires_at, created_at)
  select merchant_id, transaction_id, sequence, $11::text, $12::text::json, $13::timestamptz, created_at from deferred
  on conflict do nothing
),`;

/** @param also what is written with it */
const deferring = (also = "") => `
with deferred as (
  insert into unresolved (merchant_id, transaction_id, sequence, processor_id, remedy, attempts, due_at, created_at)
  select merchant_id, transaction_id, sequence, processor_id, $4::text, 0, $5::timestamptz, $6::timestamptz
  from events where merchant_id = $1::uuid and transaction_id = $2::uuid and sequence = $3::int and not exists (
    select from outcomes where merchant_id = $1::uuid and transaction_id = $2::uuid and sequence = $3::int)
  on conflict do nothing returning merchant_id, transaction_id, sequence, created_at
),
${also}
told as (${tellOfOpen("deferred", "r.created_at", "$1::uuid")})
insert into idempotency_answers (merchant_id, key, status, body, moment, created_at)
select $1::uuid, $7::text, $8::int, $9::text, $10::text, $6::timestamptz
where $7::text is not null on conflict do nothing`;

async function failLate(
  sql: Sql,
  { merchantId, transactionId, sequence }: EventPlace,
  { at, ...failure }: LateFailure,
): Promise<void> {
  const parameters = [merchantId, transactionId, sequence, JSON.stringify(failure), at];
  await sql.unsafe(FAIL_LATE, parameters, { prepare: true });
}

const FAIL_LATE = `
with failed as (
  insert into late_failures (merchant_id, transaction_id, sequence, failure, created_at)
  values ($1::uuid, $2::uuid, $3::int, $4::text::json, ${timeOfChange("$5::timestamptz")})
  on conflict do nothing returning merchant_id, transaction_id, sequence, created_at
)
${tell(
  `
  select f.merchant_id, f.transaction_id, f.sequence, e.type as event_type, f.created_at as at,
    'failed-after-all' as kind, null::timestamptz as visible_at
  from failed f join events e using (merchant_id, transaction_id, sequence) where e.merchant_id = $1::uuid`,
  "$1::uuid",
)}`;

async function findKey(sql: Sql, merchantId: string, key: string): Promise<StoredKey | undefined> {
  const [row] = await sql<
    ({ request_hash: Buffer; transaction_id: string; sequence: number } & (ResponseRow | { status: null }))[]
  >`
    select k.request_hash, k.transaction_id, k.sequence, a.status, a.body, a.moment
    from idempotency_keys k left join idempotency_answers a
      on a.merchant_id = k.merchant_id and a.key = k.key and ${sql.unsafe(IS_OWN_ANSWER)}
    where k.merchant_id = ${merchantId} and k.key = ${key}`;
  return (
    row && {
      key,
      requestHash: row.request_hash,
      transactionId: row.transaction_id,
      sequence: row.sequence,
      response: row.status === null ? null : responseFrom(row),
    }
  );
}

async function storeResponse(
  sql: Sql,
  clock: Clock,
  merchantId: string,
  response: KeyedResponse,
): Promise<KeptResponse> {
  const { key, status } = response;
  const now = clock.now();
  const notBefore = new Date(now.getTime() - ANSWERED_DAYS * 86_400_000);
  await sql`
    insert into idempotency_answers (merchant_id, key, status, body, moment, created_at)
    select k.merchant_id, k.key, ${status}::int, ${bodyOf(response)}::text, ${momentOf(response)}::text, ${now}::timestamptz
    from idempotency_keys k where k.merchant_id = ${merchantId} and k.key = ${key} and k.created_at > ${notBefore}
    on conflict do nothing`;
  const [stored] = await sql<ResponseRow[]>`
    select a.status, a.body, a.moment
    from idempotency_keys k join idempotency_answers a
      on a.merchant_id = k.merchant_id and a.key = k.key and ${sql.unsafe(IS_OWN_ANSWER)}
    where k.merchant_id = ${merchantId} and k.key = ${key}`;
  return stored ? responseFrom(stored) : response;
}

/** One of the two is there. */
interface ResponseRow {
  readonly status: number;
  readonly body: string | null;
  readonly moment: string | null;
}

const responseFrom = ({ status, body, moment }: ResponseRow): KeptResponse =>
  body === null ? { status, moment: moment ?? "" } : { status, body };
