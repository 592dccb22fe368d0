// Webhooks from a merchant's side: what happens to its transactions arrives at its server, as the API shows it.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { WEBHOOK_TYPES } from "../../src/webhooks/endpoint-schema.ts";
import { type Receiver, startReceiver, until, verifies } from "../receiver.ts";
import { startLiveTestGateway, startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, merchantOf, NOBODY, newMerchant, sale } from "./merchant.fixture.ts";
import { promisesOf } from "./published.ts";

describe("webhooks", () => {
  let gateway: Gateway;
  let shop: Receiver;
  before(async () => {
    [gateway, shop] = [await startTestGateway(), await startReceiver()];
  });
  after(async () => {
    await gateway.close();
    await shop.close();
  });

  const operator = async (method: string, path: string, json?: Json, status = 200) =>
    expectStatus(await gateway.operator(method, `/operator${path}`, json), status).body;
  /** Told at a path of its own. */
  async function endpoint(over: Json = {}, merchantId = gateway.sandbox.merchant_id) {
    const url = `${shop.url}/${crypto.randomUUID()}`;
    const { webhook } = await operator("POST", `/merchants/${merchantId}/webhooks`, { url, ...over }, 201);
    const received = () => shop.received.filter(({ path }) => url.endsWith(path));
    const told = () => received().map(({ body }) => JSON.parse(body));
    return {
      ...(webhook as { id: string; secret: string }),
      received,
      told,
      got: async (count: number) => {
        await until(`${count} webhooks`, () => received().length >= count);
        return told();
      },
      deliveries: async (query = "") =>
        (await operator("GET", `/webhooks/${webhook.id}/deliveries${query}`)).deliveries,
      replay: (json: Json) => operator("POST", `/webhooks/${webhook.id}/replay`, json),
      remove: () => operator("DELETE", `/webhooks/${webhook.id}`, undefined, 204),
    };
  }
  const goTo = async (instant: Date) => void (await operator("POST", "/clock", { now: instant.toISOString() }));
  const now = async () => new Date((await operator("GET", "/clock")).now);

  test("a wrong event type is told once, by its place", async () => {
    const webhooks = `/operator/merchants/${gateway.sandbox.merchant_id}/webhooks`;
    const wrong = async (event_types: unknown) => {
      const answer = await gateway.operator("POST", webhooks, { url: "http://127.0.0.1:1/", event_types });
      return [answer.status, ...Object.entries<string[]>(answer.body.error.message).flat(2)];
    };
    const types = WEBHOOK_TYPES.join(", ");
    assert.deepEqual(await wrong(["transaction.settled", "transaction.sale"]), [
      422,
      "event_types.1",
      `must be one of ${types}`,
    ]);
    for (const list of ["transaction.sale", []])
      assert.deepEqual(await wrong(list), [
        422,
        "event_types",
        `must be null for all, or a list of at least 1, none repeated, of ${types}`,
      ]);
  });

  test("whoever asks for many deliveries, or to be told again and again, leaves the office to others", async () => {
    const mine = await endpoint();
    const day = { since: "2026-01-01T00:00:00Z", until: "2026-01-02T00:00:00Z" };
    for (const [ask, query] of [
      [() => mine.deliveries(), "select * from webhook_deliveries%"],
      [() => mine.replay(day), "update webhook_deliveries%"],
    ] as const) {
      let asked: Promise<unknown> = Promise.resolve();
      // As if each took very long.
      await gateway.pool.begin(async (sql) => {
        await sql`set local idle_in_transaction_session_timeout = '20s'`;
        await sql`lock table webhook_deliveries in access exclusive mode`;
        asked = Promise.all([ask(), ask(), ask(), ask()]);
        await until("they wait", async () => {
          const [row] = await gateway.pool`
            select count(*)::int as waiting from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and ltrim(query, E' \n') like ${query}`;
          return Number(row?.waiting) > 0;
        });
        for (let nth = 0; nth < 5; nth++) await operator("GET", `/merchants/${gateway.sandbox.merchant_id}/users`);
      });
      await asked;
    }
  });

  test("a ping arrives signed, whatever types the endpoint chose, and the answer says what the endpoint said", async () => {
    const mine = await endpoint({ event_types: ["transaction.settled"] });
    const { delivery } = await operator("POST", `/webhooks/${mine.id}/ping`);
    assert.deepEqual(await mine.deliveries(), [delivery]);
    const { id, timestamp, last_attempt_at, ...rest } = delivery;
    const sent = { status: "delivered", attempts: 1, next_attempt_at: null, last_answer: "204" };
    assert.deepEqual(rest, { type: "webhook.ping", transaction_id: null, dispute_id: null, plan_id: null, ...sent });
    const [got, ...more] = mine.received();
    assert.ok(got && more.length === 0 && (await verifies(mine.secret, got)));
    assert.equal(got.headers["webhook-id"], id);
    const body = JSON.parse(got.body);
    assert.deepEqual(body, { type: "webhook.ping", timestamp, data: {} });
    const promises = promisesOf((await gateway.get("/openapi.json", { token: null })).body);
    assert.deepEqual(promises.faults({ $ref: "#/components/schemas/PingPayload" }, body), []);
    const period = { since: "2000-01-01T00:00:00Z", until: "2999-01-01T00:00:00Z" };
    assert.deepEqual(await mine.replay(period), { replayed: 0 }, "a period is of what happened");
    await mine.remove();
  });

  test("a ping that fails is not sent again, and disables nothing; a disabled endpoint gets none", async () => {
    const mine = await endpoint();
    shop.answer = 410;
    const { delivery } = await operator("POST", `/webhooks/${mine.id}/ping`);
    shop.answer = 204;
    const { status, attempts, next_attempt_at, last_answer } = delivery;
    assert.deepEqual([status, attempts, next_attempt_at, last_answer], ["failed", 1, null, "410"]);
    assert.equal((await operator("GET", `/webhooks/${mine.id}`)).webhook.enabled, true);
    await operator("PATCH", `/webhooks/${mine.id}`, { enabled: false });
    const { error } = await operator("POST", `/webhooks/${mine.id}/ping`, undefined, 422);
    assert.deepEqual(error.message, { base: ["This webhook is disabled: enable it first."] });
    assert.equal(mine.received().length, 1);
    await mine.remove();
  });

  test("what happens to a transaction arrives signed, as the API answered, and as the document describes", async () => {
    const mine = await endpoint();
    const { charged, follow } = merchantOf(gateway);
    const sold = await charged("sale", sale({ meta: { order: 12345678901234567890n.toString(), list: [1.1, null] } }));
    const declined = await charged("sale", sale({ card_number: "4000000000000002" }));
    const refunded = (await follow(sold.id, "refund", { amount: "1.00" })).body.transaction;
    const told = await mine.got(3);
    const promises = promisesOf((await gateway.get("/openapi.json", { token: null })).body);
    for (const [index, got] of mine.received().entries()) {
      assert.ok(await verifies(mine.secret, got));
      assert.deepEqual(promises.faults({ $ref: "#/components/schemas/WebhookPayload" }, told[index]), []);
    }
    const find = (type: string) => told.find((one) => one.type === type);
    for (const [type, transaction] of [
      ["transaction.sale.succeeded", sold],
      ["transaction.sale.failed", declined],
      ["transaction.refund.succeeded", refunded],
    ] as const) {
      const { timestamp, data } = find(type);
      assert.deepEqual(data, { event_id: transaction.events[0].id, transaction }, type);
      assert.equal(timestamp, transaction.events[0].updated_at);
    }
    await mine.remove();
  });

  test("a capture that nobody answered is pending, and resolved when it is", async () => {
    const { processor, charged, follow } = merchantOf(gateway);
    const record = await processor({ settings: { timeout_ms: 100 } });
    const { id } = await charged("auth", sale({ processor_id: record }));
    const mine = await endpoint();
    await operator("PATCH", `/processors/${record}`, { settings: { silent_operations: ["capture"] } });
    const pending = expectStatus(await follow(id, "capture"), 202).body.transaction;
    await mine.got(1);
    await operator("PATCH", `/processors/${record}`, { settings: { silent_operations: null } });
    const [first, second] = await mine.got(2);
    assert.deepEqual([first.type, first.data.transaction], ["transaction.capture.pending", pending]);
    assert.equal(second.type, "transaction.capture.resolved");
    const [event] = second.data.transaction.events;
    assert.deepEqual([event.id, event.success, event.status], [pending.events[0].id, true, "pending_settlement"]);
    await mine.remove();
  });

  test("a charge that goes on at another processor is told once, of the one that took it", async () => {
    const refusing = { settings: { refuse_connections: true } };
    const { merchantId, token, processors } = await newMerchant(gateway, refusing, {}, refusing);
    const ends = ["succeeded", "failed", "pending", "resolved"].map((end) => `transaction.sale.${end}`);
    const mine = await endpoint({ event_types: ends }, merchantId);
    let attempts = 0;
    for (let sales = 0; sales < 12; sales++) {
      const answer = expectStatus(await gateway.post("/api/transactions/sale", sale(), { token }), 200);
      attempts += answer.body.transaction.attempts?.length ?? 0;
    }
    assert.ok(attempts > 0);
    // After a decline it is told of the one that counts: here the decline, since the next one is out of reach.
    const declining = await newMerchant(gateway, { settings: { declines_with: "05" } }, refusing);
    const inOrder = [{ name: "In order", processors: declining.processors.map((id) => ({ id, weight: 0 })) }];
    const path = `/merchants/${declining.merchantId}`;
    await operator("PATCH", `${path}/routing`, { rules: inOrder, attempts_at_most: 2 });
    const theirs = await endpoint({ event_types: ends }, declining.merchantId);
    const answer = await gateway.post("/api/transactions/sale", sale(), { token: declining.token });
    const { processor_id, events } = expectStatus(answer, 200).body.transaction;
    const [one, ...more] = await theirs.got(1);
    await until("nothing waits", async () => (await theirs.deliveries("?status=waiting")).length === 0);
    assert.deepEqual([more, theirs.told().length, one.type], [[], 1, "transaction.sale.failed"]);
    assert.deepEqual([one.data.event_id, one.data.transaction.processor_id], [events[0].id, processor_id]);
    await theirs.remove();

    await until("nothing waits", async () => (await mine.deliveries("?status=waiting")).length === 0);
    const told = mine
      .told()
      .map(({ type, data }) => [type, data.transaction.processor_id, data.transaction.events.length]);
    assert.deepEqual(told, Array(12).fill(["transaction.sale.succeeded", processors[1], 1]));
    await mine.remove();
  });

  test("settled arrives when the clock passes the time at which it shows, in the order of time", async () => {
    const { processor, charged, found } = merchantOf(gateway);
    const mine = await endpoint({ event_types: ["transaction.settled"] });
    const day = new Date(Math.ceil((await now()).getTime() / 86_400_000) * 86_400_000 + 12 * 3_600_000);
    await goTo(day);
    const at = (time: string) => ({ cutoff_at: "22:00", settled_at: time, visible_at: time, auto_capture_at: null });
    const [late, early] = [await processor({ settlement: at("05:00") }), await processor({ settlement: at("03:00") })];
    const second = await charged("sale", sale({ processor_id: late }));
    const first = await charged("sale", sale({ processor_id: early }));
    const voided = await charged("sale", sale({ processor_id: early }));
    expectStatus(await gateway.post(`/api/transactions/${voided.id}/void`), 200);
    assert.deepEqual(await mine.deliveries("?status=delivered"), []);
    await goTo(new Date(day.getTime() + 3 * 86_400_000));
    const told = (await mine.got(2)).toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
    assert.deepEqual(
      told.map(({ data }) => data.transaction.id),
      [first.id, second.id],
    );
    assert.match(told[0].timestamp, /T03:00:00/);
    assert.equal(told[0].data.transaction.events[0].status, "settled");
    assert.deepEqual(await found(first.id), told[0].data.transaction);
    await until("the voided one is no delivery", async () => (await mine.deliveries()).length === 2);
    await mine.remove();
  });

  test("each merchant is told of its own transactions only", async () => {
    const own = await newMerchant(gateway, {});
    const [mine, theirs] = [await endpoint(), await endpoint({}, own.merchantId)];
    const { id } = await merchantOf(gateway).charged("sale", sale());
    const other = await gateway.post("/api/transactions/sale", sale(), { token: own.token });
    const [[told], [toldThem]] = [await mine.got(1), await theirs.got(1)];
    assert.deepEqual([told.data.transaction.id, toldThem.data.transaction.id], [id, other.body.transaction.id]);
    assert.deepEqual([mine.received().length, theirs.received().length], [1, 1]);
    await mine.remove();
    await theirs.remove();
  });

  test("deliveries are listed newest first, with what came of each", async () => {
    const mine = await endpoint();
    shop.answer = 500;
    const { charged } = merchantOf(gateway);
    const first = await charged("sale", sale());
    await until("it failed", async () => (await mine.deliveries()).some((one: Json) => one.attempts === 1));
    shop.answer = 204;
    const second = await charged("auth", sale());
    await until("it was taken", async () => (await mine.deliveries("?status=delivered")).length > 0);
    const listed = await mine.deliveries();
    assert.deepEqual(
      listed.map((one: Json) => [one.transaction_id, one.type]).sort(),
      [
        [second.id, "transaction.auth.succeeded"],
        [first.id, "transaction.sale.succeeded"],
        [first.id, "transaction.settled"],
      ].sort(),
    );
    const [failed] = listed.filter((one: Json) => one.type === "transaction.sale.succeeded");
    assert.deepEqual([failed.status, failed.attempts, failed.last_answer], ["waiting", 1, "500"]);
    assert.ok(failed.next_attempt_at > failed.last_attempt_at);
    const [taken] = await mine.deliveries("?status=delivered");
    assert.deepEqual([taken.next_attempt_at, taken.last_answer], [null, "204"]);
    const older = await mine.deliveries(`?before=${listed[0].id}`);
    assert.deepEqual(older, listed.slice(1));
    assert.deepEqual(await mine.deliveries("?status=failed"), []);
    await mine.remove();
  });

  test("what was delivered is told again when the operator asks, one or a span of time, under its old id", async () => {
    const mine = await endpoint();
    const { charged } = merchantOf(gateway);
    await charged("auth", sale());
    await mine.got(1);
    const later = new Date((await now()).getTime() + 60_000);
    await goTo(later);
    await charged("auth", sale());
    await mine.got(2);
    const ended = async (count: number) =>
      until("nothing waits", async () => (await mine.deliveries("?status=delivered")).length === count);
    await ended(2);
    const [second, first] = await mine.deliveries();
    assert.deepEqual(await mine.replay({ delivery_id: first.id }), { replayed: 1 });
    await mine.got(3);
    await ended(2);
    const span = { since: later.toISOString(), until: new Date(later.getTime() + 60_000).toISOString() };
    assert.deepEqual(await mine.replay(span), { replayed: 1 });
    await mine.got(4);
    await ended(2);
    assert.deepEqual(
      mine.received().map(({ headers }) => headers["webhook-id"]),
      [first.id, second.id, first.id, second.id],
    );
    const [one, two, again, againTwo] = mine.told();
    assert.deepEqual([again, againTwo], [one, two]);
    const nothing = { since: "2020-01-01T00:00:00Z", until: "2020-01-02T00:00:00Z" };
    assert.deepEqual(await mine.replay(nothing), { replayed: 0 });
    const [note] = (await operator("GET", `/audit-log?subject=${mine.id}`)).entries;
    assert.deepEqual([note.action, note.after], ["webhook.replay", { ...nothing, replayed: 0 }]);
    await mine.remove();
  });

  test("what is to be told again is named in one of two ways", async () => {
    const mine = await endpoint();
    const ask = async (json: Json) => {
      const { status, body } = await gateway.operator("POST", `/operator/webhooks/${mine.id}/replay`, json);
      return [status, ...Object.keys(body.error.message)];
    };
    const [since, until] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];
    assert.deepEqual(await ask({}), [422, "base"]);
    assert.deepEqual(await ask({ since }), [422, "base"]);
    assert.deepEqual(await ask({ until }), [422, "base"]);
    assert.deepEqual(await ask({ delivery_id: NOBODY, since, until }), [422, "base"]);
    assert.deepEqual(await ask({ delivery_id: "7" }), [422, "delivery_id"]);
    // The last three are times by their form, and not as the database keeps times.
    for (const none of ["yesterday", "2016-12-31T23:59:60Z", "2026-01-01T00:00:00Z[UTC]", "9999-12-31T23:59:59-12:00"])
      assert.deepEqual(await ask({ since: none, until }), [422, "since"], none);
    assert.deepEqual(await ask({ delivery_id: NOBODY }), [404, "base"]);
    await mine.remove();
  });

  test("another endpoint's delivery is not there", async () => {
    const [mine, other] = [await endpoint(), await endpoint()];
    await merchantOf(gateway).charged("auth", sale());
    await mine.got(1);
    const [{ id }] = await mine.deliveries();
    const path = `/operator/webhooks/${other.id}/replay`;
    expectStatus(await gateway.operator("POST", path, { delivery_id: id }), 404);
    await mine.remove();
    await other.remove();
  });
});

test("in live mode a webhook goes to the public internet only, and by https", async () => {
  const gateway = await startLiveTestGateway();
  try {
    const { body } = await gateway.operator("POST", "/operator/merchants", { name: "Northwind" });
    const path = `/operator/merchants/${body.merchant.id}/webhooks`;
    for (const url of [
      "http://shop.example.com/",
      "https://127.0.0.1/",
      "https://0x7f.1/",
      "https://[::ffff:10.0.0.1]/",
    ]) {
      const answer = expectStatus(await gateway.operator("POST", path, { url }), 422);
      assert.deepEqual(Object.keys(answer.body.error.message), ["url"], url);
    }
    expectStatus(await gateway.operator("POST", path, { url: "https://shop.example.com/" }), 201);
  } finally {
    await gateway.close();
  }
});
