// What Stripe and Adyen did by themselves, in what they report as settled: compared with the journal by the command line, with and without the
// message that told of it.

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
import { stripeSettings, testHost, WEBHOOK_SECRET } from "../conformance/stripe-subject.ts";
import { until } from "../receiver.ts";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, merchantOf, sale, transactionOf } from "./merchant.fixture.ts";

const masterKey = randomBytes(32);
const secret = randomBytes(32);

describe("what processors did by themselves and report as settled", () => {
  let gateway: Gateway;
  let folder: string;
  let files = 0;
  before(async () => {
    gateway = await startTestGateway({ masterKeys: new Concealed([masterKey]), secret: new Concealed(secret) });
    folder = mkdtempSync(join(tmpdir(), "faregate-made-"));
  });
  after(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true });
  });

  const charged = async (processor_id: string, path: "sale" | "auth", card_number: string): Promise<string> => {
    const body = sale({ processor_id, card_number, amount: "10.00" });
    return transactionOf(expectStatus(await gateway.post(`/api/transactions/${path}`, body), 200)).id;
  };
  const events = async (id: string): Promise<string[]> =>
    (await merchantOf(gateway).found(id)).events.map(
      ({ event_type, amount, success, by_processor }: Json) =>
        `${event_type} ${amount} ${success}${by_processor ? " by processor" : ""}`,
    );
  const becomes = (id: string, ...expected: readonly string[]) =>
    until(`${id} becomes ${expected}`, async () => (await events(id)).join() === expected.join());
  /** What was found, the number of differences first; that a batch without its payout leaves something is none here. */
  async function told(processor: string, ...parameters: string[]): Promise<string> {
    const { host, port, user, password, database } = gateway.address;
    const environment = {
      DATABASE_URL: `postgres://${user}:${password}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`,
      FAREGATE_MODE: "sandbox",
      FAREGATE_SECRET: secret.toString("base64"),
      FAREGATE_MASTER_KEY: masterKey.toString("base64"),
    };
    const ended = await faregate(environment, "reconcile", "--processor", processor, ...parameters, "--json");
    const lines = ended.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const { sums, unbalanced } = lines.pop();
    const found = lines.map(({ finding, there }) => `${finding} ${there.amount}`);
    return [sums.differences - unbalanced.length, ...found].join(" ");
  }

  test("Stripe: a refund in the dashboard agrees once it is on record, and is a difference before", async (t) => {
    const host: Host = await testHost();
    t.after(() => host.stop());
    const processor = await merchantOf(gateway).processor({ kind: "stripe", settings: stripeSettings(host.port) });
    const [followed, silent] = [
      await charged(processor, "sale", "4242424242424242"),
      await charged(processor, "sale", "4242424242424242"),
    ];
    const captured = await charged(processor, "auth", "4242424242424242");
    host.webhooks.endpoint = { url: `${gateway.url}/notifications/${processor}`, secret: WEBHOOK_SECRET };
    host.byItself(captured, "capture");
    await becomes(captured, "capture 10.00 true by processor", "auth 10.00 true");
    host.byItself(followed, "refund", 300);
    await becomes(followed, "refund 3.00 true by processor", "sale 10.00 true");
    assert.equal(await told(processor, "--payout", host.payOut("usd")), "0");
    // Stripe's message of it is lost.
    host.webhooks.endpoint = { url: `${gateway.url}/nowhere`, secret: WEBHOOK_SECRET };
    host.byItself(silent, "refund", 400);
    assert.equal(await told(processor, "--payout", host.payOut("usd")), "1 missing-here -4.00");
  });

  test("Adyen: refunds and captures in the Customer Area, and a capture that it made again", async (t) => {
    const host: AdyenHost = await testAdyenHost();
    t.after(() => host.stop());
    const settings = { ...ACCOUNT, base_url: host.baseUrl, capture_delay_hours: 0, multiple_captures: true };
    const processor = await merchantOf(gateway).processor({ kind: "adyen", settings });
    host.webhooks.url = `${gateway.url}/notifications/${processor}`;
    const sold = await charged(processor, "sale", "4111111111111111");
    const held = await charged(processor, "auth", "4111111111111111");
    expectStatus(await gateway.post(`/api/transactions/${held}/capture`, { amount: "10.00" }), 202);
    await becomes(held, "capture 10.00 true", "auth 10.00 true");
    const report = await host.payOut();
    const [header = "", ...rows] = report.trimEnd().split("\n");
    const rowOf = (id: string) => rows.find((row) => row.includes(`${id}_`)) ?? assert.fail(`a line of ${id}`);
    const names = header.split(",");
    type Changed = readonly [line: string, fields: Readonly<Record<string, string>>];
    const findings = async (...changed: readonly Changed[]) => {
      const lines = changed.map(([row, fields]) =>
        row
          .split(",")
          .map((field, index) => fields[names[index] ?? ""] ?? field)
          .join(","),
      );
      const file = join(folder, `${++files}.csv`);
      writeFileSync(file, [header, ...lines, ""].join("\n"));
      return told(processor, file);
    };
    const tell = async (id: string, eventCode: string, pspReference: string, over: object = {}) => {
      const code = eventCode === "REFUND" ? "AUTHORISATION" : "CAPTURE";
      const item = host.items().find((one) => one.eventCode === code && one.merchantReference.startsWith(id));
      assert.ok(item, code);
      const named = pspReference === CAPTURE ? {} : { pspReference, originalReference: item.pspReference };
      await host.tell({ ...item, eventCode, ...named, ...over });
    };
    const debit = (amount: string) => ({
      "Gross Credit (GC)": "",
      "Gross Debit (GC)": amount,
      "Net Credit (NC)": "",
      "Net Debit (NC)": amount,
    });
    const refund = {
      ...{
        Type: "Refunded",
        "Modification Reference": "AREAREFUND",
        "Modification Merchant Reference": "typed by hand",
      },
      ...{ ...debit("4.00"), "Commission (NC)": "" },
    };
    const fails = {
      Type: "CaptureFailed",
      ...debit("10.00"),
      "Commission (NC)": "",
      "Creation Date": "2030-01-02 00:00:00",
    };
    const later = { "Creation Date": "2030-01-05 00:00:00" };
    const settled = rowOf(held);
    const money = { amount: { value: 400, currency: "USD" } };
    assert.equal(await findings([rowOf(sold), refund]), "1 missing-here -4.00", "it is not on record");
    await tell(sold, "REFUND", "AREAREFUND", money);
    await becomes(sold, "refund 4.00 true by processor", "sale 10.00 true");
    assert.equal(await findings([rowOf(sold), {}], [rowOf(sold), refund]), "0");
    assert.equal(
      await findings([rowOf(sold), { ...refund, "Modification Reference": "ANOTHER" }]),
      "1 missing-here -4.00",
    );

    await tell(held, "CAPTURE_FAILED", CAPTURE, { reason: "Capture Failed" });
    await becomes(held, "capture 10.00 false", "auth 10.00 true");
    assert.equal(await findings([settled, {}], [settled, fails]), "0");
    assert.equal(
      await findings([settled, fails], [settled, later]),
      "1 other-outcome 10.00",
      "it is on record as failed",
    );
    await tell(held, "CAPTURE", CAPTURE, { reason: "Transaction Auto-recaptured" });
    await becomes(held, "capture 10.00 true by processor", "capture 10.00 false", "auth 10.00 true");
    assert.equal(await findings([settled, {}], [settled, fails], [settled, later]), "0");
    assert.equal(await findings([settled, fails], [settled, later]), "0");
    assert.equal(await findings([settled, later]), "0");
  });
});

/** The capture's own name. */
const CAPTURE = "";
