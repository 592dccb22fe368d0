// The journal in PostgreSQL: the one door through which transactions, events and outcomes are written.

import type { Clock } from "../clock.ts";
import { connectionLost, type DatabaseAddress, faultOfRow, type Sql } from "./database.ts";
import { groupCommit } from "./group-commit.ts";
import {
  type EventPlace,
  type Journal,
  JournalUncertain,
  type KeptAnswer,
  type KeyedAnswer,
  type Remedy,
  type StoredKey,
} from "./journal.ts";
import { findTransaction } from "./reads.ts";
import { findSealedCard } from "./sealed-cards.ts";
import { concludeStep } from "./step.ts";
import { tellOfOpen } from "./tell.ts";
import { type GroupWrite, openWriter, type Writer } from "./writer.ts";
import { appending, bodyOf, concluding, momentOf, opening } from "./writes.ts";

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
  /** How long a write waits for a database that is away. */
  readonly patienceMs?: number;
}

export interface PostgresJournal extends Journal {
  close(): Promise<void>;
}

export function openJournal({ address, pool, clock, node, patienceMs, ...grouping }: JournalOptions): PostgresJournal {
  const writers: Pick<Writer<never, never>, "recover" | "close">[] = [];
  /** Nobody can tell what some writer did. */
  let uncertain = false;
  const grouped = <Row, Result>(work: string, group: GroupWrite<Row, Result>) => {
    const idle = Array.from({ length: grouping.groupsInFlight ?? 1 }, (_, index) =>
      openWriter(address, `faregate node ${node} ${work} ${index}`, group, patienceMs),
    );
    writers.push(...idle);
    return groupCommit<Row, Result>({
      ...grouping,
      concernsOneRow: faultOfRow,
      write: async (rows) => {
        const writer = idle.pop();
        if (writer === undefined) throw new Error("broken invariant: more groups in flight than writers");
        try {
          return await writer.write(rows);
        } catch (fault) {
          uncertain ||= fault instanceof JournalUncertain;
          throw fault;
        } finally {
          idle.push(writer);
        }
      },
    });
  };
  const open = grouped(
    "open",
    opening(node, () => clock.now()),
  );
  const append = grouped("append", appending(node));
  const conclude = grouped("conclude", concluding);
  /** Whoever looks after an uncertain write sees what became of it, and not what is still becoming of it. */
  const recovered = async (): Promise<void> => {
    if (!uncertain) return;
    uncertain = false;
    try {
      await Promise.all(writers.map((writer) => writer.recover()));
    } catch (fault) {
      uncertain = true;
      throw fault;
    }
  };

  return {
    open: (intent, claim, sealedCard = null) => open({ intent, claim, sealedCard }),
    append: (merchantId, transactionId, event, claim) => append({ merchantId, transactionId, event, claim }),
    conclude: (conclusion) =>
      conclusion.next !== undefined || conclusion.outcome.kind === "not-sent"
        ? concludeStep(pool, node, conclusion).catch(uncertainIfLost)
        : conclude(conclusion),
    defer: (place, remedy, dueAt, keyedAnswer) =>
      defer(pool, clock, place, remedy, dueAt, keyedAnswer).catch(uncertainIfLost),
    find: async (merchantId, transactionId) => {
      await recovered();
      return findTransaction(pool, merchantId, transactionId);
    },
    findSealedCard: (merchantId, transactionId) => findSealedCard(pool, merchantId, transactionId),
    findKey: (merchantId, key) => findKey(pool, merchantId, key),
    storeAnswer: (merchantId, answer) => storeAnswer(pool, clock, merchantId, answer),
    close: async () => {
      await Promise.all(writers.map((writer) => writer.close()));
    },
  };
}

function uncertainIfLost(fault: unknown): never {
  if (!connectionLost(fault)) throw fault;
  throw new JournalUncertain("the database went away while it was writing", { cause: fault });
}

async function defer(
  sql: Sql,
  clock: Clock,
  { merchantId, transactionId, sequence }: EventPlace,
  remedy: Remedy,
  dueAt: Date,
  answer: KeyedAnswer | null,
): Promise<void> {
  const now = clock.now();
  await sql`
    with deferred as (
      insert into unresolved (merchant_id, transaction_id, sequence, processor_id, remedy, attempts, due_at, created_at)
      select merchant_id, transaction_id, sequence, processor_id, ${remedy}::text, 0, ${dueAt}::timestamptz, ${now}::timestamptz
      from events where merchant_id = ${merchantId} and transaction_id = ${transactionId} and sequence = ${sequence}
      on conflict do nothing returning merchant_id, transaction_id, sequence, created_at
    ),
    told as (${sql.unsafe(tellOfOpen("deferred", "r.created_at"))})
    insert into idempotency_answers (merchant_id, key, status, body, moment, created_at)
    select ${merchantId}::uuid, ${answer?.key ?? null}::text, ${answer?.status ?? null}::int, ${bodyOf(answer)}::text,
      ${momentOf(answer)}::text, ${now}
    where ${answer !== null} on conflict do nothing`;
}

async function findKey(sql: Sql, merchantId: string, key: string): Promise<StoredKey | undefined> {
  const [row] = await sql<
    ({ request_hash: Buffer; transaction_id: string; sequence: number } & (AnswerRow | { status: null }))[]
  >`
    select k.request_hash, k.transaction_id, k.sequence, a.status, a.body, a.moment
    from idempotency_keys k left join idempotency_answers a using (merchant_id, key)
    where k.merchant_id = ${merchantId} and k.key = ${key}`;
  return (
    row && {
      key,
      requestHash: row.request_hash,
      transactionId: row.transaction_id,
      sequence: row.sequence,
      answer: row.status === null ? null : answerFrom(row),
    }
  );
}

async function storeAnswer(sql: Sql, clock: Clock, merchantId: string, answer: KeyedAnswer): Promise<KeptAnswer> {
  await sql`
    insert into idempotency_answers (merchant_id, key, status, body, moment, created_at)
    values (${merchantId}, ${answer.key}, ${answer.status}, ${bodyOf(answer)}, ${momentOf(answer)}, ${clock.now()})
    on conflict do nothing`;
  const [stored] = await sql<AnswerRow[]>`
    select status, body, moment from idempotency_answers where merchant_id = ${merchantId} and key = ${answer.key}`;
  return stored ? answerFrom(stored) : answer;
}

/** One of the two is there. */
interface AnswerRow {
  readonly status: number;
  readonly body: string | null;
  readonly moment: string | null;
}

const answerFrom = ({ status, body, moment }: AnswerRow): KeptAnswer =>
  body === null ? { status, moment: moment ?? "" } : { status, body };
