// A first sending whose end nobody knows, and a repeat that is declined: over real HTTP to the merchant, and to hosts with books.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { Host as AcquirerHost } from "../../acquirer/host.ts";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import type { Host as StripeHost } from "../../hosts/stripe/host.ts";
import { ACCOUNT, testAdyenHost } from "../conformance/adyen-subject.ts";
import { testHost as testAcquirer, testSettings } from "../conformance/iso8583-subject.ts";
import { stripeSettings, testHost as testStripe } from "../conformance/stripe-subject.ts";
import { until } from "../receiver.ts";
import { startTestGateway } from "./gateway.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  newMerchant,
  type OwnMerchant,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";

describe("a repeat that is declined does not end the first sending", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const post = (own: OwnMerchant, path: string, json: Json = {}) =>
    gateway.post(`/api/transactions/${path}`, json, { token: own.token });
  const found = async (own: OwnMerchant, id: string) =>
    transactionOf(await gateway.get(`/api/transactions/${id}`, { token: own.token }));
  const eventsOf = async (own: OwnMerchant, id: string): Promise<string> =>
    (await found(own, id)).events.map(({ event_type, status }: Json) => `${event_type} ${status}`).join();
  const unresolvedOf = async ({ merchantId }: OwnMerchant) =>
    (await gateway.operator("GET", `/operator/unresolved?merchant_id=${merchantId}`)).body
      .unresolved as readonly Json[];

  describe("a charge at Adyen, which another processor would take", () => {
    let host: AdyenHost;
    before(async () => {
      host = await testAdyenHost();
    });
    after(() => host.stop());
    beforeEach(() => host.behave());

    for (const status of [400, 401, 402, 403, 404, 409, 422, 429, 503])
      test(`is given up and taken back when its repeat gets a ${status}, and is not made elsewhere`, async () => {
        const settings = { ...ACCOUNT, base_url: host.baseUrl, timeout_ms: 3_000 };
        const own = await newMerchant(gateway, { kind: "adyen", settings }, {});
        const [adyen = "", other = ""] = own.processors;
        const inOrder = [{ name: "In order", processors: [adyen, other].map((id) => ({ id, weight: 0 })) }];
        const routing = { rules: inOrder, attempts_at_most: 2 };
        expectStatus(await gateway.operator("PATCH", `/operator/merchants/${own.merchantId}/routing`, routing), 200);
        // It would tell that the charge was made, and may do so before the repeat.
        host.webhooks.url = null;
        host.misbehave({ what: "disconnect-after", on: ["payments"], times: 1 });
        host.misbehave({ what: "refuse-repeats", on: ["payments"], status });
        const { id, attempts, ...charged } = transactionOf(expectStatus(await post(own, "sale", sale()), 200));
        const [event] = charged.events;
        assert.deepEqual(
          [charged.processor_id, attempts, charged.events.length, event.success, event.status, event.processor_code],
          [adyen, undefined, 1, false, "error", "91"],
        );
        await host.behave();
        host.webhooks.url = `${gateway.url}/notifications/${adyen}`;
        await until("it is taken back", async () => (await unresolvedOf(own)).length === 0);
        assert.equal(host.balance(id), 0);
      });
  });

  describe("a refund at an ISO 8583 host", () => {
    let host: AcquirerHost;
    before(async () => {
      host = await testAcquirer({ framing: "binary-2", digits: "ascii", bitmap: "binary" });
    });
    after(() => host.stop());
    beforeEach(() => host.behave());

    for (const code of ["05", "19", "51", "92", "96", "A1"])
      test(`whose repeat is answered ${code} stays pending and reserved, and ends as it ended`, async () => {
        const writing = { framing: "binary-2", digits: "ascii", bitmap: "binary" } as const;
        const settings = { ...testSettings(host.port, writing), timeout_ms: 1_500 };
        const own = await newMerchant(gateway, { kind: "iso8583", settings });
        const { id } = transactionOf(expectStatus(await post(own, "sale", sale({ amount: "50.00" })), 200));
        host.misbehave({ what: "drop-after", on: ["refund"], times: 1 });
        host.misbehave({ what: "decline-repeats", on: ["refund"], code });
        expectStatus(await post(own, `${id}/refund`, { amount: "35.00" }), 202);
        const said = ({ last_said }: Json) => new RegExp(` ${code}\\b`).test(String(last_said));
        await until("its repeat is declined", async () => (await unresolvedOf(own)).some(said));
        assert.equal(await eventsOf(own, id), "refund pending,sale pending_settlement");
        assert.equal((await post(own, `${id}/refund`, { amount: "35.00" })).status, 409);
        host.behave();
        await until("it ended", async () => !(await eventsOf(own, id)).includes("refund pending,"));
        assert.equal(await eventsOf(own, id), "refund pending_settlement,sale pending_settlement");
        assert.equal(host.books.balance(id), 1_500n);
      });
  });

  describe("a refund at Stripe", () => {
    let host: StripeHost;
    let own: OwnMerchant;
    before(async () => {
      host = await testStripe();
      own = await newMerchant(gateway, {
        kind: "stripe",
        settings: { ...stripeSettings(host.port), timeout_ms: 1_500 },
      });
    });
    after(() => host.stop());
    beforeEach(() => host.behave());

    const sold = async () =>
      transactionOf(
        expectStatus(await post(own, "sale", sale({ amount: "50.00", card_number: "4242424242424242" })), 200),
      ).id;

    test("that never came stays pending while something on the way refuses its repeat", async () => {
      const id = await sold();
      host.misbehave({ what: "drop-before", on: ["refund"], times: 1 });
      host.misbehave({ what: "refuse-repeats", on: ["refund"], status: 400 });
      expectStatus(await post(own, `${id}/refund`, { amount: "35.00" }), 202);
      await until("its repeat is refused", async () =>
        (await unresolvedOf(own)).some(({ last_said }) => String(last_said).includes("a repeat was declined")),
      );
      assert.equal((await post(own, `${id}/refund`, { amount: "35.00" })).status, 409);
      await host.behave();
      await until(
        "it ended",
        async () => (await eventsOf(own, id)) === "refund pending_settlement,sale pending_settlement",
      );
      assert.equal(host.ledger.state.balance(id), 1_500);
    });

    test("that Stripe itself declines has its end once the key shows the first answer", async () => {
      const id = await sold();
      const payment = [...host.ledger.state.payments.values()].find(
        ({ metadata }) => metadata.faregate_transaction === id,
      );
      assert.ok(payment);
      // The merchant gave the money back in the Dashboard.
      host.ledger.refund({
        ...{ id: "re_dashboard", created: payment.created, payment: payment.id, amount: 5_000, currency: "usd" },
        ...{ status: "succeeded", failure: null, metadata: {} },
      });
      host.misbehave({ what: "drop-before", on: ["refund"], times: 1 });
      expectStatus(await post(own, `${id}/refund`, { amount: "35.00" }), 202);
      await until("it ended", async () => (await eventsOf(own, id)) === "refund declined,sale pending_settlement");
      assert.deepEqual(await unresolvedOf(own), []);
    });
  });
});
