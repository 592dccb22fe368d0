// A row that cannot be sent to the database at all is its own fault, as one is that the database refuses.

import assert from "node:assert/strict";
import { test } from "node:test";
import { v7 as uuidv7 } from "uuid";
import { approved, conclusion, intent } from "../../test/conformance/intents.ts";
import { freshDatabase } from "../../test/database.ts";
import { postgresInstallation } from "../../test/postgres-installation.ts";
import { at } from "../../test/transactions.ts";
import { faultOfRow } from "./database.ts";

test("of outcomes that are written together, those beside one that is no value of its column are written", async () => {
  const installation = postgresInstallation(await freshDatabase());
  try {
    const { journal } = await installation.join();
    const merchantId = uuidv7();
    await installation.addMerchant(merchantId);
    const charges = [1, 2, 3].map(() => intent(merchantId, at("1 12:00")));
    await Promise.all(charges.map((charge) => journal.open(charge, null)));
    const ends = charges.map((charge) => conclusion(charge, charge.events[0], approved(at("1 12:00"))));
    for (const wrong of [{ transactionId: "none" }, { sequence: 2 ** 31 }, { sequence: 1.5 }]) {
      const written = await Promise.allSettled(
        ends.map((end, nth) => journal.conclude(nth === 1 ? { ...end, ...wrong } : end)),
      );
      assert.deepEqual(
        written.map((one) => (one.status === "fulfilled" ? "written" : faultOfRow(one.reason) && "refused")),
        ["written", "refused", "written"],
      );
    }
    assert.equal(await journal.conclude(ends[1] ?? assert.fail()), "concluded");
  } finally {
    await installation.end();
  }
});
