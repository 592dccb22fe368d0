// What Stripe and Adyen report as settled, compared with the journal by the command line: a payout and a day asked of a Stripe host,
// and the file of an Adyen host's batch; then each difference that is put into them.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import type { BalanceTransaction } from "../../hosts/stripe/balance.ts";
import type { Host } from "../../hosts/stripe/host.ts";
import { Concealed } from "../../src/settings.ts";
import { type Ended, faregate } from "../command-line.ts";
import { ACCOUNT, testAdyenHost } from "../conformance/adyen-subject.ts";
import { SECRET_KEY, stripeSettings, testHost } from "../conformance/stripe-subject.ts";
import { until } from "../receiver.ts";
import { startTestGateway } from "./gateway.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  merchantOf,
  newMerchant,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";

const masterKey = randomBytes(32);
const secret = randomBytes(32);
describe("what processors report as settled", () => {
  let gateway: Gateway;
  let folder: string;
  let day: string;

  before(async () => {
    const untilMidnight = 86_400_000 - (Date.now() % 86_400_000);
    if (untilMidnight < 60_000) await sleep(untilMidnight);
    day = new Date().toISOString().slice(0, 10);
    gateway = await startTestGateway({ masterKeys: new Concealed([masterKey]), secret: new Concealed(secret) });
    folder = mkdtempSync(join(tmpdir(), "faregate-settled-"));
  });
  after(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true });
  });

  const charged = async (
    processor_id: string,
    path: "sale" | "auth",
    amount: string,
    card_number = "4242424242424242",
  ) => {
    const body = sale({ processor_id, card_number, amount });
    return transactionOf(expectStatus(await gateway.post(`/api/transactions/${path}`, body), 200)).id as string;
  };
  const follow = async (id: string, path: string, status: number, json?: Json) =>
    expectStatus(await gateway.post(`/api/transactions/${id}/${path}`, json), status);

  /** Far from midnight, on a day that is over. */
  async function dayIsOver(): Promise<void> {
    await gateway.pool`update events set created_at = ${`${day}T12:00:00Z`}`;
    await gateway.pool`update outcomes set created_at = ${`${day}T12:00:01Z`}`;
    const later = new Date(Date.now() + 2 * 86_400_000).toISOString();
    expectStatus(await gateway.operator("POST", "/operator/clock", { now: later }), 200);
  }

  function reconcile(processor: string, ...parameters: string[]): Promise<Ended> {
    const { host, port, user, password, database } = gateway.address;
    const environment = {
      DATABASE_URL: `postgres://${user}:${password}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`,
      FAREGATE_MODE: "sandbox",
      FAREGATE_SECRET: secret.toString("base64"),
      FAREGATE_MASTER_KEY: masterKey.toString("base64"),
    };
    return faregate(environment, "reconcile", "--processor", processor, ...parameters);
  }
  /** What was found, the exit code first: `1 other-amount` */
  async function found(processor: string, ...parameters: string[]) {
    const { code, stdout, stderr } = await reconcile(processor, ...parameters, "--json");
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const { id: run, sums, batches, unbalanced } = lines.at(-1);
    const kinds = lines.slice(0, -1).map(({ finding }) => finding);
    return { told: [code, ...kinds].join(" "), sums, batches, unbalanced, stderr, lines, run };
  }
  let files = 0;
  const fileOf = (text: string): string => {
    const file = join(folder, `report-${++files}.csv`);
    writeFileSync(file, text);
    return file;
  };

  describe("at Stripe", () => {
    let host: Host;
    let id: string;
    let payout: string;
    before(async () => {
      host = await testHost();
      const settings = { ...stripeSettings(host.port), timeout_ms: 5_000 };
      id = await merchantOf(gateway).processor({ kind: "stripe", settings });
      await charged(id, "sale", "10.00");
      await charged(id, "sale", "11.00", "4000000000000002");
      await follow(await charged(id, "sale", "12.00"), "refund", 200, { amount: "5.00" });
      const held = await charged(id, "auth", "10.00");
      await follow(held, "capture", 200, { amount: "4.00" });
      await follow(held, "capture", 200, { amount: "6.00" });
      await follow(await charged(id, "sale", "13.00"), "void", 200);
      // Made in the same account without the gateway: more than a page of the list.
      const [one] = host.ledger.state.payments.values();
      assert.ok(one);
      for (let nth = 0; nth < 120; nth++)
        host.ledger.payment({ ...one, id: `pi_elsewhere${nth}`, metadata: {}, amount: 100, received: 100 });
      payout = host.payOut("usd");
      await dayIsOver();
    });
    after(() => host.stop());

    /** The list as it would be if one of its entries were another. */
    async function with_<T>(change: (all: BalanceTransaction[]) => void, work: () => Promise<T>): Promise<T> {
      const { transactions } = host.ledger.state.money;
      const kept = [...transactions];
      change(transactions);
      try {
        return await work();
      } finally {
        transactions.splice(0, transactions.length, ...kept);
      }
    }
    const first = (all: readonly BalanceTransaction[], type: string) => all.findIndex((one) => one.type === type);

    test("a payout agrees, page by page, and leaves nothing", async () => {
      const { told, sums, batches, unbalanced } = await found(id, "--payout", payout);
      assert.equal(told, "0");
      assert.deepEqual([sums.lines, sums.compared, sums.others, unbalanced], [128, 7, 120, []]);
      assert.equal(batches.length, 1);
      const { batch_id, currency, captured, refunded, left } = batches[0];
      assert.deepEqual([batch_id, currency, captured, refunded, left], [payout, "USD", "165.00", "-18.00", "0.00"]);
      const { code, stdout } = await reconcile(id, "--payout", payout);
      assert.equal(code, 0);
      assert.match(
        stdout,
        /^128 lines in the report: 7 of this record, 120 of other .*\nNo difference\.\n\nBATCH +CURRENCY /,
      );
    });

    test("so does the day, all of whose money must be there", async () => {
      assert.equal((await found(id, "--day", day)).told, "0");
      const lost = (all: BalanceTransaction[]) => void all.splice(first(all, "refund"), 1);
      const { told, lines } = await with_(lost, () => found(id, "--day", day));
      assert.equal(told, "1 missing-there");
      assert.deepEqual([lines[0].here.operation, lines[0].here.amount, lines[0].there], ["refund", "5.00", null]);
    });

    test("another amount is told with both sides, and a payout that does not add up is a difference of its own", async () => {
      const other = (all: BalanceTransaction[]) => {
        const at = first(all, "charge");
        const [one] = all.slice(at);
        assert.ok(one);
        all[at] = { ...one, amount: one.amount + 1 };
      };
      const { told, sums, unbalanced, lines, run } = await with_(other, () => found(id, "--payout", payout));
      assert.equal(told, "1 other-amount");
      assert.equal(sums.differences, 2);
      assert.deepEqual(
        [lines[0].here.amount, lines[0].there.amount, lines[0].there.batch_id],
        ["10.00", "10.01", payout],
      );
      assert.equal(unbalanced[0].left, "0.01");
      const kept = (await gateway.operator("GET", `/operator/reconciliations/${run}`)).body;
      const { payout: asked, file, batches } = kept.reconciliation;
      assert.deepEqual([asked, file, batches[0].left], [payout, null, "0.01"]);
      assert.deepEqual(
        kept.findings.map(({ message }: Json) => message),
        [
          `The report has 10.01 USD for this charge (line ${lines[0].there.line}); here it is 10.00 USD.`,
          `The lines of batch ${payout} leave 0.01 USD instead of nothing: lines are missing, or the payout is.`,
        ],
      );
    });

    test("an authorization that was captured in part agrees: Stripe books all of it, and what was not captured back", async () => {
      const settings = { ...stripeSettings(host.port), multiple_captures: false };
      const once = await merchantOf(gateway).processor({ kind: "stripe", settings });
      await follow(await charged(once, "auth", "20.00"), "capture", 200, { amount: "7.50" });
      const { told, sums, batches, unbalanced } = await found(once, "--payout", host.payOut("usd"));
      assert.equal(told, "0");
      assert.deepEqual([sums.lines, sums.compared, sums.others, unbalanced], [3, 1, 0, []]);
      const { captured, refunded, fees, left } = batches[0];
      assert.deepEqual([captured, refunded, fees, left], ["7.50", "0.00", "-0.52", "0.00"]);
    });

    test("a dispute that is not on record is a difference; one that is on record is told as the chargeback that it is", async () => {
      const transaction_id = await charged(id, "sale", "14.00");
      const dispute = host.dispute(transaction_id, {});
      const taken = host.payOut("usd");
      assert.equal((await found(id, "--payout", taken)).told, "1 unknown-dispute");
      const entered = { transaction_id, amount: "14.00", processor_dispute_id: dispute.id };
      const path = `/operator/merchants/${gateway.sandbox.merchant_id}/disputes`;
      const { id: known } = expectStatus(await gateway.operator("POST", path, entered), 201).body.dispute;
      assert.equal((await found(id, "--payout", taken)).told, "1 dispute-not-withdrawn");
      const withdrawn = { amount_withdrawn: "14.00" };
      expectStatus(await gateway.operator("PATCH", `/operator/disputes/${known}`, withdrawn), 200);
      const { told, batches, lines } = await found(id, "--payout", taken);
      assert.equal(told, "0 chargeback");
      assert.deepEqual([lines[0].there.amount, lines[0].there.net], ["-14.00", "-29.00"]);
      assert.deepEqual(
        [lines[0].dispute_id, lines[0].here.operation, lines[0].here.amount],
        [known, "dispute", "14.00"],
      );
      host.dispute(transaction_id, { step: "win" });
      const back = host.payOut("usd");
      assert.equal((await found(id, "--payout", back)).told, "1 dispute-not-returned");
      const won = { outcome: "won", amount_withdrawn: "0.00" };
      expectStatus(await gateway.operator("PATCH", `/operator/disputes/${known}`, won), 200);
      assert.equal((await found(id, "--payout", back)).told, "0 chargeback");
      const { captured, chargebacks, fees, left } = batches[0];
      assert.deepEqual([captured, chargebacks, fees, left], ["14.00", "-14.00", "-15.71", "0.00"]);
    });

    test("where two merchants share the account, each is shown its own findings, and of others' only how many", async () => {
      const other = await newMerchant(gateway, { kind: "stripe", settings: stripeSettings(host.port) });
      const json = sale({ processor_id: other.processors[0], card_number: "4242424242424242", amount: "98.76" });
      const sold = await gateway.call("POST", "/api/transactions/sale", { token: other.token, json });
      const foreign = transactionOf(expectStatus(sold, 200)).id as string;
      const own = await charged(id, "sale", "15.00");
      host.dispute(foreign, {});
      const paidOut = host.payOut("usd");
      const changed = (all: BalanceTransaction[]) => {
        const at = all.findIndex(({ amount, type }) => type === "charge" && amount === 1_500);
        const [one] = all.slice(at);
        assert.ok(one);
        all[at] = { ...one, amount: 1_501 };
      };
      const shared = await with_(changed, () => found(id, "--payout", paidOut));
      assert.equal(shared.told, "1 unknown-dispute other-amount", "what the gateway has is not missing");
      assert.ok(shared.sums.others >= 1);
      assert.ok(!(await gateway.operator("GET", `/operator/reconciliations/${shared.run}`)).text.includes(foreign));
      // As if it was made with another gateway.
      await gateway.pool`delete from transactions where id = ${foreign}`;
      const { run } = await with_(changed, () => found(id, "--payout", paidOut));
      const all = (await gateway.operator("GET", `/operator/reconciliations/${run}`)).text;
      for (const word of [foreign, "98.76", `"missing-here"`]) assert.ok(all.includes(word), word);
      const { text, body } = await gateway.get(`/api/reconciliations/${run}`);
      const listed = await gateway.get("/api/reconciliations");
      for (const word of [foreign, "98.76", "113.77", "missing-here"])
        for (const shown of [text, listed.text]) assert.ok(!shown.includes(word), word);
      const { counts, sums, batches, file } = body.reconciliation;
      assert.deepEqual([batches, file, counts.differences, counts.chargebacks, counts.withheld], [[], null, 1, 0, 3]);
      assert.deepEqual(sums, [{ finding: "other-amount", currency: "USD", count: 1, here: "15.00", there: "15.01" }]);
      assert.deepEqual([body.meta.total, ...body.findings.map(({ transaction_id }: Json) => transaction_id)], [1, own]);
      assert.deepEqual(listed.body.reconciliations[0], body.reconciliation);
    });

    test("a list in a file is compared as well; one that was cut off is none", async () => {
      const url = `http://127.0.0.1:${host.port}/v1/balance_transactions?limit=1000&payout=${payout}`;
      const headers = { authorization: `Bearer ${SECRET_KEY}`, "stripe-version": "2026-10-28.endive" };
      const text = await (await fetch(url, { headers })).text();
      assert.equal((await found(id, fileOf(text))).told, "0");
      const { code, stdout, stderr } = await reconcile(id, fileOf(text.slice(0, -10)));
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, /report-\d+\.csv is not a settlement report: it is not JSON, or was cut off\n$/);
    });

    test("what cannot be asked is said in one line with exit code 2", async () => {
      (host.account as { secretKey: string }).secretKey = "sk_test_another0";
      const denied = await reconcile(id, "--day", day);
      (host.account as { secretKey: string }).secretKey = SECRET_KEY;
      for (const [{ code, stdout, stderr }, why] of [
        [denied, /^error: Stripe gives none: HTTP 401 [^\n]*\n$/],
        [
          await reconcile(id),
          /^error: name a file, or give --day or --payout to fetch the report from the processor\n$/,
        ],
        [await reconcile(id, "--day", day, "--payout", payout), /^error: give either --day or --payout\n$/],
        [
          await reconcile(id, fileOf(""), "--payout", payout),
          /^error: --payout fetches the report from the processor: leave out the file\n$/,
        ],
      ] as const) {
        assert.deepEqual([code, stdout], [2, ""]);
        assert.match(stderr, why);
      }
    });

    test("a 429 and a broken connection on the way are asked again", async () => {
      host.misbehave({ what: "too-many", on: ["look"], times: 1 });
      host.misbehave({ what: "disconnect-after", on: ["look"], times: 1 });
      assert.equal((await found(id, "--payout", payout)).told, "0");
      host.behave();
    });
  });

  describe("at Adyen", () => {
    let host: AdyenHost;
    let id: string;
    let report: string;
    before(async () => {
      host = await testAdyenHost();
      const settings = { ...ACCOUNT, base_url: host.baseUrl, capture_delay_hours: 0, multiple_captures: true };
      id = await merchantOf(gateway).processor({ kind: "adyen", settings: { ...settings, timeout_ms: 5_000 } });
      host.webhooks.url = `${gateway.url}/notifications/${id}`;
      const sold = await charged(id, "sale", "10.00", "4111111111111111");
      await charged(id, "sale", "11.00", "4111111111111111");
      await follow(sold, "refund", 202, { amount: "4.00" });
      const held = await charged(id, "auth", "20.00", "4111111111111111");
      await follow(held, "capture", 202, { amount: "5.00" });
      await follow(held, "capture", 202, { amount: "7.00" });
      const ended = async () => (await gateway.operator("GET", "/operator/unresolved")).body.meta.total === 0;
      await until("all have their end", ended);
      report = await host.payOut();
      await dayIsOver();
    });
    after(() => host.stop());

    const having = (word: string, change: (line: string) => string | string[]): string =>
      report
        .split("\n")
        .flatMap((line, index) => (index > 0 && line.includes(word) ? change(line) : [line]))
        .join("\n");

    test("the report of a batch agrees, each capture under its own name, and leaves nothing with its payout", async () => {
      const { told, sums, batches } = await found(id, "--day", day, fileOf(report));
      assert.equal(told, "0");
      assert.deepEqual([sums.lines, sums.compared, sums.others], [7, 5, 0]);
      assert.deepEqual(batches, [
        {
          ...{
            batch_id: "1",
            currency: "USD",
            captured: "33.00",
            refunded: "-4.00",
            undone: "0.00",
            chargebacks: "0.00",
          },
          ...{ fees: "-0.58", payouts: "-28.42", reserves: "0.00", other: "0.00", left: "0.00" },
        },
      ]);
    });

    test("what is put into it is told: lines that are gone, doubled, changed, cut off or nobody's", async () => {
      const refund = ",Refunded,";
      for (const [what, text, told, differences] of [
        ["gone", having(refund, () => []), "1", 1],
        ["doubled", having(refund, (line) => [line, line]), "1 reported-twice", 1],
        ["another amount", having(refund, (line) => line.replace(",4.00,", ",4.01,")), "1 other-amount", 1],
        ["another currency", having(refund, (line) => line.replace("USD", "EUR")), "1 other-currency", 1],
        ["another's", having(refund, (line) => line.replace("TestMerchant", "OtherMerchant")), "1", 1],
        ["cut off", report.slice(0, report.indexOf(refund) + 20), "2", 1],
        ["a hostile amount", having(refund, (line) => line.replace(",4.00,", ",4e2,")), "2", 1],
      ] as const) {
        const result = await found(id, fileOf(text));
        assert.deepEqual([result.told, result.sums.differences], [told, differences], what);
      }
      const { told, lines } = await found(id, "--day", day, fileOf(having(refund, () => [])));
      assert.equal(told, "1 missing-there");
      assert.deepEqual([lines[0].here.operation, lines[0].here.amount], ["refund", "4.00"]);
    });

    test("an operation that the gateway has not, and a report that is none, are told", async () => {
      const foreign = report.replaceAll(/_[0-9a-f-]{36}_r/g, `_0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77_r`);
      assert.equal((await found(id, fileOf(foreign))).told, "1 missing-here");
      for (const [given, why] of [
        [[fileOf("")], /is not a settlement report: it is empty\n$/],
        [[fileOf("a,b\n1,2\n")], /names the columns, and lacks Merchant Account, Psp Reference/],
        [["--day", day], /^error: name the file: reports of the kind adyen cannot be fetched\n$/],
      ] as const) {
        const { code, stdout, stderr } = await reconcile(id, ...given);
        assert.deepEqual([code, stdout], [2, ""]);
        assert.match(stderr, why);
      }
    });
  });
});
