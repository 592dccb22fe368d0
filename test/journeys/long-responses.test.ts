// What a merchant can make the gateway keep for its idempotency keys: follow-ups on a transaction with much in it are
// answered again byte for byte, and yet not kept byte for byte.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { type Answer, startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, leg, merchantOf, passenger, sale } from "./merchant.fixture.ts";

const keyed = (key: string = randomUUID()) => ({ headers: { "idempotency-key": key } });
/** Request line, headers, token and key of a follow-up. */
const HEAD_BYTES = 400;

describe("long answers to follow-ups with idempotency keys", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const long = (over: Json = {}) => sale({ amount: "100.00", meta: { text: "Zürich ".repeat(7_000) }, ...over });
  const keptBytes = async (): Promise<number> => {
    const [row] = await gateway.pool<[{ bytes: number }]>`
      select (coalesce(sum(octet_length(row_to_json(a)::text)), 0)
        + (select coalesce(sum(octet_length(row_to_json(k)::text)), 0) from idempotency_keys k))::int as bytes
      from idempotency_answers a`;
    return row.bytes;
  };

  test("sixty small refunds keep no more than twenty times what was sent", async () => {
    const { charged, follow } = merchantOf(gateway);
    const { id } = await charged("sale", long());
    const before = await keptBytes();
    let sent = 0;
    for (let count = 0; count < 60; count++) {
      const body = { amount: "0.01" };
      sent += HEAD_BYTES + JSON.stringify(body).length;
      expectStatus(await follow(id, "refund", body, keyed()), 200);
    }
    const kept = (await keptBytes()) - before;
    assert.ok(kept < 20 * sent, `${kept} bytes kept of ${sent} sent`);
  });

  test("each is answered again byte for byte, whatever happened since: events, their ends, terms, days", async () => {
    const { charged, follow, processor } = merchantOf(gateway);
    const processor_id = await processor({
      currency: "CAD",
      settings: { silent_operations: ["void"], timeout_ms: 100 },
    });
    const { id } = await charged("auth", long({ processor_id }));
    const again: (() => Promise<void>)[] = [];
    const sent = async (
      path: Parameters<typeof follow>[1],
      body: Json | undefined,
      status: number,
    ): Promise<Answer> => {
      const key = keyed();
      const first = expectStatus(await follow(id, path, body, key), status);
      assert.ok(first.text.length > 8_192);
      again.push(async () => {
        const repeated = await follow(id, path, body, key);
        assert.deepEqual([repeated.status, repeated.text], [first.status, first.text]);
        assert.equal(repeated.headers.get("idempotent-replayed"), "true");
      });
      return first;
    };
    await sent("capture", { amount: "40.00" }, 200);
    // Beside a void that nobody knows the end of.
    await sent("void", undefined, 202);
    await gateway.operator("PATCH", `/operator/processors/${processor_id}`, {
      settings: { silent_operations: null, refund_before_settlement: false },
      schedule: { auto_capture_at: null, cutoff_at: "11:00", settled_at: "12:00", visible_at: "13:00" },
    });
    for (const repeat of again) await repeat();
    const now = new Date(Date.now() + 3 * 86_400_000).toISOString();
    expectStatus(await gateway.operator("POST", "/operator/clock", { now }), 200);
    for (const repeat of again) await repeat();
  });

  test("a reversal's two steps, and the bare answer of a group booking", async () => {
    const { charged, follow } = merchantOf(gateway);
    const travellers = Array.from({ length: 20 }, () => passenger({ legs: [leg({ fare: "10.00" })] }));
    const { id, passengers } = await charged("sale", sale({ amount: "200.00", passenger_transport: travellers }));
    const [one] = passengers;
    const part = { amount: "1.00", passenger_transport: [{ passenger_id: one.id, amount: "1.00" }] };
    const requests = [["refund", part, keyed()] as const, ["reversal", undefined, keyed()] as const];
    const firsts: Answer[] = [];
    for (const [path, body, key] of requests) firsts.push(expectStatus(await follow(id, path, body, key), 200));
    for (const [index, [path, body, key]] of requests.entries())
      assert.equal((await follow(id, path, body, key)).text, firsts[index]?.text);
  });
});
