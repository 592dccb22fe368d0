// What Citus can route to the worker of one merchant, told on plain PostgreSQL: by its plans.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { explained, keeping, plansOf, unroutable } from "../../test/citus/plans.ts";
import { approved, claim, conclusion, ended, followUp, intent } from "../../test/conformance/intents.ts";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { listPage } from "../../test/fixtures/whole-page.ts";
import type { Transaction } from "../payment/transaction.ts";
import { openPool, type Sql } from "./database.ts";
import { disputesOf } from "./disputes.ts";
import { distribute } from "./distribute.ts";
import { isDistributed, PLACES } from "./distribution.ts";
import { appendingOfOne } from "./one-merchant/append.ts";
import { concludingOfOne } from "./one-merchant/conclude.ts";
import { openingOfOne } from "./one-merchant/open.ts";
import { openJournal, type PostgresJournal } from "./postgres-journal.ts";
import { sealedAmong } from "./sealed-cards.ts";
import { lister } from "./search/ask.ts";
import { BLOCK_SIZE } from "./search/block-set.ts";
import { foundByWords } from "./search/block-words.ts";
import { daysBefore, prepareDay } from "./search/daily-changes.ts";
import { withStanding } from "./search/known-standings.ts";
import { prepareBlock } from "./search/prepare-blocks.ts";
import { prepareStandings } from "./search/prepare-standings.ts";
import { assigning } from "./trace-numbers.ts";
import { findTransactions } from "./whole-transactions.ts";

const NOW = new Date("2031-05-01T12:00:00Z");
const LATER = new Date("2031-05-01T12:00:02Z");

describe("where tables are distributed by merchant", () => {
  let database: FreshDatabase;
  /** One connection, which keeps every statement that it was asked. */
  let sql: Sql;
  let journal: PostgresJournal;

  before(async () => {
    database = await freshDatabase();
    sql = openPool(database.address, "routing", { connections: 1 });
    journal = openJournal({
      address: database.address,
      pool: keeping(sql),
      clock: { now: () => NOW },
      node: 1,
      distributed: true,
    });
  });
  after(async () => {
    await journal.close();
    await sql.end();
    await database.drop();
  });

  test("every table has a place", async () => {
    const tables = await sql<{ name: string }[]>`
      select tablename as name from pg_tables where schemaname = current_schema()`;
    assert.deepEqual(tables.map(({ name }) => name).sort(), Object.keys(PLACES).sort());
  });

  test("what is distributed has a merchant_id, and all its primary keys begin with it", async () => {
    const keys = await sql<{ name: string; first: string }[]>`
      select c.relname as name, a.attname as first from pg_index i join pg_class c on c.oid = i.indrelid
      join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
      where i.indisprimary and c.relnamespace = current_schema()::regnamespace`;
    const others = keys.filter(({ name, first }) => PLACES[name] === "distributed" && first !== "merchant_id");
    assert.deepEqual(others, []);
  });

  test("plain PostgreSQL is not taken for a distributed one", async () =>
    assert.equal(await isDistributed(sql), false));

  test("plain PostgreSQL cannot be distributed, and the person is told what is missing", () =>
    assert.rejects(
      distribute(sql, () => undefined),
      /no Citus: add it with CREATE EXTENSION citus/,
    ));

  test("a sale, its follow-ups and lists ask for one merchant's rows, and join them with no local table", async () => {
    await everyRequest(keeping(sql), journal);
    const plans = await plansOf(sql);
    assert.ok(plans.size >= 30, `${plans.size} statements`);
    for (const [text, plan] of plans) assert.deepEqual(unroutable(plan), [], text);
  });

  test("a statement without its merchant is seen", async () => {
    const id = v7();
    assert.deepEqual(unroutable(await explained(sql, `select * from outcomes where transaction_id = '${id}'`)), [
      "outcomes without its merchant",
    ]);
    const joined = `select * from events e join users u using (merchant_id) where merchant_id = '${id}'`;
    assert.deepEqual(unroutable(await explained(sql, joined)), ["events beside users"]);
  });
});

