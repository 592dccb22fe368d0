// Generated requests that are wrong somewhere: never a fault, never a hang, nothing stored, nothing given away.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sized } from "../random.ts";
import { startTestGateway } from "./gateway.ts";
import { sendHarmlessly, stored } from "./harmless.fixture.ts";
import { noise, wrongCharges, wrongFollowUps, wrongHeadersAndPaths, wrongQueries } from "./hostile.fixture.ts";
import { expectStatus, type Gateway, merchantOf, passenger, sale } from "./merchant.fixture.ts";
import { holdsFor } from "./seeded.fixture.ts";

describe("generated requests do no harm", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  /** How many requests were answered with which status: a generator that only makes one kind of fault would show. */
  const tally = new Map<number, number>();
  const harmless = async (sent: Parameters<typeof sendHarmlessly>[1]) => {
    const { status } = await sendHarmlessly(gateway, sent);
    tally.set(status, (tally.get(status) ?? 0) + 1);
  };
  const told = () =>
    [...tally]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${count} × ${status}`)
      .join(", ");

  test("queries of the list", async (t) => {
    await holdsFor(t, sized(200, 1_000), wrongQueries, harmless);
    t.diagnostic(told());
  });

  test("charges with fields that are wrong, missing, doubled or of the wrong type", async (t) => {
    await holdsFor(t, sized(400, 2_000), wrongCharges, harmless);
    t.diagnostic(told());
    for (const status of [200, 400, 422]) assert.ok((tally.get(status) ?? 0) > sized(10, 50), told());
  });

  test("captures, voids, refunds and reversals likewise, of plain and of airline transactions", async (t) => {
    const { charged } = merchantOf(gateway);
    const bodies = new Map<string, Record<string, unknown>>();
    for (const path of [...Array(10).fill("auth"), ...Array(10).fill("sale")]) {
      bodies.set((await charged(path, sale({ amount: 9_999_999 }))).id, { amount: "0.01", ip_address: "203.0.113.7" });
      const legs = Array.from({ length: 2 }, () => passenger());
      const { id, passengers } = await charged(path, sale({ amount: "200.00", passenger_transport: legs }));
      const shares = passengers.map((one: { id: string }) => ({ passenger_id: one.id, amount: "0.01" }));
      bodies.set(id, { amount: "0.02", passenger_transport: shares });
    }
    await holdsFor(t, sized(200, 1_000), wrongFollowUps(bodies), harmless);
    t.diagnostic(told());
  });

  test("methods, paths and headers, the Idempotency-Key among them", async (t) => {
    await holdsFor(t, sized(200, 1_000), wrongHeadersAndPaths, harmless);
    t.diagnostic(told());
  });

  test("bytes that are no body at all", async (t) => {
    await holdsFor(t, sized(100, 500), noise, harmless);
    t.diagnostic(told());
  });

  test("what came of all that can be listed, page by page and as CSV", async () => {
    const { transactions: total } = await stored(gateway.pool);
    for (let page = 1, left = total ?? 0; left > 0; page++, left -= 50) {
      const { body } = expectStatus(await gateway.get(`/api/transactions?page=${page}`), 200);
      assert.deepEqual([body.meta.total, body.transactions.length], [total, Math.min(left, 50)]);
    }
    const csv = expectStatus(await gateway.get("/api/transactions?format=csv"), 200);
    const ids = csv.text.matchAll(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12},/gm);
    assert.equal([...ids].length, total);
  });
});
