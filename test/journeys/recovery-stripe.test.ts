// A database that is put back to a moment in the past, and an account at Stripe in which more was done since: Stripe is asked, and what was
// lost is adopted under its own names.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Host } from "../../hosts/stripe/host.ts";
import { stripeSettings, testHost } from "../conformance/stripe-subject.ts";
import { findingsIn, isReplay, type Json, Restored } from "./recovery.fixture.ts";

const VISA = { card_number: "4242424242424242" };
const DECLINED = { card_number: "4000000000000002" };

describe("an account at Stripe, after a restore", () => {
  let restored: Restored;
  let host: Host;
  let processor: string;
  const made: Record<string, Json> = {};

  before(async () => {
    restored = await Restored.open();
    await restored.start();
    host = await testHost();
    processor = await restored.record("stripe", { ...stripeSettings(host.port), timeout_ms: 9_000 });
    const charge = async (name: string, path: "sale" | "auth", amount: string, over: Json = VISA) => {
      made[name] = await restored.charge(path, processor, amount, `order "${name}"`, over);
      return made[name].id as string;
    };
    const kept = await charge("kept", "sale", "10.00");
    const held = await charge("held", "auth", "20.00");
    const released = await charge("released", "auth", "21.00");
    await restored.follow(await charge("voided before", "auth", "22.00"), "void");
    host.misbehave({ what: "delay", on: ["confirm"], ms: 4_000, times: 1 });
    const answered = charge("open", "sale", "11.00");
    await sleep(700);
    await restored.database.backUp("T");
    await answered;
    await charge("lost", "sale", "12.00");
    await restored.follow(await charge("refunded", "sale", "13.00"), "refund", { amount: "3.00" });
    await restored.follow(await charge("captured", "auth", "30.00"), "capture", { amount: "25.00" });
    await charge("authorized", "auth", "31.00");
    await restored.follow(await charge("voided", "auth", "14.00"), "void");
    await charge("declined", "sale", "15.00", DECLINED);
    await restored.follow(held, "capture", { amount: "20.00" });
    await restored.follow(released, "void");
    await restored.follow(kept, "refund", { amount: "4.00" });
    for (const [name, { id }] of Object.entries(made)) made[name] = await restored.find(id);
    await restored.restore("T");
  });
  after(async () => {
    await restored.close();
    await host.stop();
  });

  const compare = (...more: string[]) => restored.faregate("recovery", "compare", "--processor", processor, ...more);
  const adopt = (...more: string[]) =>
    restored.faregate("recovery", "adopt", "--processor", processor, "--from-books", ...more);

  it("a comparison finds what is open and what was lost, and asks Stripe for it", async () => {
    const compared = await compare("--json");
    assert.equal(compared.code, 3, compared.stderr);
    const findings = findingsIn(compared);
    const of = (kind: string) =>
      findings
        .filter((one) => one.kind === kind)
        .map(({ operation, amount }) => `${operation} ${amount}`)
        .sort();
    assert.deepEqual(of("open-booked"), ["sale 11.00"]);
    assert.deepEqual(of("lost"), [
      ...["auth 30.00", "auth 31.00", "capture 20.00", "capture 25.00", "refund 3.00", "refund 4.00"],
      ...["sale 12.00", "sale 13.00", "void 21.00"],
    ]);
    const { totals } = findings.at(-1);
    assert.deepEqual([totals.lost_declined, totals.lost_reversed, totals.broken], [1, 1, 0]);
    assert.equal(findings.length, 11);
  });

  it("all of it comes back, once, under its own ids", async () => {
    const done = await adopt("--yes");
    assert.equal(done.code, 0, done.stderr + done.stdout);
    assert.equal((await adopt("--yes")).code, 0);
    const again = await compare();
    assert.equal(again.code, 0, again.stdout);
    const facts = (one: Json) => ({
      ...{ order: one.merchant_transaction_id, brand: one.card_brand, last: one.card_number.slice(-4) },
      ...{ month: one.card_expiry_month, year: one.card_expiry_year, actions: one.actions },
      events: one.events.map((event: Json) => [event.event_type, event.amount, event.success, event.auth_code]),
    });
    for (const [name, before] of Object.entries(made)) {
      if (name === "declined" || name === "voided") continue;
      assert.deepEqual(facts(await restored.find(before.id)), facts(before), name);
    }
  });

  it("after the release what is repeated with its key is not done again: charges, captures and refunds of a part", async () => {
    await restored.release();
    for (const [name, path, amount] of [
      ["lost", "sale", "12.00"],
      ["captured", "auth", "30.00"],
      ["open", "sale", "11.00"],
    ] as const) {
      const again = await restored.chargeAgain(path, processor, amount, `order "${name}"`, VISA);
      assert.ok(isReplay(again), `${name}: ${again.status} ${again.text}`);
      assert.equal(again.body.transaction.id, made[name].id);
    }
    for (const [name, type, amount] of [
      ["refunded", "refund", "3.00"],
      ["kept", "refund", "4.00"],
      ["captured", "capture", "25.00"],
    ] as const) {
      const again = await restored.followAgain(made[name].id, type, { amount });
      assert.ok(isReplay(again), `${name}: ${again.status} ${again.text}`);
      const [first] = again.body.transaction.events;
      assert.deepEqual([first.event_type, first.success, first.amount], [type, true, amount], name);
    }
    const key = `refund 3.00 of ${made.refunded.id}`;
    assert.equal((await restored.followAgain(made.refunded.id, "refund", { amount: "2.00" }, key)).status, 422);
    const left = (name: string) => host.ledger.state.balance(made[name]?.id);
    assert.deepEqual(["lost", "captured", "refunded", "kept"].map(left), [1200, 3000, 1000, 600]);
  });

  it("after the release follow-ups find their payments, and nothing is taken back", async () => {
    await restored.follow(made.open?.id, "refund", { amount: "1.00" });
    await restored.follow(made.lost?.id, "void");
    await restored.follow(made.refunded?.id, "reversal");
    await restored.follow(made.captured?.id, "refund", { amount: "5.00" });
    await restored.follow(made.authorized?.id, "capture");
    await restored.follow(made.held?.id, "refund");
    const left = (name: string) => host.ledger.state.balance(made[name]?.id);
    assert.deepEqual(
      ["open", "lost", "refunded", "captured", "authorized", "held", "kept", "released"].map(left),
      [1000, 0, 0, 2500, 3100, 0, 600, 0],
    );
    const last = await compare();
    assert.equal(last.code, 0, last.stdout);
  });
});
