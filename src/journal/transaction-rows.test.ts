import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 as uuidv7 } from "uuid";
import { approved, conclusion, intent } from "../../test/conformance/intents.ts";
import { freshDatabase } from "../../test/database.ts";
import { type PostgresInstallation, postgresInstallation } from "../../test/postgres-installation.ts";
import { at } from "../../test/transactions.ts";

describe("a row that says what nobody knows here is a fault, and is never taken for something else", () => {
  let installation: PostgresInstallation;
  before(async () => {
    installation = postgresInstallation(await freshDatabase());
  });
  after(() => installation.end());

  for (const [table, column] of [
    ["transactions", "card_brand"],
    ["events", "type"],
    ["outcomes", "kind"],
    ["outcomes", "avs_response"],
    ["outcomes", "cvv_response"],
    ["outcomes", "threeds_response"],
  ] as const)
    test(`${column} of ${table}`, async () => {
      const { pool } = installation;
      const { journal, clock } = await installation.join();
      const merchantId = uuidv7();
      await installation.addMerchant(merchantId);
      const transaction = intent(merchantId, clock.now());
      await journal.open(transaction, null);
      await journal.conclude(conclusion(transaction, transaction.events[0], approved(at("1 12:00"))));
      assert.ok(await journal.find(merchantId, transaction.id));
      await pool.unsafe(`alter table ${table} drop constraint if exists ${table}_${column}_check`);
      await pool.unsafe(`update ${table} set ${column} = 'unheard-of' where merchant_id = '${merchantId}'`);
      await assert.rejects(
        async () => journal.find(merchantId, transaction.id),
        new RegExp(`broken journal: ${column} is "unheard-of"`),
      );
    });
});
