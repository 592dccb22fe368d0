// What nodes and events have to wait for each other for: the next of a transaction for the answer to the one before, and the end of an
// endpoint for what another node delivered.

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { approved, conclusion, followUp } from "../../test/conformance/intents.ts";
import { typesOf, withDeliveries } from "../../test/fixtures/delivering.ts";
import { until } from "../../test/receiver.ts";
import { findWebhook } from "./endpoints.ts";
import { outboxOf } from "./outbox.ts";

describe("webhooks", () => {
  const delivered = withDeliveries();

  test("the next event of a transaction is sent when the one before was answered; another transaction's need not wait", () =>
    delivered.world(async ({ clock, merchant, receiver, endpoint, deliver, happen }) => {
      const [merchantId, shop] = [await merchant(), await receiver()];
      await endpoint(merchantId, shop);
      const transaction = await happen(merchantId);
      const capture = { ...followUp(transaction, "capture"), createdAt: clock.now() };
      await delivered.node.journal.append(merchantId, transaction.id, capture, null);
      await delivered.node.journal.conclude(conclusion(transaction, capture, approved(clock.now())));
      await happen(merchantId);
      const held: ServerResponse[] = [];
      shop.answer = (response) => void held.push(response);
      deliver();
      const auth = "transaction.auth.succeeded";
      await shop.got(2);
      await sleep(300);
      assert.deepEqual(typesOf(shop.received), [auth, auth]);
      shop.answer = 204;
      for (const response of held) response.writeHead(204).end();
      await shop.got(3);
      assert.deepEqual(typesOf(shop.received), [auth, auth, "transaction.capture.succeeded"]);
    }));

  test("nor does another node send it before: it has what happened to other transactions", () =>
    delivered.world(async ({ clock, office, merchant, receiver, endpoint, happen }) => {
      const [merchantId, shop] = [await merchant(), await receiver()];
      await endpoint(merchantId, shop);
      const transaction = await happen(merchantId);
      const [first, second] = [outboxOf(office.sql, clock), outboxOf(office.sql, clock)];
      const [due] = await first.due([], 1);
      assert.ok(due);
      const [auth] = await first.lease(due, 10, 60_000);
      assert.ok(auth);
      const capture = { ...followUp(transaction, "capture"), createdAt: clock.now() };
      await delivered.node.journal.append(merchantId, transaction.id, capture, null);
      await delivered.node.journal.conclude(conclusion(transaction, capture, approved(clock.now())));
      const other = await happen(merchantId);
      const told = async () =>
        (await second.lease(due, 10, 60_000)).map(({ transactionId, type }) => [transactionId, type]);
      assert.deepEqual(await told(), [[other.id, "transaction.auth.succeeded"]]);
      await first.delivered(due, auth, "204");
      assert.deepEqual(await told(), [[transaction.id, "transaction.capture.succeeded"]]);
    }));

  test("who gives a webhook up that another node delivered meanwhile does not disable the endpoint", () =>
    delivered.world(async ({ clock, merchant, receiver, endpoint, deliver, happen, rows }) => {
      const [merchantId, shop] = [await merchant(), await receiver()];
      const { id } = await endpoint(merchantId, shop);
      await happen(merchantId);
      const { pool } = delivered.installation;
      const outbox = outboxOf(pool, clock);
      shop.answer = async (response) => {
        const [due] = await outbox.due([], 1);
        const place = due ?? { merchantId, id, url: "", secret: Buffer.alloc(0), previousSecret: null };
        const [row] = await rows(id);
        assert.ok(row);
        const delivery = {
          ...row,
          type: "",
          transactionId: null,
          disputeId: null,
          planId: null,
          sequence: 1,
          occurredAt: clock.now(),
        };
        await outbox.delivered(place, delivery, "204");
        response.writeHead(410).end();
      };
      const deliverer = deliver();
      await shop.got(1);
      await until("it is delivered", async () => (await rows(id)).every((row) => row.delivered));
      await deliverer.stop();
      assert.equal((await findWebhook(pool, id))?.enabled, true);
    }));

  test("what takes longer to be answered than a lease lasts is sent by one node, once", () =>
    delivered.world(async ({ merchant, receiver, endpoint, deliver, happen, ended }) => {
      const [merchantId, shop] = [await merchant(), await receiver()];
      const { id } = await endpoint(merchantId, shop);
      await happen(merchantId);
      shop.answer = (response) => void setTimeout(() => response.writeHead(204).end(), 2_500);
      for (let node = 0; node < 2; node++) deliver({ leaseMs: 1_000 });
      await ended(id);
      assert.equal(shop.received.length, 1);
    }));
});
