// Challenges over real HTTP: the payer goes from the gateway to the processor and back, and the charge ends by whatever comes first.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import type { Host } from "../../hosts/stripe/host.ts";
import { verifyReturn } from "../../packages/client/src/package.ts";
import { ACCOUNT, testAdyenHost } from "../conformance/adyen-subject.ts";
import { stripeSettings, testHost, WEBHOOK_SECRET } from "../conformance/stripe-subject.ts";
import { type Receiver, startReceiver, until } from "../receiver.ts";
import { startTestGateway, told } from "./gateway.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  merchantOf,
  sale,
  THREE_D_SECURE,
  transactionOf,
} from "./merchant.fixture.ts";
import { choose, comeBack, goTo, toChallenge } from "./payer.fixture.ts";

const SHOP = "http://127.0.0.1:9/paid?order=17";
const MINUTE_MS = 60_000;

/** No cut-off passes while the clock is moved. */
function farAway() {
  const at = (hours: number) => new Date(Date.now() + hours * 60 * MINUTE_MS).toISOString().slice(11, 16);
  return { auto_capture_at: null, cutoff_at: at(12), settled_at: at(14), visible_at: at(15) };
}

describe("challenges", () => {
  let gateway: Gateway;
  let stripe: Host;
  let adyen: AdyenHost;
  let shop: Receiver;
  let secret: string;
  const processors: Record<string, string> = {};

  before(async () => {
    [gateway, stripe, adyen, shop] = await Promise.all([
      startTestGateway(),
      testHost(),
      testAdyenHost(),
      startReceiver(),
    ]);
    const merchant = merchantOf(gateway);
    const { merchant_id } = gateway.sandbox;
    const settings = { ...stripeSettings(stripe.port), timeout_ms: 2_000 };
    processors.stripe = await merchant.processor({ kind: "stripe", settings, settlement: farAway() });
    processors.adyen = await merchant.processor({
      kind: "adyen",
      settings: { ...ACCOUNT, base_url: adyen.baseUrl, timeout_ms: 2_000 },
      settlement: farAway(),
    });
    processors.simulator = await merchant.processor({ settlement: farAway() });
    stripe.webhooks.endpoint = { url: `${gateway.url}/notifications/${processors.stripe}`, secret: WEBHOOK_SECRET };
    adyen.webhooks.url = `${gateway.url}/notifications/${processors.adyen}`;
    const path = `/operator/merchants/${merchant_id}`;
    expectStatus(await gateway.operator("POST", `${path}/webhooks`, { url: shop.url }), 201);
    secret = expectStatus(await gateway.operator("POST", `${path}/return-secret`), 200).body.return_secret.secret;
  });
  after(async () => {
    await gateway.close();
    await Promise.all([stripe.stop(), adyen.stop(), shop.close()]);
  });
  beforeEach(async () => {
    await stripe.behave();
    adyen.webhooks.conduct = {};
  });

  interface Kind {
    readonly kind: string;
    readonly card_number: string;
  }
  const STRIPE: Kind = { kind: "stripe", card_number: "4000002760003184" };
  const ADYEN: Kind = { kind: "adyen", card_number: "4000000000003220" };
  const ADYEN_BY_FORM: Kind = { kind: "adyen", card_number: "4000000000003238" };
  const HOSTED = [STRIPE, ADYEN, ADYEN_BY_FORM];

  const body = ({ kind, card_number }: Kind, over: Json = {}): Json =>
    sale({ processor_id: processors[kind], card_number, amount: "10.00", return_url: SHOP, ...over });
  const charge = (card: Kind, over: Json = {}, path = "sale", headers: Record<string, string> = {}) =>
    gateway.post(`/api/transactions/${path}`, body(card, over), { headers });
  const challenged = async (card: Kind, over: Json = {}, path = "sale") =>
    transactionOf(expectStatus(await charge(card, over, path), 202));
  const found = (id: string) => merchantOf(gateway).found(id);
  const statusOf = async (id: string): Promise<string> => (await found(id)).events[0].status;
  const becomes = (id: string, status: string) =>
    until(`${id} becomes ${status}`, async () => (await statusOf(id)) === status);
  const held = ({ kind }: Kind, id: string) =>
    kind === "stripe" ? stripe.ledger.state.balance(id) : adyen.balance(id);
  const toldOf = (id: string) =>
    shop.received
      .map(({ body: text }) => JSON.parse(text))
      .filter(({ data }) => data.transaction?.id === id)
      .map(({ type }) => type);
  const ahead = async (ms: number) => {
    const now = new Date(expectStatus(await gateway.operator("GET", "/operator/clock"), 200).body.now);
    const json = { now: new Date(now.getTime() + ms).toISOString() };
    expectStatus(await gateway.operator("POST", "/operator/clock", json), 200);
  };
  const unresolved = async (id: string) =>
    (await gateway.operator("GET", "/operator/unresolved")).body.unresolved.filter(
      ({ transaction_id }: Json) => transaction_id === id,
    ).length;

  for (const card of HOSTED)
    test(`a payer passes a challenge at ${card.kind} (${card.card_number}), and the charge is approved once`, async () => {
      const waiting = await challenged(card);
      const [event] = waiting.events;
      assert.deepEqual(
        [event.status, event.success, event.processor_code, event.processor_message, waiting.return_url],
        ["pending", false, null, "PENDING: THE PAYER HAS TO AUTHENTICATE", SHOP],
      );
      assert.match(waiting.checkout_url, new RegExp(`^${gateway.url}/checkout/[0-9A-Za-z_-]{64}$`));
      assert.equal(Date.parse(waiting.checkout_expires_at) - Date.parse(waiting.created_at), 30 * MINUTE_MS);
      assert.deepEqual(await found(waiting.id), waiting, "a look-up shows the same");
      assert.equal(held(card, waiting.id), 0);

      const page = await toChallenge(waiting.checkout_url);
      assert.match((await goTo(page)).html, /<p id="amount">1000 usd/i, "the amount of the charge");
      const address = await choose(page, "pass");
      const back = await comeBack(address);
      assert.equal(back.href.startsWith(`${SHOP}&transaction_id=`), true, back.href);
      assert.deepEqual(await verifyReturn(back, secret), { transactionId: waiting.id, status: "pending_settlement" });
      const ended = await found(waiting.id);
      assert.deepEqual(
        [ended.events.length, ended.events[0].success, ended.checkout_url, ended.checkout_expires_at, ended.return_url],
        [1, true, null, undefined, SHOP],
      );

      assert.equal((await comeBack(address)).href, back.href, "who returns twice is told the same");
      assert.equal((await comeBack(waiting.checkout_url)).href, back.href, "and so is who begins again");
      assert.equal(held(card, waiting.id), 1000);
      await until("the merchant was told", () => toldOf(waiting.id).length === 2);
      assert.deepEqual(toldOf(waiting.id), ["transaction.sale.pending", "transaction.sale.resolved"]);
    });

  for (const card of HOSTED)
    test(`a payer fails a challenge at ${card.kind} (${card.card_number}), and the charge is declined`, async () => {
      const { id, checkout_url } = await challenged(card, {}, "auth");
      const back = await comeBack(await choose(await toChallenge(checkout_url), "fail"));
      assert.equal(back.searchParams.get("status"), "declined");
      const [event] = (await found(id)).events;
      assert.deepEqual([event.status, event.decline_category], ["declined", "authentication-required"]);
      assert.equal(held(card, id), 0);
    });

  test("an authorization is held, and captured like any other", async () => {
    for (const card of HOSTED) {
      const { id, checkout_url } = await challenged(card, {}, "auth");
      const back = await comeBack(await choose(await toChallenge(checkout_url), "pass"));
      assert.equal(back.searchParams.get("status"), "authorized");
      const { status } = await merchantOf(gateway).follow(id, "capture", { amount: "10.00" });
      assert.ok(status === 200 || status === 202, `${status}`);
      assert.equal(held(card, id), 1000);
    }
  });

  test("a webhook ends it before the payer comes back, and the return tells that end", async () => {
    const { id, checkout_url } = await challenged(STRIPE);
    const page = await toChallenge(checkout_url);
    stripe.choose(id, "pass");
    await becomes(id, "pending_settlement");
    const back = await comeBack(await choose(page, "pass"));
    assert.equal(back.searchParams.get("status"), "pending_settlement");
    assert.equal(held(STRIPE, id), 1000);
    const lost = await challenged(STRIPE);
    stripe.choose(lost.id, "fail");
    await becomes(lost.id, "declined");
  });

  test("a payer who never comes back, and a webhook that is lost: the processor is asked", async () => {
    stripe.misbehave({ what: "lose", on: ["webhook"] });
    const { id } = await challenged(STRIPE);
    stripe.choose(id, "pass");
    await ahead(2 * MINUTE_MS);
    await becomes(id, "pending_settlement");
    assert.equal(held(STRIPE, id), 1000);
  });

  test("a payer who abandons it at Stripe: after the expiry the charge is given up and canceled, and comes too late", async () => {
    const { id, checkout_url } = await challenged(STRIPE);
    const page = await toChallenge(checkout_url);
    await ahead(29 * MINUTE_MS);
    assert.equal(await statusOf(id), "pending");
    await ahead(MINUTE_MS + 1_000);
    await becomes(id, "declined");
    const [event] = (await found(id)).events;
    assert.deepEqual(
      [event.processor_code, event.processor_message, event.decline_category],
      ["1A", "NOT AUTHENTICATED IN TIME: THE CHARGE IS REVERSED", "authentication-required"],
    );
    await until("the reversal is confirmed", async () => (await unresolved(id)) === 0);
    const back = await comeBack(await choose(page, "pass"));
    assert.equal(back.searchParams.get("status"), "declined");
    assert.equal(held(STRIPE, id), 0);
  });

  test("one that is abandoned at Adyen is canceled until Adyen says that nobody can complete it", async () => {
    const { id, checkout_url } = await challenged(ADYEN);
    const address = await choose(await toChallenge(checkout_url), "pass");
    await ahead(31 * MINUTE_MS);
    await becomes(id, "declined");
    // It is canceled again and again meanwhile.
    const decided = () => adyen.items().filter(({ eventCode }) => eventCode === "AUTHORISATION").length;
    const asked = decided();
    assert.equal((await comeBack(address)).searchParams.get("status"), "declined", "too late: Adyen is not asked");
    assert.equal(decided(), asked);
    assert.equal(held(ADYEN, id), 0);
    assert.equal(await unresolved(id), 1);
    const cancel = adyen.items().findLast(({ merchantReference }) => merchantReference.startsWith(id));
    assert.equal(cancel?.eventCode, "TECHNICAL_CANCEL");
    await adyen.tell({ ...cancel, eventCode: "OFFER_CLOSED", success: "true", reason: "" } as never);
    await until("the reversal is confirmed", async () => (await unresolved(id)) === 0);
  });

  test("a success after the expiry is taken back", async () => {
    const { id, checkout_url } = await challenged(ADYEN);
    const address = await choose(await toChallenge(checkout_url), "pass");
    await ahead(31 * MINUTE_MS);
    await becomes(id, "declined");
    // As if Adyen had gone on by itself.
    const redirectResult = new URL(address).searchParams.get("redirectResult");
    const headers = { "x-api-key": ACCOUNT.api_key, "content-type": "application/json" };
    const details = JSON.stringify({ details: { redirectResult } });
    await fetch(`${adyen.baseUrl}/payments/details`, { method: "POST", headers, body: details });
    await until("it was authorised and canceled", () => held(ADYEN, id) === 0 && adyen.payment(id)?.cancelled === true);
    assert.equal(await statusOf(id), "declined");
    await until("the reversal is confirmed", async () => (await unresolved(id)) === 0);
  });

  test("what a payer brings decides nothing by itself: another payment's result, a made-up one, or none", async () => {
    const [mine, other] = [await challenged(ADYEN), await challenged(ADYEN, { amount: "1.00" })];
    const cheap = new URL(await choose(await toChallenge(other.checkout_url), "pass"));
    const swapped = `${mine.checkout_url}/return${cheap.search}`;
    for (const address of [
      swapped,
      `${mine.checkout_url}/return?redirectResult=made-up`,
      `${mine.checkout_url}/return?redirectResult=a&redirectResult=b`,
      `${mine.checkout_url}/return`,
      `${mine.checkout_url}/return?result=pass&status=settled`,
    ]) {
      assert.equal((await comeBack(address)).searchParams.get("status"), "pending", address);
      assert.equal(await statusOf(mine.id), "pending");
    }
    await becomes(other.id, "pending_settlement");
    assert.equal((await comeBack(cheap.href)).searchParams.get("status"), "pending_settlement");
    const back = await comeBack(await choose(await toChallenge(mine.checkout_url), "pass"));
    assert.equal(back.searchParams.get("status"), "pending_settlement");
    assert.deepEqual([held(ADYEN, mine.id), held(ADYEN, other.id)], [1000, 100]);
  });

  test("no answer to the question after a return is no end, and a later return is", async () => {
    const { id, checkout_url } = await challenged(STRIPE);
    stripe.misbehave({ what: "lose", on: ["webhook"] });
    const address = await choose(await toChallenge(checkout_url), "pass");
    stripe.misbehave({ what: "error-before", on: ["look"], times: 1 });
    assert.equal((await comeBack(address)).searchParams.get("status"), "pending");
    assert.equal((await comeBack(address)).searchParams.get("status"), "pending_settlement");
    assert.equal(held(STRIPE, id), 1000);
  });

  test("a returned payer and copies at once: one end", async () => {
    for (const card of HOSTED) {
      const { id, checkout_url } = await challenged(card);
      const address = await choose(await toChallenge(checkout_url), "pass");
      await Promise.all([1, 2, 3].map(() => comeBack(address)));
      await becomes(id, "pending_settlement");
      assert.deepEqual([(await found(id)).events.length, held(card, id)], [1, 1000]);
    }
  });

  test("an idempotency key repeats the 202, also after the end", async () => {
    const key = { "idempotency-key": `challenge-${Date.now()}` };
    const first = expectStatus(await charge(STRIPE, {}, "sale", key), 202);
    const { id, checkout_url } = transactionOf(first);
    const again = await charge(STRIPE, {}, "sale", key);
    assert.deepEqual([again.status, again.text], [202, first.text]);
    await comeBack(await choose(await toChallenge(checkout_url), "pass"));
    assert.equal((await charge(STRIPE, {}, "sale", key)).text, first.text);
    assert.equal(held(STRIPE, id), 1000);
  });

  test("an answer that is lost is asked for, and is the same challenge", async () => {
    stripe.misbehave({ what: "disconnect-after", on: ["confirm"], times: 1 });
    const { id, checkout_url } = await challenged(STRIPE);
    await comeBack(await choose(await toChallenge(checkout_url), "pass"));
    assert.equal(held(STRIPE, id), 1000);
  });

  test("while a charge waits for its payer, nothing follows it", async () => {
    const { id, actions } = await challenged(STRIPE);
    for (const path of ["capture", "void", "refund", "reversal"] as const) {
      assert.equal(actions[path].allowed, false, path);
      const { status } = await merchantOf(gateway).follow(id, path, {});
      assert.ok(status === 409 || status === 422, `${path} ${status}`);
    }
    assert.equal(await statusOf(id), "pending");
  });

  test("without return_url, or with 3-D Secure values of the merchant's own, all is as it was", async () => {
    for (const card of [STRIPE, ADYEN]) {
      const { return_url: _, ...plain } = body(card);
      const declined = transactionOf(expectStatus(await gateway.post("/api/transactions/sale", plain), 200));
      assert.deepEqual(
        [declined.events[0].status, declined.events[0].decline_category, declined.checkout_url, declined.return_url],
        ["declined", "authentication-required", null, undefined],
      );
    }
    const own = transactionOf(expectStatus(await charge(STRIPE, THREE_D_SECURE), 200));
    assert.deepEqual([own.events[0].success, own.checkout_url], [true, null]);
  });

  test("a return_url allows a challenge and demands none", async () => {
    for (const [kind, card_number] of [
      ["stripe", "4242424242424242"],
      ["adyen", "4111111111111111"],
      ["simulator", "4111111111111111"],
    ] as const) {
      const approved = transactionOf(expectStatus(await charge({ kind, card_number }), 200));
      assert.deepEqual(
        [approved.events[0].success, approved.checkout_url, approved.checkout_expires_at, approved.return_url],
        [true, null, undefined, SHOP],
      );
    }
  });

  test("the sandbox has a bank of its own: its page lets the payer pass or fail", async () => {
    const card: Kind = { kind: "simulator", card_number: "4000000000003220" };
    for (const [result, status] of [
      ["pass", "pending_settlement"],
      ["fail", "declined"],
    ] as const) {
      const { id, checkout_url } = await challenged(card);
      const page = await toChallenge(checkout_url);
      const { html, headers } = await goTo(page);
      assert.match(html, /Simulated bank/);
      assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'.*frame-ancestors 'none'/);
      const [, href = ""] = new RegExp(`href="(return\\?result=${result})"`).exec(html) ?? [];
      const back = await comeBack(new URL(href, page).href);
      assert.deepEqual([back.searchParams.get("status"), await statusOf(id)], [status, status]);
    }
    const { id } = await challenged(card);
    await ahead(31 * MINUTE_MS);
    await becomes(id, "declined");
  });

  test("an address that the gateway did not make leads nowhere", async () => {
    const { checkout_url } = await challenged(STRIPE);
    const { checkout_url: ofStripe } = await challenged(STRIPE);
    const at = checkout_url.length - 3;
    const changed = `${checkout_url.slice(0, at)}${checkout_url[at] === "A" ? "B" : "A"}${checkout_url.slice(at + 1)}`;
    for (const url of [changed, `${changed}/return`, `${gateway.url}/checkout/x`, `${ofStripe}/challenge`]) {
      const { status, location, html, headers } = await goTo(url);
      assert.deepEqual([status, location], [404, null], url);
      assert.match(html, /leads nowhere/);
      assert.deepEqual(
        ["cache-control", "referrer-policy", "x-frame-options"].map((name) => headers.get(name)),
        ["no-store", "no-referrer", "DENY"],
      );
    }
    const redirect = await goTo(checkout_url);
    assert.deepEqual(
      [redirect.status, redirect.headers.get("cache-control"), redirect.headers.get("referrer-policy")],
      [303, "no-store", "no-referrer"],
    );
  });

  test("a return_url that payers may not be sent to is an error of that field, beside all others", async () => {
    for (const return_url of ["https://shop.example/paid", "ftp://127.0.0.1/", "http://10.0.0.1/", `${SHOP}#x`])
      assert.equal(told(await charge(STRIPE, { return_url, amount: "x" })), "422 amount return_url", return_url);
    const path = `/operator/merchants/${gateway.sandbox.merchant_id}`;
    expectStatus(await gateway.operator("PATCH", path, { return_hosts: ["shop.example"] }), 200);
    const { return_url } = await challenged(STRIPE, { return_url: "https://shop.example/paid" });
    assert.equal(return_url, "https://shop.example/paid");
    assert.equal(told(await charge(STRIPE, { return_url: "https://evil.example/paid" })), "422 return_url");
    expectStatus(await gateway.operator("PATCH", path, { return_hosts: [] }), 200);
  });
});
