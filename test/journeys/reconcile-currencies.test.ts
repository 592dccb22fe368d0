// Currencies without decimals, with three, and those that processors count in their own way: sold, captured and refunded at the hosts of
// Stripe and Adyen, paid out, and compared by the command line. The sums are in major units, whoever counts how.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import type { Host } from "../../hosts/stripe/host.ts";
import { Concealed } from "../../src/settings.ts";
import { faregate } from "../command-line.ts";
import { ACCOUNT, testAdyenHost } from "../conformance/adyen-subject.ts";
import { stripeSettings, testHost } from "../conformance/stripe-subject.ts";
import { until } from "../receiver.ts";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, merchantOf, sale, transactionOf } from "./merchant.fixture.ts";

const masterKey = randomBytes(32);
const secret = randomBytes(32);

describe("reconciliation of all kinds of currencies", () => {
  let gateway: Gateway;
  let stripe: Host;
  let adyen: AdyenHost;
  let folder: string;
  before(async () => {
    gateway = await startTestGateway({ masterKeys: new Concealed([masterKey]), secret: new Concealed(secret) });
    stripe = await testHost();
    adyen = await testAdyenHost();
    folder = mkdtempSync(join(tmpdir(), "faregate-currencies-"));
  });
  after(async () => {
    await gateway.close();
    await stripe.stop();
    await adyen.stop();
    rmSync(folder, { recursive: true });
  });

  async function sumsOf(processor: string, ...parameters: string[]) {
    const { host, port, user, password, database } = gateway.address;
    const environment = {
      DATABASE_URL: `postgres://${user}:${password}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`,
      FAREGATE_MODE: "sandbox",
      FAREGATE_SECRET: secret.toString("base64"),
      FAREGATE_MASTER_KEY: masterKey.toString("base64"),
    };
    const { code, stdout, stderr } = await faregate(
      environment,
      "reconcile",
      "--processor",
      processor,
      ...parameters,
      "--json",
    );
    assert.equal(code, 0, `${stdout}${stderr}`);
    const { sums, batches } = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
    assert.equal(batches.length, 1);
    const { currency, captured, refunded, payouts, left } = batches[0];
    return { compared: sums.compared, currency, captured, refunded, payouts, left };
  }

  /** A sale of 1,500 and a refund of 500. */
  async function sold(processor_id: string, card_number: string): Promise<void> {
    const charged = await gateway.post(
      "/api/transactions/sale",
      sale({ processor_id, card_number, amount: "1500.00" }),
    );
    const { id } = transactionOf(expectStatus(charged, 200));
    const refunded = await gateway.post(`/api/transactions/${id}/refund`, { amount: "500.00" });
    assert.ok([200, 202].includes(refunded.status), refunded.text);
    const ended = async () => (await gateway.operator("GET", "/operator/unresolved")).body.meta.total === 0;
    await until("all have their end", ended);
  }

  for (const [currency, payouts] of [
    // 1 % of each sale, and 25 of the smallest unit.
    ["EUR", "-984.75"],
    ["JPY", "-960.00"],
    ["KWD", "-984.975"],
    ["CLP", "-984.75"],
    ["ISK", "-984.75"],
    ["IDR", "-960.00"],
    ["CVE", "-960.00"],
    ["UGX", "-960.00"],
    ["TND", "-984.975"],
  ] as const)
    test(`at Adyen in ${currency}`, async () => {
      const settings = { ...ACCOUNT, base_url: adyen.baseUrl, capture_delay_hours: 0, timeout_ms: 5_000 };
      const id = await merchantOf(gateway).processor({ kind: "adyen", currency, settings });
      adyen.webhooks.url = `${gateway.url}/notifications/${id}`;
      await sold(id, "4111111111111111");
      const file = join(folder, `${currency}.csv`);
      writeFileSync(file, await adyen.payOut());
      const amounts = { captured: "1500.00", refunded: "-500.00", payouts, left: "0.00" };
      assert.deepEqual(await sumsOf(id, file), { compared: 2, currency, ...amounts });
    });

  for (const [currency, payouts, left] of [
    // 2.9 % of each sale, and 30 of the smallest unit.
    ["USD", "-956.20", "0.00"],
    ["JPY", "-926.00", "0.00"],
    ["KWD", "-956.47", "0.00"],
    ["ISK", "-956.20", "0.00"],
    ["UGX", "-956.20", "0.00"],
    ["MGA", "-926.00", "0.00"],
    ["CLP", "-926.00", "0.00"],
    // Paid out in whole units only.
    ["HUF", "-956.00", "0.20"],
    ["TWD", "-956.00", "0.20"],
  ] as const)
    test(`at Stripe in ${currency}`, async () => {
      const settings = { ...stripeSettings(stripe.port), timeout_ms: 5_000 };
      const id = await merchantOf(gateway).processor({ kind: "stripe", currency, settings });
      await sold(id, "4242424242424242");
      const payout = stripe.payOut(currency.toLowerCase());
      const amounts = { captured: "1500.00", refunded: "-500.00", payouts, left };
      assert.deepEqual(await sumsOf(id, "--payout", payout), { compared: 2, currency, ...amounts });
    });
});
