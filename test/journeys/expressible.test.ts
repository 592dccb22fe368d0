// What a processor cannot express is refused on its field before anything is sent: it is drawn for what it can express only, and no merchant's
// input takes it out of the draw.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import type { Host } from "../../hosts/stripe/host.ts";
import { ACCOUNT, testAdyenHost } from "../conformance/adyen-subject.ts";
import { testHost as testAcquirer, testSettings } from "../conformance/iso8583-subject.ts";
import { stripeSettings, testHost as testStripe } from "../conformance/stripe-subject.ts";
import { startTestGateway, told } from "./gateway.ts";
import {
  expectStatus,
  type FollowUpPath,
  type Gateway,
  type Json,
  money,
  newMerchant,
  type OwnMerchant,
  passenger,
  sale,
  THREE_D_SECURE,
  transactionOf,
} from "./merchant.fixture.ts";

const WRITING = { framing: "binary-2", digits: "ascii", bitmap: "binary" } as const;

describe("what a processor cannot express", () => {
  let gateway: Gateway;
  let adyen: AdyenHost;
  let stripe: Host;
  let acquirer: Awaited<ReturnType<typeof testAcquirer>>;
  /** Each has one record in rotation, in its kind's most difficult currency. */
  let merchants: Readonly<Record<"adyen" | "stripe" | "iso8583", OwnMerchant>>;

  before(async () => {
    gateway = await startTestGateway();
    [adyen, stripe, acquirer] = await Promise.all([testAdyenHost(), testStripe(), testAcquirer(WRITING)]);
    const records = {
      adyen: { currency: "IDR", settings: { ...ACCOUNT, base_url: adyen.baseUrl } },
      stripe: { currency: "MGA", settings: stripeSettings(stripe.port) },
      iso8583: { currency: "USD", settings: testSettings(acquirer.port, WRITING) },
    };
    const own = async (kind: keyof typeof records) => newMerchant(gateway, { kind, ...records[kind] });
    merchants = { adyen: await own("adyen"), stripe: await own("stripe"), iso8583: await own("iso8583") };
  });
  after(async () => {
    await gateway.close();
    await Promise.all([adyen.stop(), stripe.stop(), acquirer.stop()]);
  });

  const charge = ({ token }: OwnMerchant, over: Json, path: "sale" | "auth" = "sale") =>
    gateway.post(`/api/transactions/${path}`, sale({ card_number: "4242424242424242", ...over }), { token });
  const follow = ({ token }: OwnMerchant, id: string, path: FollowUpPath, json: Json) =>
    gateway.post(`/api/transactions/${id}/${path}`, json, { token });

  const passengers = (count: number): Json => ({
    amount: money(count),
    passenger_transport: Array.from({ length: count }, () =>
      passenger({ legs: [{ ...(passenger().legs as Json[])[0], fare: "0.01" }] }),
    ),
  });
  const secure = (over: Json): Json => ({ ...THREE_D_SECURE, amount: "10.00", ...over });

  const WHOLE = (currency: string) => `amounts of ${currency} are whole there, like 1000.00`;
  const CAVV = (length: number) => secure({ threeds_cavv: "A".repeat(length) });
  const XID = (length: number) => secure({ threeds_xid: "A".repeat(length) });

  for (const [kind, what, field, limit, wrong, right] of [
    ["adyen", "half a rupiah", "amount", WHOLE("IDR"), { amount: "15000.50" }, { amount: "15000.00" }],
    ["stripe", "half an ariary", "amount", WHOLE("MGA"), { amount: "1000.50" }, { amount: "1000.00" }],
    ["stripe", "the least amount", "amount", WHOLE("MGA"), { amount: "0.01" }, { amount: "1.00" }],
    ["iso8583", "a cryptogram of 252 characters", "threeds_cavv", "at most 100 characters", CAVV(252), CAVV(100)],
    ["iso8583", "a transaction id of 104", "threeds_xid", "at most 100 characters", XID(104), XID(100)],
    [
      ...(["iso8583", "a thousand passengers", "passenger_transport", "at most 999 passengers"] as const),
      ...([passengers(1_000), passengers(999)] as const),
    ],
  ] as const)
    test(`${what}: 422 with the limit, as often as it comes, and the record goes on selling`, async () => {
      const own = merchants[kind];
      for (let times = 0; times < 13; times++) {
        const named = times % 2 === 0 ? { processor_id: own.processors[0] } : {};
        const answer = await charge(own, { ...wrong, ...named }, times % 3 === 0 ? "auth" : "sale");
        assert.equal(told(answer), `422 ${field}`);
        assert.equal(answer.headers.get("faregate-refusal"), "processor-cannot-express");
        assert.deepEqual(answer.body.error.message[field], [`The processor cannot express this: ${limit}.`]);
      }
      const [event] = transactionOf(expectStatus(await charge(own, right), 200)).events;
      assert.equal(event.success, true);
    });

  test("a processor that cannot express a charge is not drawn for it", async () => {
    const settings = { ...ACCOUNT, base_url: adyen.baseUrl };
    const own = await newMerchant(gateway, { kind: "adyen", currency: "IDR", settings }, { currency: "IDR" });
    const [, simulator] = own.processors;
    for (let times = 0; times < 12; times++) {
      const { processor_id } = transactionOf(expectStatus(await charge(own, { amount: "15000.50" }), 200));
      assert.equal(processor_id, simulator);
    }
  });

  test("a part of the money that cannot be expressed is refused, and the rest of it can still be given back", async () => {
    const own = merchants.stripe;
    const { id } = transactionOf(expectStatus(await charge(own, { amount: "1000.00" }), 200));
    for (const amount of ["0.50", "999.99"]) {
      const answer = await follow(own, id, "refund", { amount });
      assert.equal(told(answer), "422 amount");
      assert.equal(answer.headers.get("faregate-refusal"), "processor-cannot-express");
    }
    expectStatus(await follow(own, id, "refund", { amount: "400.00" }), 200);
    expectStatus(await follow(own, id, "refund", {}), 200);
    assert.equal(stripe.ledger.state.balance(id), 0);
  });

  test("a part of an authorization that cannot be expressed is not captured", async () => {
    const own = merchants.adyen;
    const { id } = transactionOf(expectStatus(await charge(own, { amount: "15000.00" }, "auth"), 200));
    assert.equal(told(await follow(own, id, "capture", { amount: "7500.50" })), "422 amount");
    expectStatus(await follow(own, id, "capture", { amount: "7500.00" }), 202);
  });

  test("texts are cut and transliterated, and never refused", async () => {
    const strange = { first_name: "東京", last_name: "ß", zip: "東京", city: "Москва", street_address_1: "ø" };
    const descriptor = {
      dynamic_descriptor: "東京|東",
      document_number: "東".repeat(11),
      merchant_transaction_id: "東",
    };
    for (const own of Object.values(merchants)) {
      const { events } = transactionOf(
        expectStatus(await charge(own, { amount: "10.00", ...strange, ...descriptor }), 200),
      );
      assert.equal(events[0].success, true);
    }
  });
});
