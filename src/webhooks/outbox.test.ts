import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { AUTHOR, withDeliveries } from "../../test/fixtures/delivering.ts";
import { explained, watched, workOf } from "../../test/fixtures/work-of-statements.ts";
import type { Statement } from "../journal/sql/statement.ts";
import { changeWebhook, rotateSecret } from "./endpoints.ts";
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

  test("after a rotation the secret before signs for a day, and no longer", () =>
    delivered.world(async ({ waiting, office, later }) => {
      const { id, outbox, due } = await waiting();
      await rotateSecret(office, AUTHOR, id);
      const signs = async () => {
        const [found, now] = [(await outbox.due([], 10)).find((one) => one.id === id), await outbox.find(due)];
        assert.ok(found && now);
        return [found, now].map(
          ({ previousSecret }) => previousSecret && office.sealing.open(previousSecret, id).length,
        );
      };
      assert.deepEqual(await signs(), [32, 32]);
      later(24 * 3_600_000 - 1);
      assert.deepEqual(await signs(), [32, 32]);
      later(1);
      assert.deepEqual(await signs(), [null, null]);
    }));

  test("what fell due first is taken first, whenever it happened", () =>
    delivered.world(async ({ clock, merchant, receiver, endpoint, happen, later }) => {
      const merchantId = await merchant();
      await endpoint(merchantId, await receiver());
      for (let nth = 0; nth < 3; nth++) await happen(merchantId);
      const outbox = outboxOf(delivered.installation.pool, clock);
      const [due] = await outbox.due([], 10);
      assert.ok(due);
      const taken = await outbox.lease(due, 3, 60_000);
      const inS = (seconds: number) => new Date(clock.now().getTime() + seconds * 1_000);
      const wanted = taken.toSorted((one, other) => (one.id < other.id ? 1 : -1)).map(({ id }) => id);
      for (const delivery of taken) await outbox.again(due, delivery, "500", inS(1 + wanted.indexOf(delivery.id)));
      later(60_000);
      const [first] = await outbox.lease(due, 1, 60_000);
      const others = await outbox.lease(due, 2, 60_000);
      assert.deepEqual(
        [first, ...others].map((one) => one?.id),
        wanted,
      );
    }));

  test("an endpoint that was disabled a moment ago is not found, and nothing is taken for it", () =>
    delivered.world(async ({ waiting, office }) => {
      const { id, outbox, due } = await waiting();
      await changeWebhook(office, AUTHOR, id, { enabled: false });
      assert.equal(await outbox.find(due), undefined);
      assert.deepEqual(await outbox.lease(due, 10, 60_000), []);
    }));
});
