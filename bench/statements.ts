// `node bin/run.mjs bench/statements.ts [another working tree of this project]`: PostgreSQL's CPU time for the two statements of a
// sale, by how many sales go together, without a gateway, and this process's for sending them. With another tree its journal takes
// turns with this one's on the same database, so the two can be compared on a busy machine. Ends by itself within two minutes.

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { v7 as uuidv7 } from "uuid";
import { openPool, type Sql } from "../src/journal/database.ts";
import { startEmbedded } from "../src/journal/embedded/embedded.ts";
import { migrate } from "../src/journal/migrate.ts";
import type { openJournal, PostgresJournal } from "../src/journal/postgres-journal.ts";
import { approved, claim, conclusion, intent } from "../test/conformance/intents.ts";
import { newFolder } from "./data.ts";
import { median } from "./statistics.ts";
import { type Undo, undoing } from "./undo.ts";

/** The machine may be shared, and this process be stopped for a while. */
const PATIENCE_MS = 600_000;
const ROUNDS = 5;
/** Sales together, and how many in a round. */
const GROUPS = new Map([
  [1, 300],
  [8, 1_200],
  [32, 2_400],
]);
const PARTS = ["open", "conclude", "sending"] as const;
const FIELDS = {
  ...{ first_name: "Jane", last_name: "Doe", street_address_1: "1 Main Street", city: "Los Gatos" },
  ...{ state: "CA", country: "US", zip: "95030" },
};
const PROCESSOR = uuidv7();
const CUTOFF = new Date(Date.now() + 86_400_000);
const SETTLEMENT = { cutoffAt: CUTOFF, settledAt: CUTOFF, visibleAt: CUTOFF };
const BODY = JSON.stringify({ success: true, filler: "x".repeat(900) });
const HERE = resolve(import.meta.dirname, "..");

let sales = 0;

interface Subject {
  readonly tree: string;
  readonly merchantId: string;
  readonly journal: PostgresJournal;
  readonly node: number;
}

await undoing(async (undo) => {
  const { connection } = await undo.started(startEmbedded({ dataFolder: newFolder(undo), log: () => undefined }));
  const sql = openPool(connection, "measurement");
  undo.add(() => sql.end({ timeout: 1 }));
  await migrate(sql);
  const subjects: Subject[] = [];
  for (const tree of process.argv
    .slice(2)
    .map((path) => resolve(path))
    .concat(HERE))
    subjects.push(await open(undo, tree, connection, sql, subjects.length + 1));
  for (const subject of subjects) await write(subject, 8, 2_000);
  await sql`vacuum analyze`;
  console.table(await byTurns(subjects, sql));
});

async function open(
  undo: Undo,
  tree: string,
  address: Parameters<typeof openPool>[0],
  pool: Sql,
  node: number,
): Promise<Subject> {
  const module = (await import(join(tree, "src/journal/postgres-journal.ts"))) as { openJournal: typeof openJournal };
  const merchantId = uuidv7();
  await pool`insert into merchant_counters (merchant_id, transactions, newest_at) values (${merchantId}, 0, '2000-01-01Z')`;
  const clock = { now: () => new Date() } as Parameters<typeof openJournal>[0]["clock"];
  const journal = module.openJournal({ address, pool, clock, node, patienceMs: PATIENCE_MS });
  undo.add(() => journal.close());
  return { tree, merchantId, journal, node };
}

async function byTurns(subjects: readonly Subject[], sql: Sql): Promise<Record<string, object>> {
  const table: Record<string, object> = {};
  for (const [together, count] of GROUPS) {
    const rounds = new Map(subjects.map(({ tree }) => [tree, [] as Spent[]]));
    for (let round = 0; round < ROUNDS; round++)
      for (const subject of round % 2 ? subjects : subjects.toReversed())
        rounds.get(subject.tree)?.push(await measure(subject, sql, together, count));
    for (const [tree, spent] of rounds)
      table[`${together} together, ${tree}`] = Object.fromEntries(
        PARTS.map((part) => [part, Number(median(spent.map((one) => one[part]).filter(Number.isFinite)).toFixed(1))]),
      );
  }
  return table;
}

type Spent = Readonly<Record<(typeof PARTS)[number], number>>;

async function measure(subject: Subject, sql: Sql, together: number, count: number): Promise<Spent> {
  const rows = await sql<{ name: string; pid: number }[]>`
    select application_name as name, pid from pg_stat_activity where application_name like ${`faregate node ${subject.node} %`}`;
  const pidOf = (work: string) => rows.find(({ name }) => name.includes(` ${work} `))?.pid ?? 0;
  const now = () => ({ open: nanos(pidOf("open")), conclude: nanos(pidOf("conclude")), sending: process.cpuUsage() });
  const before = now();
  await write(subject, together, count);
  const after = now();
  const sending = after.sending.user + after.sending.system - before.sending.user - before.sending.system;
  return {
    open: (after.open - before.open) / 1_000 / count,
    conclude: (after.conclude - before.conclude) / 1_000 / count,
    sending: sending / count,
  };
}

/** proc(5): on a processor. Not a number for a connection that was lost since. */
function nanos(pid: number): number {
  const file = `/proc/${pid}/schedstat`;
  return existsSync(file) ? Number(readFileSync(file, "utf8").split(" ")[0]) : Number.NaN;
}

/** Every second sale has an idempotency key. */
async function write({ merchantId, journal }: Subject, together: number, count: number): Promise<void> {
  for (let done = 0; done < count; done += together) {
    const now = new Date();
    const group = Array.from({ length: together }, () => sale(merchantId, now));
    await Promise.all(group.map(({ opening, key }) => journal.open(opening, key === null ? null : claim(key))));
    await Promise.all(
      group.map(({ opening, key }) => {
        const keyedResponse = key === null ? null : { key, status: 200, body: BODY };
        const end = conclusion(opening, opening.events[0], approved(now, SETTLEMENT), { keyedResponse });
        return journal.conclude(end);
      }),
    );
  }
}

function sale(merchantId: string, now: Date) {
  const plain = intent(merchantId, now);
  const [event] = plain.events;
  const opening = {
    ...plain,
    ...{ fields: { ...FIELDS, email: `jane.${++sales}@example.com` }, merchantTransactionId: `order-${sales}` },
    events: [{ ...event, type: "sale", processorId: PROCESSOR, ipAddress: "203.0.113.7" }] as const,
  };
  return { opening, key: sales % 2 === 0 ? `key-${sales}` : null };
}
