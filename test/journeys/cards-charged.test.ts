// Cards on file that are charged: by their ids in place of their numbers, at processors of each kind, and stored by charges.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import type { Host } from "../../hosts/stripe/host.ts";
import { ACCOUNT, testAdyenHost } from "../conformance/adyen-subject.ts";
import { testHost as iso8583Host, testSettings, type Writing } from "../conformance/iso8583-subject.ts";
import { testHost as stripeHost, stripeSettings } from "../conformance/stripe-subject.ts";
import { until } from "../receiver.ts";
import { type Request, startTestGateway, told } from "./gateway.ts";
import { stored } from "./harmless.fixture.ts";
import {
  CARD,
  type ChargePath,
  expectStatus,
  type Gateway,
  type Json,
  leg,
  merchantOf,
  NOBODY,
  newMerchant,
  passenger,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";

const WRITING: Writing = { framing: "binary-2", digits: "bcd", bitmap: "binary" };
const HOLDER = { first_name: "Jane", last_name: "Doe", email: "jane@example.com", city: "Bern", zip: "8000" };

/** What a sale sends beside its card. */
function withoutCard(over: Json = {}): Json {
  const { card_number: _, card_expiry_month: __, card_expiry_year: ___, ...others } = sale(over);
  return others;
}

describe("a card on file", () => {
  let gateway: Gateway;
  let usd: string;
  let hosts: {
    readonly iso8583: Awaited<ReturnType<typeof iso8583Host>>;
    readonly stripe: Host;
    readonly adyen: AdyenHost;
  };
  /** A record of each kind. */
  const kinds = new Map<string, string>();
  before(async () => {
    gateway = await startTestGateway();
    usd = gateway.sandbox.processors.usd ?? "";
    hosts = { iso8583: await iso8583Host(WRITING), stripe: await stripeHost(), adyen: await testAdyenHost() };
    const { processor } = merchantOf(gateway);
    const iso8583 = { ...testSettings(hosts.iso8583.port, WRITING), card_number_in_follow_ups: true };
    const adyen = { ...ACCOUNT, base_url: hosts.adyen.baseUrl, timeout_ms: 2_000 };
    const stripe = { ...stripeSettings(hosts.stripe.port), timeout_ms: 2_000 };
    kinds.set("simulator", await processor());
    kinds.set("iso8583", await processor({ kind: "iso8583", settings: iso8583 }));
    kinds.set("stripe", await processor({ kind: "stripe", settings: stripe }));
    kinds.set("adyen", await processor({ kind: "adyen", settings: adyen }));
    hosts.adyen.webhooks.url = `${gateway.url}/notifications/${kinds.get("adyen")}`;
  });
  after(async () => {
    await gateway.close();
    await Promise.all([hosts.iso8583.stop(), hosts.stripe.stop(), hosts.adyen.stop()]);
  });

  const keep = async (json: Json = {}, request: Request = {}) =>
    expectStatus(await gateway.post("/api/cards", { ...CARD, ...json }, request), 201).body.card;
  const charge = (card_id: string, over: Json = {}, path: ChargePath = "sale", request: Request = {}) =>
    gateway.post(`/api/transactions/${path}`, { ...withoutCard({ processor_id: usd }), card_id, ...over }, request);
  const charged = async (card_id: string, over: Json = {}, path: ChargePath = "sale") =>
    transactionOf(expectStatus(await charge(card_id, over, path), 200));
  const remove = async (id: string) => expectStatus(await gateway.call("DELETE", `/api/cards/${id}`), 204);
  const found = (id: string) => merchantOf(gateway).found(id);

  test("is charged by its id, and shows as the same card charged by its number, with its id", async () => {
    const card = await keep(HOLDER);
    const byId = await charged(card.id);
    const byNumber = transactionOf(
      expectStatus(await gateway.post("/api/transactions/sale", sale({ ...HOLDER, processor_id: usd })), 200),
    );
    const alike = ({ id: _, created_at: __, updated_at: ___, events, actions: ____, ...rest }: Json) => ({
      ...rest,
      event: (events as Json[]).map(({ event_type, success, processor_code, amount }) => [
        event_type,
        success,
        processor_code,
        amount,
      ]),
    });
    assert.deepEqual(alike(byId), { ...alike(byNumber), card_id: card.id });
    assert.deepEqual(await found(byId.id), byId);
    const { body } = await gateway.get("/api/transactions?search[card_number]=411111********");
    for (const { id } of [byId, byNumber]) assert.ok(body.transactions.some((one: Json) => one.id === id));
  });

  test("brings its holder's names and address where the request has none: each as a whole, and never in part", async () => {
    const { id } = await keep({ ...HOLDER, mobile_phone: "15145550199" });
    const own = async (over: Json) => {
      const { first_name, last_name, email, mobile_phone, city, zip, state } = await charged(id, over);
      return [first_name, last_name, email, mobile_phone, city, zip, state];
    };
    assert.deepEqual(await own({}), ["Jane", "Doe", "jane@example.com", "15145550199", "Bern", "8000", undefined]);
    assert.deepEqual(await own({ last_name: "Roe" }), [
      ...[undefined, "Roe", "jane@example.com", "15145550199", "Bern", "8000", undefined],
    ]);
    assert.deepEqual(await own({ state: "ZH", email: "a@b.ch" }), [
      ...["Jane", "Doe", "a@b.ch", "15145550199", undefined, undefined, "ZH"],
    ]);
    assert.deepEqual(expectStatus(await gateway.get(`/api/cards/${id}`), 200).body.card.city, "Bern");
  });

  test("is charged at each kind of processor, and what was paid is captured, refunded and voided after it was deleted", async () => {
    for (const [kind, processor_id] of kinds) {
      const card = await keep(HOLDER);
      const paid = await charged(card.id, { processor_id, amount: "10.00" }, "auth");
      const held = await charged(card.id, { processor_id, amount: "5.00", card_cvv: "123" }, "auth");
      const sold = await charged(card.id, { processor_id });
      assert.deepEqual(
        [paid, held, sold].map(({ events }) => events[0].success),
        [true, true, true],
        kind,
      );
      await remove(card.id);
      const again = await charge(card.id, { processor_id });
      assert.deepEqual(
        [told(again), again.headers.get("faregate-refusal")],
        ["422 card_id", "stored-card-unknown"],
        kind,
      );
      const follow = async (id: string, path: string, json: Json = {}) => {
        const answer = await gateway.post(`/api/transactions/${id}/${path}`, json);
        assert.ok([200, 202].includes(answer.status), `${kind} ${path}: ${answer.text}`);
        await until(`${kind}: ${path} succeeds`, async () => {
          const [{ event_type, success }] = (await found(id)).events;
          return event_type === path && success;
        });
      };
      await follow(paid.id, "capture", { amount: "10.00" });
      await follow(paid.id, "refund", { amount: "10.00" });
      await follow(held.id, "void");
      assert.equal((await found(held.id)).card_id, card.id);
    }
  });

  test("either a card or its id is sent, and all that is wrong is told at once", async () => {
    const { id } = await keep();
    const { token } = await newMerchant(gateway);
    const other = (await keep({}, { token })).id;
    const before = await stored(gateway.pool);
    const rows: readonly (readonly [Json, string])[] = [
      [{ ...CARD, card_id: id }, "422 card_expiry_month card_expiry_year card_id card_number"],
      [{ card_number: CARD.card_number, card_id: id }, "422 card_id card_number"],
      [{ card_expiry_year: "2039", card_id: id, amount: "1.234" }, "422 amount card_expiry_year card_id"],
      [{}, "422 card_expiry_month card_expiry_year card_number"],
      [{ card_id: "" }, "422 card_expiry_month card_expiry_year card_number"],
      [{ card_number: CARD.card_number }, "422 card_expiry_month card_expiry_year"],
      [{ card_id: "x" }, "422 card_id"],
      [{ card_id: CARD.card_number }, "422 card_id"],
      [{ card_id: [id, id] }, "422 card_id"],
      [{ card_id: NOBODY }, "422 card_id"],
      [{ card_id: NOBODY, amount: "x" }, "422 amount card_id"],
      [{ card_id: other }, "422 card_id"],
      [{ card_id: id, store_card: true }, "422 store_card"],
      [{ card_id: id, store_card: "perhaps" }, "422 store_card"],
      [{ card_id: id, card_cvv: "12" }, "422 card_cvv"],
    ];
    for (const path of ["/sale", "/auth", ""])
      for (const [json, expected] of rows) {
        const answer = await gateway.post(`/api/transactions${path}`, {
          ...withoutCard({ processor_id: usd }),
          ...json,
        });
        assert.equal(told(answer), expected, `${path} ${JSON.stringify(json)} ${answer.text}`);
        assert.ok(!answer.text.includes(CARD.card_number));
      }
    assert.deepEqual(await stored(gateway.pool), before);
    for (const path of ["/sale", "/auth", ""])
      expectStatus(
        await gateway.post(`/api/transactions${path}`, {
          ...withoutCard({ processor_id: usd }),
          card_id: id.toUpperCase(),
        }),
        200,
      );
  });

  test("what a processor requires it requires of a card on file, too; names may be the card's", async () => {
    const requires = { cvv: ["visa"], names: true, document: true };
    const processor_id = await merchantOf(gateway).processor({ requires });
    const [bare, named] = [await keep(), await keep(HOLDER)];
    const missing = async (card: Json, over: Json) => told(await charge(String(card.id), { processor_id, ...over }));
    assert.equal(await missing(bare, {}), "422 card_cvv document_number first_name last_name");
    assert.equal(await missing(named, {}), "422 card_cvv document_number");
    assert.equal(await missing(named, { amount: "x" }), "422 amount card_cvv document_number");
    const all = { processor_id, card_cvv: "123", document_number: "111.444.777-35" };
    assert.equal((await charged(named.id, all)).events[0].cvv_response, "match");
    const mastercard = await keep({ ...HOLDER, card_number: "5555555555554444" });
    assert.equal(await missing(mastercard, {}), "422 document_number");
  });

  test("is drawn a processor for by the rules, as its number is", async () => {
    const { token, merchantId, processors } = await newMerchant(gateway, {}, {});
    const [first = "", second = ""] = processors;
    const rules = [
      {
        name: "Visa",
        when: { card_ranges: ["411111"] },
        processors: [{ id: second, weight: 1 }],
      },
    ];
    const routing = await gateway.operator("PATCH", `/operator/merchants/${merchantId}/routing`, { rules });
    expectStatus(routing, 200);
    const { id } = await keep({}, { token });
    for (let nth = 0; nth < 4; nth++) {
      const answer = await gateway.post("/api/transactions/sale", { ...withoutCard(), card_id: id }, { token });
      assert.equal(transactionOf(expectStatus(answer, 200)).processor_id, second);
    }
    assert.notEqual(first, second);
  });

  test("its own number is refused wherever it would be kept, also one that only the card itself tells", async () => {
    const own = "4111111111111112";
    const { id } = await keep({ card_number: own });
    const before = await stored(gateway.pool);
    const airline = {
      amount: "100.00",
      passenger_transport: [passenger({ legs: [leg()], ticket_number: own.slice(0, 13) })],
    };
    const rows: readonly (readonly [Json, string, Request?])[] = [
      [{ merchant_transaction_id: `order ${own}` }, "422 merchant_transaction_id"],
      [{ first_name: own, city: "4111 1111 1111 1112" }, "422 city first_name"],
      [{ meta: { note: own } }, "422 meta"],
      [{}, "422 base", { headers: { "idempotency-key": `order ${own}` } }],
    ];
    for (const [json, expected, request] of rows) {
      const answer = await charge(id, json, "sale", request);
      assert.equal(told(answer), expected, answer.text);
      assert.ok(!answer.text.includes(own));
      assert.equal(answer.headers.get("faregate-refusal"), "own-card-number");
    }
    assert.deepEqual(await stored(gateway.pool), before);
    expectStatus(await charge(id, airline), 200);
  });

  test("a request with a key is replayed after its card was deleted, and charged once", async () => {
    const { id } = await keep();
    const key = { headers: { "idempotency-key": randomUUID() } };
    const first = expectStatus(await charge(id, {}, "sale", key), 200);
    await remove(id);
    const again = expectStatus(await charge(id, {}, "sale", key), 200);
    assert.deepEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"]);
    assert.equal(told(await charge(id)), "422 card_id");
  });

  test("a number that cannot be opened is charged nowhere: 503, and nothing is written", async () => {
    const { id } = await keep();
    await gateway.pool`update cards set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1) where id = ${id}`;
    const before = await stored(gateway.pool);
    const answer = await charge(id);
    assert.deepEqual([answer.status, answer.headers.get("retry-after")], [503, "1"]);
    assert.deepEqual(await stored(gateway.pool), before);
  });

  test("its payments are found by its id, those of another card and another merchant are not, and CSV names it", async () => {
    const [card, other] = [await keep(HOLDER), await keep(HOLDER)];
    const [paid, held] = [await charged(card.id), await charged(card.id, {}, "auth")];
    await charged(other.id);
    const stores = sale({ processor_id: usd, store_card: true });
    const stored = transactionOf(expectStatus(await gateway.post("/api/transactions/sale", stores), 200));
    const list = async (id: string, request: Request = {}) => {
      const query = new URLSearchParams({ "search[card_id]": id });
      const { body } = expectStatus(await gateway.get(`/api/transactions?${query}`, request), 200);
      return body.transactions.map((one: Json) => one.id);
    };
    await remove(card.id);
    for (const id of [card.id, card.id.toUpperCase()]) assert.deepEqual(await list(id), [held.id, paid.id]);
    assert.deepEqual(await list(stored.card_id), [stored.id]);
    assert.deepEqual(await list(NOBODY), []);
    assert.deepEqual(await list(card.id, { token: (await newMerchant(gateway)).token }), []);
    assert.equal(told(await gateway.get("/api/transactions?search[card_id]=411111")), "422 search.card_id");
    const csv = await gateway.get(`/api/transactions?format=csv&search[card_id]=${card.id}`);
    for (const line of csv.text.trim().split("\r\n").slice(1)) assert.ok(line.endsWith(`,${card.id}`), line);
  });

  describe("that a charge stores", () => {
    const cards = async (request: Request = {}) => expectStatus(await gateway.get("/api/cards", request), 200).body;

    test("is on file as soon as the charge is approved, with the charge's names and address, and can be charged", async () => {
      for (const path of ["sale", "auth"] as const) {
        const body = sale({ ...HOLDER, processor_id: usd, store_card: true, card_cvv: "123", shipping_zip: "11" });
        const first = transactionOf(expectStatus(await gateway.post(`/api/transactions/${path}`, body), 200));
        assert.match(first.card_id, /^[0-9a-f-]{36}$/);
        assert.equal(first.store_card, true);
        const { card } = expectStatus(await gateway.get(`/api/cards/${first.card_id}`), 200).body;
        const { id, fingerprint, network_transaction_id: first_charge, created_at, ...shown } = card;
        assert.match(first_charge, /^SIM/);
        assert.deepEqual([id, created_at], [first.card_id, first.created_at]);
        assert.deepEqual(shown, {
          ...{ card_number: "411111******1111", card_brand: "visa", card_expiry_month: "12", card_expiry_year: "2039" },
          ...{ processor_id: null, consent: null, ...HOLDER },
        });
        assert.equal(fingerprint, (await keep()).fingerprint);
        assert.equal((await cards()).cards.filter((one: Json) => one.id === id).length, 1);
        const next = await charged(id);
        assert.deepEqual([next.card_id, next.store_card, next.events[0].success], [id, undefined, true]);
        assert.equal((await gateway.call("PATCH", `/api/cards/${id}`, { json: { zip: "123" } })).status, 200);
        await remove(id);
        assert.equal((await gateway.get(`/api/cards/${id}`)).status, 404);
      }
    });

    test("is not on file if the charge is declined, or never answered, and its row goes", async () => {
      const { token, processors } = await newMerchant(gateway, { settings: { timeout_ms: 100 } });
      for (const card_number of ["4000000000000002", "4000000000000408"]) {
        const body = sale({ card_number, store_card: true, processor_id: processors[0] });
        const answer = expectStatus(await gateway.post("/api/transactions/sale", body, { token }), 200);
        assert.deepEqual([transactionOf(answer).card_id, transactionOf(answer).store_card], [null, true]);
      }
      assert.deepEqual((await cards({ token })).meta.total, 0);
      const [row] = await gateway.pool`select id from cards where stored_by is not null limit 1`;
      assert.ok(row);
      assert.equal((await gateway.get(`/api/cards/${row.id}`, { token })).status, 404);
      const answer = await gateway.post("/api/transactions/sale", { ...withoutCard(), card_id: row.id }, { token });
      assert.equal(told(answer), "422 card_id");
    });

    test("is stored once, however often its charge is sent with its key", async () => {
      const { token, processors } = await newMerchant(gateway, {});
      const request = { token, headers: { "idempotency-key": randomUUID() } };
      const body = sale({ store_card: "1", processor_id: processors[0] });
      const first = expectStatus(await gateway.post("/api/transactions/sale", body, request), 200);
      const again = expectStatus(await gateway.post("/api/transactions/sale", body, request), 200);
      assert.equal(again.text, first.text);
      assert.deepEqual(
        (await cards({ token })).cards.map(({ id }: Json) => id),
        [transactionOf(first).card_id],
      );
      const without = await gateway.post("/api/transactions/sale", sale({ store_card: false }), { token });
      assert.deepEqual([transactionOf(without).card_id, transactionOf(without).store_card], [undefined, undefined]);
      assert.equal((await cards({ token })).meta.total, 1);
    });
  });
});
