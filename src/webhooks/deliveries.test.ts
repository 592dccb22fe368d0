// Telling again: what was ended begins anew, and nothing else is touched.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AUTHOR, withDeliveries } from "../../test/fixtures/delivering.ts";
import { at } from "../../test/transactions.ts";
import { findDelivery, listDeliveries, replay } from "./deliveries.ts";
import { deleteWebhook } from "./endpoints.ts";
import { outboxOf } from "./outbox.ts";

describe("what is told again", () => {
  const delivered = withDeliveries();

  test("begins anew: it fails, waits and is given up as for the first time", () =>
    delivered.world(async ({ clock, merchant, receiver, endpoint, happen, rows, office, later }) => {
      const merchantId = await merchant();
      const { id } = await endpoint(merchantId, await receiver());
      await happen(merchantId);
      const outbox = outboxOf(delivered.installation.pool, clock);
      const taken = async () => {
        const [due] = await outbox.due([], 10);
        const [delivery] = due ? await outbox.lease(due, 1, 60_000) : [];
        assert.ok(due && delivery);
        return [due, delivery] as const;
      };
      const [due, first] = await taken();
      await outbox.again(due, first, "500", clock.now());
      await outbox.delivered(...(await taken()), "204");
      later(1_000);
      const asked = await replay(office, AUTHOR, id, { delivery_id: first.id });
      assert.deepEqual(asked, { kind: "done", value: 1 });
      const state = async () =>
        (await rows(id)).map(({ due_at, attempts, delivered, ended_at }) => ({
          due_at,
          attempts,
          delivered,
          ended_at,
        }));
      const open = { delivered: false, ended_at: null };
      assert.deepEqual(await state(), [{ ...open, due_at: clock.now(), attempts: 0 }]);
      const [, again] = await taken();
      const retryAt = new Date(clock.now().getTime() + 5_000);
      await outbox.again(due, again, "500", retryAt);
      assert.deepEqual(await state(), [{ ...open, due_at: retryAt, attempts: 1 }]);
      assert.equal(await outbox.givenUp(due, again, "410"), true);
    }));

  test("is not what waits for its next attempt, which keeps its place and its count", () =>
    delivered.world(async ({ waiting, rows, office }) => {
      const { id, outbox, due } = await waiting();
      const [delivery] = await outbox.lease(due, 1, 60_000);
      assert.ok(delivery);
      await outbox.again(due, delivery, "500", at("1 13:00"));
      const before = await rows(id);
      for (const input of [
        { delivery_id: delivery.id },
        { since: "2030-05-01T00:00:00Z", until: "2030-05-02T00:00:00Z" },
      ])
        assert.deepEqual(await replay(office, AUTHOR, id, input), { kind: "done", value: 0 });
      assert.deepEqual(await rows(id), before);
    }));

  test("is what happened from the first instant on, and before the last", () =>
    delivered.world(async ({ clock, merchant, receiver, endpoint, happen, rows, office }) => {
      const merchantId = await merchant();
      const { id } = await endpoint(merchantId, await receiver());
      const [since, until] = [at("1 12:01"), at("1 12:02")];
      for (const instant of [at("1 12:00:59"), since, at("1 12:01:59"), until]) await happen(merchantId, instant);
      clock.set(at("1 12:10"));
      const outbox = outboxOf(delivered.installation.pool, clock);
      const [due] = await outbox.due([], 10);
      assert.ok(due);
      for (const delivery of await outbox.lease(due, 10, 60_000)) await outbox.delivered(due, delivery, "204");
      const span = { since: since.toISOString(), until: until.toISOString() };
      assert.deepEqual(await replay(office, AUTHOR, id, span), { kind: "done", value: 2 });
      const again = (await rows(id)).filter(({ due_at }) => due_at !== null) as unknown as { occurred_at: Date }[];
      assert.deepEqual(again.map(({ occurred_at }) => occurred_at).sort(), [since, at("1 12:01:59")]);
    }));
});

describe("a list of what an endpoint is told", () => {
  const delivered = withDeliveries();

  test("has those of one status, or of one transaction, newest first", () =>
    delivered.world(async ({ clock, merchant, receiver, endpoint, happen, rows, office }) => {
      const merchantId = await merchant();
      const { id } = await endpoint(merchantId, await receiver());
      const happened = [await happen(merchantId), await happen(merchantId), await happen(merchantId)];
      const outbox = outboxOf(delivered.installation.pool, clock);
      const [due] = await outbox.due([], 10);
      assert.ok(due);
      const [first, second, third] = happened.map((transaction) => transaction.id);
      for (const delivery of await outbox.lease(due, 10, 60_000)) {
        if (delivery.transactionId === first) await outbox.delivered(due, delivery, "204");
        if (delivery.transactionId === second) await outbox.givenUp(due, delivery, "410");
        if (delivery.transactionId === third) await outbox.again(due, delivery, "500", clock.now());
      }
      const listed = async (part: object = {}) =>
        (await listDeliveries(office.sql, id, { limit: 10, ...part }))?.map(({ transaction_id }) => transaction_id);
      assert.deepEqual(
        [
          await listed({ status: "delivered" }),
          await listed({ status: "failed" }),
          await listed({ status: "waiting" }),
          await listed({ transactionId: second }),
          await listed({ transactionId: second, status: "waiting" }),
          (await listed())?.length,
        ],
        [[first], [second], [third], [second], [], 3],
      );
      const [one] = await rows(id);
      const found = async () => (await findDelivery(office.sql, id, `${one?.id}`))?.id;
      assert.equal(await found(), one?.id);
      await deleteWebhook(office, AUTHOR, id);
      assert.deepEqual([await listed(), await found()], [undefined, undefined]);
    }));
});
