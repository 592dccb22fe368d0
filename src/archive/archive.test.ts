import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { approved, conclusion, ended, followUp, intent } from "../../test/conformance/intents.ts";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { ON_CITUS } from "../../test/database-server.ts";
import { officeOn } from "../../test/fixtures/archiving.ts";
import { listPage } from "../../test/fixtures/whole-page.ts";
import { isArchived } from "../journal/archived.ts";
import { insertDispute } from "../journal/disputes.ts";
import { registerNode } from "../journal/nodes.ts";
import { openJournal, type PostgresJournal } from "../journal/postgres-journal.ts";
import { lister } from "../journal/search/ask.ts";
import { amountOf } from "../payment/money.ts";
import type { Transaction } from "../payment/transaction.ts";
import { overview } from "../settlement/overview.ts";
import { type Archiving, archive } from "./archive.ts";
import { BrokenArchive } from "./file.ts";
import { planPortion } from "./plan.ts";
import { portionsOf } from "./portions.ts";
import { restore } from "./restore.ts";

const DAY_MS = 86_400_000;
const START = Date.parse("2031-01-01T12:00:00Z");
const AUTHOR = { actor: "test", source: "test" };

describe("an archive", () => {
  let database: FreshDatabase;
  let journal: PostgresJournal;
  let folder: string;
  let now = START;
  const clock = { now: () => new Date(now) };
  const office = () => officeOn(database.pool, clock);

  before(async () => {
    database = await freshDatabase();
    folder = mkdtempSync(join(tmpdir(), "faregate-archive-"));
    const { address, pool } = database;
    const node = await registerNode(pool, clock.now());
    journal = openJournal({ address, pool, clock, node, distributed: ON_CITUS });
  });
  after(async () => {
    await journal.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A day's sale each: approved, refunded, declined, with passengers and a late failure. */
  async function merchantWith(count: number) {
    const id = v7();
    now = START;
    await database.pool`insert into merchant_counters values (${id}, 0, ${clock.now()})`;
    const transactions: Transaction[] = [];
    for (let day = 0; day < count; day++) {
      now = START + day * DAY_MS;
      transactions.push(await written(id, day));
    }
    now += 400 * DAY_MS;
    return { id, transactions };
  }

  const failure = () => {
    const { processorResponse } = approved(clock.now());
    return { at: clock.now(), processorResponse, category: "refused" } as const;
  };

  async function written(merchantId: string, nth: number): Promise<Transaction> {
    const transaction = intent(merchantId, clock.now(), { full: nth % 2 === 1 });
    await journal.open(transaction, null);
    const [charge] = transaction.events;
    if (nth % 4 === 3) {
      await journal.conclude(conclusion(transaction, charge, ended("declined", clock.now())));
      return transaction;
    }
    await journal.conclude(conclusion(transaction, charge, approved(clock.now())));
    const capture = followUp(transaction, "capture", { createdAt: clock.now() });
    assert.equal(await journal.append(merchantId, transaction.id, capture, null), "appended");
    await journal.conclude(conclusion(transaction, capture, approved(clock.now())));
    if (nth % 4 === 2) {
      await journal.failLate({ merchantId, transactionId: transaction.id, sequence: 2 }, failure());
    }
    return transaction;
  }

  const everything = (merchantId: string) => listPage(database.pool, merchantId, {}, 1);
  const day = (nth: number) => new Date(START - DAY_MS / 2 + nth * DAY_MS);
  const archiving = (merchantId: string, nth: number, given: Partial<Archiving> = {}) =>
    archive(office(), AUTHOR, { merchantId, before: day(nth), folder, ...given });
  const archivedNumbers = async (merchantId: string) =>
    (await portionsOf(database.pool, merchantId)).map(({ first, last, state }) => [first, last, state]);

  test("has what was over before the day; lists, totals and searches have the rest, and a restore brings everything back", async () => {
    const { id, transactions } = await merchantWith(8);
    const before = await everything(id);
    const { archived, here } = { archived: transactions.slice(0, 5), here: transactions.slice(5) };
    const result = await archiving(id, 5);
    assert.deepEqual([result.transactions, result.files, result.stays], [5, 1, null]);
    const left = await everything(id);
    assert.deepEqual([left.total, left.transactions], [3, before.transactions.slice(0, 3)]);
    const named = { startsWith: { first_name: "Ана" } };
    assert.equal((await listPage(database.pool, id, named, 1)).total, 2);
    assert.equal((await listPage(database.pool, id, { createdTo: day(6) }, 1)).total, 1);
    assert.equal((await listPage(database.pool, id, { createdTo: day(3) }, 1)).total, 0);
    for (const { id: one } of archived) {
      assert.equal(await journal.find(id, one), undefined);
      assert.equal(await isArchived(database.pool, id, one), true);
    }
    assert.equal(await isArchived(database.pool, id, here[0]?.id ?? ""), false);

    await database.pool`insert into daily_changes values (${id}, '2031-01-01', '')`;
    assert.equal(await restore(office(), AUTHOR, { merchantId: id, from: day(0), folder }), 5);
    assert.deepEqual(await everything(id), before);
    assert.equal((await database.pool`select from daily_changes where merchant_id = ${id}`).length, 0);
    assert.equal((await listPage(database.pool, id, named, 1)).total, 4);
    assert.deepEqual([await archivedNumbers(id), readdirSync(join(folder, id))], [[], []]);
  });

  test("leaves nothing in any table of what it took but the ids, and of card numbers nothing at all", async () => {
    const { id, transactions } = await merchantWith(4);
    const { pool } = database;
    for (const { id: transactionId, events } of transactions) {
      const [{ id: key, processorId: processor_id }] = events;
      const card = {
        merchant_id: id,
        transaction_id: transactionId,
        key_id: 1,
        sealed: Buffer.alloc(40),
        look_at: day(9),
      };
      await pool`insert into sealed_cards ${pool(card)}`;
      const trace = { merchant_id: id, key, processor_id, mti: "0200", stan: 1, sent_at: day(1) };
      await pool`insert into trace_numbers ${pool(trace)}`;
    }
    const tables = await pool<{ name: string }[]>`
      select table_name as name from information_schema.columns
      where table_schema = current_schema() and column_name = 'merchant_id' order by 1`;
    const heldOf = async (nth: number) => {
      const one = transactions[nth];
      assert.ok(one);
      const ids = [one.id, ...one.events.map((event) => event.id)].join("|");
      const held = async (name: string) =>
        (await pool`select from ${pool(name)} t where merchant_id = ${id} and t::text ~ ${ids}::text limit 1`).length >
        0;
      const found: string[] = [];
      for (const { name } of tables) if (await held(name)) found.push(name);
      return found;
    };
    const before = ["events", "outcomes", "sealed_cards", "trace_numbers", "transactions"];
    assert.deepEqual(await heldOf(1), before);
    await archiving(id, 3);
    for (const nth of [0, 1, 2]) assert.deepEqual(await heldOf(nth), ["archived_transactions"]);
    assert.deepEqual(await heldOf(3), before);
    const named = await pool<{ number: string }[]>`select distinct number from passengers where merchant_id = ${id}`;
    assert.deepEqual(
      named.map(({ number }) => Number(number)),
      [4],
    );

    await restore(office(), AUTHOR, { merchantId: id, from: day(0), folder });
    assert.deepEqual(
      await heldOf(1),
      before.filter((name) => name !== "sealed_cards"),
    );
  });

  test("leaves overviews as they were, archived and restored", async () => {
    const { id, transactions } = await merchantWith(6);
    const span = { from: new Date(START - DAY_MS / 2), before: new Date(START + 10 * DAY_MS) };
    const shown = async () => {
      const { asOf: _, ...rest } = await overview(
        lister(database.pool, id),
        { merchantId: id, currency: "CAD", ...span },
        clock.now(),
      );
      return rest;
    };
    const before = await shown();
    assert.equal(before.charges.count, 3);
    await archiving(id, 4);
    now += DAY_MS;
    assert.deepEqual(await shown(), before);
    await restore(office(), AUTHOR, { merchantId: id, from: day(0), folder });
    assert.deepEqual(await shown(), before);
    // What becomes of a restored one is told once, and not beside what it was when it left.
    const transactionId = transactions[1]?.id ?? "";
    await journal.failLate({ merchantId: id, transactionId, sequence: 2 }, failure());
    const { captures } = await shown();
    assert.deepEqual([captures.count, captures.amount], [before.captures.count - 1, before.captures.amount - 40n]);
  });

  const disputed = (id: string, { id: transactionId, events: [event] }: Transaction, at: Date, state?: "won") =>
    database.pool.begin((sql) =>
      insertDispute(
        sql,
        {
          ...{ merchantId: id, id: v7(), transactionId, merchantTransactionId: "1", eventId: event.id },
          ...{ processorId: event.processorId, reference: null },
        },
        { order: 1, at, disputed: { amount: amountOf(100n), currency: "USD" }, ...(state && { state }) },
        at,
      ),
    );
  type Change = (id: string, transaction: Transaction) => Promise<unknown>;
  const STAYS: readonly [what: string, why: RegExp, change: Change][] = [
    [
      "an operation is in flight",
      /no outcome/,
      (id, one) => journal.append(id, one.id, { ...followUp(one, "refund"), sequence: 3, createdAt: day(2) }, null),
    ],
    [
      "it was refunded later",
      /later/,
      async (id, one) => {
        const late = { ...followUp(one, "refund"), sequence: 3, createdAt: clock.now() };
        await journal.append(id, one.id, late, null);
        await journal.conclude(conclusion(one, late, approved(clock.now())));
      },
    ],
    [
      "its money settles later",
      /later/,
      async (id, one) => {
        const event = { ...followUp(one, "refund"), sequence: 3, createdAt: day(2) };
        await journal.append(id, one.id, event, null);
        const settlement = { cutoffAt: day(4), settledAt: day(4), visibleAt: day(5) };
        await journal.conclude(conclusion(one, event, approved(day(2), settlement)));
      },
    ],
    [
      "it failed later",
      /later/,
      (id, one) => journal.failLate({ merchantId: id, transactionId: one.id, sequence: 2 }, failure()),
    ],
    [
      "the gateway is still resolving it",
      /still resolving/,
      (id, one) => database.pool`
        insert into unresolved (merchant_id, transaction_id, sequence, processor_id, remedy, attempts, due_at, created_at)
        values (${id}, ${one.id}, 1, ${one.events[0].processorId}, 'reverse', 0, ${day(2)}, ${day(2)})`,
    ],
    [
      "its automatic capture is to come",
      /automatic capture/,
      (id, one) => database.pool`
        insert into open_authorizations (merchant_id, processor_id, transaction_id, authorized_at)
        values (${id}, ${one.events[0].processorId}, ${one.id}, ${day(2)})`,
    ],
    [
      "a notification about it waits",
      /notification/,
      (id, one) => database.pool`
        insert into waiting_notifications (merchant_id, processor_id, id, transaction_id, attempts, due_at)
        values (${id}, ${one.events[0].processorId}, 'one', ${one.id}, 0, ${day(2)})`,
    ],
    [
      "a webhook about it is not delivered",
      /webhook/,
      (id, one) => database.pool`
        insert into webhook_deliveries
          (merchant_id, endpoint_id, id, type, transaction_id, sequence, occurred_at, created_at, due_at, attempts, delivered)
        values (${id}, ${v7()}, ${v7()}, 'transaction.settled', ${one.id}, 1, ${day(2)}, ${day(2)}, ${day(2)}, 0, false)`,
    ],
    ["a dispute over it is open", /dispute/, (id, one) => disputed(id, one, day(2))],
    ["a dispute over it ended later", /later/, (id, one) => disputed(id, one, clock.now(), "won")],
  ];
  for (const [what, why, change] of STAYS)
    test(`ends before a transaction that is not over: ${what}`, async () => {
      const { id, transactions } = await merchantWith(5);
      const one = transactions[1];
      assert.ok(one);
      await change(id, one);
      const { transactions: moved, stays } = await archiving(id, 5);
      assert.deepEqual([moved, stays?.id], [1, one.id]);
      assert.match(stays?.why ?? "", why);
      assert.equal((await everything(id)).total, 4);
    });

  test("takes nothing away whose file is not as it was written", async () => {
    const { id } = await merchantWith(3);
    const broken = archiving(id, 3, {
      reached: (step) => {
        const [file] = readdirSync(join(folder, id));
        if (step === "marked") truncateSync(join(folder, id, file ?? ""), 100);
      },
    });
    await assert.rejects(broken, BrokenArchive);
    const rows = await database.pool`select from transactions where merchant_id = ${id}`;
    assert.equal(rows.length, 3);
  });

  test("takes nothing away to which something happened since it was written: it stays, and so does what came later", async () => {
    const { id, transactions } = await merchantWith(4);
    const one = transactions[2];
    assert.ok(one);
    const late = JSON.stringify({ id: v7(), sequence: 3 });
    const [adding, marked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // As if it had been in flight when the transactions were marked.
    const added = database.pool.begin(async (sql) => {
      await sql`
        insert into events select (json_populate_record(e, ${late}::text::json)).* from events e
        where merchant_id = ${id} and transaction_id = ${one.id} and sequence = 1`;
      adding.resolve();
      await marked.promise;
    });
    await adding.promise;
    const { transactions: moved, stays } = await archiving(id, 4, {
      reached: (step) => step === "marked" && marked.resolve(),
    });
    await added;
    assert.deepEqual([moved, stays?.id, (await journal.find(id, one.id))?.events.length], [2, one.id, 3]);
    assert.equal((await everything(id)).total, 2);
  });

  test("nothing is added to what is marked", async () => {
    const { id, transactions } = await merchantWith(2);
    const [one] = transactions;
    assert.ok(one);
    const added: Promise<unknown>[] = [];
    await archiving(id, 2, {
      reached: (step) => {
        if (step === "marked")
          added.push(journal.append(id, one.id, { ...followUp(one, "refund"), sequence: 3 }, null));
      },
    });
    assert.deepEqual(await Promise.all(added), ["conflict"]);
  });

  for (const step of ["written", "marked"] as const)
    test(`has each transaction once if it is killed when a portion is ${step}, and goes on`, async () => {
      const { id } = await merchantWith(4);
      const before = await everything(id);
      const script = join(import.meta.dirname, "../../test/fixtures/archiving.ts");
      const given = JSON.stringify({ address: database.address, merchantId: id, before: day(3), now, folder, step });
      const child = spawn(process.execPath, [script, given], { stdio: ["ignore", "inherit", "inherit"] });
      const [, signal] = await once(child, "exit");
      assert.equal(signal, "SIGKILL");
      const { total } = await everything(id);
      assert.equal(total, step === "written" ? 4 : 1);
      await archiving(id, 3);
      assert.deepEqual(await archivedNumbers(id), [[1, 3, "archived"]]);
      assert.equal(readdirSync(join(folder, id)).length, 1);
      const rows = await database.pool`select from events where merchant_id = ${id}`;
      assert.equal(rows.length, 1);
      await restore(office(), AUTHOR, { merchantId: id, from: day(0), folder });
      assert.deepEqual(await everything(id), before);
    });

  test("a plan of what would go changes nothing", async () => {
    const { id } = await merchantWith(3);
    const { leaving } = await planPortion(database.pool, id, day(2), 0);
    assert.deepEqual([leaving.map(({ number }) => number), await archivedNumbers(id)], [[1, 2], []]);
  });
});
