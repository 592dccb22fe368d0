// Lists over HTTP (specification 4.6, decisions 8): pages and their totals, filters alone and together, parameters that
// nobody knows. How long a filter's value may be stands in limits.test.ts.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { linesOfCsv } from "./csv.fixture.ts";
import { startTestGateway, told } from "./gateway.ts";
import { listsOf } from "./listing.fixture.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  merchantOf,
  type OwnMerchant,
  passenger,
  THREE_D_SECURE,
  transactionOf,
} from "./merchant.fixture.ts";

describe("lists", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const { own, listOf, charged, charge } = listsOf(() => gateway);
  const found = async (merchant: OwnMerchant, search: Readonly<Record<string, string>>): Promise<string[]> => {
    const query = Object.fromEntries(Object.entries(search).map(([name, value]) => [`search[${name}]`, value]));
    const { body } = expectStatus(await listOf(merchant, query), 200);
    const orders = body.transactions.map((one: { merchant_transaction_id: string }) => one.merchant_transaction_id);
    assert.equal(body.meta.total, orders.length);
    return orders;
  };
  const pageOf = async (merchant: OwnMerchant, page: number) => {
    const { body } = expectStatus(await listOf(merchant, { page: String(page) }), 200);
    return [body.transactions.length, body.meta] as const;
  };

  test("an empty list has one page; fifty are one, fifty-one are two", async () => {
    const merchant = await own();
    for (const [more, total, last] of [
      [0, 0, 1],
      [50, 50, 1],
      [1, 51, 2],
    ] as const) {
      await charge(merchant, more);
      for (const page of [1, 2, 3]) {
        const length = Math.max(0, Math.min(50, total - 50 * (page - 1)));
        assert.deepEqual(await pageOf(merchant, page), [length, { last_page: last, current_page: page, total }]);
      }
    }
  });

  test("far past the end the list is empty and its meta is true", async () => {
    const merchant = await own();
    await charge(merchant, 3);
    for (const page of [2, 1_000, 999_999_999, 2_147_483_648])
      assert.deepEqual(await pageOf(merchant, page), [0, { last_page: 1, current_page: page, total: 3 }]);
    for (const page of ["2147483649", "99999999999999999999", "9".repeat(400)]) {
      const { body } = expectStatus(await listOf(merchant, { page }), 200);
      assert.deepEqual([body.transactions, body.meta.last_page, body.meta.total], [[], 1, 3]);
    }
    for (const page of ["0", "-1", "1.5", "x", "1e3", "01", " 1", ""])
      assert.equal(told(await listOf(merchant, { page })), "422 page", page);
  });

  test("newest first, each once, over all pages", async () => {
    const merchant = await own();
    const made = [];
    for (let count = 0; count < 60; count++) made.push((await charged(merchant)).id);
    const pages = await Promise.all(["1", "2"].map((page) => listOf(merchant, { page })));
    const listed = pages.flatMap(({ body }) => body.transactions.map(({ id }: { id: string }) => id));
    assert.deepEqual(listed, made.reverse());
  });

  test("nobody lists another merchant's transactions, whatever the filter", async () => {
    const [one, two] = [await own(), await own()];
    await charged(one, { merchant_transaction_id: "mine" });
    assert.deepEqual(await found(one, { merchant_transaction_id: "mi" }), ["mine"]);
    for (const search of [
      {},
      { merchant_transaction_id: "mi" },
      { user_id: one.userId },
      { card_number: "411111********" },
    ])
      assert.deepEqual(await found(two, search as Record<string, string>), []);
    const csv = await listOf(two, { format: "csv" });
    assert.equal(linesOfCsv(csv.text).length, 1);
  });

  test("filters match by their kind and only together, and mean themselves", async () => {
    const merchant = await own();
    const people: readonly Json[] = [
      { first_name: "Ann", last_name: "100%", city: "Oslo", state: "CA", zip: "95030", email: "ann@example.com" },
      { first_name: "Anna", last_name: "100_", city: "Oslo", state: "NY", zip: "95030-1", email: "anna@example.com" },
      { first_name: "ann", last_name: "100\\", city: "oslo", state: "CA", zip: "9503", mobile_phone: "15145550199" },
      { first_name: "Zoë", last_name: "", shipping_city: "Bergen", shipping_state: "WA", shipping_zip: "98101" },
      { first_name: "\u{1f600}\u{1f601}", card_number: "5555555555554444", last_name: "O'Hara; --" },
      { card_number: "60110000" },
    ];
    for (const [index, person] of people.entries())
      await charged(merchant, { merchant_transaction_id: `p${index}`, ...person });
    for (const [search, expected] of [
      [{ first_name: "Ann" }, ["p1", "p0"]],
      [{ first_name: "ann" }, ["p2"]],
      [{ first_name: "Anna" }, ["p1"]],
      [{ first_name: "nn" }, []],
      [{ first_name: "\u{1f600}" }, ["p4"]],
      [{ first_name: "Zo\u0065\u0308" }, []],
      [{ last_name: "100" }, ["p2", "p1", "p0"]],
      [{ last_name: "100%" }, ["p0"]],
      [{ last_name: "100_" }, ["p1"]],
      [{ last_name: "100\\" }, ["p2"]],
      [{ last_name: "O'Hara; --" }, ["p4"]],
      [{ last_name: "%" }, []],
      [{ city: "Oslo", state: "CA" }, ["p0"]],
      [{ state: "CA" }, ["p2", "p0"]],
      [{ state: "C" }, []],
      [{ state: "ca" }, []],
      [{ zip: "9503" }, ["p2"]],
      [{ zip: "95030" }, ["p0"]],
      [{ mobile_phone: "1514" }, ["p2"]],
      [{ email: "ann" }, ["p1", "p0"]],
      [{ shipping_city: "Berg", shipping_state: "WA", shipping_zip: "98101" }, ["p3"]],
      [{ shipping_zip: "9810" }, []],
      [{ card_number: "555555********" }, ["p4"]],
      [{ user_id: merchant.userId, first_name: "Zoë" }, ["p3"]],
      [{ user_id: merchant.userId.toUpperCase(), first_name: "Zoë" }, ["p3"]],
      [{ user_id: gateway.sandbox.user_id }, []],
      [{ merchant_transaction_id: "p", first_name: "Ann", state: "NY", zip: "95030-1" }, ["p1"]],
      [{ card_number: "6011****" }, ["p5"]],
      [{ card_number: "60110****" }, []],
    ] as const)
      assert.deepEqual(await found(merchant, search as Record<string, string>), expected, JSON.stringify(search));
  });

  test("words of a receipt find a transaction: card, amount, currency, authorization code, ticket and passenger", async () => {
    const merchant = await own();
    const flight = (ticket_number: string, passenger_name: string) => passenger({ ticket_number, passenger_name });
    await charged(merchant, { merchant_transaction_id: "plain", amount: "12.30", card_number: "5555555555554444" });
    const flown = await charged(merchant, {
      merchant_transaction_id: "flown",
      amount: "200.00",
      passenger_transport: [flight("0141234567890", "DOE/JANE"), flight("0141234567891", "ROE/RICHARD")],
    });
    for (const [search, expected] of [
      [{ last_four: "4444" }, ["plain"]],
      [{ last_four: "4440" }, []],
      [{ amount: "12.3" }, ["plain"]],
      [{ amount: "200", currency: "USD" }, ["flown"]],
      [{ amount: "200", currency: "CAD" }, []],
      [{ amount: "12.31" }, []],
      [{ auth_code: flown.events[0].auth_code }, ["flown"]],
      [{ auth_code: flown.events[0].auth_code, last_four: "4444" }, []],
      [{ ticket_number: "0141234567891" }, ["flown"]],
      [{ ticket_number: "014123456789" }, []],
      [{ passenger_name: "DOE/" }, ["flown"]],
      [{ passenger_name: "doe/" }, []],
      [{ passenger_name: "DOE/", ticket_number: "0141234567890", amount: "200.00" }, ["flown"]],
      [{ passenger_name: "DOE/", ticket_number: "0141234567891" }, []],
    ] as const)
      assert.deepEqual(await found(merchant, search as Record<string, string>), expected, JSON.stringify(search));
  });

  test("a type and a status find events as responses show them, both of them one event", async () => {
    const merchant = await own();
    const { token } = merchant;
    const follow = async (id: string, path: string, json?: Json) =>
      expectStatus(await gateway.post(`/api/transactions/${id}/${path}`, json, { token }), 200);
    await charged(merchant, { merchant_transaction_id: "sold" });
    await charged(merchant, { merchant_transaction_id: "refused", card_number: "4000000000009995" });
    const held = await charged(merchant, { merchant_transaction_id: "held" }, "auth");
    const voided = await charged(merchant, { merchant_transaction_id: "voided" }, "auth");
    await follow(voided.id, "void");
    await follow(held.id, "capture", { amount: "1.00" });
    for (const [search, expected] of [
      [{ event_type: "auth" }, ["voided", "held"]],
      [{ event_type: "capture" }, ["held"]],
      [{ event_type: "refund" }, []],
      [{ status: "declined" }, ["refused"]],
      [{ status: "voided" }, ["voided"]],
      [{ status: "pending_settlement" }, ["held", "sold"]],
      [{ status: "pending_settlement", event_type: "sale" }, ["sold"]],
      [{ status: "authorized", event_type: "capture" }, []],
      [{ status: "authorized", merchant_transaction_id: "h" }, ["held"]],
    ] as const)
      assert.deepEqual(await found(merchant, search as Record<string, string>), expected, JSON.stringify(search));
    for (const [name, text] of [
      ["status", "must be one of authorized, pending_settlement, unsettled, settled, voided, declined, pending, error"],
      ["event_type", "must be one of sale, auth, capture, void, refund"],
    ] as const) {
      const { body } = expectStatus(await listOf(merchant, { [`search[${name}]`]: "other" }), 422);
      assert.deepEqual(body.error.message, { [`search.${name}`]: [text] });
    }
  });

  test("any number is found by its status; more than may be looked through is an error that says what to do", async () => {
    const merchant = await own();
    const { token, merchantId } = merchant;
    await charged(merchant, { merchant_transaction_id: "like" });
    await gateway.pool`delete from outcomes where merchant_id = ${merchantId}`;
    await gateway.pool`
      insert into transactions select (jsonb_populate_record(t, jsonb_build_object('number', n, 'id', gen_random_uuid()))).*
      from transactions t, generate_series(2, 10001) n where merchant_id = ${merchantId}`;
    await gateway.pool`
      insert into events select (jsonb_populate_record(e, jsonb_build_object('transaction_id', t.id, 'id', gen_random_uuid()))).*
      from events e join transactions t using (merchant_id) where merchant_id = ${merchantId} and t.number > 1`;
    await gateway.pool`update merchant_counters set transactions = 10001 where merchant_id = ${merchantId}`;
    const { body } = expectStatus(await listOf(merchant, { "search[status]": "pending" }), 200);
    assert.equal(body.meta.total, 10_001);
    assert.deepEqual(await found(merchant, { status: "declined" }), []);
    const csv = await gateway.get("/api/transactions?format=csv&search[status]=pending", { token });
    assert.equal(linesOfCsv(csv.text).length, 10_002);
    // As if so many had come at once.
    await gateway.pool`update merchant_counters set transactions = 200000 where merchant_id = ${merchantId}`;
    const refused = expectStatus(await listOf(merchant, { "search[status]": "pending" }), 422);
    const text =
      "leaves 200000 transactions to look through, and 100000 at most are: narrow it with search[created_at_gte] and " +
      "search[created_at_lte], or other filters. format=csv has no such limit";
    assert.deepEqual(refused.body.error.message, { "search.status": [text] });
  });

  test("dates include both ends, and what follows a charge moves its updated_at only", async () => {
    const merchant = await own();
    const text = (instant: number) => new Date(instant).toISOString().slice(0, 19).replace("T", " ");
    const first = await charged(merchant, { merchant_transaction_id: "first" }, "auth");
    await sleep(1_100);
    const second = await charged(merchant, { merchant_transaction_id: "second" });
    await sleep(1_100);
    const { token } = merchant;
    const captured = transactionOf(await gateway.post(`/api/transactions/${first.id}/capture`, undefined, { token }));
    const [early, middle, late] = [first.created_at, second.created_at, captured.updated_at].map(Date.parse) as [
      number,
      number,
      number,
    ];
    for (const [search, expected] of [
      [{ created_at_gte: text(early), created_at_lte: text(middle) }, ["second", "first"]],
      [{ created_at_gte: text(early + 1_000) }, ["second"]],
      [{ created_at_lte: text(middle - 1_000) }, ["first"]],
      [{ created_at_gte: text(late) }, []],
      [{ updated_at_gte: text(late), updated_at_lte: text(late) }, ["first"]],
      [{ updated_at_lte: text(late - 1_000) }, ["second"]],
      [{ updated_at_gte: text(middle) }, ["second", "first"]],
      [{ created_at_lte: text(middle - 1_000), updated_at_gte: text(late) }, ["first"]],
      [{ created_at_gte: text(late), created_at_lte: text(early) }, []],
      [{ created_at_gte: "0000-01-01 00:00:00", created_at_lte: "9999-12-31 23:59:59" }, ["second", "first"]],
      [{ updated_at_gte: "0000-01-01 00:00:00", first_name: "nobody" }, []],
      // As answers show them, and as PHP makes a plus of a space.
      [{ created_at_gte: second.created_at }, ["second"]],
      [{ created_at_lte: first.created_at.replace("+", " ") }, ["first"]],
      [{ updated_at_gte: captured.updated_at.replace("+00:00", "Z") }, ["first"]],
    ] as const)
      assert.deepEqual(await found(merchant, search as Record<string, string>), expected, JSON.stringify(search));
  });

  test("what is unknown or empty is an error, so that a slip lists nothing", async () => {
    const merchant = await own();
    assert.equal(told(await gateway.get("/api/transactions?", { token: merchant.token })), "200");
    for (const [query, expected] of [
      ["per_page=10&sort=asc&page=1", "422 per_page sort"],
      ["merchant_transaction_id=x", "422 merchant_transaction_id"],
      ["%D1%86%D0%B2%D0%B5%D1%82=1", "422 цвет"],
      ["search=", "422 search"],
      ["search[email]=", "422 search.email"],
      ["search[created_at_gte]=&search[zip]=", "422 search.created_at_gte search.zip"],
      ["search[created_at_gte]=2031-05-01T14:30:00%2B01:00", "422 search.created_at_gte"],
      ["search[card_number]=411111", "422 search.card_number"],
      ["search[card_number]=411111******1111", "422 search.card_number"],
      ["search[created_at_gte]=2031-05-01T14:30:00", "422 search.created_at_gte"],
      ["search[created_at_gte]=2031-05-01 14:30:00Z", "422 search.created_at_gte"],
      ["search[card_number]=411111******11111111", "422 search.card_number"],
      ["serach[zip]=x", "422 serach"],
      ["4111111111111111=1&x=1", "422 •••"],
      ["serach[zip]=x&search[zpi]=y&page=0&format=xml", "422 format page search.zpi serach"],
      ["search[zip]=95030&filter[state]=CA", "422 filter"],
      ["search=x", "422 search"],
      ["search[]=x", "422 search"],
      ["search[zip][]=95030", "422 search.zip"],
      ["search[zip]=95030&search[zip]=95031", "422 search.zip"],
      ["search[zip][x]=95030", "422 search.zip"],
      ["search[ZIP]=95030", "422 search.ZIP"],
      ["search[price]=3.56", "422 search.price"],
      [
        "search[amount]=3,56&search[currency]=usd&search[last_four]=11111",
        "422 search.amount search.currency search.last_four",
      ],
      ["search[constructor]=x", "422 search.constructor"],
      ["page=1&page=2", "422 page"],
      ["page[]=1", "422 page"],
      ["format[]=csv", "422 format"],
      ["format=CSV", "422 format"],
      ["search[zip=95030", "400 base"],
      ["search[__proto__]=x", "400 base"],
      ["page=%ff", "400 base"],
    ] as const)
      assert.equal(told(await gateway.get(`/api/transactions?${query}`, { token: merchant.token })), expected, query);
  });

  test("the mask of a card as a transaction shows it is answered with the filters that find the card", async () => {
    const merchant = await own();
    const { id, card_number } = await charged(merchant, { card_number: "5555555555554444" });
    const filtered = (query: string) => gateway.get(`/api/transactions?${query}`, { token: merchant.token });
    assert.deepEqual((await filtered(`search[card_number]=${card_number}`)).body.error.message, {
      "search.card_number": [
        "must be the first six digits and eight asterisks, such as 555555********; the last four digits are a filter of their own, last_four",
      ],
    });
    const { transactions } = (await filtered("search[card_number]=555555********&search[last_four]=4444")).body;
    assert.deepEqual(
      transactions.map((one: Json) => one.id),
      [id],
    );
    const { message } = (await filtered("search[card_number]=601100****")).body.error;
    assert.match(message["search.card_number"][0], /such as 601100\*{8}$/);
  });

  test("what is listed is what is found alone, whatever is in it", async () => {
    const merchant = await own();
    const { follow } = merchantOf(gateway);
    const { token } = merchant;
    await charged(merchant, { meta: { a: [1, { b: null }], "1": "x" }, dynamic_descripton: "SHOP", currency: "USD" });
    await charged(merchant, THREE_D_SECURE);
    await charged(merchant, { card_number: "4000000000000002" });
    const { id } = await charged(
      merchant,
      { amount: "200.00", passenger_transport: [passenger(), passenger()] },
      "auth",
    );
    expectStatus(await follow(id, "reversal", undefined, { token }), 200);
    const { transactions } = (await listOf(merchant)).body;
    assert.equal(transactions.length, 4);
    for (const listed of transactions)
      assert.deepEqual((await gateway.get(`/api/transactions/${listed.id}`, { token })).body.transaction, listed);
  });
});
