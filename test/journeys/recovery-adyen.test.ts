// A database that is put back to a moment in the past, and a merchant account at Adyen: its settlement details report brings back what has
// settled, says what it lacks, and says nothing of the rest.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import { ACCOUNT, testAdyenHost } from "../conformance/adyen-subject.ts";
import { findingsIn, type Json, Restored, until } from "./recovery.fixture.ts";

describe("a merchant account at Adyen, after a restore", () => {
  let restored: Restored;
  let host: AdyenHost;
  let processor: string;
  let report: string;
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
      await restored.gateway.post(`/api/transactions/${id}/${type}`, { amount });
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
    report = join(restored.folder, "settlement.csv");
    writeFileSync(report, await host.payOut());
    await restored.restore("T");
    told();
  });
  after(async () => {
    await restored.close();
    await host.stop();
  });

  const compare = () => restored.faregate("recovery", "compare", "--processor", processor, report, "--json");
  const found = async () => {
    const compared = await compare();
    const findings = findingsIn(compared).slice(0, -1);
    return findings.map(({ kind, operation, amount }) => `${kind} ${operation} ${amount}`).sort();
  };
  const adopt = (...more: string[]) => restored.faregate("recovery", "adopt", "--processor", processor, ...more);

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
    const facts = (one: Json) => ({
      ...{ order: one.merchant_transaction_id, brand: one.card_brand },
      events: one.events.map((event: Json) => [event.event_type, event.amount, event.processor_transaction_id]),
    });
    for (const name of ["open", "refunded", "captured", "kept"])
      assert.deepEqual(facts(await restored.find(made[name].id)), facts(made[name]), name);
  });

  it("after the release nothing is taken back, and a refund finds its payment", async () => {
    await restored.release();
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
