// Deliveries over real HTTP, from a real database: each at least once, by any node, whatever the receivers do.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { approved, conclusion, ended, followUp, intent } from "../../test/conformance/intents.ts";
import { AUTHOR, DAY_MS, idsOf, typesOf, withDeliveries } from "../../test/fixtures/delivering.ts";
import { type Received, until, verifies } from "../../test/receiver.ts";
import { at } from "../../test/transactions.ts";
import { auditLog } from "../merchants/audit-log.ts";
import { changeWebhook, deleteWebhook, findWebhook, rotateSecret } from "./endpoints.ts";
import { outboxOf } from "./outbox.ts";
import { PAUSES_MS } from "./retry.ts";
import { openSender } from "./send.ts";
import { removeOldDeliveries } from "./webhooks.ts";

describe("delivering webhooks", () => {
  const delivered = withDeliveries();
  const { world } = delivered;

  test("a webhook arrives once, signed by the published rule, and says what happened and when", () =>
    world(async ({ merchant, receiver, endpoint, deliver, happen, rows, ended }) => {
      const [merchantId, shop] = [await merchant(), await receiver()];
      const { id, secret } = await endpoint(merchantId, shop);
      const transaction = await happen(merchantId);
      const sent = Date.now();
      deliver();
      const [got, ...more] = await shop.got(1);
      assert.ok(got);
      await ended(id);
      assert.equal(more.length, 0);
      assert.equal(got.headers["content-type"], "application/json");
      const timestamp = Number(got.headers["webhook-timestamp"]);
      assert.ok(timestamp >= Math.floor(sent / 1000) && timestamp <= Date.now() / 1000, "real time, not the clock's");
      assert.deepEqual(JSON.parse(got.body), {
        type: "transaction.auth.succeeded",
        timestamp: at("1 12:00").toISOString().replace(".000Z", "+00:00"),
        data: { event_id: transaction.events[0].id, transaction: { id: transaction.id } },
      });
      assert.ok(await verifies(secret, got));
      assert.ok(!(await verifies(secret, { ...got, body: `${got.body} ` })), "another body");
      assert.ok(!(await verifies(`whsec_${randomBytes(32).toString("base64")}`, got)), "another secret");
      const [row] = await rows(id);
      assert.deepEqual([row?.id, row?.attempts, row?.answer], [got.headers["webhook-id"], 1, "204"]);
    }));

  test("what a node wrote before it died is delivered by another", () =>
    world(async ({ merchant, receiver, endpoint, deliver, happen, rows }) => {
      const [merchantId, shop] = [await merchant(), await receiver()];
      const { id } = await endpoint(merchantId, shop);
      const dead = await delivered.installation.join();
      const transaction = intent(merchantId, at("1 12:00"));
      await dead.journal.open(transaction, null);
      await dead.journal.conclude(conclusion(transaction, transaction.events[0], ended("declined", at("1 12:00"))));
      await dead.journal.close();
      assert.equal((await rows(id))[0]?.attempts, 0);
      await happen(merchantId);
      deliver();
      await shop.got(2);
      assert.deepEqual(typesOf(shop.received).sort(), ["transaction.auth.failed", "transaction.auth.succeeded"]);
    }));

  test("what a node had taken before it died is delivered by another when the lease has passed", () =>
    world(async ({ office, merchant, receiver, endpoint, deliver, happen, rows, ended }) => {
      const [merchantId, shop] = [await merchant(), await receiver()];
      const { id } = await endpoint(merchantId, shop);
      await happen(merchantId);
      const outbox = outboxOf(office.sql, office.clock);
      const [due] = await outbox.due([], 10);
      assert.ok(due);
      assert.equal((await outbox.lease(due, 10, 1_000)).length, 1);
      assert.deepEqual([await outbox.due([], 10), await outbox.lease(due, 10, 1_000)], [[], []]);
      deliver();
      await shop.got(1);
      await ended(id);
      assert.equal((await rows(id))[0]?.attempts, 1);
    }));

  test("several nodes share the work, and each webhook is sent by one of them", () =>
    world(async ({ merchant, receiver, endpoint, deliver, happen, ended }) => {
      const [merchantId, shop] = [await merchant(), await receiver()];
      const { id } = await endpoint(merchantId, shop);
      await Promise.all(Array.from({ length: 150 }, () => happen(merchantId)));
      for (let n = 0; n < 3; n++) deliver();
      await ended(id);
      assert.equal(shop.received.length, 150);
      assert.equal(new Set(idsOf(shop.received)).size, 150);
    }));

  test("an endpoint that does not answer holds up no other", () =>
    world(async ({ merchant, receiver, endpoint, deliver, happen, rows, ended }) => {
      const [merchantId, other] = [await merchant(), await merchant()];
      const [silent, shop, elsewhere] = [await receiver(), await receiver(), await receiver()];
      silent.answer = () => undefined;
      const { id: slow } = await endpoint(merchantId, silent);
      const { id } = await endpoint(merchantId, shop);
      const { id: another } = await endpoint(other, elsewhere);
      for (let n = 0; n < 40; n++) await happen(merchantId);
      deliver({ sender: openSender("sandbox", { timeoutMs: 120_000 }) });
      await silent.got(8);
      for (let n = 0; n < 40; n++) await happen(other);
      await ended(id);
      await ended(another);
      assert.deepEqual([shop.received.length, elsewhere.received.length], [40, 40]);
      assert.equal(silent.received.length, 8, "and it is sent so many at once at most");
      assert.ok((await rows(slow)).every(({ delivered }) => !delivered));
    }));

  test("one that fails is sent again after each pause, with the same id, and is given up after the last", () =>
    world(async ({ office, clock, merchant, receiver, endpoint, deliver, happen, rows, attempted, later }) => {
      const [merchantId, shop] = [await merchant(), await receiver()];
      const { id, secret } = await endpoint(merchantId, shop);
      shop.answer = 500;
      await happen(merchantId);
      deliver();
      for (const [index, pause] of PAUSES_MS.entries()) {
        await attempted(id, index + 1);
        assert.equal((await rows(id))[0]?.due_at?.getTime(), clock.now().getTime() + pause);
        later(pause - 1);
        assert.equal(shop.received.length, index + 1, "not before it is time");
        later(1);
      }
      await attempted(id, 10);
      await until("disabled", async () => !(await findWebhook(office.sql, id))?.enabled);
      const [row] = await rows(id);
      assert.deepEqual([row?.due_at, row?.delivered, row?.answer], [null, false, "500"]);
      assert.equal(new Set(idsOf(shop.received)).size, 1);
      assert.equal(new Set(shop.received.map(({ body }) => body)).size, 1, "the same body each time");
      for (const each of shop.received) assert.ok(await verifies(secret, each));
      const reason = "It failed 10 times over three days, the last time with: 500.";
      assert.equal((await findWebhook(office.sql, id))?.disabled_reason, reason);
      const [note] = await auditLog(office.sql, { subject: id });
      assert.deepEqual([note?.actor, note?.action], ["gateway", "webhook.change"]);
      assert.equal((note?.after as { disabled_reason: string } | undefined)?.disabled_reason, reason);
    }));

  test("a receiver that asks to wait longer than the pause is obeyed, for a day at most", () =>
    world(async ({ clock, merchant, receiver, endpoint, deliver, happen, rows, attempted }) => {
      const dueAfter = async (status: number, seconds: number) => {
        const [merchantId, shop] = [await merchant(), await receiver()];
        const { id } = await endpoint(merchantId, shop);
        shop.answer = (response) => response.writeHead(status, { "retry-after": String(seconds) }).end();
        await happen(merchantId);
        await attempted(id, 1);
        return ((await rows(id))[0]?.due_at?.getTime() ?? 0) - clock.now().getTime();
      };
      deliver();
      assert.equal(await dueAfter(429, 600), 600_000);
      assert.equal(await dueAfter(503, 600), 600_000);
      assert.equal(await dueAfter(503, 1), 5_000);
      assert.equal(await dueAfter(429, 1_000_000), DAY_MS);
      assert.equal(await dueAfter(500, 600), 5_000, "others have no say");
    }));

  test("410 disables it at once; enabled again it is told what it had not been told", () =>
    world(async ({ office, merchant, receiver, endpoint, deliver, happen, rows, later }) => {
      const [merchantId, shop] = [await merchant(), await receiver()];
      const { id } = await endpoint(merchantId, shop);
      shop.answer = 410;
      await happen(merchantId);
      await happen(merchantId);
      const deliverer = deliver({ atOnce: 1 });
      await until("disabled", async () => !(await findWebhook(office.sql, id))?.enabled);
      assert.equal((await findWebhook(office.sql, id))?.disabled_reason, "It answered 410 (gone).");
      await happen(merchantId);
      later(DAY_MS);
      await deliverer.stop();
      assert.equal(shop.received.length, 1);
      shop.answer = 204;
      await changeWebhook(office, AUTHOR, id, { enabled: true });
      deliver();
      await until("nothing waits", async () => (await rows(id)).every(({ due_at }) => due_at === null));
      assert.equal(shop.received.length, 2);
      const states = (await rows(id)).map(({ delivered, answer }) => `${delivered} ${answer}`).sort();
      assert.deepEqual(states, ["false 410", "true 204"], "nothing was kept for it while it was disabled");
    }));

  test("after a rotation both secrets verify for a day, and then the new one alone", () =>
    world(async ({ office, merchant, receiver, endpoint, deliver, happen, later }) => {
      const [merchantId, shop] = [await merchant(), await receiver()];
      const { id, secret: old } = await endpoint(merchantId, shop);
      const rotated = await rotateSecret(office, AUTHOR, id);
      assert(rotated.kind === "done");
      const { secret } = rotated.value;
      const checked = async (got: Received | undefined) => {
        assert.ok(got);
        const signatures = String(got.headers["webhook-signature"]).split(" ").length;
        return [signatures, await verifies(old, got), await verifies(secret, got)];
      };
      deliver();
      later(DAY_MS - 1);
      await happen(merchantId);
      assert.deepEqual(await checked((await shop.got(1))[0]), [2, true, true]);
      later(1);
      await happen(merchantId);
      assert.deepEqual(await checked((await shop.got(2))[1]), [1, false, true]);
    }));

  test("what is due is sent in the order in which it fell due, a transaction's events one after the other", () =>
    world(async ({ clock, merchant, receiver, endpoint, deliver, happen }) => {
      const [merchantId, shop] = [await merchant(), await receiver()];
      await endpoint(merchantId, shop);
      const instants = ["1 12:05", "1 12:01", "1 12:04", "1 12:02", "1 12:03"].map(at);
      for (const instant of instants) await happen(merchantId, instant);
      const transaction = await happen(merchantId, at("1 12:06"));
      for (const type of ["capture", "refund"] as const) {
        const event = {
          ...followUp(transaction, type),
          createdAt: at("1 12:06"),
          sequence: type === "capture" ? 2 : 3,
        };
        await delivered.node.journal.append(merchantId, transaction.id, event, null);
        await delivered.node.journal.conclude(conclusion(transaction, event, approved(at("1 12:06"))));
      }
      clock.set(at("1 13:00"));
      deliver({ atOnce: 1 });
      await shop.got(8);
      const times = shop.received.slice(0, 5).map(({ body }) => JSON.parse(body).timestamp);
      assert.deepEqual(times, times.toSorted());
      const last = ["transaction.auth.succeeded", "transaction.capture.succeeded", "transaction.refund.succeeded"];
      assert.deepEqual(typesOf(shop.received.slice(5)), last);
    }));

  test("settled is told when it shows and not before, and not of what was voided in between", () =>
    world(async ({ clock, merchant, receiver, endpoint, deliver, happen, rows }) => {
      const [merchantId, shop] = [await merchant(), await receiver()];
      const { id } = await endpoint(merchantId, shop, { event_types: ["transaction.settled"] });
      const settlement = { cutoffAt: at("1 22:00"), settledAt: at("2 02:00"), visibleAt: at("2 02:20") };
      const captured = async () => {
        const transaction = await happen(merchantId);
        const event = { ...followUp(transaction, "capture"), amount: transaction.events[0].amount };
        await delivered.node.journal.append(merchantId, transaction.id, event, null);
        await delivered.node.journal.conclude(conclusion(transaction, event, approved(at("1 12:00"), settlement)));
        return { ...transaction, events: [...transaction.events, event] as const };
      };
      const [kept, voided] = [await captured(), await captured()];
      const gone = { ...followUp(voided, "void"), amount: voided.events[0].amount, sequence: 3 };
      await delivered.node.journal.append(merchantId, voided.id, gone, null);
      await delivered.node.journal.conclude(conclusion(voided, gone, approved(at("1 12:00"))));
      deliver();
      clock.set(new Date(settlement.visibleAt.getTime() - 1));
      assert.equal((await rows(id)).length, 2);
      assert.equal(shop.received.length, 0);
      clock.set(new Date(settlement.visibleAt.getTime() + 3 * DAY_MS));
      await until("the voided one is dropped", async () => (await rows(id)).length === 1);
      await shop.got(1);
      const body = JSON.parse(shop.received[0]?.body ?? "");
      assert.deepEqual(
        [body.timestamp, body.data.transaction.id, body.data.event_id],
        [settlement.visibleAt.toISOString().replace(".000Z", "+00:00"), kept.id, kept.events[1]?.id],
      );
    }));

  test("a gateway that stops gives back what is not answered, and it counts as no attempt", () =>
    world(async ({ clock, merchant, receiver, endpoint, deliver, happen, rows, ended }) => {
      const [merchantId, shop] = [await merchant(), await receiver()];
      const { id } = await endpoint(merchantId, shop);
      shop.answer = () => undefined;
      for (let n = 0; n < 10; n++) await happen(merchantId);
      const stopping = deliver();
      await shop.got(8);
      await stopping.stop();
      assert.ok(
        (await rows(id)).every(({ attempts, due_at }) => attempts === 0 && due_at !== null && due_at <= clock.now()),
      );
      shop.answer = 204;
      deliver();
      await ended(id);
    }));

  test("what cannot be made stands in no other's way, and does not disable the endpoint", () =>
    world(async ({ office, merchant, receiver, endpoint, deliver, happen, rows, later }) => {
      const [merchantId, shop] = [await merchant(), await receiver()];
      const { id } = await endpoint(merchantId, shop);
      const broken = await happen(merchantId);
      const whole = await happen(merchantId);
      const represent = async (transaction: { readonly id: string }) => {
        if (transaction.id === broken.id) throw new Error("a bug");
        return { id: transaction.id };
      };
      deliver({ represent });
      await shop.got(1);
      assert.equal(JSON.parse(shop.received[0]?.body ?? "").data.transaction.id, whole.id);
      for (const pause of PAUSES_MS) {
        await until("one attempt more", async () =>
          (await rows(id)).some(({ due_at }) => due_at && due_at > office.clock.now()),
        );
        later(pause);
      }
      await until("given up", async () => (await rows(id)).every(({ ended_at }) => ended_at !== null));
      const states = (await rows(id)).map(({ delivered, answer, attempts }) => `${delivered} ${attempts} ${answer}`);
      assert.deepEqual(states.sort(), ["false 10 the gateway could not make it", "true 1 204"]);
      assert.equal((await findWebhook(office.sql, id))?.enabled, true);
    }));

  test("a new address and a new secret hold from the next portion on", () =>
    world(async ({ office, merchant, receiver, endpoint, deliver, happen, ended }) => {
      const [merchantId, shop, elsewhere] = [await merchant(), await receiver(), await receiver()];
      const { id } = await endpoint(merchantId, shop);
      await Promise.all(Array.from({ length: 100 }, () => happen(merchantId)));
      let moved: Promise<unknown> | undefined;
      shop.answer = (response) => {
        moved ??= changeWebhook(office, AUTHOR, id, { url: elsewhere.url });
        void moved.then(() => response.writeHead(204).end());
      };
      deliver();
      await ended(id);
      assert.equal(shop.received.length + elsewhere.received.length, 100);
      assert.ok(shop.received.length >= 8 && shop.received.length <= 32, `${shop.received.length} in the first`);
    }));

  test("nobody gets another merchant's webhooks", () =>
    world(async ({ merchant, receiver, endpoint, deliver, happen, ended }) => {
      const [one, other] = [await merchant(), await merchant()];
      const [shop, elsewhere] = [await receiver(), await receiver()];
      const mine = await endpoint(one, shop);
      const theirs = await endpoint(other, elsewhere);
      const own = new Set<string>();
      for (let n = 0; n < 20; n++) {
        own.add((await happen(one)).id);
        await happen(other);
      }
      deliver();
      await ended(mine.id);
      await ended(theirs.id);
      const told = shop.received.map(({ body }) => JSON.parse(body).data.transaction.id);
      assert.deepEqual(new Set(told), own);
      assert.equal(elsewhere.received.length, 20);
      for (const got of shop.received) assert.ok(!(await verifies(theirs.secret, got)));
    }));

  test("what was ended is kept for 30 days; what a deleted endpoint was to be told goes, and the endpoint with it", () =>
    world(async ({ clock, office, merchant, receiver, endpoint, deliver, happen, rows, ended, later }) => {
      const [merchantId, shop] = [await merchant(), await receiver()];
      const { id } = await endpoint(merchantId, shop);
      await happen(merchantId);
      const deliverer = deliver();
      await ended(id);
      await deliverer.stop();
      later(30 * DAY_MS);
      await happen(merchantId);
      await removeOldDeliveries(office.sql, clock.now());
      assert.equal((await rows(id)).length, 2);
      later(1);
      await removeOldDeliveries(office.sql, clock.now());
      const [left, ...none] = await rows(id);
      assert.deepEqual([left?.delivered, none], [false, []]);

      await deleteWebhook(office, AUTHOR, id);
      await removeOldDeliveries(office.sql, clock.now());
      assert.equal((await rows(id)).length, 0);
      const there = async () => (await office.sql`select id from webhook_endpoints where id = ${id}`).length;
      assert.equal(await there(), 1);
      later(60_001);
      await removeOldDeliveries(office.sql, clock.now());
      assert.equal(await there(), 0);
    }));
});
