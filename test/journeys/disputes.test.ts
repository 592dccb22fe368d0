// Disputes over real HTTP on both sides: what the hosts of both kinds tell, in any order and doubled, is one dispute, with its lines in
// the ledger, and changes nothing of its transaction.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import { type Message, messageOf } from "../../hosts/adyen/webhooks.ts";
import type { Host as StripeHost } from "../../hosts/stripe/host.ts";
import { ACCOUNT, HMAC_KEY, testAdyenHost } from "../conformance/adyen-subject.ts";
import { stripeSettings, testHost, WEBHOOK_SECRET } from "../conformance/stripe-subject.ts";
import { SEED } from "../random.ts";
import { type Receiver, startReceiver, until } from "../receiver.ts";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, merchantOf, sale, transactionOf } from "./merchant.fixture.ts";

interface Found extends Json {
  readonly events: readonly { readonly id: string }[];
  readonly actions: { readonly reversal: Json };
}
type Step = "inquire" | "open" | "respond" | "win" | "lose";
const PERIOD = "from=2001-01-01&to=2999-12-31";

describe("disputes", () => {
  let gateway: Gateway;
  let stripe: StripeHost;
  let adyen: AdyenHost;
  let shop: Receiver;
  const processors: Record<string, string> = {};

  before(async () => {
    [gateway, stripe, adyen, shop] = [
      await startTestGateway(),
      await testHost(),
      await testAdyenHost(),
      await startReceiver(),
    ];
    const { processor } = merchantOf(gateway);
    processors.stripe = await processor({ kind: "stripe", settings: stripeSettings(stripe.port) });
    processors.adyen = await processor({ kind: "adyen", settings: { ...ACCOUNT, base_url: adyen.baseUrl } });
    const url = (kind: string) => `${gateway.url}/notifications/${processors[kind]}`;
    stripe.webhooks.endpoint = { url: url("stripe"), secret: WEBHOOK_SECRET };
    adyen.webhooks.url = url("adyen");
    adyen.webhooks.conduct = { times: 2 };
    stripe.misbehave({ what: "double", on: ["webhook"] });
  });
  after(async () => {
    await gateway.close();
    await Promise.all([stripe.stop(), adyen.stop(), shop.close()]);
  });

  const sold = async (kind: string, over: Json = {}): Promise<string> => {
    const card_number = kind === "stripe" ? "4242424242424242" : "4111111111111111";
    const body = sale({ processor_id: processors[kind], card_number, amount: "10.00", ...over });
    return transactionOf(expectStatus(await gateway.post("/api/transactions/sale", body), 200)).id;
  };
  const dispute = async (kind: string, id: string, step: Step, over: { amount?: number } = {}): Promise<void> => {
    if (kind === "stripe") stripe.dispute(id, { step, ...over });
    else await adyen.dispute(id, { step, ...over });
  };
  const listed = async (query: string): Promise<Json[]> =>
    expectStatus(await gateway.get(`/api/disputes?${query}`), 200).body.disputes;
  const disputeOf = async (id: string): Promise<Json | undefined> => (await listed(`transaction_id=${id}`))[0];
  const becomes = async (id: string, expected: Json): Promise<Json> => {
    const shown = async () => {
      const found = await disputeOf(id);
      return found && Object.fromEntries(Object.keys(expected).map((name) => [name, found[name]]));
    };
    await until(`the dispute of ${id} is ${JSON.stringify(expected)}`, async () => {
      const found = await shown();
      return found !== undefined && JSON.stringify(found) === JSON.stringify(expected);
    });
    return (await disputeOf(id)) ?? {};
  };
  const moved = async (id: string): Promise<string[]> =>
    expectStatus(await gateway.get(`/api/ledger?${PERIOD}`), 200)
      .body.movements.filter((one: Json) => one.transaction_id === id)
      .map((one: Json) => `${one.movement} ${one.amount} ${one.currency}${one.reversing ? " reversing" : ""}`);
  const OPEN = { stage: "chargeback", status: "needs_response", outcome: null, amount_withdrawn: "10.00" };

  for (const kind of ["stripe", "adyen"])
    describe(`told by ${kind}`, () => {
      // Adyen's messages name no fee.
      const [fee, charged] = kind === "stripe" ? ["15.00", ["dispute_fee -15.00 USD"]] : [null, []];
      test("one is opened, shown in its transaction, answered and won, and its money comes back", async () => {
        const id = await sold(kind);
        const found = async () => (await merchantOf(gateway).found(id)) as Found;
        const untouched = await found();
        await dispute(kind, id, "open");
        const opened = await becomes(id, OPEN);
        const unknown = {
          id: "",
          opened_at: "",
          created_at: "",
          updated_at: "",
          respond_by: "",
          processor_dispute_id: "",
        };
        assert.deepEqual(
          { ...opened, ...unknown },
          {
            ...{ ...unknown, merchant_id: gateway.sandbox.merchant_id, transaction_id: id },
            ...{ merchant_transaction_id: "order", event_id: untouched.events[0]?.id, processor_id: processors[kind] },
            ...{ ...OPEN, amount: "10.00", currency: "USD", reason_code: "10.4" },
            ...{ fee, fee_currency: fee && "USD" },
            reason: kind === "stripe" ? "Other fraud: card not present" : "Other Fraud-Card Absent Environment",
          },
        );
        assert.ok(Date.parse(String(opened.respond_by)) > Date.now());

        const { disputes, actions, ...rest } = await found();
        assert.deepEqual(disputes, [opened]);
        assert.deepEqual(actions.reversal, { ...untouched.actions.reversal, warning: "disputed" });
        assert.deepEqual({ ...rest, actions: 0 }, { ...untouched, actions: 0 });
        const page = expectStatus(await gateway.get("/api/transactions"), 200).body.transactions;
        assert.deepEqual(page.find((one: Json) => one.id === id).disputes, [opened]);

        await dispute(kind, id, "respond");
        await dispute(kind, id, "win");
        const won = await becomes(id, { status: "ended", outcome: "won", amount_withdrawn: "0.00" });
        assert.deepEqual(await moved(id), [
          "sale 10.00 USD",
          "chargeback -10.00 USD",
          ...charged,
          "chargeback 10.00 USD reversing",
        ]);
        assert.deepEqual(expectStatus(await gateway.get(`/api/disputes/${won.id}`), 200).body, { dispute: won });
        assert.equal((await listed(`transaction_id=${id}`)).length, 1);
      });

      test("one that is lost keeps its money, a part or more than was charged; an inquiry moves none", async () => {
        const lost = async (amount: number, text: string) => {
          const id = await sold(kind);
          for (const step of ["open", "lose"] as const) await dispute(kind, id, step, { amount });
          await becomes(id, { outcome: "lost", amount: text, amount_withdrawn: text });
          assert.deepEqual(await moved(id), ["sale 10.00 USD", `chargeback -${text} USD`, ...charged]);
        };
        const asked = async () => {
          const id = await sold(kind);
          await dispute(kind, id, "inquire");
          await becomes(id, { stage: "inquiry", status: "needs_response", amount_withdrawn: "0.00" });
          assert.deepEqual(await moved(id), ["sale 10.00 USD"]);
        };
        await Promise.all([lost(250, "2.50"), lost(12_345, "123.45"), asked()]);
      });

      test("all of it in random order, each several times, ends in the same state", async () => {
        const id = await sold(kind);
        const held = hold(kind);
        for (const step of ["inquire", "open", "respond", "win"] as const) await dispute(kind, id, step);
        const messages = await held();
        assert.ok(messages.length >= 6, `${messages.length}`);
        const thrice = [...messages, ...messages, ...messages];
        const [shuffled = []] = fc.sample(fc.shuffledSubarray(thrice, { minLength: thrice.length }), {
          seed: SEED,
          numRuns: 1,
        });
        for (const { headers, body } of shuffled) {
          const url = `${gateway.url}/notifications/${processors[kind]}`;
          const answer = await fetch(url, { method: "POST", headers, body: new Uint8Array(body) });
          assert.equal(answer.status, 200, await answer.text());
        }
        await until("all are applied", async () => {
          const query = `processor_id=${processors[kind]}&result=waiting`;
          const { body } = await gateway.operator("GET", `/operator/notifications?${query}`);
          return body.meta.total === 0;
        });
        await becomes(id, { status: "ended", outcome: "won", amount: "10.00", amount_withdrawn: "0.00" });
        const sum = (await moved(id))
          .filter((line) => line.startsWith("chargeback"))
          .reduce((cents, line) => cents + Math.round(Number(line.split(" ")[1]) * 100), 0);
        assert.equal(sum, 0);
      });
    });

  /** What a host tells from now on is kept instead of sent. @returns gives it, and lets the host send again */
  function hold(kind: string): () => Promise<readonly Message[]> {
    if (kind === "adyen") {
      const before = adyen.items().length;
      const { conduct } = adyen.webhooks;
      adyen.webhooks.conduct = { lost: 1 };
      return async () => {
        adyen.webhooks.conduct = conduct;
        return adyen
          .items()
          .slice(before)
          .map((item) => messageOf(item, HMAC_KEY));
      };
    }
    const { endpoint } = stripe.webhooks;
    assert.ok(endpoint);
    stripe.webhooks.endpoint = { ...endpoint, url: shop.url };
    return async () => {
      await stripe.webhooks.arrived();
      stripe.webhooks.endpoint = endpoint;
      return shop.received.map(({ headers, body }) => ({
        headers: { "content-type": "application/json", "stripe-signature": String(headers["stripe-signature"]) },
        body: Buffer.from(body),
      }));
    };
  }
});
