import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { withDeliveries } from "../../test/fixtures/delivering.ts";
import { outboxOf } from "./outbox.ts";

describe("the outbox", () => {
  const delivered = withDeliveries();

  test("a node that was paused for longer than its lease does not undo what another one delivered meanwhile", () =>
    delivered.world(async ({ clock, merchant, receiver, endpoint, happen, rows, later }) => {
      const merchantId = await merchant();
      const { id } = await endpoint(merchantId, await receiver());
      await happen(merchantId);
      const outbox = outboxOf(delivered.installation.pool, clock);
      const [due] = await outbox.due([], 10);
      assert.ok(due);
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
    delivered.world(async ({ clock, merchant, receiver, endpoint, happen, rows }) => {
      const merchantId = await merchant();
      const { id } = await endpoint(merchantId, await receiver());
      await happen(merchantId);
      const outbox = outboxOf(delivered.installation.pool, clock);
      const [due] = await outbox.due([], 10);
      assert.ok(due);
      const [delivery] = await outbox.lease(due, 1, 60_000);
      assert.ok(delivery);
      assert.equal(await outbox.givenUp(due, delivery, "ECONNRESET"), true);
      await outbox.delivered(due, delivery, "204");
      assert.deepEqual(
        (await rows(id)).map((row) => [row.delivered, row.due_at, row.answer]),
        [[true, null, "204"]],
      );
    }));
});
