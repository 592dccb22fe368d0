// Cards that Stripe or Adyen keep: put on file by the processor's token, and charged there alone. No card number comes to the gateway.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import type { Host } from "../../hosts/stripe/host.ts";
import { ACCOUNT, testAdyenHost } from "../conformance/adyen-subject.ts";
import { testHost as stripeHost, stripeSettings, WEBHOOK_SECRET } from "../conformance/stripe-subject.ts";
import { until } from "../receiver.ts";
import { type Request, startTestGateway, told } from "./gateway.ts";
import { stored } from "./harmless.fixture.ts";
import {
  CARD,
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

const HOLDER = { first_name: "Jane", last_name: "Doe", city: "Bern", zip: "8000" };
const SHOPPER = "shopper-17";

describe("a card that its processor keeps", () => {
  let gateway: Gateway;
  let stripe: Host;
  let adyen: AdyenHost;
  let records: { readonly stripe: string; readonly adyen: string; readonly simulator: string };
  /** Of each kind: a token whose card is approved, and whose customer. */
  let tokens: Readonly<Record<"stripe" | "adyen", Json>>;
  before(async () => {
    [gateway, stripe, adyen] = await Promise.all([startTestGateway(), stripeHost(), testAdyenHost()]);
    const { processor } = merchantOf(gateway);
    const stripes = { ...stripeSettings(stripe.port), timeout_ms: 5_000 };
    const adyens = { ...ACCOUNT, base_url: adyen.baseUrl, timeout_ms: 5_000 };
    records = {
      stripe: await processor({ kind: "stripe", settings: stripes }),
      adyen: await processor({ kind: "adyen", settings: adyens }),
      simulator: await processor(),
    };
    stripe.webhooks.endpoint = { url: `${gateway.url}/notifications/${records.stripe}`, secret: WEBHOOK_SECRET };
    adyen.webhooks.url = `${gateway.url}/notifications/${records.adyen}`;
    // Nobody can send numbers there: what is charged is charged by its token.
    adyen.rawCards = false;
    tokens = {
      stripe: { processor_id: records.stripe, processor_token: await inStripesFields("4242424242424242", "cus_jane") },
      adyen: { processor_id: records.adyen, processor_token: inAdyensFields(), processor_customer: SHOPPER },
    };
  });
  after(async () => {
    await gateway.close();
    await Promise.all([stripe.stop(), adyen.stop()]);
  });
  beforeEach(() => {
    stripe.behave();
    adyen.behave();
  });

  /** What the merchant's page does with Stripe's own fields, and its server with the customer. */
  async function inStripesFields(number: string, customer?: string): Promise<string> {
    const { secret_key } = stripeSettings(stripe.port);
    const post = async (path: string, fields: Readonly<Record<string, string>>) => {
      const headers = { authorization: `Bearer ${secret_key}`, "stripe-version": "2025-01-01" };
      const sent = { method: "POST", headers, body: new URLSearchParams(fields) };
      const answer = await fetch(`http://127.0.0.1:${stripe.port}${path}`, sent);
      assert.equal(answer.status, 200);
      return (await answer.json()) as { readonly id: string };
    };
    const card = { "card[number]": number, "card[exp_month]": "11", "card[exp_year]": "2041", "card[cvc]": "123" };
    const { id } = await post("/v1/payment_methods", { type: "card", ...card });
    if (customer !== undefined) await post(`/v1/payment_methods/${id}/attach`, { customer });
    return id;
  }

  function inAdyensFields(number = "5555555555554444"): string {
    const id = `8415${String(Math.random()).slice(2, 14).padEnd(12, "0")}`;
    adyen.stored.set(id, { shopperReference: SHOPPER, number, expiryMonth: "3", expiryYear: "41" });
    return id;
  }

  const store = (json: Json, request: Request = {}) => gateway.post("/api/cards", json, request);
  const keep = async (kind: "stripe" | "adyen", over: Json = {}) =>
    expectStatus(await store({ ...tokens[kind], ...HOLDER, ...over }), 201).body.card;
  const charge = (card_id: string, over: Json = {}, path = "sale") => {
    const { card_number: _, card_expiry_month: __, card_expiry_year: ___, ...others } = sale({ amount: "10.00" });
    return gateway.post(`/api/transactions/${path}`, { ...others, card_id, ...over });
  };
  const charged = async (card_id: string, over: Json = {}, path = "sale") =>
    transactionOf(expectStatus(await charge(card_id, over, path), 200));
  const follow = async (id: string, path: string, json: Json = {}) => {
    const answer = await gateway.post(`/api/transactions/${id}/${path}`, json);
    assert.ok([200, 202].includes(answer.status), answer.text);
    await until(`${path} succeeds`, async () => {
      const [{ event_type, success }] = (await merchantOf(gateway).found(id)).events;
      return event_type === path && success;
    });
  };

  test("is shown as its processor describes it: its last four digits, and no fingerprint", async () => {
    const shown = ({ id: _, created_at: __, ...card }: Json) => card;
    assert.deepEqual(shown(await keep("stripe")), {
      ...{ card_number: "************4242", card_brand: "visa", card_expiry_month: "11", card_expiry_year: "2041" },
      ...{ fingerprint: null, network_transaction_id: null, consent: null, processor_id: records.stripe, ...HOLDER },
    });
    const card = await keep("adyen");
    assert.deepEqual(shown(card), {
      ...{
        card_number: "************4444",
        card_brand: "mastercard",
        card_expiry_month: "03",
        card_expiry_year: "2041",
      },
      ...{ fingerprint: null, network_transaction_id: null, consent: null, processor_id: records.adyen, ...HOLDER },
    });
    assert.deepEqual(expectStatus(await gateway.get(`/api/cards/${card.id}`), 200).body.card, card);
    for (const { sealed } of await gateway.pool<{ sealed: Buffer }[]>`select sealed from cards`)
      for (const { processor_token } of Object.values(tokens)) assert.ok(!sealed.includes(String(processor_token)));
  });

  test("is charged where it is kept, with passengers, and what was paid is captured, refunded and voided after it was deleted", async () => {
    for (const kind of ["stripe", "adyen"] as const) {
      const { id } = await keep(kind);
      const airline = { passenger_transport: [passenger({ legs: [leg({ fare: "10.00" })] })] };
      const [paid, held, sold] = [await charged(id, airline, "auth"), await charged(id, {}, "auth"), await charged(id)];
      for (const one of [paid, held, sold]) {
        const { events, processor_id, card_id, first_name, zip } = one;
        assert.deepEqual(
          [events[0].success, processor_id, card_id, first_name, zip],
          [true, records[kind], id, "Jane", "8000"],
          kind,
        );
      }
      expectStatus(await gateway.call("DELETE", `/api/cards/${id}`), 204);
      assert.equal(told(await charge(id)), "422 card_id");
      const shares = {
        amount: "10.00",
        passenger_transport: [{ passenger_id: paid.passengers[0].id, amount: "10.00" }],
      };
      await follow(paid.id, "capture", shares);
      await follow(paid.id, "refund", shares);
      await follow(held.id, "void");
    }
    assert.equal((await gateway.pool`select transaction_id from sealed_cards`).length, 0);
  });

  test("is charged nowhere else: 422 on another processor_id, whatever the operator's rules say", async () => {
    const { id } = await keep("stripe");
    for (const processor_id of [records.simulator, records.adyen]) {
      const answer = await charge(id, { processor_id });
      assert.deepEqual(
        [told(answer), answer.headers.get("faregate-refusal")],
        ["422 processor_id", "card-of-another-processor"],
      );
    }
    assert.equal((await charged(id, { processor_id: records.stripe })).processor_id, records.stripe);
    assert.equal(told(await charge(id, { currency: "CAD" })), "422 currency");
    await gateway.operator("PATCH", `/operator/processors/${records.stripe}`, { enabled: false });
    assert.equal(told(await charge(id)), "422 processor_id");
    await gateway.operator("PATCH", `/operator/processors/${records.stripe}`, { enabled: true });
  });

  test("a decline of its issuer is a decline, and an answer that is lost leaves nothing charged twice", async () => {
    const declined = await inStripesFields("4000000000000002", "cus_jane");
    const { id } = await keep("stripe", { processor_token: declined });
    assert.deepEqual((await charged(id)).events[0].success, false);
    const gone = await keep("stripe", { processor_token: await inStripesFields("4242424242424242", "cus_gone") });
    await gateway.pool`update cards set processor_customer = 'cus_none' where id = ${gone.id}`;
    const [{ success, decline_category }] = (await charged(gone.id)).events;
    assert.equal(success, false);
    assert.notEqual(decline_category, null);
    const good = await keep("stripe");
    stripe.misbehave({ what: "disconnect-after", on: ["confirm"], times: 1 });
    const lost = await charged(good.id);
    assert.deepEqual([lost.events[0].success, stripe.ledger.state.balance(lost.id)], [true, 1000]);
    stripe.misbehave({ what: "disconnect-before", on: ["confirm"], times: 1 });
    const never = await charged(good.id);
    assert.equal(never.events[0].processor_code, "91");
    assert.equal(stripe.ledger.state.balance(never.id), 0);
  });

  test("a token that the processor does not know, or not for this customer, is refused on its field", async () => {
    const loose = await inStripesFields("4242424242424242");
    const before = (await stored(gateway.pool)).cards;
    const rows: readonly (readonly [Json, string, string?])[] = [
      [{ ...tokens.stripe, processor_token: "pm_unknown" }, "422 processor_token", "token-unknown"],
      [{ ...tokens.stripe, processor_token: "../balance" }, "422 processor_token", "token-unknown"],
      [{ ...tokens.stripe, processor_token: loose }, "422 processor_customer", "token-unknown"],
      [{ ...tokens.stripe, processor_customer: "cus_other" }, "422 processor_customer", "token-unknown"],
      [{ ...tokens.stripe, processor_customer: "jane" }, "422 processor_customer", "token-unknown"],
      [{ ...tokens.adyen, processor_token: "8415000000000000" }, "422 processor_token", "token-unknown"],
      [{ ...tokens.adyen, processor_customer: "shopper-18" }, "422 processor_token", "token-unknown"],
      [{ ...tokens.adyen, processor_customer: null }, "422 processor_customer", "token-unknown"],
      [{ ...tokens.stripe, processor_id: records.simulator }, "422 processor_id", "processor-keeps-no-cards"],
      [{ ...tokens.stripe, processor_id: NOBODY }, "422 processor_id", "processor-unknown"],
      [{ ...tokens.stripe, processor_id: undefined }, "422 processor_id"],
      [{ ...tokens.stripe, ...CARD }, "422 card_expiry_month card_expiry_year card_number processor_token"],
      [{ ...tokens.stripe, card_cvv: "123" }, "422 card_cvv processor_token"],
      [{ ...CARD, processor_id: records.stripe }, "422 processor_id"],
    ];
    for (const [json, expected, refusal = null] of rows) {
      const answer = await store(json);
      assert.deepEqual([told(answer), answer.headers.get("faregate-refusal")], [expected, refusal], answer.text);
    }
    const { token } = await newMerchant(gateway);
    assert.equal(told(await store(tokens.stripe, { token })), "422 processor_id");
    stripe.misbehave({ what: "error-before", on: ["look"] });
    assert.deepEqual((await store(tokens.stripe)).headers.get("faregate-refusal"), "token-not-checked");
    assert.equal((await stored(gateway.pool)).cards, before);
  });

  test("a repeated request with its key gets the first card again, without another question", async () => {
    const request = { headers: { "idempotency-key": randomUUID() } };
    const first = expectStatus(await store(tokens.stripe, request), 201);
    stripe.misbehave({ what: "error-before", on: ["look"] });
    const again = expectStatus(await store(tokens.stripe, request), 201);
    assert.deepEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"]);
  });
});