async function everyRequest(sql: Sql, journal: PostgresJournal): Promise<void> {
  const merchantId = v7();
  await sql`insert into merchant_counters (merchant_id, transactions, newest_at) values (${merchantId}, 0, ${NOW})`;
  const sale = { ...intent(merchantId, NOW, { full: true }), cardKey: Buffer.from("card") };
  const place = { merchantId, transactionId: sale.id, sequence: 1 };
  const sealedCard = { keyId: 1, sealed: Buffer.from("sealed") };
  await sql`
    insert into webhook_endpoints (merchant_id, id, url, secret, created_at, updated_at, enabled)
    values (${merchantId}, ${v7()}, 'http://127.0.0.1:9/', '', ${NOW}, ${NOW}, true)`;
  const statements = { open: openingOfOne(1, () => NOW), append: appendingOfOne(1), conclude: concludingOfOne() };
  await statements.open.statement(sql, [{ intent: sale, claim: claim("key"), sealedCard }]);
  await statements.open.statement(sql, [{ intent: intent(merchantId, NOW), claim: null, sealedCard: null }]);
  await statements.conclude.statement(sql, [conclusion(sale, sale.events[0], approved(LATER))]);
  const refund = followUp(sale, "refund");
  await statements.append.statement(sql, [{ ...place, event: refund, claim: claim("other key") }]);
  const sent = { merchantId, processorId: sale.events[0].processorId, key: "sale", mti: "0200", at: NOW };
  await assigning(true).statement(sql, [sent]);
  await assigning(true).look(sql, [sent]);
  await journal.find(merchantId, sale.id);
  await findTransactions(sql, merchantId, [sale.id]);
  await everyStep(sql, journal, sale);
  await journal.findKey(merchantId, "key");
  await journal.findSealedCard(merchantId, sale.id);
  await sealedAmong(sql, merchantId, [sale.id]);
  await disputesOf(sql, merchantId, [sale.id]);
  await journal.storeResponse(merchantId, { key: "third key", status: 200, body: "{}" });
  await journal.defer({ ...place, sequence: 2 }, "repeat", LATER, null);
  await journal.failLate(place, {
    at: LATER,
    processorResponse: ended("declined", LATER).processorResponse,
    category: "refused",
  });
  for (const filter of [
    {},
    { createdFrom: NOW, createdTo: LATER },
    { updatedFrom: NOW, updatedTo: LATER },
    { startsWith: { email: "someone", passenger_name: "A" }, equals: { currency: "CAD" } },
    { authCode: "AB12C3" },
    { event: { type: "auth", status: { is: "authorized", at: LATER } } },
  ] as const)
    await listPage(sql, merchantId, filter, 1);
  const asker = lister(sql, merchantId);
  for (const column of ["email", "city"] as const)
    await foundByWords(asker, merchantId, [{ column, from: "A", before: "B" }], [0]);
  await daysBefore(asker, merchantId, LATER, NOW);
  await sql`insert into nodes (started_at, seen_at, clear_before) values (${NOW}, ${NOW}, '2039-01-01T00:00:00Z')`;
  await prepareStandings(asker, merchantId);
  const events = await withStanding(
    asker,
    { merchantId, newest: 2, version: 0 },
    { type: "auth" },
    { first: 1, last: 2 },
  );
  assert.ok(events?.maybeIn(0));
  // As if its block were full; where it is not, nothing is written.
  await sql`update merchant_counters set transactions = ${BLOCK_SIZE - 1} where merchant_id = ${merchantId}`;
  assert.equal(await prepareBlock(asker, merchantId), false);
  assert.ok(await prepareDay(asker, merchantId, new Date("2039-01-01T00:00:00Z")));
}

/** Ends that take a database transaction of their own: what was not sent, and what goes on to another processor, or may not. */
async function everyStep(sql: Sql, journal: PostgresJournal, { merchantId }: Transaction): Promise<void> {
  await sql`
    insert into nodes (id, started_at, seen_at, clear_before) overriding system value values (1, ${NOW}, ${NOW}, ${NOW})`;
  const declined = ended("declined", LATER);
  const keyedResponse = { key: "fourth key", status: 200, body: "{}" };
  for (const [tries, end] of [
    [9, "concluded"],
    [1, "limit-reached"],
  ] as const) {
    const charge = { ...intent(merchantId, NOW), cardKey: Buffer.from("card") };
    await journal.open(charge, null);
    const next = { ...charge.events[0], id: v7(), sequence: 2 };
    const step = { next, keyedResponse, limits: [{ tries, withinMs: 60_000 }] };
    assert.equal(await journal.conclude(conclusion(charge, charge.events[0], declined, step)), end);
  }
  const unsent = intent(merchantId, NOW);
  await journal.open(unsent, null);
  const notSent = conclusion(unsent, unsent.events[0], ended("not-sent", LATER));
  assert.equal(await journal.conclude(notSent), "concluded");
  await sql`delete from nodes where id = 1`;
  assert.equal(await journal.conclude(notSent), "already-concluded");
}
