// A database that is put back to a moment in the past, and a merchant account at Adyen: its reports of the day have all that was lost, and its
// settlement details report brings back what has settled, says what it lacks, and says nothing of the rest.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import { ACCOUNT, testAdyenHost } from "../conformance/adyen-subject.ts";
import { findingsIn, isReplay, type Json, Restored, until } from "./recovery.fixture.ts";

describe("a merchant account at Adyen, after a restore", () => {
  let restored: Restored;
  let host: AdyenHost;
  let processor: string;
  let report: string;
  /** Payment accounting and Received payment details. */
  let daily: string[];
  const made: Record<string, Json> = {};

  before(async () => {
    restored = await Restored.open();
    await restored.start();
    host = await testAdyenHost();
    const settings = { ...ACCOUNT, base_url: host.baseUrl, capture_delay_hours: 0, timeout_ms: 9_000 };
    processor = await restored.record("adyen", settings);
    const told = () => {
      host.webhooks.url = `${restored.gateway.gateway.url}/notifications/${processor}`;
    };
    told();
    const charge = async (name: string, path: "sale" | "auth", amount: string) => {
      made[name] = await restored.charge(path, processor, amount, `order "${name}"`);
      return made[name].id as string;
    };
    const done = async (id: string, type: string, amount: string) => {
      await restored.followAgain(id, type, { amount });
      await until(type, async () => (await restored.find(id)).events[0].success === true);
    };
    const kept = await charge("kept", "sale", "10.00");
    host.misbehave({ what: "delay", on: ["payments"], ms: 4_000, times: 1 });
    const answered = charge("open", "sale", "11.00");
    await sleep(500);
    await restored.database.backUp("T");
    await answered;
    await done(await charge("refunded", "sale", "12.00"), "refund", "2.00");
    await done(await charge("captured", "auth", "30.00"), "capture", "25.00");
    await charge("authorized", "auth", "31.00");
    await done(kept, "refund", "4.00");
    for (const [name, { id }] of Object.entries(made)) made[name] = await restored.find(id);
    daily = Object.entries(host.dailyReports()).map(([name, text]) => {
      const file = join(restored.folder, `${name}.csv`);
      writeFileSync(file, text);
      return file;
    });
    report = join(restored.folder, "settlement.csv");
    writeFileSync(report, await host.payOut());
    await restored.restore("T");
    told();
  });
  after(async () => {
    await restored.close();
    await host.stop();
  });

  const compare = (...files: readonly string[]) =>
    restored.faregate("recovery", "compare", "--processor", processor, ...files, "--json");
  const found = async (...files: readonly string[]) => {
    const compared = await compare(...(files.length === 0 ? [report] : files));
    const findings = findingsIn(compared).slice(0, -1);
    return findings.map(({ kind, operation, amount }) => `${kind} ${operation} ${amount}`).sort();
  };
  const adopt = (...more: string[]) => restored.faregate("recovery", "adopt", "--processor", processor, ...more);

  const ALL = [
    ...["lost auth 30.00", "lost auth 31.00", "lost capture 25.00", "lost refund 2.00", "lost refund 4.00"],
    ...["lost sale 12.00", "open-booked sale 11.00"],
  ];

  it("the reports of the day have all of it, and what several of them tell is one operation", async () => {
    assert.deepEqual(await found(...daily), ALL);
    assert.deepEqual(await found(...daily.toReversed(), report), ALL);
    const [, received = ""] = daily;
    const charges = ALL.filter((one) => !/capture|refund/.test(one));
    assert.deepEqual(await found(received), charges);
    const cards = findingsIn(await compare(...daily)).flatMap(({ kind, operation, card_number }) =>
      kind === "lost" && /sale|auth/.test(operation) ? [card_number] : [],
    );
    assert.deepEqual([...new Set(cards)], ["************1111"]);
  });

  it("a file that is none of the reports is refused with what was expected, and reconcile names the one that it needs", async () => {
    const wrong = join(restored.folder, "wrong.csv");
    writeFileSync(wrong, "Date,Amount\n2030-05-15,1.00\n");
    const refused = await compare(wrong);
    assert.equal(refused.code, 2);
    assert.match(
      refused.stderr,
      /does not name the columns of one of Adyen's reports: expected is a Payment accounting report/,
    );
    const [accounting = ""] = daily;
    const reconciled = await restored.faregate("reconcile", "--processor", processor, accounting);
    assert.equal(reconciled.code, 2);
    assert.match(reconciled.stderr, /is a Payment accounting report, which does not say what was paid out/);
  });

  it("what has settled is found; a capture without its authorization lacks that", async () => {
    assert.deepEqual(await found(), [
      ...["lost refund 2.00", "lost refund 4.00", "lost sale 12.00", "lost-incomplete capture 25.00"],
      "open-booked sale 11.00",
    ]);
  });

  it("it is adopted, and the authorization is entered, after which its capture is adopted, too", async () => {
    assert.equal((await adopt("--from-books", report, "--yes")).code, 3);
    assert.deepEqual(await found(), ["lost-incomplete capture 25.00"]);
    const { id, events } = made.captured;
    const entered = await adopt(
      ...["--type", "auth", "--amount", "30.00", "--reference", events[1].processor_transaction_id],
      ...["--at", new Date().toISOString(), "--evidence", "Customer Area", "--transaction", id],
      ...["--merchant-transaction-id", 'order "captured"', "--card", "411111******1111"],
    );
    assert.equal(entered.code, 0, entered.stderr);
    assert.equal((await adopt("--from-books", report, "--yes")).code, 0);
    assert.deepEqual(await found(), []);
    assert.deepEqual(await found(...daily), ["lost auth 31.00"]);
    assert.equal((await adopt("--from-books", ...daily, "--yes")).code, 0);
    assert.deepEqual(await found(...daily, report), []);
    const facts = (one: Json) => ({
      ...{ order: one.merchant_transaction_id, brand: one.card_brand },
      events: one.events.map((event: Json) => [event.event_type, event.amount, event.processor_transaction_id]),
    });
    for (const name of ["open", "refunded", "captured", "kept", "authorized"])
      assert.deepEqual(facts(await restored.find(made[name].id)), facts(made[name]), name);
  });

  it("after the release nothing is taken back, and a refund finds its payment", async () => {
    await restored.release();
    const again = await restored.chargeAgain("sale", processor, "12.00", 'order "refunded"');
    assert.deepEqual([isReplay(again), again.body.transaction?.id], [true, made.refunded.id], again.text);
    const twice = await restored.followAgain(made.refunded.id, "refund", { amount: "2.00" });
    assert.ok(isReplay(twice), twice.text);
    const held = await restored.chargeAgain("auth", processor, "31.00", 'order "authorized"');
    assert.deepEqual([isReplay(held), held.body.transaction?.id], [true, made.authorized.id], held.text);
    const { id } = made.refunded;
    const { status } = await restored.gateway.post(`/api/transactions/${id}/refund`, { amount: "5.00" });
    assert.equal(status, 202);
    await until("the refund", async () => (await restored.find(id)).events[0].success === true);
    assert.deepEqual(
      ["open", "refunded", "captured", "kept"].map((name) => host.balance(made[name].id)),
      [1100, 500, 3000, 600],
    );
  });
});
