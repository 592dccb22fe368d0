// What Citus can route of what runs beside requests: webhooks, settlement, the archive. Told on plain PostgreSQL, by plans.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { archive } from "../../src/archive/archive.ts";
import { erase, findPayer } from "../../src/archive/erase.ts";
import { restore } from "../../src/archive/restore.ts";
import { openAuthorizations, setCaptureTime } from "../../src/journal/auto-capture-rows.ts";
import { openPool, type Sql } from "../../src/journal/database.ts";
import { merchantsToAddUp } from "../../src/journal/figures.ts";
import { openJournal } from "../../src/journal/postgres-journal.ts";
import { lister } from "../../src/journal/search/ask.ts";
import { streamEvents } from "../../src/settlement/batch-events.ts";
import { findBatch, listBatches, totalsOf, whyNotWhole } from "../../src/settlement/batches.ts";
import { streamLedger } from "../../src/settlement/ledger.ts";
import { overview } from "../../src/settlement/overview.ts";
import { position } from "../../src/settlement/position.ts";
import { outboxOf } from "../../src/webhooks/outbox.ts";
import { approved, conclusion, followUp, intent } from "../conformance/intents.ts";
import { type FreshDatabase, freshDatabase } from "../database.ts";
import { officeOn } from "../fixtures/archiving.ts";
import { explained, keeping, plansOf, unroutable, unspreadable } from "./plans.ts";

const NOW = new Date("2031-05-01T12:00:00Z");
const LATER = new Date("2031-05-02T12:00:00Z");
const CLOCK = { now: () => LATER };

