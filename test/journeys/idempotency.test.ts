// Idempotency keys over HTTP (decision R13): a key stands for one request of a merchant, and whoever repeats it gets the
// first answer again, byte for byte, and nothing is done twice.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "./crash.fixture.ts";
import { type Answer, type Request, startTestGateway, told } from "./gateway.ts";
import { stored } from "./harmless.fixture.ts";
import {
  expectStatus,
  type FollowUpPath,
  type Gateway,
  type Json,
  merchantOf,
  NOBODY,
  newMerchant,
  passenger,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";
import { newInstallation } from "./nodes.fixture.ts";

const SALE = "/api/transactions/sale";
const keyed = (key: string = randomUUID()) => ({ headers: { "idempotency-key": key } });
const isReplayed = ({ headers }: Answer): boolean => headers.get("idempotent-replayed") === "true";

function assertReplayed(again: Answer, first: Answer): void {
  assert.deepEqual([again.status, again.text], [first.status, first.text]);
  assert.equal(again.headers.get("content-type"), first.headers.get("content-type"));
  assert.ok(isReplayed(again) && !isReplayed(first));
}

describe("idempotency keys", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  /** Nothing may be stored between the first answer and this one. */
  async function repeated(send: () => Promise<Answer>, status = 200): Promise<Answer> {
    const first = expectStatus(await send(), status);
    const before = await stored(gateway.pool);
    for (let times = 0; times < 3; times++) assertReplayed(await send(), first);
    assert.deepEqual(await stored(gateway.pool), before);
    return first;
  }

  test("every charge and every follow-up is answered again byte for byte, and done once", async () => {
    const { follow, found } = merchantOf(gateway);
    for (const path of ["sale", "auth", ""]) {
      const [key, body] = [keyed(), sale()];
      await repeated(() => gateway.post(`/api/transactions/${path}`.replace(/\/$/, ""), body, key));
    }
    const steps: readonly (readonly [FollowUpPath, Json | undefined])[] = [
      ["capture", { amount: "2.00" }],
      ["void", { amount: "1.00" }],
      ["refund", { amount: "0.50" }],
      ["reversal", undefined],
    ];
    const { id } = await merchantOf(gateway).charged("auth", sale({ amount: "4.00" }));
    for (const [operation, body] of steps) {
      const key = keyed();
      await repeated(() => follow(id, operation, body, key));
    }
    const { events } = await found(id);
    assert.equal(events.length, 1 + steps.length);
  });

  test("a follow-up on airline data is answered again bare", async () => {
    const { charged, follow } = merchantOf(gateway);
    const { id, passengers } = await charged("auth", sale({ amount: "100.00", passenger_transport: [passenger()] }));
    const body = { amount: "7.00", passenger_transport: [{ passenger_id: passengers[0].id, amount: "7.00" }] };
    const key = keyed();
    assert.equal((await repeated(() => follow(id, "capture", body, key))).body.id, id);
  });

  test("what happened since does not change the first answer", async () => {
    const { charged, follow } = merchantOf(gateway);
    const { id } = await charged("auth", sale({ amount: "5.00" }));
    const key = keyed();
    const first = await follow(id, "capture", { amount: "1.00" }, key);
    expectStatus(await follow(id, "capture", { amount: "4.00" }), 200);
    assertReplayed(await follow(id, "capture", { amount: "1.00" }, key), first);
  });

  test("a declined charge, one without an answer and one that was not sent are answered again too", async () => {
    const { processor } = merchantOf(gateway);
    // Nor is it reversed meanwhile, which would change what is stored.
    const silent = await processor({ settings: { silent_operations: ["sale", "reversal"], timeout_ms: 100 } });
    const refusing = await processor({ settings: { refuse_connections: true } });
    for (const [over, status, code] of [
      [{ card_number: "4000000000000002" }, 200, "05"],
      [{ processor_id: silent }, 200, "91"],
      [{ processor_id: refusing }, 503, undefined],
    ] as const) {
      const [key, body] = [keyed(), sale(over)];
      const first = await repeated(() => gateway.post(SALE, body, key), status);
      assert.equal(first.body.transaction?.events[0].processor_code, code);
    }
  });

  test("a pending 202 is answered again, also after its outcome is known", async () => {
    const { processor, charged, follow, found } = merchantOf(gateway);
    const settings = { silent_operations: ["capture"], timeout_ms: 100 };
    const processor_id = await processor({ settings });
    const { id } = await charged("auth", sale({ processor_id }));
    const key = keyed();
    const first = await repeated(() => follow(id, "capture", { amount: "1.00" }, key), 202);
    assert.equal(transactionOf(first).events[0].status, "pending");
    await gateway.operator("PATCH", `/operator/processors/${processor_id}`, { settings: { silent_operations: null } });
    const isKnown = async () => (await found(id)).events[0].status !== "pending";
    await until("the capture is asked again until there is an outcome", isKnown);
    assert.equal((await found(id)).events[0].success, true);
    assertReplayed(await follow(id, "capture", { amount: "1.00" }, key), first);
  });

  test("the key of another body, of another path or of another transaction is refused", async () => {
    const { charged, follow } = merchantOf(gateway);
    const [key, body] = [keyed(), sale({ amount: "7.70" })];
    expectStatus(await gateway.post(SALE, body, key), 200);
    const before = await stored(gateway.pool);
    for (const other of [{ amount: "7.71" }, { city: "Oslo" }, { ip_address: "203.0.113.8" }, { unknown_field: 1 }])
      assert.equal(told(await gateway.post(SALE, { ...body, ...other }, key)), "422 base", JSON.stringify(other));
    for (const path of ["/api/transactions/auth", "/api/transactions"])
      assert.equal(told(await gateway.post(path, body, key)), "422 base", path);
    assert.deepEqual(await stored(gateway.pool), before);

    const [one, two] = [await charged("sale", sale()), await charged("sale", sale())];
    const refund = keyed();
    expectStatus(await follow(one.id, "refund", { amount: "1.00" }, refund), 200);
    for (const answer of [
      await follow(one.id, "refund", { amount: "1.01" }, refund),
      await follow(one.id, "refund", undefined, refund),
      await follow(one.id, "void", { amount: "1.00" }, refund),
      await follow(two.id, "refund", { amount: "1.00" }, refund),
      await gateway.post(SALE, { amount: "1.00", ...sale() }, refund),
    ])
      assert.equal(told(answer), "422 base");
    assert.ok(
      isReplayed(await follow(one.id.toUpperCase(), "refund", { amount: "1.00" }, refund)),
      "a UUID has no case",
    );
  });

  test("the same body is the same in every format, in any order of its fields, with numbers or texts", async () => {
    const body = sale({
      amount: 7.7,
      ...{ meta: { order: "A1", tags: ["x", "y"] }, passenger_transport: [passenger({ legs: [legOf(7.7)] })] },
    });
    for (const format of ["json", "form", "multipart"] as const) {
      const key = keyed();
      const first = await gateway.call("POST", SALE, { [format]: body, ...key });
      expectStatus(first, 200);
      const shuffled = Object.fromEntries(Object.entries(body).reverse());
      for (const same of [
        { json: body },
        { form: body },
        { multipart: body },
        { json: shuffled },
        { json: { ...body, amount: "7.7" } },
        { json: { ...body, city: null, zip: "" } },
      ])
        assertReplayed(await gateway.call("POST", SALE, { ...same, ...key }), first);
      for (const other of [
        { ...body, amount: "7.70" },
        { ...body, meta: { order: "A1", tags: ["y", "x"] } },
        { ...body, meta: { order: "A1", tags: ["x", "y"], more: "z" } },
      ])
        assert.equal(told(await gateway.post(SALE, other, key)), "422 base");
    }
  });

  test("while the first request is in flight the same key is 409 with Retry-After, whatever its body", async () => {
    const { processor } = merchantOf(gateway);
    const processor_id = await processor({ settings: { latency_ms: 400 } });
    const [key, body] = [keyed(), sale({ processor_id })];
    const first = gateway.post(SALE, body, key);
    await sleep(150);
    for (const other of [body, { ...body, amount: "1.00" }]) {
      const answer = await gateway.post(SALE, other, key);
      assert.equal(told(answer), "409 base");
      assert.ok(Number(answer.headers.get("retry-after")) > 0);
      assert.ok(!isReplayed(answer));
    }
    const answer = expectStatus(await first, 200);
    assertReplayed(await gateway.post(SALE, body, key), answer);
  });

  test("a storm of one key is done once, charge or follow-up", async () => {
    const { processor, charged, found } = merchantOf(gateway);
    const processor_id = await processor({ settings: { latency_ms: 100 } });
    const { id } = await charged("sale", sale({ processor_id, amount: "50.00" }));
    for (const [path, body] of [
      [SALE, sale({ processor_id })],
      [`/api/transactions/${id}/refund`, { amount: "1.00" }],
    ] as const) {
      const key = keyed();
      const before = await stored(gateway.pool);
      const answers = await Promise.all(Array.from({ length: 30 }, () => gateway.post(path, body, key)));
      for (const answer of answers) assert.ok([200, 409].includes(answer.status), answer.text);
      assert.equal(new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text)).size, 1);
      assert.equal((await stored(gateway.pool)).events, (before.events ?? 0) + 1);
    }
    assert.equal((await found(id)).events.length, 2);
  });

  test("a request that is refused does not use its key up", async () => {
    const { charged, follow, token } = merchantOf(gateway);
    const { id } = await charged("auth", sale({ amount: "3.00" }));
    const key = keyed();
    const refund = (request: Request = {}) => follow(id, "refund", { amount: "3.00" }, { ...key, ...request });
    const reader = await token({ scopes: ["read"] });
    for (const [answer, status] of [
      [await gateway.post(SALE, sale({ amount: "x" }), key), 422],
      [await gateway.post(SALE, sale({ processor_id: NOBODY }), key), 422],
      [
        await gateway.call("POST", SALE, { raw: "{", headers: { ...key.headers, "content-type": "application/json" } }),
        400,
      ],
      [await follow(NOBODY, "refund", {}, key), 404],
      [await refund({ token: reader }), 403],
      [await refund({ token: null }), 401],
      [await refund(), 422],
    ] as const)
      expectStatus(answer, status);
    expectStatus(await follow(id, "capture"), 200);
    const first = expectStatus(await refund(), 200);
    assertReplayed(await refund(), first);
  });

  test("a processor that is switched off afterwards does not change an answer", async () => {
    const processor_id = await merchantOf(gateway).processor();
    const [key, body] = [keyed(), sale({ processor_id })];
    const first = await gateway.post(SALE, body, key);
    await gateway.operator("PATCH", `/operator/processors/${processor_id}`, { enabled: false });
    assertReplayed(await gateway.post(SALE, body, key), first);
    assert.equal(told(await gateway.post(SALE, body, keyed())), "422 processor_id");
  });

  test("a key is the merchant's own, whichever of its tokens is used", async () => {
    const [one, two] = [await newMerchant(gateway, {}), await newMerchant(gateway, {})];
    const [key, body] = [keyed(), sale()];
    const first = expectStatus(await gateway.post(SALE, body, { ...key, token: one.token }), 200);
    const other = expectStatus(await gateway.post(SALE, body, { ...key, token: two.token }), 200);
    assert.ok(!isReplayed(other));
    assert.notEqual(transactionOf(other).id, transactionOf(first).id);
    const user = { user_id: one.userId, scopes: ["charge"] };
    const second = await gateway.operator("POST", `/operator/merchants/${one.merchantId}/tokens`, user);
    assertReplayed(await gateway.post(SALE, body, { ...key, token: second.body.token.secret }), first);
  });

  test("two keys in one request are refused, also where they are the same, and nothing is done", async () => {
    const before = await stored(gateway.pool);
    for (const keys of [
      ["one", "two"],
      ["same", "same"],
    ]) {
      const [status, body] = await sentWith({ "idempotency-key": keys });
      assert.equal(status, 422);
      assert.match(body, /"base":\["The Idempotency-Key header must be sent once\."\]/);
    }
    assert.deepEqual(await stored(gateway.pool), before);
  });

  /** A sale, with each of these headers as often as it has values. */
  async function sentWith(headers: Readonly<Record<string, string[]>>): Promise<readonly [number | undefined, string]> {
    const sent = request(`${gateway.url}${SALE}`, {
      method: "POST",
      headers: {
        ...headers,
        authorization: `Bearer ${gateway.sandbox.api_token}`,
        "content-type": "application/json",
      },
    });
    sent.end(JSON.stringify(sale()));
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    return [answer.statusCode, await text(answer)];
  }

  test("a key has 1 to 255 printable characters, and without one each request is done", async () => {
    const body = sale();
    for (const key of ["k", "k".repeat(255), '~ !"#', "a, b"])
      expectStatus(await gateway.post(SALE, body, keyed(key)), 200);
    for (const key of ["", "k".repeat(256), "é", "\u00ff"])
      assert.equal(told(await gateway.post(SALE, body, keyed(key))), "422 base", key);
    assert.notEqual(transactionOf(await gateway.post(SALE, body)).id, transactionOf(await gateway.post(SALE, body)).id);
    expectStatus(await gateway.get("/api/transactions", keyed("k")), 200);
  });
});

