// What the three formats of a body mean, and how a number, a text, an object and nothing at all are read (decisions 1).

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Answer, startTestGateway, told } from "./gateway.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  leg,
  merchantOf,
  passenger,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";

const SALE = "/api/transactions/sale";

describe("formats of a body", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const charge = (over: Json) => gateway.post(SALE, sale(over));
  const raw = (body: string, type: string) =>
    gateway.call("POST", SALE, { raw: body, headers: { "content-type": type } });

  test("JSON, urlencoded and multipart mean the same, and brackets nest", async () => {
    const body = sale({
      amount: "300.00",
      meta: { order: "A1", tags: ["x", "y"] },
      passenger_transport: [passenger(), passenger({ legs: [leg(), leg()] })],
    });
    for (const format of ["json", "form", "multipart"]) {
      const transaction = transactionOf(expectStatus(await gateway.call("POST", SALE, { [format]: body }), 200));
      assert.deepEqual(transaction.meta, { order: "A1", tags: ["x", "y"] }, format);
      assert.deepEqual(
        transaction.passengers.map(({ legs }: { legs: object[] }) => legs.length),
        [1, 2],
        format,
      );
    }
  });

  test("a part of a form may be JSON, as generators and browsers send objects and lists of them", async () => {
    const { amount, ...fields } = sale({ amount: "300.00" });
    const meta = { order: "A1", tags: ["x", 1.1] };
    const json = (value: unknown) => new Blob([JSON.stringify(value)], { type: "application/json" });
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
    form.append("amount", json(300));
    form.append("meta", json(meta));
    for (const one of [passenger(), passenger({ legs: [leg(), leg()] })]) form.append("passenger_transport", json(one));
    const response = await fetch(`${gateway.url}${SALE}`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.sandbox.api_token}` },
      body: form,
    });
    const { transaction } = (await response.json()) as Answer["body"];
    assert.equal(response.status, 200);
    assert.deepEqual([transaction.meta, transaction.events[0].amount], [meta, "300.00"]);
    const legs = transaction.passengers.map((one: { legs: object[] }) => one.legs.length);
    assert.deepEqual(legs, [1, 2]);
  });

  test("numbers and texts are interchangeable, and an amount is judged by its literal", async () => {
    for (const [json, expected] of [
      ['"amount": 1.10', "1.10"],
      ['"amount": "1.10"', "1.10"],
      ['"amount": 1', "1.00"],
      ['"amount": "007.50"', "7.50"],
      ['"amount": 9999999', "9999999.00"],
      ['"amount": 9999999.00', "9999999.00"],
      ['"amount": 0.01', "0.01"],
      ['"amount": 12.3400', "12.34"],
      ['"amount": "12.3400"', "12.34"],
    ] as const) {
      const text = JSON.stringify(sale({ amount: undefined }));
      const answer = await raw(`${text.slice(0, -1)}, ${json}}`, "application/json");
      assert.equal(transactionOf(expectStatus(answer, 200)).events[0].amount, expected, json);
    }
    for (const literal of [
      "1.00000000000000000001",
      "1.101",
      "0.30000000000000004",
      "1e2",
      "1E0",
      "-1",
      "0",
      "0.00",
      "0.001",
      "9999999.01",
      "10000000",
      "1e400",
      "-0",
    ]) {
      const text = JSON.stringify(sale({ amount: undefined }));
      assert.equal(
        told(await raw(`${text.slice(0, -1)}, "amount": ${literal}}`, "application/json")),
        "422 amount",
        literal,
      );
    }
    for (const text of [
      "NaN",
      "Infinity",
      "0x10",
      "1,00",
      "1.",
      ".5",
      "+1",
      " 1",
      "1 ",
      "1e2",
      "١",
      "１",
      "1_000",
      "9999999.001",
      "-1",
      "--",
    ])
      for (const format of ["json", "form", "multipart"])
        assert.equal(told(await gateway.call("POST", SALE, { [format]: sale({ amount: text }) })), "422 amount", text);
  });

  test("a number or a text is taken where the other stands in the table, and nothing else", async () => {
    const given = {
      merchant_transaction_id: 1,
      card_number: 4111111111111111,
      card_expiry_month: 12,
      card_expiry_year: 2039,
      card_cvv: 123,
      zip: 95030,
      mobile_phone: 15145550199,
    };
    const transaction = transactionOf(expectStatus(await charge(given), 200));
    assert.deepEqual(
      [transaction.merchant_transaction_id, transaction.card_expiry_month, transaction.zip, transaction.mobile_phone],
      ["1", "12", "95030", "15145550199"],
    );
    for (const wrong of [true, false, [], {}, ["1"], { a: 1 }])
      for (const field of ["merchant_transaction_id", "card_number", "card_expiry_year", "zip", "amount", "ip_address"])
        assert.equal(told(await charge({ [field]: wrong })), `422 ${field}`, `${field} ${JSON.stringify(wrong)}`);
  });

  test("an empty text and a null are an absent field, in every format", async () => {
    for (const format of ["json", "form", "multipart"]) {
      const send = (body: object) => gateway.call("POST", SALE, { [format]: body });
      const empty = await send(sale({ city: "", zip: "", meta: "", card_cvv: "", processor_id: "", currency: "" }));
      const transaction = transactionOf(expectStatus(empty, 200));
      for (const field of ["city", "zip", "meta"]) assert.ok(!(field in transaction), `${format} ${field}`);
      // Always shown: the currency of the account that was drawn.
      assert.match(String(transaction.currency), /^[A-Z]{3}$/, format);
      assert.equal(told(await send(sale({ amount: "", ip_address: "" }))), "422 amount ip_address");
    }
    const nulls = { city: null, meta: null, processor_id: null, passenger_transport: null, threeds_enabled: null };
    assert.ok(!("city" in transactionOf(expectStatus(await charge(nulls), 200))));
    assert.equal(told(await charge({ amount: null })), "422 amount");
  });

  test("a list without anything is an empty body of a follow-up, and of nothing else", async () => {
    const json = { headers: { "content-type": "application/json" } };
    for (const [empty, status] of [
      ["[]", 200],
      [" [ ]\r\n", 200],
      ["[0]", 400],
      ["[[]]", 400],
      ["null", 400],
    ] as const) {
      const { id } = transactionOf(expectStatus(await gateway.post("/api/transactions/auth", sale()), 200));
      const answer = await gateway.call("POST", `/api/transactions/${id}/capture`, { raw: empty, ...json });
      assert.equal(answer.status, status, empty);
    }
    assert.equal(told(await raw("[]", "application/json")), "400 base");
    const { id } = transactionOf(expectStatus(await gateway.post("/api/transactions/auth", sale()), 200));
    const form = { raw: "[]", headers: { "content-type": "application/x-www-form-urlencoded" } };
    assert.equal(told(await gateway.call("POST", `/api/transactions/${id}/capture`, form)), "415 base");
  });

  test("a list without passengers is no airline data, of a charge and of a follow-up", async () => {
    const { follow, charged } = merchantOf(gateway);
    const none = { passenger_transport: [] };
    for (const path of ["sale", "auth"] as const) assert.ok(!("passengers" in (await charged(path, sale(none)))));
    const { id } = await charged("auth", sale());
    for (const [operation, amount] of [
      ["capture", "0.03"],
      ["refund", "0.01"],
      ["void", "0.01"],
    ] as const)
      expectStatus(await follow(id, operation, { amount, ...none }), 200);
    expectStatus(await follow(id, "reversal", none), 200);
    const airline = await charged("sale", sale({ amount: "100.00", passenger_transport: [passenger()] }));
    const refused = await follow(airline.id, "refund", { amount: "1.00", ...none });
    assert.equal(told(refused), "422 passenger_transport");
    assert.equal(refused.headers.get("faregate-refusal"), "passengers-required");
    const alsoWrong = await follow(airline.id, "refund", { ip_address: "x", ...none });
    assert.equal(told(alsoWrong), "422 amount ip_address passenger_transport");
  });

  test("meta is an object, in a form also as a JSON text, or an empty list, and nothing else, whatever JavaScript calls an object", async () => {
    for (const meta of [{ a: 1 }, { a: { b: [1, null, "x", 1.5] } }, {}])
      assert.deepEqual(transactionOf(expectStatus(await charge({ meta }), 200)).meta, meta);
    const asText = await gateway.call("POST", SALE, { form: sale({ meta: '{"order":"A1","n":1.10}' }) });
    assert.match(expectStatus(asText, 200).text, /"meta":\{"order":"A1","n":1.10\}/);
    for (const meta of [1, 1e2, true, "text", "[1]", "1", '{"a":1', "null", [1], ["a"]])
      assert.equal(told(await charge({ meta })), "422 meta", JSON.stringify(meta));
    assert.equal(
      told(await raw(`${JSON.stringify(sale()).slice(0, -1)},"meta":1E+2}`, "application/json")),
      "422 meta",
    );
  });

  test("what was answered is what the list shows: no charge breaks the lists of its merchant", async () => {
    expectStatus(await gateway.get("/api/transactions"), 200);
  });
});
