// The two other accounts of what happened, beside the clients' notes: the gateway's journal, read from its tables, and the
// host's books, read from its export.

import type { Sql } from "../../src/journal/database.ts";
import type { Booked, JournalEvent, JournalKey, JournalOutcome } from "./accounts.ts";
import type { HostControl, House } from "./house.ts";

async function readJournal(sql: Sql): Promise<{ events: readonly JournalEvent[]; keys: readonly JournalKey[] }> {
  const rows = await sql<(Omit<JournalEvent, "amount" | "outcome"> & OutcomeColumns & { amount: string })[]>`
    select e.id, e.transaction_id as "transactionId", e.sequence, e.type, e.amount::text, e.processor_id as "processorId",
      e.ip_address as "ipAddress", e.reversal, e.created_at as "createdAt", o.kind, o.processor_code as code,
      o.auth_code as "authCode", o.processor_transaction_id as "processorTransactionId", o.created_at as "concludedAt",
      l.failure #>> '{processorResponse,code}' as "failedLate"
    from events e left join outcomes o using (merchant_id, transaction_id, sequence)
      left join late_failures l using (merchant_id, transaction_id, sequence)
    order by e.transaction_id, e.sequence`;
  const keys = await sql<JournalKey[]>`
    select key, transaction_id as "transactionId", sequence from idempotency_keys`;
  return { events: rows.map(eventOf), keys };
}

type OutcomeColumns = { readonly [Name in Exclude<keyof JournalOutcome, "at">]: JournalOutcome[Name] | null } & {
  readonly concludedAt: Date | null;
};

function eventOf({
  ...row
}: Omit<JournalEvent, "amount" | "outcome"> & OutcomeColumns & { amount: string }): JournalEvent {
  const { kind, code, authCode, processorTransactionId, concludedAt, amount, ...event } = row;
  const outcome =
    kind === null || concludedAt === null
      ? null
      : { kind, code: code ?? "", authCode, processorTransactionId, at: concludedAt };
  return { ...event, amount: BigInt(amount), outcome };
}

const DAY_MS = 86_400_000;

/** All that the host booked since then. */
export async function readBooks(host: HostControl, since: Date, now: Date): Promise<readonly Booked[]> {
  const booked: Booked[] = [];
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  for (let day = Date.parse(dayOf(since.getTime())); day <= now.getTime(); day += DAY_MS)
    booked.push(...parseBooks(await host.books(dayOf(day))));
  return booked;
}

/** docs/iso8583.md, "A day's books as CSV". No value of this run needs quotes. */
function parseBooks(csv: string): readonly Booked[] {
  const [header = "", ...lines] = csv.split("\n").filter((line) => line !== "");
  const names = header.split(",");
  return lines.map((line) => {
    const values = line.split(",");
    if (values.length !== names.length) throw new Error(`a line of the books that cannot be read: ${line}`);
    const of = (name: string) => values[names.indexOf(name)] ?? "";
    return {
      at: new Date(of("at")),
      operation: of("operation") as Booked["operation"],
      book: of("terminal"),
      reference: of("rrn"),
      amount: BigInt(of("amount").replace(".", "")),
      code: of("code"),
      authCode: of("auth_code"),
      id: of("id"),
      transaction: of("transaction"),
    };
  });
}

/** How much is still to do: events without an outcome, and rows that the resolver has to work off. */
export interface Open {
  readonly pending: number;
  readonly unresolved: number;
  /** Messages of processors that are not applied yet. */
  readonly waiting: number;
  /** Records whose automatic capture is due or running: it would go on while journal and books are read. */
  readonly capturing: number;
}

/** Which messages of processors wait, and for what. */
export const readWaiting = (sql: Sql): Promise<readonly object[]> => sql`
  select w.id, n.kind, n.reference, n.news, w.attempts, n.created_at, w.due_at, w.taken_until, now() as now
  from waiting_notifications w join notifications n using (merchant_id, processor_id, id) order by w.number limit 20`;

/** A reversal that is accepted is asked for again after a day. */
const PUT_OFF = "1 hour";

export async function readOpen(sql: Sql): Promise<Open> {
  const [row] = await sql<[Open]>`
    select (select count(*)::int from events left join outcomes o using (merchant_id, transaction_id, sequence)
      where o.kind is null) as pending,
      (select count(*)::int from unresolved where due_at <= now() + ${PUT_OFF}::interval) as unresolved,
      (select count(*)::int from waiting_notifications) as waiting,
      (select count(*)::int from auto_captures where due_at <= now()) as capturing`;
  return row;
}

/** As if the pauses were over: what is put off is tried now. */
export const dueNow = async (sql: Sql): Promise<void> =>
  void (await sql`
    update unresolved set due_at = now()
    where due_at > now() and due_at <= now() + ${PUT_OFF}::interval and remedy <> 'operator'`);

/** As if the day were over: what was accepted and not confirmed is asked for again. @returns how many */
export async function hasten(sql: Sql): Promise<number> {
  const rows = await sql`update unresolved set due_at = now() where due_at > now() + ${PUT_OFF}::interval returning 1`;
  return rows.length;
}

type WithBooks = Pick<House, "host" | "providers">;

/** By all hosts. */
export const readBooked = async ({ host, providers }: WithBooks, since: Date): Promise<readonly Booked[]> => [
  ...(await readBooks(host, since, new Date())),
  ...providers.flatMap((one) => one.booked()),
];

export const readAll = async ({ sql, ...hosts }: Pick<House, "sql"> & WithBooks, since: Date) => ({
  ...(await readJournal(sql)),
  booked: await readBooked(hosts, since),
});