describe("an idempotency key of a reversal", () => {
  test("stands for both of its events where the void comes too late", async () => {
    const gateway = await startTestGateway();
    try {
      const { charged, follow } = merchantOf(gateway);
      const { now } = (await gateway.operator("GET", "/operator/clock")).body;
      const noon = new Date(Date.parse(now) + 36 * 3_600_000).toISOString().replace(/T.*/, "T12:00:00Z");
      expectStatus(await gateway.operator("POST", "/operator/clock", { now: noon }), 200);
      const { id } = await charged("sale", sale({ processor_id: gateway.sandbox.processors.cad, amount: "9.00" }));
      // Settled at the processor, and not yet to be seen.
      const late = new Date(Date.parse(noon) + 14 * 3_600_000 + 600_000).toISOString();
      expectStatus(await gateway.operator("POST", "/operator/clock", { now: late }), 200);
      const key = keyed();
      const first = expectStatus(await follow(id, "reversal", undefined, key), 200);
      assert.deepEqual(
        transactionOf(first).events.map((one: Json) => [one.event_type, one.success]),
        [
          ["refund", true],
          ["void", false],
          ["sale", true],
        ],
      );
      assertReplayed(await follow(id, "reversal", undefined, key), first);
      assert.equal(told(await follow(id, "reversal")), "422 base");
    } finally {
      await gateway.close();
    }
  });
});

describe("after a restart", () => {
  test("a key is answered as before, and one that was refused is still free", async () => {
    const installation = await newInstallation();
    try {
      const before = await installation.startNode();
      const { usd } = before.sandbox.processors;
      const [key, free, body] = [keyed(), keyed(), sale({ processor_id: usd })];
      const first = expectStatus(await before.post(SALE, body, key), 200);
      expectStatus(await before.post(SALE, { ...body, processor_id: NOBODY }, free), 422);
      await before.close();

      const next = await installation.startNode();
      assertReplayed(await next.post(SALE, body, key), first);
      assert.equal(told(await next.post(SALE, { ...body, amount: "9.99" }, key)), "422 base");
      const later = expectStatus(await next.post(SALE, body, free), 200);
      assert.ok(!isReplayed(later));
      await next.close();
    } finally {
      await installation.remove();
    }
  });
});

const legOf = (fare: number): Json => ({ ...(passenger().legs as readonly Json[])[0], fare });
