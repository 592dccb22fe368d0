// Processor records over HTTP, as the operator creates and changes them, and when charges notice.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Request, startTestGateway, told } from "./gateway.ts";

const NOBODY = "00000000-0000-7000-8000-000000000000";
const NEW = { name: "Acquirer", kind: "simulator", currency: "USD" };
const OF_CAD = { auto_capture_at: "20:30", cutoff_at: "22:00", settled_at: "02:00", visible_at: "02:20" };
const OF_OTHERS = { ...OF_CAD, auto_capture_at: null };

describe("processor records over HTTP", () => {
  let gateway: Awaited<ReturnType<typeof startTestGateway>>;
  let path: string;
  before(async () => {
    gateway = await startTestGateway();
    path = `/operator/merchants/${gateway.sandbox.merchant_id}/processors`;
  });
  after(() => gateway.close());

  const create = (json: object, request?: Request) => gateway.operator("POST", path, json, request);
  const change = (id: string, json: object, request?: Request) =>
    gateway.operator("PATCH", `/operator/processors/${id}`, json, request);
  const sell = (processor_id: string, over: object = {}) =>
    gateway.post("/api/transactions/sale", {
      ...{ amount: "3.56", card_number: "4111111111111111", card_expiry_month: "12", card_expiry_year: "2039" },
      ...{ merchant_transaction_id: "order", ip_address: "203.0.113.7", processor_id, ...over },
    });

  test("what is left out gets its default, and the schedule that of the currency", async () => {
    for (const [currency, settlement] of [
      ["USD", OF_OTHERS],
      ["CAD", OF_CAD],
    ] as const) {
      const { status, body } = await create({ ...NEW, currency });
      assert.equal(status, 201);
      const { id, created_at, updated_at } = body.processor;
      assert.deepEqual(body.processor, {
        id,
        merchant_id: gateway.sandbox.merchant_id,
        name: "Acquirer",
        kind: "simulator",
        currency,
        enabled: true,
        in_rotation: false,
        requires: { cvv: [], names: false, document: false },
        settlement,
        settings: {},
        created_at,
        updated_at,
      });
      assert.deepEqual((await gateway.operator("GET", `/operator/processors/${id}`)).body, body);
      assert.deepEqual((await gateway.operator("GET", path)).body.processors.at(-1), body.processor);
    }
  });

  test("an operator may give a record its id, and charges name it by that", async () => {
    const id = "3f2c1b7a-9d54-4e0f-8c61-5b2f0c8e1a77";
    const created = await create({ ...NEW, id: id.toUpperCase() });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.body.processor.id, id);
    assert.equal((await sell(id)).body.transaction.processor_id, id);
  });

  test("an id that another merchant's record has, or that is none, is refused by name; of one's own it is a repeat", async () => {
    const taken = (await create(NEW)).body.processor.id;
    const others = `/operator/merchants/${gateway.sandbox.other_merchant.merchant_id}/processors`;
    for (const [at, id, why] of [
      [others, taken, /^is taken by another processor record/],
      [path, "account-7", /^must be a UUID$/],
      [path, "00000000-0000-0000-0000-000000000000", /^must be a UUID that is not all zeros$/],
    ] as const) {
      const answer = await gateway.operator("POST", at, { ...NEW, id });
      assert.equal(told(answer), "422 id");
      assert.match(answer.body.error.message.id[0], why);
    }
    assert.equal(told(await create({ ...NEW, id: taken })), "200");
    assert.match(told(await create({ ...NEW, name: "Another", id: taken })), /^409/);
  });

  test("all that is sent is kept, and a form can say all of it", async () => {
    const all = {
      name: "All of it",
      kind: "simulator",
      currency: "EUR",
      enabled: false,
      in_rotation: true,
      requires: { cvv: ["visa", "amex"], names: true, document: false },
      settlement: { auto_capture_at: "00:00", cutoff_at: "23:59", settled_at: "03:00", visible_at: "04:30" },
      settings: {
        latency_ms: 0,
        timeout_ms: 100,
        card_brands: ["visa"],
        refuse_connections: true,
        partial_void: false,
      },
    };
    for (const request of [{ json: all }, { form: all }, { multipart: all }]) {
      const answer = await gateway.operator("POST", path, undefined, request);
      assert.equal(answer.status, 201, answer.text);
      const {
        id: _id,
        merchant_id: _merchant,
        created_at: _created,
        updated_at: _updated,
        ...shown
      } = answer.body.processor;
      assert.deepEqual(shown, all);
    }
  });

  test("all wrong fields are named at once, each at its limit", async () => {
    for (const [wrong, fields] of [
      [{}, "currency kind name"],
      [{ ...NEW, name: "x".repeat(256) }, "name"],
      [{ ...NEW, kind: "unheard-of" }, "kind"],
      [{ ...NEW, kind: 7 }, "kind"],
      [{ ...NEW, currency: "usd" }, "currency"],
      [{ ...NEW, currency: "XQQ" }, "currency"],
      [{ ...NEW, enabled: "yes" }, "enabled"],
      [{ ...NEW, requires: { cvv: ["visa", "vissa"] } }, "requires.cvv.1"],
      [{ ...NEW, requires: { names: 2 } }, "requires.names"],
      [{ ...NEW, requires: "cvv" }, "requires"],
      [
        { ...NEW, settlement: { cutoff_at: "24:00", settled_at: "2:00" } },
        "settlement.cutoff_at settlement.settled_at",
      ],
      [
        { ...NEW, settlement: { cutoff_at: "22:60", auto_capture_at: "x" } },
        "settlement.auto_capture_at settlement.cutoff_at",
      ],
      [{ ...NEW, settings: "none" }, "settings"],
      [{ ...NEW, settings: { latency_ms: -1 } }, "settings.latency_ms"],
      [{ ...NEW, settings: { latency_ms: 60_001 } }, "settings.latency_ms"],
      [{ ...NEW, settings: { latency_ms: 1.5, timeout_ms: 99 } }, "settings.latency_ms settings.timeout_ms"],
      [{ ...NEW, settings: { latency: 5 } }, "settings.latency"],
      [{ ...NEW, settings: { latency: null } }, ""],
    ] as const)
      assert.equal(told(await create(wrong)), fields === "" ? "201" : `422 ${fields}`, JSON.stringify(wrong));
    assert.equal(told(await gateway.operator("POST", `/operator/merchants/${NOBODY}/processors`, NEW)), "404 base");
    assert.equal(told(await gateway.operator("GET", `/operator/merchants/${NOBODY}/processors`)), "404 base");
  });

  test("fields nobody knows are ignored and named, but an unknown setting is refused", async () => {
    const answer = await create({ ...NEW, colour: "red", requires: { cvc: true }, settlement: { at: "22:00" } });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.headers.get("faregate-ignored-fields"), "colour, requires.cvc, settlement.at");
    assert.equal(told(await create({ ...NEW, settings: { colour: "red" } })), "422 settings.colour");
  });

  describe("a change", () => {
    let id: string;
    const start = {
      ...NEW,
      requires: { cvv: ["visa"], names: true },
      settings: { latency_ms: 5, timeout_ms: 1_000 },
      settlement: { auto_capture_at: "20:30" },
    };
    let created: Record<string, unknown>;
    beforeEach(async () => {
      created = (await create(start)).body.processor;
      id = String(created.id);
    });

    test("touches what it names, also inside of the objects, and nothing else", async () => {
      for (const [json, changed] of [
        [{}, {}],
        [{ enabled: false }, { enabled: false }],
        [
          { name: "Other", in_rotation: true },
          { enabled: false, name: "Other", in_rotation: true },
        ],
        [{ requires: { cvv: [] } }, { requires: { cvv: [], names: true, document: false } }],
        [{ settlement: { cutoff_at: "18:00" } }, { settlement: { ...OF_CAD, cutoff_at: "18:00" } }],
        [
          { settlement: { auto_capture_at: null } },
          { settlement: { ...OF_CAD, cutoff_at: "18:00", auto_capture_at: null } },
        ],
        [{ settings: { latency_ms: 50 } }, { settings: { latency_ms: 50, timeout_ms: 1_000 } }],
        [{ settings: { latency_ms: null } }, { settings: { timeout_ms: 1_000 } }],
        [{ settings: { partial_void: "false" } }, { settings: { timeout_ms: 1_000, partial_void: false } }],
        [{ name: null, enabled: "", requires: null }, {}],
      ] as const) {
        created = { ...created, ...changed };
        const answer = await change(id, json);
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual({ ...answer.body.processor, updated_at: created.updated_at }, created);
      }
    });

    test("cannot touch kind, currency and merchant, but may name them as they are", async () => {
      const { kind, currency, merchant_id } = created;
      assert.equal((await change(id, { kind, currency, merchant_id })).status, 200);
      assert.equal(told(await change(id, { kind: "iso8583" })), "422 kind");
      assert.equal(told(await change(id, { currency: "CAD" })), "422 currency");
      assert.equal(
        told(await change(id, { merchant_id: gateway.sandbox.other_merchant.merchant_id })),
        "422 merchant_id",
      );
    });

    test("is refused as a whole when a field is wrong", async () => {
      for (const [json, fields] of [
        [{ name: "New", settlement: { cutoff_at: "25:00" } }, "settlement.cutoff_at"],
        [{ settlement: { cutoff_at: null } }, ""],
        [{ settings: { latency_ms: "soon", colour: "red" } }, "settings.colour settings.latency_ms"],
        [{ enabled: 2 }, "enabled"],
      ] as const)
        assert.equal(told(await change(id, json)), fields === "" ? "200" : `422 ${fields}`);
      assert.deepEqual((await gateway.operator("GET", `/operator/processors/${id}`)).body.processor, created);
      for (const unknown of [NOBODY, "not-a-uuid", gateway.sandbox.merchant_id]) {
        assert.equal(told(await change(unknown, {})), "404 base");
        assert.equal(told(await gateway.operator("GET", `/operator/processors/${unknown}`)), "404 base");
      }
    });

    test("in a form is the same as in JSON", async () => {
      const json = { settlement: { cutoff_at: "18:00" }, settings: { latency_ms: 7 }, requires: { names: false } };
      const answer = await gateway.operator("PATCH", `/operator/processors/${id}`, undefined, { form: json });
      assert.equal(answer.status, 200, answer.text);
      const { settings, requires, settlement } = answer.body.processor;
      assert.deepEqual(settings, { latency_ms: 7, timeout_ms: 1_000 });
      assert.deepEqual(requires, { cvv: ["visa"], names: false, document: false });
      assert.equal(settlement.cutoff_at, "18:00");
    });
  });

  test("charges can use a record from its creation on, and notice its changes on this node at once", async () => {
    const { id } = (await create(NEW)).body.processor;
    assert.equal((await sell(id)).status, 200);
    await change(id, { requires: { cvv: ["visa"] } });
    assert.equal(told(await sell(id)), "422 card_cvv");
    assert.equal((await sell(id, { card_cvv: "123" })).status, 200);
    await change(id, { enabled: false });
    assert.equal(told(await sell(id, { card_cvv: "123" })), "422 processor_id");
    await change(id, { enabled: true, settings: { refuse_connections: true } });
    assert.equal((await sell(id, { card_cvv: "123" })).status, 503);
    await sleep(1_000);
    assert.equal((await sell(id, { card_cvv: "123" })).status, 503, "and it stays so");
  });
});
