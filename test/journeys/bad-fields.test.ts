// What a field of a charge or of a follow-up may be (decisions 1), and how those that are wrong or unknown are named
// (decisions 3). Limits of single fields, 3-D Secure and conditional fields have files of their own.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Request, startTestGateway, told } from "./gateway.ts";
import { SECRET_CARD, SECRET_CVV } from "./harmless.fixture.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  leg,
  merchantOf,
  NOBODY,
  passenger,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";

const SALE = "/api/transactions/sale";

describe("fields that are not as they should be", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const charge = (over: Json) => gateway.post(SALE, sale(over));

  test("all wrong fields are named at once, each with what would be right", async () => {
    const wrong = {
      amount: "ten",
      card_number: "41",
      card_expiry_month: "13",
      card_expiry_year: "39",
      ip_address: "x",
      country: "USA",
      merchant_transaction_id: "",
      card_cvv: "12",
      currency: "dollars",
    };
    const answer = await charge(wrong);
    assert.equal(told(answer), `422 ${Object.keys(wrong).sort().join(" ")}`);
    assert.deepEqual(answer.body.error.message.card_number, ["must be 8 to 19 digits without spaces or dashes"]);
    assert.deepEqual(answer.body.error.message.merchant_transaction_id, ["is required"]);
  });

  test("unknown fields are ignored, not stored, and named: percent-encoded, no card number, 1 kB at most", async () => {
    for (const [over, expected] of [
      [{}, null],
      [{ avs_enabled: true, цвет: 1, "a\r\nx: 1": 2 }, "avs_enabled, %D1%86%D0%B2%D0%B5%D1%82, a%0D%0Ax%3A%201"],
      [{ [SECRET_CARD.slice(0, 12)]: 1, colour: 1 }, "colour"],
      [{ ["k".repeat(1_000)]: 1 }, "k".repeat(1_000)],
      [{ ["k".repeat(1_001)]: 1, short: 1 }, "short"],
      [{ card_cvv2: "123", avs: [1] }, "card_cvv2, avs"],
    ] as const) {
      const answer = expectStatus(await charge(over), 200);
      assert.equal(answer.headers.get("faregate-ignored-fields"), expected);
      for (const name of Object.keys(over)) assert.ok(!(name in transactionOf(answer)), name);
    }
    const nested = sale({
      amount: "100.00",
      passenger_transport: [passenger({ seat: "1A", legs: [leg({ gate: 7 })] })],
    });
    const answer = expectStatus(await gateway.post(SALE, nested), 200);
    const names = "passenger_transport.0.legs.0.gate, passenger_transport.0.seat";
    assert.equal(answer.headers.get("faregate-ignored-fields"), names);
    const many = await charge(Object.fromEntries(Array.from({ length: 500 }, (_, k) => [`unknown_${k}`, k])));
    assert.ok((many.headers.get("faregate-ignored-fields") ?? "").length <= 1_000);
  });

  test("a refused request names its unknown fields in no header, and an error repeats no value", async () => {
    const answer = await charge({ card_number: [SECRET_CARD], card_cvv: `${SECRET_CVV}x`, amount: "x" });
    assert.equal(told(answer), "422 amount card_cvv card_number");
    assert.ok(!answer.text.includes(SECRET_CARD) && !answer.text.includes(SECRET_CVV));
  });

  test("the descriptor is taken and echoed under either spelling, 1 to 255 characters", async () => {
    for (const name of ["dynamic_descripton", "dynamic_descriptor"]) {
      const transaction = transactionOf(expectStatus(await charge({ [name]: "SHOP|514-555-0199" }), 200));
      const shown = Object.entries(transaction).filter(([field]) => field.startsWith("dynamic"));
      assert.deepEqual(shown, [[name, "SHOP|514-555-0199"]]);
      expectStatus(await charge({ [name]: "x".repeat(255) }), 200);
      assert.equal(told(await charge({ [name]: "x".repeat(256) })), `422 ${name}`);
    }
  });

  test("a currency is of ISO 4217 and that of the processor", async () => {
    const { usd, cad } = gateway.sandbox.processors;
    for (const [over, expected] of [
      [{ currency: "USD" }, "200"],
      [{ currency: "USD", processor_id: usd }, "200"],
      [{ currency: "CAD", processor_id: cad }, "200"],
      [{ currency: "CAD", processor_id: usd }, "422 currency"],
      [{ currency: "CAD" }, "422 currency"],
      [{ currency: "usd" }, "422 currency"],
      [{ currency: "US" }, "422 currency"],
      [{ currency: "ZZZ" }, "422 currency"],
      [{ currency: 840 }, "422 currency"],
    ] as const)
      assert.equal(told(await charge(over)), expected, JSON.stringify(over));
  });

  test("ip_address is required on a sale and optional on an auth, any address of IPv4 or IPv6", async () => {
    const auth = (over: Json) => gateway.post("/api/transactions/auth", sale(over));
    assert.equal(told(await charge({ ip_address: undefined })), "422 ip_address");
    const [event] = transactionOf(expectStatus(await auth({ ip_address: undefined }), 200)).events;
    assert.ok(!("ip_address" in event));
    for (const ip_address of [
      "0.0.0.0",
      "255.255.255.255",
      "::",
      "2001:db8::7",
      "::ffff:203.0.113.7",
      "2001:DB8:0:0:8:800:200C:417A",
    ])
      assert.equal(transactionOf(expectStatus(await charge({ ip_address }), 200)).events[0].ip_address, ip_address);
    // A zone (RFC 4007) means something on one machine only, and is as long as one likes.
    for (const ip_address of [
      "203.0.113",
      "256.0.0.1",
      "203.0.113.7/24",
      "::g",
      "1.2.3.4.5",
      "localhost",
      "fe80::1%eth0",
      `fe80::1%${SECRET_CARD}`,
      "203.0.113.7 ",
    ])
      assert.equal(told(await charge({ ip_address })), "422 ip_address", ip_address);
  });

  test("a card number is 8 to 19 digits; Luhn and expiry are the processor's to judge", async () => {
    for (const card_number of ["41111111", "4111111111111111111", "4111111111111112"])
      expectStatus(await charge({ card_number }), 200);
    for (const card_number of [
      "4111111",
      "41111111111111111111",
      "4111 1111 1111 1111",
      "4111-1111-1111-1111",
      "411111111111111x",
      "４１１１１１１１１１１１１１１１",
      "-4111111111111111",
    ])
      assert.equal(told(await charge({ card_number })), "422 card_number", card_number);
    for (const [over, code] of [
      [{ card_number: "4111111111111112" }, "14"],
      [{ card_expiry_year: "2020" }, "54"],
      [{ card_expiry_year: "0000" }, "54"],
    ] as const) {
      const [event] = transactionOf(expectStatus(await charge(over), 200)).events;
      assert.deepEqual([event.success, event.processor_code], [false, code]);
    }
  });

  test("the path without an operation is a sale unless it says auth", async () => {
    const either = (over: Json) => gateway.post("/api/transactions", sale(over));
    for (const [over, type] of [
      [{}, "sale"],
      [{ transaction_type: "sale" }, "sale"],
      [{ transaction_type: "auth" }, "auth"],
      [{ transaction_type: "auth", ip_address: undefined }, "auth"],
      [{ transaction_type: "" }, "sale"],
      [{ transaction_type: null }, "sale"],
    ] as const)
      assert.equal(transactionOf(expectStatus(await either(over), 200)).events[0].event_type, type);
    for (const transaction_type of ["AUTH", "capture", 1, [], ["auth"], {}])
      assert.equal(told(await either({ transaction_type })), "422 transaction_type", JSON.stringify(transaction_type));
    assert.equal(
      told(await either({ transaction_type: "x", amount: "x", ip_address: "x" })),
      "422 amount ip_address transaction_type",
    );
    assert.equal(told(await either({ ip_address: undefined })), "422 ip_address");
  });

  test("a charge's own path takes no other operation's name, and what our answers say of themselves", async () => {
    for (const [path, other] of [
      ["sale", "auth"],
      ["auth", "sale"],
      ["sale", "Refund"],
      ["sale", "authorization"],
      ["sale", "pre-auth"],
    ]) {
      const answer = await gateway.post(`/api/transactions/${path}`, sale({ transaction_type: other }));
      assert.equal(told(answer), "422 transaction_type", `${other} at ${path}`);
    }
    for (const [path, same] of [
      ["sale", "sale"],
      ["auth", "auth"],
      ["sale", "card"],
      ["auth", "authorization"],
    ])
      expectStatus(await gateway.post(`/api/transactions/${path}`, sale({ transaction_type: same })), 200);
    const ignored = async (over: Json) =>
      (await gateway.post("/api/transactions/sale", sale(over))).headers.get("faregate-ignored-fields");
    assert.equal(await ignored({ transaction_type: "sale", frist_name: "x" }), "frist_name");
    assert.equal(await ignored({ transaction_type: "card" }), "transaction_type");
  });

  test("an amount that is empty or misspelt is not taken for all that remains", async () => {
    const { charged, follow, found } = merchantOf(gateway);
    const { id } = await charged("sale", sale({ amount: "10.00" }));
    for (const wrong of [{ amount: "" }, { amount: null }, { Amount: "1.00" }])
      assert.equal(told(await follow(id, "refund", wrong)), "422 amount", JSON.stringify(wrong));
    for (const wrong of [{ amounts: 1 }, { amoun: 1 }, { AMOUNt: 1 }, { am0unt: 1 }])
      for (const operation of ["refund", "reversal"] as const)
        assert.equal(told(await follow(id, operation, wrong)), "422 amount", JSON.stringify(wrong));
    const textsOf = async (body: Json) => (await follow(id, "refund", body)).body.error.message.amount;
    assert.deepEqual(await textsOf({ amont: "2" }), ['is missing, but "amont" was sent: did you mean amount?']);
    assert.deepEqual(await textsOf({ amount: "1", amont: "2" }), [
      'was sent together with "amont": send only one of them',
    ]);
    const empty = await gateway.call("POST", `/api/transactions/${id}/refund`, { form: { amount: "" } });
    assert.equal(told(empty), "422 amount");
    assert.equal((await found(id)).events.length, 1);
    expectStatus(await follow(id, "refund", { amount: "1.00", account: "x" }), 200);
  });

  test("a list with a gap in it is not a list, and is told how it is numbered", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const plain = new URLSearchParams({ ...sale() } as Record<string, string>);
    const inForm = (fields: string) =>
      gateway.call("POST", "/api/transactions/auth", { raw: `${plain}&${fields}`, headers });
    const numbered = ["must be numbered from 0 without gaps"];
    for (const list of ["passenger_transport", "passenger_transport[0][legs]"])
      for (const indexes of [["1"], ["0", "2"], ["1", "2"], ["00"]]) {
        const { body } = await inForm(indexes.map((index) => `${list}[${index}][carrier_code]=AC`).join("&"));
        assert.deepEqual(
          body.error.message[list.replace("[0][", ".0.").replace("]", "")],
          numbered,
          `${list} ${indexes}`,
        );
      }
    const { body } = await gateway.post(
      "/api/transactions/auth",
      sale({ passenger_transport: [{ legs: { 0: leg(), 2: leg() } }] }),
    );
    assert.deepEqual(body.error.message["passenger_transport.0.legs"], numbered);
    const object = await gateway.post(
      "/api/transactions/auth",
      sale({ passenger_transport: [{ legs: { 0: leg() } }] }),
    );
    const wanted = ["must be a list of 1 to 100 legs"];
    assert.deepEqual(object.body.error.message["passenger_transport.0.legs"], wanted, "numbered from 0, and no list");
    const named = (await inForm("passenger_transport[0][legs][first][carrier_code]=AC")).body.error.message;
    assert.deepEqual(named["passenger_transport.0.legs"], wanted);
  });

  test("what is plainly an amount and would not be read is not taken for all that remains", async () => {
    const { charged, found } = merchantOf(gateway);
    const { id } = await charged("sale", sale({ amount: "10.00" }));
    const send = (operation: string, request: Request) =>
      gateway.call("POST", `/api/transactions/${id}/${operation}`, request);
    const form = (raw: string) => ({ raw, headers: { "content-type": "application/x-www-form-urlencoded" } });
    const forms = ["{'amount':5}", "{amount:5}", '"amount"=5', "=5", "+=5", "amount: 5", "x=1;amount=5", "5.00"];
    forms.push("amuont=5", "transaction[amount]=5", 'data={"amount":"5"}');
    const bodies = [
      { '"amount"': 5 },
      { "data[amount]": 5 },
      { "transaction[amount]": 5 },
      { "": 5 },
      { "": { a: 5 } },
    ];
    const wrapped = [{ transaction: { amount: "5" } }, { transaction: { Amuont: 5 } }, { transaction: { amont: 5 } }];
    for (const operation of ["refund", "reversal"]) {
      for (const raw of forms) assert.equal(told(await send(operation, form(raw))), "422 amount", raw);
      for (const json of [...bodies, ...wrapped])
        assert.equal(told(await send(operation, { json })), "422 amount", JSON.stringify(json));
    }
    const texts = async (json: Json) => (await send("refund", { json })).body.error.message.amount;
    const advice = "if that is the amount, send it as amount; if not, leave it out";
    assert.deepEqual(await texts({ "data[amount]": 5 }), [`is missing, but "data[amount]" was sent: ${advice}`]);
    assert.deepEqual(await texts({ "": 5 }), [`is missing, but a value without a name was sent: ${advice}`]);
    const inText = `is missing, but an amount in the text of "x" was sent: ${advice}`;
    assert.deepEqual(await texts({ x: "1;amount=5" }), [inText]);
    const number = `{'amount':5,'card':'${SECRET_CARD.slice(0, 12)}'}`;
    const hidden = `is missing, but a value without a name was sent: ${advice}`;
    assert.deepEqual((await send("refund", form(number))).body.error.message.amount, [hidden]);
    assert.equal((await found(id)).events.length, 1);
  });

  test("a field of a follow-up that stands in the query is refused, and whatever else is there is not", async () => {
    const { charged, found } = merchantOf(gateway);
    const { id } = await charged("auth", sale({ amount: "100.00" }));
    const send = (operation: string, query: string, json: Json = {}) =>
      gateway.post(`/api/transactions/${id}/${operation}?${query}`, json);
    for (const operation of ["capture", "void", "refund", "reversal"]) {
      for (const query of [
        "amount=5",
        "x=1&amount=",
        "amount[]=5",
        "Amount=5",
        "amuont=5",
        "amont=5",
        "transaction%5Bamount%5D=5",
      ])
        assert.equal(told(await send(operation, query)), "422 amount", `${operation} ${query}`);
      assert.match(told(await send(operation, "passenger_transport[0][amount]=5")), /^422 .*passenger_transport/);
      assert.match(told(await send(operation, "amount=5&x[=%ff")), /^422 amount/, "a query that cannot be read");
    }
    const twice = await send("capture", "amount=5", { amount: "5.00" });
    const text = "was sent in the query, which is not read: send it in the body";
    assert.deepEqual([told(twice), twice.body.error.message.amount], ["422 amount", [text]]);
    const wrongToo = await send("capture", "amount=5", { amount: "x" });
    assert.deepEqual(wrongToo.body.error.message.amount, [text], "wins over what is wrong in the body");
    assert.equal((await found(id)).events.length, 1);
    for (const harmless of ["amount_shown=5", "amuont=5", "transaction[amount]=5"])
      expectStatus(await send("capture", harmless, { amount: "5.00" }), 200);
    const harmless = "utm_source=shop&return=https%3A%2F%2Fshop.example%2F&=x&page=2&search[zip]=1&x[=%ff";
    expectStatus(await send("capture", harmless), 200);
  });

  test("with an amount what looks like another is ignored, and without one what does not look like it", async () => {
    const { charged, follow } = merchantOf(gateway);
    const { id } = await charged("sale", sale({ amount: "10.00" }));
    for (const more of [
      { amount_cents: 100 },
      { amuont: 1 },
      { "": 1 },
      { transaction: { amount: 1 } },
      { x: "amount=1" },
    ])
      expectStatus(await follow(id, "refund", { amount: "1.00", ...more }), 200);
    const harmless = { reason: "The wrong sum was charged: 5", account: "7", "": "" };
    const echoed = { transaction: { id, events: [{ success: true }] }, items: [], meta: { order: "5" }, "500": 1 };
    expectStatus(await follow(id, "refund", { ...harmless, ...echoed }), 200);
  });

  test("a follow-up takes no body at all, and a reversal neither amount nor passengers", async () => {
    const { charged, follow } = merchantOf(gateway);
    const { id } = await charged("sale", sale());
    const refused = await follow(id, "reversal", { amount: "1.00", passenger_transport: 7, colour: "red" });
    assert.equal(told(refused), "422 amount passenger_transport");
    assert.equal(refused.headers.get("faregate-ignored-fields"), "colour");
    const answer = await follow(id, "reversal", { amount: "", ip_address: "203.0.113.9" });
    assert.equal(answer.headers.get("faregate-ignored-fields"), null);
    assert.equal(transactionOf(expectStatus(answer, 200)).events[0].ip_address, "203.0.113.9");
    const { id: other } = await charged("auth", sale());
    expectStatus(await follow(other, "capture"), 200);
    expectStatus(await gateway.call("POST", `/api/transactions/${other}/refund`), 200);
    assert.equal(told(await follow(other, "reversal", { ip_address: "x" })), "422 ip_address");
  });

  test("what is wrong with the fields of a follow-up is told together with passengers that are not the transaction's", async () => {
    const { charged, follow } = merchantOf(gateway);
    const people = [passenger(), passenger()];
    const { id, passengers } = await charged("sale", sale({ amount: "200.00", passenger_transport: people }));
    const [{ id: jane }] = passengers;
    const refused = async (body: Json, of = id) => told(await follow(of, "refund", body));
    const wrong = { ip_address: "x", amount: "1,00" };
    const unknown = { passenger_id: NOBODY, amount: "1.00" };
    assert.equal(
      await refused({
        ...wrong,
        passenger_transport: [{ passenger_id: jane, amount: "0" }, unknown, { amount: "1.00" }],
      }),
      "422 amount ip_address passenger_transport.0.amount passenger_transport.1.passenger_id passenger_transport.2.passenger_id",
    );
    const twice = { passenger_id: jane.toUpperCase(), amount: "1.00" };
    assert.equal(
      await refused({ ip_address: "x", passenger_transport: [twice, twice] }),
      "422 amount ip_address passenger_transport.1.passenger_id",
    );
    const tooMuch = { passenger_id: jane, amount: "100.01" };
    assert.equal(
      await refused({
        ip_address: "x",
        amount: "200.01",
        passenger_transport: [tooMuch, { ...tooMuch, passenger_id: 7 }],
      }),
      "422 amount ip_address passenger_transport.0.amount passenger_transport.1.passenger_id",
    );
    assert.equal(await refused({ ip_address: "x" }), "422 amount ip_address passenger_transport");
    assert.equal(await refused({ passenger_transport: 7 }), "422 amount passenger_transport");
    // More than is told, and of every kind.
    const odd = [null, 7, [], {}, { passenger_id: {} }, { passenger_id: [] }, { passenger_id: null }];
    const many = Array.from({ length: 300 }, (_, nth) => odd[nth % odd.length]);
    expectStatus(await follow(id, "refund", { passenger_transport: many } as Json), 422);
    // Of what is not there nothing else is told.
    for (const nowhere of [NOBODY, "order-1001"])
      assert.equal(await refused({ ...wrong, passenger_transport: [unknown] }, nowhere), "422 amount ip_address");
  });

  test("the same merchant_transaction_id twice is two charges", async () => {
    const [one, two] = [await charge({}), await charge({})];
    assert.notEqual(transactionOf(one).id, transactionOf(two).id);
  });
});
