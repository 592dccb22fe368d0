// What published clients of this API send that the specification's tables do not foresee: shop plugins without the customer's
// address, states with their country, binary floats; and what comes back is what they sent.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "./crash.fixture.ts";
import { type Answer, startTestGateway } from "./gateway.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  leg,
  merchantOf,
  newMerchant,
  passenger,
  sale,
  THREE_D_SECURE,
  transactionOf,
} from "./merchant.fixture.ts";

const SALE = "/api/transactions/sale";
const AUTH = "/api/transactions/auth";

describe("clients as they are published", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const told = ({ status, body }: Answer) => [status, ...Object.keys(body.error?.message ?? {}).sort()].join(" ");
  const wrong = async (json: Json, path = SALE) => told(await gateway.post(path, json));

  test("a merchant's sales come without ip_address once require_ip_address is off, and nothing is put in its place", async () => {
    const { token, merchantId } = await newMerchant(gateway, {});
    const without = () => gateway.post(SALE, sale({ ip_address: undefined }), { token });
    assert.equal(told(await without()), "422 ip_address");
    const path = `/operator/merchants/${merchantId}`;
    const changed = await gateway.operator("PATCH", path, { require_ip_address: false });
    assert.equal(expectStatus(changed, 200).body.merchant.require_ip_address, false);
    // A caller is remembered for less than a second.
    let answer = await without();
    await until("it is known of the merchant", async () => {
      if (answer.status !== 200) answer = await without();
      return answer.status === 200;
    });
    const { id, events } = transactionOf(expectStatus(answer, 200));
    assert.ok(!("ip_address" in events[0]));
    const found = await gateway.get(`/api/transactions/${id}`, { token });
    assert.ok(!("ip_address" in transactionOf(found).events[0]));
    // What is sent is still checked, and comes back.
    assert.equal(told(await gateway.post(SALE, sale({ ip_address: "nowhere" }), { token })), "422 ip_address");
    const named = transactionOf(expectStatus(await gateway.post(SALE, sale(), { token }), 200));
    assert.equal(named.events[0].ip_address, "203.0.113.7");
  });

  test("an auth's absent ip_address stays absent, and so does a follow-up's", async () => {
    const { id, events } = await merchantOf(gateway).charged("auth", sale({ ip_address: undefined }));
    assert.ok(!("ip_address" in events[0]));
    const captured = expectStatus(await merchantOf(gateway).follow(id, "capture"), 200);
    assert.deepEqual(
      transactionOf(captured).events.map((event: Json) => "ip_address" in event),
      [false, false],
    );
  });

  test("a state with its own country before it is that state, and no other text of four characters is one", async () => {
    const states = (state: string, country: string | undefined) => ({ state, country });
    for (const [state, country, expected] of [
      ["TH-37", "TH", "37"],
      ["th-37", "TH", "37"],
      ["CA-QC", "ca", "QC"],
      ["GB-ENG", "GB", "ENG"],
    ] as const) {
      const shown = await merchantOf(gateway).charged("sale", sale(states(state, country)));
      assert.equal(shown.state, expected);
    }
    const shipped = { shipping_state: "TH-37", shipping_country: "TH", state: "CA", country: "US" };
    const shown = await merchantOf(gateway).charged("sale", sale(shipped));
    assert.deepEqual([shown.shipping_state, shown.state], ["37", "CA"]);
    for (const [state, country] of [
      ["TH-37", "US"],
      ["TH-37", undefined],
      ["JP13", "JP"],
      ["TH-3700", "TH"],
      ["TH-", "TH"],
    ] as const)
      assert.equal(await wrong(sale(states(state, country))), "422 state", `${state} ${country}`);
    assert.equal(await wrong(sale({ mobile_phone: "1234567890123456" })), "422 mobile_phone");
  });

  test("a binary float is refused with a hint at the setting that makes PHP send it", async () => {
    for (const amount of ["3.5600000000000001", "0.30000000000000004"]) {
      const raw = JSON.stringify(sale({ amount: "!" })).replace('"!"', amount);
      const answer = await gateway.call("POST", SALE, { raw, headers: { "content-type": "application/json" } });
      assert.equal(told(answer), "422 amount");
      assert.match(answer.text, /serialize_precision/);
    }
    assert.doesNotMatch((await gateway.post(SALE, sale({ amount: "3.567" }))).text, /serialize_precision/);
  });

  test("PHP's empty array is an empty meta, in JSON and as a form's JSON text, and no other list is one", async () => {
    const { charged } = merchantOf(gateway);
    for (const meta of [[], {}]) assert.deepEqual((await charged("sale", sale({ meta }))).meta, {});
    const asForm = await gateway.call("POST", SALE, { form: sale({ meta: "[]" }) });
    assert.deepEqual(transactionOf(expectStatus(asForm, 200)).meta, {});
    for (const meta of [[1], [[]], "[1]", "[", 0]) assert.equal(await wrong(sale({ meta })), "422 meta");
  });

  test("the transaction always shows its currency", async () => {
    const { charged, found, processor } = merchantOf(gateway);
    const processor_id = await processor({ currency: "CAD" });
    for (const [over, currency] of [
      [{}, "USD"],
      [{ currency: "USD" }, "USD"],
      [{ processor_id }, "CAD"],
    ] as const) {
      const { id, currency: shown } = await charged("auth", sale(over));
      assert.deepEqual([shown, (await found(id)).currency], [currency, currency]);
    }
  });

  test("threeds_enabled comes back also when it is false, and threeds_version only if it was sent", async () => {
    const threeds = async (over: Json) => {
      const { id } = await merchantOf(gateway).charged("auth", sale(over));
      const shown = Object.entries(await merchantOf(gateway).found(id));
      return Object.fromEntries(shown.filter(([name]) => name.startsWith("threeds_")));
    };
    assert.deepEqual(await threeds({}), {});
    assert.deepEqual(await threeds({ threeds_enabled: false }), { threeds_enabled: false });
    assert.deepEqual(await threeds({ threeds_enabled: "0", threeds_eci: "05" }), { threeds_enabled: false });
    assert.deepEqual(await threeds(THREE_D_SECURE), THREE_D_SECURE);
    const versioned = { ...THREE_D_SECURE, threeds_version: 2 };
    assert.deepEqual(await threeds(versioned), versioned);
  });

  test("all wrong fields are told at once: fare sums, what the record requires, an unknown processor", async () => {
    const { processor } = merchantOf(gateway);
    const requires = { cvv: ["visa"], names: true, document: true };
    const processor_id = await processor({ requires });
    const demands = "card_cvv document_number first_name last_name";
    const airline = { amount: "99.00", passenger_transport: [passenger(), passenger({ legs: [leg({ fare: "5" })] })] };
    for (const [over, expected] of [
      [{ processor_id, country: "USA" }, `422 card_cvv country document_number first_name last_name`],
      [
        { processor_id, merchant_transaction_id: undefined, amount: "ten" },
        `422 amount ${demands} merchant_transaction_id`,
      ],
      [{ processor_id: "00000000-0000-7000-8000-000000000000", zip: "1" }, "422 processor_id zip"],
      [{ processor_id: "none", zip: "1" }, "422 processor_id zip"],
      [{ ...airline, country: "USA" }, "422 amount country"],
      [{ ...airline, processor_id }, `422 amount ${demands}`],
      [{ currency: "CHF", zip: "1" }, "422 currency zip"],
      // Of a card that is none, no brand is asked for.
      [{ processor_id, card_number: "41" }, "422 card_number document_number first_name last_name"],
    ] as const)
      assert.equal(await wrong(sale(over)), expected, JSON.stringify(over).slice(0, 80));
  });

  test("all passengers of a follow-up that are wrong are told at once", async () => {
    const { id, passengers } = await merchantOf(gateway).charged("auth", {
      ...sale({ amount: "200.00", passenger_transport: [passenger(), passenger()] }),
    });
    const shares = (...given: readonly (readonly [string, string])[]) =>
      given.map(([passenger_id, amount]) => ({ passenger_id, amount }));
    const capture = async (amount: string, ...given: readonly (readonly [string, string])[]) =>
      told(await merchantOf(gateway).follow(id, "capture", { amount, passenger_transport: shares(...given) }));
    const [first, second] = passengers.map(({ id }: { id: string }) => id);
    const nobody = "00000000-0000-7000-8000-000000000000";
    assert.equal(
      await capture("201.00", [nobody, "1"], [second, "200"]),
      "422 amount passenger_transport.0.passenger_id passenger_transport.1.amount",
    );
    assert.equal(
      await capture("300.00", [first, "150"], [second, "150"]),
      "422 amount passenger_transport.0.amount passenger_transport.1.amount",
    );
    assert.equal(await capture("999.00", [first, "101"], [second, "1"]), "422 amount passenger_transport.0.amount");
  });

  test("what is not allowed before the cut-off is said to be uncertain from there on, and certain at its end", async () => {
    const { charged, found, processor } = merchantOf(gateway);
    const { id, actions } = await charged("sale", sale({ processor_id: await processor({ currency: "CAD" }) }));
    const { reason, uncertain_from, from } = actions.refund;
    assert.equal(reason, "refund-before-settlement");
    assert.deepEqual([uncertain_from.slice(11, 19), from.slice(11, 19)], ["22:00:00", "02:20:00"]);
    expectStatus(await gateway.operator("POST", "/operator/clock", { now: uncertain_from }), 200);
    const { allowed, uncertain } = (await found(id)).actions.refund;
    assert.deepEqual([allowed, uncertain], [true, true]);
  });

  test("ids of transactions, events and passengers follow the sandbox's clock", async () => {
    const { now } = (await gateway.operator("GET", "/operator/clock")).body;
    const later = new Date(Date.parse(now) + 40 * 86_400_000);
    expectStatus(await gateway.operator("POST", "/operator/clock", { now: later.toISOString() }), 200);
    const { id, events, passengers } = await merchantOf(gateway).charged(
      "auth",
      sale({ amount: "100.00", passenger_transport: [passenger()] }),
    );
    for (const one of [id, events[0].id, passengers[0].id]) {
      const at = Number.parseInt(one.replaceAll("-", "").slice(0, 12), 16);
      assert.ok(at >= later.getTime() && at < later.getTime() + 3_600_000, one);
    }
    expectStatus(await gateway.post(AUTH, sale()), 200);
  });
});