describe("where tables are distributed by merchant, beside requests", () => {
  let database: FreshDatabase;
  const merchantId = v7();
  const processorId = v7();

  before(async () => {
    database = await freshDatabase();
    await database.pool`insert into merchant_counters values (${merchantId}, 0, ${NOW})`;
  });
  after(() => database.drop());

  /** @returns of which statements one merchant's worker cannot be asked alone; those that all are asked lock and write nothing */
  async function overAll(work: (sql: Sql) => Promise<void>, atLeast: number): Promise<readonly string[]> {
    const sql = openPool(database.address, "routing", { connections: 1 });
    try {
      await work(keeping(sql));
      const plans = await plansOf(sql);
      assert.ok(plans.size >= atLeast, `${plans.size} statements`);
      const wide = [...plans].filter(([, plan]) => unroutable(plan).length > 0);
      for (const [text, plan] of wide) assert.deepEqual(unspreadable(plan), [], text);
      return wide.map(([text]) => text.replaceAll(/\s+/g, " ").trim());
    } finally {
      await sql.end();
    }
  }

  test("webhooks are sent merchant by merchant; only those that have something due are sought among all", async () => {
    const [due, ...others] = await overAll(everyDelivery, 8);
    assert.match(due ?? "", /^select .* from webhook_endpoints e cross join lateral .* due where e\.enabled/);
    assert.deepEqual(others, []);
  });

  test("captures, batches, ledgers and overviews are one merchant's; the operator's lists and what is due are sought among all", async () => {
    const wide = await overAll(everySettlement, 25);
    const expected = [
      /from auto_captures where due_at <= /,
      /from merchants m left join \(select \* from figures_known where true\) k on k\.merchant_id = m\.id/,
      /from batches b join processors p on .* where b\.cutoff_at <= \$1 order by/,
      /^select count\(\*\)::int as total from batches b join processors p on .* where b\.cutoff_at <= \$1$/,
      /from batches b join processors p on .* where b\.id = \$1/,
    ];
    for (const one of expected)
      assert.ok(
        wide.some((text) => one.test(text)),
        `${one} is not among\n${wide.join("\n")}`,
      );
    assert.deepEqual(
      wide.filter((text) => !expected.some((one) => one.test(text))),
      [],
    );
  });

  test("archiving, restoring and erasing are one merchant's", async () =>
    assert.deepEqual(await overAll(everyKeeping, 30), []));

  test("what locks or writes rows of all merchants is seen, and so is what joins them otherwise", async () => {
    const why = async (text: string) => unspreadable(await explained(database.pool, text));
    assert.deepEqual(await why("select id from events for update"), ["LockRows of all merchants"]);
    assert.deepEqual(await why("delete from unresolved where attempts > 9"), ["ModifyTable of all merchants"]);
    assert.deepEqual(await why("select e.id from events e join transactions t on t.id = e.transaction_id"), [
      "joined without the merchant",
    ]);
    assert.deepEqual(await why("select e.id from events e join outcomes o using (merchant_id, transaction_id)"), []);
  });

  async function everyDelivery(sql: Sql): Promise<void> {
    const outbox = outboxOf(sql, CLOCK);
    const endpoint = {
      merchantId,
      id: v7(),
      url: "http://127.0.0.1:9/",
      secret: Buffer.alloc(1),
      previousSecret: null,
    };
    const told = {
      type: "transaction.sale.succeeded",
      transactionId: v7(),
      disputeId: null,
      planId: null,
      sequence: 1,
    };
    const delivery = { ...told, id: v7(), occurredAt: NOW, attempts: 0 };
    await outbox.due([], 10);
    await outbox.find(endpoint);
    await outbox.lease(endpoint, 10, 1_000);
    await outbox.renew(endpoint, [delivery], 1_000);
    await outbox.delivered(endpoint, delivery, "204");
    await outbox.again(endpoint, delivery, "500", LATER);
    await outbox.givenUp(endpoint, delivery, "410");
    await outbox.release(endpoint, [delivery]);
    await outbox.drop(endpoint, delivery);
  }

  async function everySettlement(sql: Sql): Promise<void> {
    const due = { merchantId, processorId, dueAt: LATER };
    const open = openAuthorizations(sql);
    await setCaptureTime(sql, due, LATER);
    await open.due(LATER);
    await open.dueOfThoseThere(LATER);
    await open.gather(due);
    await open.lease(due, 10, NOW);
    await open.renew(due, [v7()]);
    await open.release(due, { over: [v7()], tried: [v7()], resting: [{ id: v7(), until: LATER }], left: [v7()] });
    await open.leasedByOthers(due);
    await open.putOff(due, LATER);
    await setCaptureTime(sql, due, null);
    const batch = { id: v7(), merchantId, processorId, currency: "CAD", cutoffAt: NOW };
    await listBatches(sql, LATER, {}, 1);
    await listBatches(sql, LATER, { merchantId, processorId }, 1);
    await findBatch(sql, LATER, batch.id);
    await whyNotWhole(sql, batch);
    await totalsOf(lister(sql, merchantId), LATER, batch);
    await Array.fromAsync(streamEvents(sql, batch));
    await Array.fromAsync(streamLedger(sql, merchantId, { from: NOW, before: LATER }, LATER));
    const asker = lister(sql, merchantId);
    await position(asker, merchantId, LATER);
    await overview(asker, { merchantId, currency: "CAD", from: NOW, before: LATER }, LATER);
    await merchantsToAddUp(sql, LATER);
  }

  async function everyKeeping(sql: Sql): Promise<void> {
    const { address, pool } = database;
    const journal = openJournal({ address, pool, clock: { now: () => NOW }, node: 1, distributed: true });
    const folder = mkdtempSync(join(tmpdir(), "faregate-routing-"));
    const author = { actor: "test", source: "test" };
    const office = officeOn(sql, CLOCK);
    try {
      for (const full of [true, false]) {
        const sale = intent(merchantId, NOW, { full });
        await journal.open(sale, null);
        await journal.conclude(conclusion(sale, sale.events[0], approved(NOW)));
        const capture = followUp(sale, "capture", { createdAt: NOW });
        await journal.append(merchantId, sale.id, capture, null);
        await journal.conclude(conclusion(sale, capture, approved(NOW)));
      }
      const { transactions } = await archive(office, author, { merchantId, folder, before: LATER });
      assert.equal(transactions, 2);
      await restore(office, author, { merchantId, folder, from: new Date(0) });
      const erasing = {
        merchantId,
        folder,
        keepMeta: false,
        payer: { first_name: "Ана", last_name: "", email: "", mobile_phone: "" },
      };
      assert.deepEqual(await findPayer(office, erasing), []);
      assert.equal(await erase(office, author, { ...erasing, payer: { first_name: "Ана" } }), 1);
    } finally {
      await journal.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }
});
