// A payer in a real browser: to the gateway, to the processor's page and back, at both hosts; and what the console shows meanwhile.

import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import type { Host } from "../../hosts/stripe/host.ts";
import { verifyReturn } from "../../packages/client/src/package.ts";
import { buildConsole } from "../../scripts/console.ts";
import { ACCOUNT, testAdyenHost } from "../conformance/adyen-subject.ts";
import { stripeSettings, testHost } from "../conformance/stripe-subject.ts";
import { startTestGateway } from "../journeys/gateway.ts";
import { expectStatus, type Gateway, merchantOf, sale, transactionOf } from "../journeys/merchant.fixture.ts";
import { until } from "../receiver.ts";
import { launchBrowser } from "./browser.ts";
import { signInByToken, visit } from "./visitor.ts";

const CARDS = [
  ["stripe", "4000002760003184"],
  ["adyen", "4000000000003220"],
  ["adyen", "4000000000003238"],
] as const;

describe("a challenge in a browser", () => {
  let gateway: Gateway;
  let browser: Browser;
  let stripe: Host;
  let adyen: AdyenHost;
  let shop: Server;
  let secret: string;
  let returnUrl: string;
  const processors: Record<string, string> = {};

  before(async () => {
    // Where it is unpacked first, temporary folders are elsewhere meanwhile.
    browser = await launchBrowser();
    [gateway, stripe, adyen] = await Promise.all([startTestGateway(), testHost(), testAdyenHost(), buildConsole()]);
    shop = createServer((_request, response) => response.end("<h1>Thank you</h1>")).listen(0, "127.0.0.1");
    await new Promise((listening) => shop.once("listening", listening));
    returnUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/paid`;
    const merchant = merchantOf(gateway);
    processors.stripe = await merchant.processor({ kind: "stripe", settings: stripeSettings(stripe.port) });
    const settings = { ...ACCOUNT, base_url: adyen.baseUrl };
    processors.adyen = await merchant.processor({ kind: "adyen", settings });
    adyen.webhooks.url = `${gateway.url}/notifications/${processors.adyen}`;
    const path = `/operator/merchants/${gateway.sandbox.merchant_id}/return-secret`;
    secret = expectStatus(await gateway.operator("POST", path), 200).body.return_secret.secret;
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
    await Promise.all([stripe?.stop(), adyen?.stop()]);
    shop?.close();
  });

  const challenged = async (kind: string, card_number: string) => {
    const body = sale({ processor_id: processors[kind], card_number, amount: "10.00", return_url: returnUrl });
    return transactionOf(expectStatus(await gateway.post("/api/transactions/auth", body), 202));
  };

  for (const [kind, card] of CARDS)
    test(`the payer passes one and fails another at ${kind} (${card}), and comes to the shop with a signed result`, async () => {
      for (const [choice, status] of [
        ["pass", "authorized"],
        ["fail", "declined"],
      ] as const) {
        const { id, checkout_url } = await challenged(kind, card);
        const page = await browser.newPage();
        await page.goto(checkout_url);
        await page.waitForSelector("#amount");
        assert.match(await page.innerText("#amount"), /^1000 usd$/i);
        await page.click(`#${choice}`);
        await page.getByRole("heading", { name: "Thank you" }).waitFor();
        assert.deepEqual(await verifyReturn(page.url(), secret), { transactionId: id, status });
        await page.reload();
        await page.goBack().catch(() => null);
        assert.equal((await merchantOf(gateway).found(id)).events.length, 1);
        await page.close();
      }
    });

  test("a payer who abandons it: the console shows that it waits, and until when; after the expiry it is declined", async () => {
    const { id, checkout_url } = await challenged("stripe", "4000002760003184");
    const page = await browser.newPage();
    await page.goto(checkout_url);
    await page.click("#abandon");
    await page.waitForSelector("#abandoned");
    await page.close();

    const visitor = await visit(browser, gateway.url);
    await visitor.page.goto(`${gateway.url}/console/transactions/${id}`);
    await signInByToken(visitor, gateway.sandbox.api_token, "10.00");
    await visitor.page.getByText("The charge waits for the payer").waitFor();
    await visitor.page.getByText(/The payer has to authenticate at the checkout address, until/).waitFor();

    const { now } = expectStatus(await gateway.operator("GET", "/operator/clock"), 200).body;
    const later = new Date(Date.parse(now) + 31 * 60_000).toISOString();
    expectStatus(await gateway.operator("POST", "/operator/clock", { now: later }), 200);
    await until("it is declined", async () => (await merchantOf(gateway).found(id)).events[0].status === "declined");
    const again = await browser.newPage();
    await again.goto(checkout_url);
    await again.getByRole("heading", { name: "Thank you" }).waitFor();
    assert.deepEqual(await verifyReturn(again.url(), secret), { transactionId: id, status: "declined" });
    await again.close();
  });
});
