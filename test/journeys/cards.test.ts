// Cards on file over HTTP: a card is stored, looked up, listed, changed and deleted, by its own merchant alone.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { type Answer, type Request, startTestGateway, told } from "./gateway.ts";
import { stored } from "./harmless.fixture.ts";
import {
  CARD,
  expectStatus,
  type Gateway,
  type Json,
  merchantOf,
  NOBODY,
  newMerchant,
  sale,
} from "./merchant.fixture.ts";

const HOLDER = {
  first_name: "Jane",
  last_name: "Doe",
  email: "jane@example.com",
  mobile_phone: "15145550199",
  street_address_1: "1 Main St",
  street_address_2: "Floor 2",
  city: "Los Gatos",
  state: "CA",
  country: "US",
  zip: "95030",
};

describe("cards on file", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const store = (json: Json = {}, request: Request = {}) => gateway.post("/api/cards", { ...CARD, ...json }, request);
  const storedCard = async (json: Json = {}, request: Request = {}) =>
    expectStatus(await store(json, request), 201).body.card;
  const change = (id: string, json: Json) => gateway.call("PATCH", `/api/cards/${id}`, { json });
  const found = async (id: string) => expectStatus(await gateway.get(`/api/cards/${id}`), 200).body.card;
  const answers = () =>
    gateway.pool<{ text: string }[]>`
      select coalesce(to_jsonb(c)::text, '') || coalesce((select string_agg(to_jsonb(a)::text, '') from idempotency_answers a), '')
        || coalesce((select string_agg(to_jsonb(l)::text, '') from audit_log l), '') as text from cards c`;

  test("a stored card shows its mask, brand, expiry, holder and fingerprint, the same in each look-up, and no CVV", async () => {
    const card = await storedCard({ ...HOLDER, card_cvv: "9713", ip_address: "203.0.113.7" });
    const { id, fingerprint, created_at, ...rest } = card;
    assert.deepEqual(rest, {
      ...{ card_number: "411111******1111", card_brand: "visa", card_expiry_month: "12", card_expiry_year: "2039" },
      ...{ processor_id: null, network_transaction_id: null, consent: null, ...HOLDER },
    });
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.match(fingerprint, /^[\w-]{22}$/);
    assert.match(created_at, /^\d{4}-.*\+00:00$/);
    assert.deepEqual(await found(id), card);
    for (const { text } of await answers()) {
      assert.ok(!text.includes(CARD.card_number) && !text.includes("9713"), text);
      assert.ok(!text.includes(Buffer.from(CARD.card_number).toString("hex")), text);
    }
  });

  test("equal numbers have one fingerprint at one merchant, and another at another", async () => {
    const [one, again, other] = [
      await storedCard(),
      await storedCard({ card_expiry_year: "2041" }),
      await storedCard({ card_number: "5555555555554444" }),
    ];
    assert.equal(one.fingerprint, again.fingerprint);
    assert.notEqual(one.id, again.id);
    assert.notEqual(one.fingerprint, other.fingerprint);
    const { token } = await newMerchant(gateway);
    assert.notEqual((await storedCard({}, { token })).fingerprint, one.fingerprint);
  });

  test("every format of a body stores the same", async () => {
    const { token } = await newMerchant(gateway);
    const cards = [];
    for (const format of ["json", "form", "multipart"]) {
      const answer = await gateway.call("POST", "/api/cards", { token, [format]: { ...CARD, ...HOLDER } });
      const { id: _, created_at: __, ...card } = expectStatus(answer, 201).body.card;
      cards.push(card);
    }
    assert.deepEqual([cards[1], cards[2]], [cards[0], cards[0]]);
  });

  test("what is wrong with a card is told as of a sale, in the same words, and nothing is stored", async () => {
    const rows: readonly Json[] = [
      { card_number: "4111 1111 1111 1111" },
      { card_number: "" },
      { card_number: "1234567", card_expiry_month: "13" },
      { card_expiry_month: null, card_expiry_year: "39" },
      { card_cvv: "12" },
      { country: "USA", state: "CALI", zip: "1" },
      { first_name: `Jane ${CARD.card_number}` },
      { email: "4242 4242 4242 4242" },
      { ip_address: "here" },
      { card_number: ["4111111111111111", "4111111111111111"] },
    ];
    const { sandbox, pool } = gateway;
    const before = await stored(pool);
    for (const wrong of rows) {
      const asSale = await gateway.post(
        "/api/transactions/sale",
        sale({ ...wrong, processor_id: sandbox.processors.usd }),
      );
      const answer = await store(wrong);
      assert.equal(answer.status, 422, answer.text);
      assert.deepEqual(answer.body, asSale.body);
      assert.ok(!answer.text.includes(CARD.card_number));
    }
    assert.deepEqual(await stored(pool), before);
  });

  test("fields that nothing knows are named, and not stored", async () => {
    const answer = await store({ frist_name: "Jane", shipping_zip: "95030", amount: "1.00" });
    assert.equal(expectStatus(answer, 201).headers.get("faregate-ignored-fields"), "frist_name, shipping_zip, amount");
    assert.equal(answer.body.card.shipping_zip, undefined);
  });

  test("a list is newest first, fifty a page, with its exact total, and has nothing of a deleted card", async () => {
    const { token } = await newMerchant(gateway);
    const list = (query = "") => gateway.get(`/api/cards${query}`, { token });
    assert.deepEqual(expectStatus(await list(), 200).body, {
      cards: [],
      meta: { last_page: 1, current_page: 1, total: 0 },
    });
    const ids: string[] = [];
    for (let nth = 0; nth < 52; nth++) ids.unshift((await storedCard({}, { token })).id);
    const idsOf = async (query?: string) => {
      const { body } = expectStatus(await list(query), 200);
      return [body.cards.map(({ id }: Json) => id), body.meta];
    };
    assert.deepEqual(await idsOf(), [ids.slice(0, 50), { last_page: 2, current_page: 1, total: 52 }]);
    assert.deepEqual(await idsOf("?page=2"), [ids.slice(50), { last_page: 2, current_page: 2, total: 52 }]);
    assert.deepEqual(await idsOf("?page=3"), [[], { last_page: 2, current_page: 3, total: 52 }]);
    expectStatus(await gateway.call("DELETE", `/api/cards/${ids[0]}`, { token }), 204);
    assert.deepEqual(await idsOf("?page=2"), [ids.slice(51), { last_page: 2, current_page: 2, total: 51 }]);
    for (const query of ["?page=0", "?page=x", "?page=", "?pgae=1", "?search[email]=x"])
      assert.equal((await list(query)).status, 422, query);
  });

  test("a change changes what it names, null removes a field, and the number cannot change", async () => {
    const card = await storedCard(HOLDER);
    const changed = expectStatus(
      await change(card.id, { card_expiry_month: "01", card_expiry_year: 2044, zip: "8000", street_address_2: null }),
      200,
    ).body.card;
    const { street_address_2: _, ...rest } = card;
    const wanted = { ...rest, card_expiry_month: "01", card_expiry_year: "2044", zip: "8000" };
    assert.deepEqual([changed, await found(card.id)], [wanted, wanted]);
    assert.deepEqual(expectStatus(await change(card.id, { state: "TX", country: "US" }), 200).body.card.state, "TX");
    const rows: readonly (readonly [Json, string])[] = [
      [{}, "422 base"],
      [{ frist_name: "Jane" }, "422 base"],
      [{ card_number: "5555555555554444" }, "422 card_number"],
      [{ card_cvv: "123", zip: "1" }, "422 card_cvv zip"],
      [{ card_expiry_month: "13" }, "422 card_expiry_month"],
      [{ card_expiry_month: null }, "422 base"],
      [{ first_name: "4242424242424242" }, "422 first_name"],
    ];
    for (const [json, expected] of rows) {
      const answer = await change(card.id, json);
      assert.equal(told(answer), expected, answer.text);
    }
    assert.equal((await found(card.id)).card_expiry_month, "01");
  });

  test("a deleted card is gone: with its number, for look-ups, changes and a second deletion", async () => {
    const { id } = await storedCard();
    const remove = () => gateway.call("DELETE", `/api/cards/${id}`);
    const deleted = expectStatus(await remove(), 204);
    assert.equal(deleted.text, "");
    assert.deepEqual([...(await gateway.pool`select id from cards where id = ${id}`)], []);
    const others: Answer[] = [await gateway.get(`/api/cards/${id}`), await change(id, { zip: "123" }), await remove()];
    for (const answer of others) {
      assert.deepEqual(answer.body.error.message, { base: ["There is no such card."] });
      assert.deepEqual([answer.status, answer.headers.get("faregate-refusal")], [404, "card-unknown"]);
    }
  });

  test("an id that is none, or nobody's, is no card", async () => {
    for (const id of [NOBODY, "x", "4111111111111112", randomUUID().toUpperCase()])
      assert.equal((await gateway.get(`/api/cards/${id}`)).status, 404, id);
    const { id } = await storedCard();
    assert.equal((await found(id.toUpperCase())).id, id);
  });

  test("a token needs the scope cards for each of these, and that scope is enough", async () => {
    const { id } = await storedCard();
    const { token } = merchantOf(gateway);
    const [without, alone] = [
      await token({ scopes: ["charge", "follow_up", "read"] }),
      await token({ scopes: ["cards"] }),
    ];
    const calls: readonly (readonly [string, string, Json | undefined, number])[] = [
      ["POST", "/api/cards", CARD, 201],
      ["GET", "/api/cards", undefined, 200],
      ["GET", `/api/cards/${id}`, undefined, 200],
      ["PATCH", `/api/cards/${id}`, { zip: "123" }, 200],
      ["DELETE", `/api/cards/${id}`, undefined, 204],
    ];
    for (const [method, path, json, status] of calls) {
      const ask = (secret: string) => gateway.call(method, path, { token: secret, ...(json && { json }) });
      assert.equal((await ask(without)).status, 403, `${method} ${path}`);
      assert.equal((await ask(alone)).status, status, `${method} ${path}`);
    }
    assert.equal((await gateway.get("/api/transactions", { token: alone })).status, 403);
    assert.equal((await gateway.post("/api/transactions/sale", sale(), { token: alone })).status, 403);
  });

  test("a repeated request with its key gets the first card again, and stores no other", async () => {
    const { token } = await newMerchant(gateway);
    const headers = { "idempotency-key": randomUUID() };
    const once = () => store(HOLDER, { token, headers });
    const first = expectStatus(await once(), 201);
    assert.equal(first.headers.get("idempotent-replayed"), null);
    const again = expectStatus(await once(), 201);
    assert.deepEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"]);
    assert.equal((await gateway.get("/api/cards", { token })).body.meta.total, 1);
    const other = await store({ ...HOLDER, zip: "123" }, { token, headers });
    assert.deepEqual([other.status, other.headers.get("faregate-refusal")], [422, "key-of-another-request"]);
    const many = { "idempotency-key": randomUUID() };
    const all = await Promise.all(Array.from({ length: 8 }, () => store({}, { token, headers: many })));
    const ids = new Set(all.flatMap(({ status, body }) => (status === 201 ? [body.card.id] : [])));
    assert.equal(ids.size, 1);
    assert.ok(all.every(({ status }) => status === 201 || status === 409));
    assert.equal((await gateway.get("/api/cards", { token })).body.meta.total, 2);
  });

  test("a key that stored a card is another request's for a charge, and the other way round", async () => {
    const key = { headers: { "idempotency-key": randomUUID() } };
    expectStatus(await store({}, key), 201);
    const charge = await gateway.post("/api/transactions/sale", sale(), key);
    assert.deepEqual([charge.status, charge.headers.get("faregate-refusal")], [422, "key-of-another-request"]);
    const other = { headers: { "idempotency-key": randomUUID() } };
    expectStatus(await gateway.post("/api/transactions/sale", sale(), other), 200);
    const card = await store({}, other);
    assert.deepEqual([card.status, card.headers.get("faregate-refusal")], [422, "key-of-another-request"]);
  });

  test("the audit log has who stored, changed and deleted a card: masks, and nothing of its holder", async () => {
    const card = await storedCard(HOLDER);
    expectStatus(await change(card.id, { zip: "99999" }), 200);
    expectStatus(await gateway.call("DELETE", `/api/cards/${card.id}`), 204);
    const rows = await gateway.pool<{ action: string; actor: string; merchant_id: string; text: string }[]>`
      select action, actor, merchant_id, coalesce(before::text, '') || coalesce(after::text, '') as text
      from audit_log where subject = ${`card ${card.id}`} order by id`;
    assert.deepEqual(
      rows.map(({ action }) => action),
      ["card.create", "card.change", "card.delete"],
    );
    for (const { actor, merchant_id, text } of rows) {
      assert.match(actor, /^token /);
      assert.equal(merchant_id, gateway.sandbox.merchant_id);
      assert.match(text, /411111\*{6}1111/);
      for (const value of [...Object.values(HOLDER), "99999"])
        if (value.length > 2) assert.ok(!text.includes(value), `${value} in ${text}`);
    }
    assert.match(rows[1]?.text ?? "", /"changed": ?\["zip"\]/);
  });
});
