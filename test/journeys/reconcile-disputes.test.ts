// What an Adyen host's settlement report says of disputes and of its own sums, compared by the command line: as the webhooks had told it,
// and with everything that could be wrong put into it.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import { Concealed } from "../../src/settings.ts";
import { faregate } from "../command-line.ts";
import { ACCOUNT, testAdyenHost } from "../conformance/adyen-subject.ts";
import { until } from "../receiver.ts";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, merchantOf, NOBODY, sale, transactionOf } from "./merchant.fixture.ts";

const secret = randomBytes(32);
const OTHER_EVENT = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";

describe("a settlement report with a dispute", () => {
  let gateway: Gateway;
  let host: AdyenHost;
  let folder: string;
  let processor: string;
  let transaction: string;
  let report: string;
  before(async () => {
    gateway = await startTestGateway({ secret: new Concealed(secret) });
    host = await testAdyenHost();
    folder = mkdtempSync(join(tmpdir(), "faregate-disputes-"));
    const settings = { ...ACCOUNT, base_url: host.baseUrl, capture_delay_hours: 0, timeout_ms: 5_000 };
    processor = await merchantOf(gateway).processor({ kind: "adyen", currency: "EUR", settings });
    host.webhooks.url = `${gateway.url}/notifications/${processor}`;
    transaction = await sold("100.00");
    await sold("50.00");
    await disputed(transaction, { step: "open" });
    report = await host.payOut();
  });
  after(async () => {
    await gateway.close();
    await host.stop();
    rmSync(folder, { recursive: true });
  });

  async function sold(amount: string): Promise<string> {
    const json = sale({ processor_id: processor, card_number: "4111111111111111", amount });
    const { id } = transactionOf(expectStatus(await gateway.post("/api/transactions/sale", json), 200));
    return id as string;
  }
  const disputesOf = async (id: string): Promise<Json[]> =>
    (await gateway.operator("GET", `/operator/disputes?transaction_id=${id}`)).body.disputes;
  async function disputed(id: string, step: Parameters<AdyenHost["dispute"]>[1]): Promise<void> {
    const before = JSON.stringify(await disputesOf(id));
    await host.dispute(id, step);
    await until("it is known", async () => JSON.stringify(await disputesOf(id)) !== before);
    await host.webhooks.arrived();
    const waiting = async () => (await gateway.operator("GET", "/operator/notifications?result=waiting")).body;
    await until("all is applied", async () => ((await waiting()).meta?.total ?? 0) === 0);
  }
  function run(...parameters: string[]) {
    const { host, port, user, password, database } = gateway.address;
    const DATABASE_URL = `postgres://${user}:${password}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`;
    const environment = { DATABASE_URL, FAREGATE_MODE: "sandbox", FAREGATE_SECRET: secret.toString("base64") };
    return faregate(environment, ...parameters);
  }
  const fileOf = (text: string): string => {
    const file = join(folder, "report.csv");
    writeFileSync(file, text);
    return file;
  };
  /** `1 unknown-dispute`: the exit code and what was found. */
  async function found(text: string) {
    const { code, stdout, stderr } = await run("reconcile", "--processor", processor, fileOf(text), "--json");
    const lines = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
    return { told: [code, ...lines.slice(0, -1).map(({ finding }) => finding)].join(" "), lines, stderr };
  }
  const having = (word: string, change: (line: string) => readonly string[]): string =>
    report
      .split("\n")
      .flatMap((line, index) => (index > 0 && line.includes(word) ? change(line) : [line]))
      .join("\n");
  const column = (name: string): number => (report.split("\n")[0] ?? "").split(",").indexOf(name);
  const setting = (line: string, fields: Readonly<Record<string, string>>): string => {
    const cells = line.split(",");
    for (const [name, value] of Object.entries(fields)) cells[column(name)] = value;
    return cells.join(",");
  };
  const CHARGEBACK = ",Chargeback,";
  const disputing = (fields: Readonly<Record<string, string>>) => having(CHARGEBACK, (line) => [setting(line, fields)]);
  const also = (fields: Readonly<Record<string, string>>) =>
    having(CHARGEBACK, (line) => [line, setting(line, fields)]);
  const first = (fields: Readonly<Record<string, string>>) => {
    let done = false;
    return having(",Settled,", (line) => {
      if (done || !line.includes(",100.00,")) return [line];
      done = true;
      return [setting(line, fields)];
    });
  };

  test("agrees with what the webhooks told, and leaves nothing", async () => {
    const [unread] = await disputesOf(transaction);
    assert.deepEqual([unread?.fee, unread?.fee_currency], [null, null]);
    const { told, lines, stderr } = await found(report);
    assert.equal(told, "0 chargeback");
    assert.match(stderr, /Added to the ledger: 1 fee of disputes\./);
    const again = await found(report);
    assert.deepEqual([again.told, again.stderr.includes("Added")], ["0 chargeback", false]);
    const [{ there, here, dispute_id }] = lines;
    const [dispute] = await disputesOf(transaction);
    assert.deepEqual(
      [there.amount, there.net, here.operation, here.amount],
      ["-100.00", "-115.00", "dispute", "100.00"],
    );
    assert.equal(dispute_id, dispute?.id);
    assert.deepEqual([dispute?.fee, dispute?.fee_currency], ["15.00", "EUR"]);
    const { chargebacks, fees, left } = lines.at(-1).batches[0];
    assert.deepEqual([chargebacks, fees, left], ["-100.00", "-16.75", "0.00"]);
  });

  const NONE = { "Gross Debit (GC)": "", "Gross Credit (GC)": "", "Net Debit (NC)": "", "Net Credit (NC)": "" };
  test("a chargeback that is not as on record is told by its own name", async () => {
    const another = { "Modification Reference": "D000000000000ZZZ" };
    // Those that leave the batch in balance are no difference by that alone.
    for (const [what, text, told] of [
      ["an unknown one", disputing(another), "1 unknown-dispute"],
      ["two for one payment", also(another), "1 chargeback unknown-dispute"],
      ["two under one name", also({ Type: "SecondChargeback" }), "1 chargeback dispute-doubled"],
      ["the same line twice", also({}), "1 reported-twice chargeback"],
      [
        "250.00 on a payment of 100.00",
        disputing({ "Gross Debit (GC)": "250.00", "Net Debit (NC)": "265.00" }),
        "1 dispute-exceeds-payment",
      ],
      [
        "another amount",
        disputing({ "Gross Debit (GC)": "90.00", "Net Debit (NC)": "105.00" }),
        "1 dispute-other-amount",
      ],
      [
        "of a payment that does not exist",
        disputing({ "Merchant Reference": `${NOBODY}_${OTHER_EVENT}_s` }),
        "1 dispute-of-no-payment",
      ],
      ["whose payment is named by its dispute alone", disputing({ "Merchant Reference": "order 7" }), "0 chargeback"],
      [
        "unknown, and of a payment that was made elsewhere",
        disputing({ "Merchant Reference": "order 7", ...another }),
        "1 unknown-dispute",
      ],
      [
        "in another currency",
        disputing({ "Gross Currency": "USD", "Exchange Rate": "", "Commission (NC)": "" }),
        "1 dispute-other-currency",
      ],
      [
        "given back, and not on record",
        also({
          ...NONE,
          Type: "ChargebackReversed",
          "Gross Credit (GC)": "100.00",
          "Net Credit (NC)": "100.00",
          "Commission (NC)": "0.00",
        }),
        "1 chargeback dispute-not-returned",
      ],
      ["that brings money", disputing({ "Net Debit (NC)": "", "Net Credit (NC)": "85.00" }), "1 wrong-sign chargeback"],
    ] as const)
      assert.equal((await found(text)).told, told, what);
  });

  test("a line that does not add up is told by its own name", async () => {
    for (const [what, text, told] of [
      ["net above gross", first({ "Net Credit (NC)": "101.00", "Commission (NC)": "" }), "1 wrong-sum chargeback"],
      [
        "net above gross by a fee below zero",
        first({ "Net Credit (NC)": "101.00", "Commission (NC)": "-1.00" }),
        "1 wrong-sum chargeback",
      ],
      [
        "a negative net",
        first({ "Net Credit (NC)": "", "Net Debit (NC)": "5.00", "Commission (NC)": "105.00" }),
        "1 wrong-sign chargeback",
      ],
      ["a fee that is not in it", first({ "Net Credit (NC)": "90.00" }), "1 wrong-sum chargeback"],
      [
        "an unknown type that takes 90.00",
        also({ ...NONE, Type: "Whatever", "Psp Reference": "", "Merchant Reference": "", "Net Debit (NC)": "90.00" }),
        "1 unaccounted chargeback",
      ],
      [
        "a correction of our payment",
        also({ Type: "DepositCorrection", ...NONE, "Net Debit (NC)": "90.00" }),
        "1 unaccounted chargeback",
      ],
      [
        "exchanged at another rate than it says",
        first({
          "Net Currency": "USD",
          "Exchange Rate": "1.10",
          "Net Credit (NC)": "99.00",
          "Commission (NC)": "1.00",
        }),
        "1 wrong-sum chargeback",
      ],
      [
        "a reserve that the payout does not know of",
        also({
          ...NONE,
          Type: "ReserveAdjustment",
          "Psp Reference": "",
          "Merchant Reference": "",
          "Net Debit (NC)": "90.00",
        }).replace("", ""),
        "1 chargeback",
      ],
      ["a cost in words", first({ "Commission (NC)": "one" }), "2 chargeback"],
      ["an amount with thousands", first({ "Gross Credit (GC)": "1'000.00" }), "2 chargeback"],
    ] as const)
      assert.equal((await found(text)).told, told, what);
  });

  test("people are told what to do, and the exit code is 1", async () => {
    const text = disputing({ "Modification Reference": "D000000000000ZZZ" });
    const { code, stdout } = await run("reconcile", "--processor", processor, fileOf(text));
    assert.equal(code, 1);
    assert.match(stdout, /^unknown-dispute .*-100\.00 EUR/m);
    assert.match(stdout, /\nWhat to do:\nunknown-dispute: [^\n]*faregate dispute create\.\n/);
  });

  test("of which the ledger has a line for what was taken, and one for what came back", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const ledger = async () => {
      const { stdout } = await run("ledger", "--merchant", gateway.sandbox.merchant_id, "--from", today, "--to", today);
      return stdout
        .split("\n")
        .flatMap((line) => (/,(chargeback|dispute_fee),/.test(line) ? [line.split(",").slice(3, 7).join()] : []));
    };
    const before = ["chargeback,false,EUR,-100.00", "dispute_fee,false,EUR,-15.00"];
    assert.deepEqual(await ledger(), before);
    await disputed(transaction, { step: "win" });
    assert.deepEqual(await ledger(), [...before, "chargeback,true,EUR,100.00"]);
    assert.equal((await found(await host.payOut())).told, "0 chargeback");
    assert.deepEqual(await ledger(), [...before, "chargeback,true,EUR,100.00"]);
    // The same report in which the fee is given back, under the name of a line of its own.
    const returned = {
      ...NONE,
      Type: "ChargebackReversed",
      "Gross Credit (GC)": "100.00",
      "Net Credit (NC)": "115.00",
    };
    const { stderr } = await found(also({ ...returned, "Commission (NC)": "-15.00" }));
    assert.match(stderr, /Added to the ledger: 1 fee of disputes\./);
    assert.deepEqual(await ledger(), [...before, "chargeback,true,EUR,100.00", "dispute_fee,true,EUR,15.00"]);
    const [dispute] = await disputesOf(transaction);
    assert.deepEqual([dispute?.fee, dispute?.fee_currency], ["0.00", "EUR"]);
  });
});
