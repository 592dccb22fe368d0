import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { AUTHOR, withDeliveries } from "../../test/fixtures/delivering.ts";
import { explained, watched, workOf } from "../../test/fixtures/work-of-statements.ts";
import type { Statement } from "../journal/sql/statement.ts";
import { changeWebhook } from "./endpoints.ts";
import { outboxOf } from "./outbox.ts";

describe("the outbox", () => {
  const delivered = withDeliveries();

  test("a node that was paused for longer than its lease does not undo what another one delivered meanwhile", () =>
    delivered.world(async ({ clock, waiting, rows, later }) => {
      const { id, outbox, due } = await waiting();
      const [paused] = await outbox.lease(due, 1, 1);
      await sleep(10);
      const [other] = await outbox.lease(due, 1, 60_000);
      assert.ok(paused && other && paused.id === other.id);
      await outbox.delivered(due, other, "204");
      const asDelivered = await rows(id);
      later(1_000);
      await outbox.again(due, paused, "ECONNRESET", clock.now());
      assert.equal(await outbox.givenUp(due, paused, "ECONNRESET"), false);
      assert.deepEqual(await rows(id), asDelivered);
    }));

  test("what it delivered itself counts, also where another one has given up", () =>
    delivered.world(async ({ waiting, rows }) => {
      const { id, outbox, due } = await waiting();
      const [delivery] = await outbox.lease(due, 1, 60_000);
      assert.ok(delivery);
      assert.equal(await outbox.givenUp(due, delivery, "ECONNRESET"), true);
      await outbox.delivered(due, delivery, "204");
      assert.deepEqual(
        (await rows(id)).map((row) => [row.delivered, row.due_at, row.answer]),
        [[true, null, "204"]],
      );
    }));

  test("where there are more endpoints than are found at once, each has its turn", () =>
    delivered.world(async ({ clock, merchant, receiver, endpoint, happen }) => {
      const [merchantId, shop] = [await merchant(), await receiver()];
      const there = [
        await endpoint(merchantId, shop),
        await endpoint(merchantId, shop),
        await endpoint(merchantId, shop),
      ];
      await happen(merchantId);
      const outbox = outboxOf(delivered.installation.pool, clock);
      const found = [];
      for (let look = 0; look < 3; look++) found.push(...(await outbox.due([], 1)));
      assert.deepEqual(
        found.map(({ id }) => id),
        there.map(({ id }) => id).sort(),
      );
    }));

  test("a lease does not read all that waits for an endpoint, nor all that it got", () =>
    delivered.world(async ({ clock, waiting }) => {
      const { id, due } = await waiting();
      const { pool } = delivered.installation;
      await pool`
        insert into webhook_deliveries
        select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'transaction_id', gen_random_uuid(),
          'due_at', case when nth % 2 = 0 then d.due_at end))).*
        from webhook_deliveries d cross join generate_series(1, 6000) nth where d.endpoint_id = ${id}`;
      const asked: Statement[] = [];
      const outbox = outboxOf(watched(pool, asked), clock);
      assert.equal((await outbox.lease(due, 32, 60_000)).length, 32);
      const [lease] = asked;
      assert.ok(lease);
      for (const analyzed of [false, true]) {
        if (analyzed) await pool`analyze webhook_deliveries`;
        const work = workOf(await explained(pool, lease.text, lease.values));
        assert.ok(work < 1_000, `${work} rows`);
      }
    }));

  test("an endpoint that was disabled a moment ago is not found, and nothing is taken for it", () =>
    delivered.world(async ({ waiting, office }) => {
      const { id, outbox, due } = await waiting();
      await changeWebhook(office, AUTHOR, id, { enabled: false });
      assert.equal(await outbox.find(due), undefined);
      assert.deepEqual(await outbox.lease(due, 10, 60_000), []);
    }));
});
