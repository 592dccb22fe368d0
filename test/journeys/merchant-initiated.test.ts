// Charges that the merchant initiates: what a request must say, what a processor is told, and that the scheme's id of a card's first charge goes
// with later ones, wherever that was.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import type { Host } from "../../hosts/stripe/host.ts";
import { againstOpenApi } from "../conformance/adyen-openapi.ts";
import { ACCOUNT, testAdyenHost } from "../conformance/adyen-subject.ts";
import { testHost as iso8583Host, testSettings, type Writing } from "../conformance/iso8583-subject.ts";
import { testHost as stripeHost, stripeSettings } from "../conformance/stripe-subject.ts";
import { startTestGateway, told } from "./gateway.ts";
import {
  CARD,
  type ChargePath,
  expectStatus,
  type Gateway,
  type Json,
  merchantOf,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";

const WRITING: Writing = { framing: "binary-2", digits: "bcd", bitmap: "binary" };
const ELSEWHERE = "483297487231504";

function withoutCard(over: Json = {}): Json {
  const { card_number: _, card_expiry_month: __, card_expiry_year: ___, ip_address: ____, ...others } = sale(over);
  return others;
}

describe("a charge that the merchant initiates", () => {
  let gateway: Gateway;
  let usd: string;
  let hosts: {
    readonly iso8583: Awaited<ReturnType<typeof iso8583Host>>;
    readonly stripe: Host;
    readonly adyen: AdyenHost;
  };
  let askedOfAdyen: Json[] = [];
  const kinds = new Map<string, string>();
  before(async () => {
    gateway = await startTestGateway();
    usd = gateway.sandbox.processors.usd ?? "";
    const seen = (question: Parameters<typeof againstOpenApi>[0]) => {
      againstOpenApi(question);
      askedOfAdyen.push(question.body as Json);
    };
    hosts = { iso8583: await iso8583Host(WRITING), stripe: await stripeHost(), adyen: await testAdyenHost({ seen }) };
    const { processor } = merchantOf(gateway);
    kinds.set("simulator", usd);
    kinds.set("iso8583", await processor({ kind: "iso8583", settings: testSettings(hosts.iso8583.port, WRITING) }));
    const stripe = { ...stripeSettings(hosts.stripe.port), timeout_ms: 2_000 };
    kinds.set("stripe", await processor({ kind: "stripe", settings: stripe }));
    const adyen = { ...ACCOUNT, base_url: hosts.adyen.baseUrl, timeout_ms: 2_000 };
    kinds.set("adyen", await processor({ kind: "adyen", settings: adyen }));
  });
  after(async () => {
    await gateway.close();
    await Promise.all([hosts.iso8583.stop(), hosts.stripe.stop(), hosts.adyen.stop()]);
  });

  const keep = async (json: Json = {}) =>
    expectStatus(await gateway.post("/api/cards", { ...CARD, ...json }), 201).body.card;
  const cardOf = async (id: string) => expectStatus(await gateway.get(`/api/cards/${id}`), 200).body.card;
  const post = (json: Json, path: ChargePath = "sale") => gateway.post(`/api/transactions/${path}`, json);
  const charged = async (json: Json, path: ChargePath = "sale") =>
    transactionOf(expectStatus(await post({ processor_id: usd, ...json }, path), 200));
  const byMerchant = (card_id: string, over: Json = {}) =>
    withoutCard({ card_id, processor_id: usd, initiator: "merchant", ...over });
  const byPayer = (card_id: string, over: Json) => ({
    ...withoutCard({ card_id, ...over }),
    ip_address: "203.0.113.7",
  });
  const detailOf = ({ events }: { events: Json[] }) => events[0]?.processor_code_detail;

  test("needs a card on file or the id of its first charge, and a payer's has no reason of the merchant's", async () => {
    const { id } = await keep();
    for (const [json, problem] of [
      [sale({ initiator: "merchant" }), "422 card_id"],
      [sale({ initiator: "merchant", reason: "no-show" }), "422 card_id"],
      [withoutCard({ initiator: "merchant" }), "422 card_expiry_month card_expiry_year card_id card_number"],
      [sale({ initiator: "issuer" }), "422 initiator"],
      [sale({ reason: "birthday" }), "422 reason"],
      [sale({ reason: "no-show" }), "422 reason"],
      [sale({ initiator: "payer", reason: "delayed-charge" }), "422 reason"],
      [{ ...byMerchant(id), initiator: "payer", reason: "resubmission", ip_address: "203.0.113.7" }, "422 reason"],
      [sale({ network_transaction_id: "é" }), "422 network_transaction_id"],
      [sale({ network_transaction_id: "1".repeat(65) }), "422 network_transaction_id"],
      [sale({ network_transaction_id: CARD.card_number }), "422 network_transaction_id"],
      [byMerchant(id, { network_transaction_id: CARD.card_number }), "422 network_transaction_id"],
      [withoutCard({ card_id: id, initiator: "payer" }), "422 ip_address"],
    ] as const) {
      const answer = await post(json);
      const [status, ...fields] = told(answer).split(" ");
      assert.equal([status, ...fields.sort()].join(" "), problem, answer.text);
    }
  });

  test("shows what was sent, and nothing where nothing was", async () => {
    const { id } = await keep();
    const said = ({ initiator, reason, network_transaction_id }: Json) => [initiator, reason, network_transaction_id];
    for (const [json, expected] of [
      [sale(), [undefined, undefined, undefined]],
      [sale({ initiator: "payer" }), ["payer", undefined, undefined]],
      [sale({ reason: "recurring", store_card: true }), [undefined, "recurring", undefined]],
      [sale({ network_transaction_id: ELSEWHERE }), [undefined, undefined, ELSEWHERE]],
      [sale({ initiator: "merchant", network_transaction_id: ELSEWHERE }), ["merchant", undefined, ELSEWHERE]],
      [byMerchant(id, { reason: "no-show" }), ["merchant", "no-show", undefined]],
    ] as const) {
      const made = await charged(json);
      assert.deepEqual(said(made), expected);
      assert.deepEqual(said(await merchantOf(gateway).found(made.id)), expected);
    }
  });

  test("needs no CVV where the record demands one of payers", async () => {
    const { id } = await keep();
    const processor_id = gateway.sandbox.processors.cvv ?? "";
    const ofPayer = byPayer(id, { processor_id });
    assert.deepEqual(told(await post(ofPayer)), "422 card_cvv");
    await charged(byMerchant(id, { processor_id }));
    // All that is wrong is told at once, and this is not.
    assert.deepEqual(told(await post(byMerchant(id, { processor_id, amount: "x" }))), "422 amount");
    await charged(sale({ initiator: "merchant", network_transaction_id: ELSEWHERE, processor_id }), "auth");
  });

  test("names the first charge of its card, which was made at a processor of another kind", async () => {
    for (const [kind, processor_id] of kinds) {
      const { id, network_transaction_id } = await keep();
      assert.equal(network_transaction_id, null);
      await charged(byPayer(id, { processor_id }));
      const first = (await cardOf(id)).network_transaction_id;
      assert.match(first, /^[0-9A-Z]{13,15}$/, kind);
      assert.equal(
        detailOf(await charged(byMerchant(id, { reason: "recurring" }))),
        `Initiated by the merchant: recurring; after ${first}`,
      );
      askedOfAdyen = [];
      await charged(byMerchant(id, { reason: "no-show", processor_id: kinds.get("adyen") }));
      const [{ additionalData, shopperInteraction, industryUsage } = {}] = askedOfAdyen;
      assert.deepEqual(
        [additionalData, shopperInteraction, industryUsage],
        [{ networkTxReference: first }, "ContAuth", "noShow"],
        kind,
      );
      for (const [other, at] of kinds)
        await charged(byMerchant(id, { processor_id: at }), other === kind ? "auth" : "sale");
      assert.equal((await cardOf(id)).network_transaction_id, first, "the first stays");
    }
  });

  test("names the charge that stored its card, and not one that was declined", async () => {
    for (const [kind, processor_id] of kinds) {
      const stored = await charged(sale({ store_card: true, reason: "unscheduled", processor_id }));
      const first = (await cardOf(stored.card_id)).network_transaction_id;
      assert.match(first, /^[0-9A-Z]{13,15}$/, kind);
      assert.equal(
        detailOf(await charged(byMerchant(stored.card_id))),
        `Initiated by the merchant: unscheduled; after ${first}`,
      );
    }
    const declined = await keep({ card_number: "4000000000000002" });
    expectStatus(await post(byMerchant(declined.id)), 200);
    assert.equal((await cardOf(declined.id)).network_transaction_id, null);
  });

  test("a first charge elsewhere is named by the merchant once, and remembered with the card", async () => {
    const { id } = await keep();
    const [one, two, three] = [
      await charged(byMerchant(id, { network_transaction_id: ELSEWHERE })),
      await charged(byMerchant(id)),
      await charged(byMerchant(id, { network_transaction_id: "MCCABC1230515" })),
    ];
    assert.deepEqual(
      [one, two, three].map(detailOf),
      [ELSEWHERE, ELSEWHERE, "MCCABC1230515"].map((first) => `Initiated by the merchant: unscheduled; after ${first}`),
    );
    assert.equal((await cardOf(id)).network_transaction_id, ELSEWHERE);
    const brought = await keep({ network_transaction_id: ELSEWHERE });
    assert.equal(brought.network_transaction_id, ELSEWHERE);
    assert.match(String(detailOf(await charged(byMerchant(brought.id)))), new RegExp(`after ${ELSEWHERE}$`));
    for (const wrong of ["é", CARD.card_number])
      assert.equal(
        told(await gateway.post("/api/cards", { ...CARD, network_transaction_id: wrong })),
        "422 network_transaction_id",
      );
    const stored = await charged(
      sale({
        initiator: "merchant",
        network_transaction_id: ELSEWHERE,
        store_card: true,
        card_number: "5555555555554444",
      }),
    );
    assert.equal((await cardOf(stored.card_id)).network_transaction_id, ELSEWHERE);
  });

  test("what a processor has no field for is refused before anything is sent", async () => {
    const { id } = await keep();
    const silent = await merchantOf(gateway).processor({
      kind: "iso8583",
      settings: { ...testSettings(hosts.iso8583.port, WRITING), stored_credentials: false },
    });
    for (const [json, problem] of [
      [
        byMerchant(id, { processor_id: kinds.get("stripe"), network_transaction_id: ELSEWHERE }),
        "422 network_transaction_id",
      ],
      [byMerchant(id, { processor_id: silent }), "422 initiator"],
      [byMerchant(id, { processor_id: silent, reason: "recurring" }), "422 initiator reason"],
      [sale({ processor_id: silent, reason: "recurring" }), "422 reason"],
    ] as const) {
      const answer = await post(json);
      assert.deepEqual([told(answer), answer.headers.get("faregate-refusal")], [problem, "processor-cannot-express"]);
    }
    await charged(byPayer(id, { processor_id: silent }));
  });
});
