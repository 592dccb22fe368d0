// A database that answers and takes no writes, as a standby after a failover, or one whose disk is full.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestGateway, told } from "./gateway.ts";
import { expectStatus, sale } from "./merchant.fixture.ts";

const SALE = "/api/transactions/sale";

test("while the database takes no writes a sale is 503 and leaves nothing; look-ups and lists are answered; then sales go on", async (t) => {
  const gateway = await startTestGateway();
  t.after(() => gateway.close());
  /**
   * In a transaction of its own kind: a session that may not write could not take it back. It ends before the others' sessions do, or one
   * that is opened in between would still have what was before.
   */
  const readOnly = (value: "on" | "off") =>
    gateway.pool.unsafe(`
      begin read write;
      do $$ begin execute format('alter database %I set default_transaction_read_only = ${value}', current_database()); end $$;
      commit;
      select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid();
      set default_transaction_read_only = ${value}`);

  const { transaction } = expectStatus(await gateway.post(SALE, sale({ merchant_transaction_id: "before" })), 200).body;
  await readOnly("on");
  const refused = await gateway.post(SALE, sale({ merchant_transaction_id: "meanwhile" }));
  assert.equal(told(refused), "503 base", refused.text);
  assert.deepEqual(refused.body.error.message.base, [
    "The database cannot be written to. Nothing was sent or changed; try again in a moment.",
  ]);
  assert.equal(refused.headers.get("retry-after"), "1");
  expectStatus(await gateway.get(`/api/transactions/${transaction.id}`), 200);

  await readOnly("off");
  expectStatus(await gateway.post(SALE, sale({ merchant_transaction_id: "after" })), 200);
  const { transactions } = expectStatus(await gateway.get("/api/transactions"), 200).body;
  assert.deepEqual(
    transactions.map((one: { merchant_transaction_id: string }) => one.merchant_transaction_id),
    ["after", "before"],
  );
});
