// One who floods, and the others: whose turn it is does not depend on who asks more.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { mintSecret } from "../../src/merchants/token-secret.ts";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, newMerchant, sale } from "./merchant.fixture.ts";

describe("floods", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  test("a sale does not wait until another merchant's flood of sales is over", async () => {
    const { token } = await newMerchant(gateway, {});
    // The connection is there, the token known.
    expectStatus(await gateway.post("/api/transactions/sale", sale(), { token }), 200);
    let answered = 0;
    const flood = Array.from({ length: 800 }, async () => {
      const { status } = await gateway.post("/api/transactions/sale", sale());
      answered++;
      return status;
    });
    while (answered === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expectStatus(await gateway.post("/api/transactions/sale", sale(), { token }), 200);
    const before = answered;
    assert.ok((await Promise.all(flood)).every((status) => status === 200 || status === 429));
    assert.ok(before < 600, `${before} of 800 came first`);
  });

  test("a valid token is taken at once while thousands of unknown ones are tried", async () => {
    let refused = 0;
    const tries = Array.from({ length: 800 }, async () => {
      const { status } = await gateway.get("/api/transactions", { token: mintSecret("test").secret });
      refused++;
      return status;
    });
    while (refused === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expectStatus(await gateway.post("/api/transactions/sale", sale()), 200);
    const before = refused;
    const statuses = new Set(await Promise.all(tries));
    assert.ok(
      [...statuses].every((status) => status === 401 || status === 429 || status === 503),
      [...statuses].join(),
    );
    assert.ok(before < 760, `${before} of 800 came first`);
  });

  test("health is told by the thousand, and the database asked a few times", async () => {
    const asked = async () => {
      const [row] = await gateway.pool<[{ n: string }]>`
        select sum(xact_commit) n from pg_stat_database where datname = current_database()`;
      return Number(row.n);
    };
    const before = await asked();
    for (let round = 0; round < 10; round++) {
      const probes = Array.from({ length: 100 }, () => gateway.get("/health/ready", { token: null }));
      assert.ok((await Promise.all(probes)).every(({ status }) => status === 200));
    }
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const more = (await asked()) - before;
    assert.ok(more < 500, `${more} questions`);
  });
});
