// A database that was put back to a moment in the past, and no gateway has noticed: the commands that an operator types begin recovery mode
// themselves, and say so.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Host } from "../../hosts/stripe/host.ts";
import { stripeSettings, testHost } from "../conformance/stripe-subject.ts";
import { findingsIn, isReplay, type Json, Restored, until } from "./recovery.fixture.ts";

const VISA = { card_number: "4242424242424242" };
const BEGUN = /No gateway had noticed .* Recovery mode has begun: gateways charge nothing until/;

describe("a restore that no gateway has noticed", () => {
  let restored: Restored;
  let host: Host;
  let processor: string;
  let lost: Json;
  let putBackTo: string;

  before(async () => {
    restored = await Restored.open();
    await restored.start();
    host = await testHost();
    processor = await restored.record("stripe", { ...stripeSettings(host.port), timeout_ms: 9_000 });
    await charge("10.00", "kept");
    await restored.database.backUp("T");
    putBackTo = new Date().toISOString();
    await until("sales", sells);
    lost = (await charge("12.00", "lost")).body.transaction;
  });
  after(async () => {
    await restored.close();
    await host.stop();
  });

  const charge = (amount: string, order: string) => restored.chargeAgain("sale", processor, amount, order, VISA);
  const sells = async () => (await restored.chargeAgain("sale", restored.usual, "1.00", "any", {})).status === 200;
  const mode = async () => JSON.parse((await restored.faregate("recovery", "show", "--json")).stdout).recovery;
  const compare = (...more: string[]) => restored.faregate("recovery", "compare", "--processor", processor, ...more);
  const adopt = (...more: string[]) =>
    restored.faregate("recovery", "adopt", "--processor", processor, "--from-books", ...more);
  const putBack = async (timeline: "new" | "same") => {
    await restored.gateway.gateway.close();
    await restored.database.putBack("T", timeline);
  };

  it("a copy of the disk: the gateway sells on, and a comparison says how recovery mode is begun", async () => {
    await putBack("same");
    await restored.start();
    await until("sales", sells);
    const compared = await compare("--json");
    assert.equal(compared.code, 3);
    assert.ok(findingsIn(compared).some(({ kind, amount }) => kind === "unexplained" && amount === "12.00"));
    assert.match(compared.stderr, /nothing counts as lost.*faregate recovery begin/);
    assert.equal((await mode()).mode, "normal");
  });

  it("what names nothing that could be adopted does not stop the gateways", async () => {
    const unknown = ["0193e5b9-0000-7000-8000-000000000000", "--outcome", "approved", "--evidence", "page 3"];
    assert.match((await restored.faregate("recovery", "adopt", ...unknown)).stderr, /there is no operation/);
    const [kept] = (await restored.gateway.get("/api/transactions")).body.transactions.slice(-1);
    const ended = [kept.events[0].id, "--outcome", "declined", "--evidence", "page 3"];
    assert.match((await restored.faregate("recovery", "adopt", ...ended)).stderr, /has its outcome/);
    const nothing = [
      "--type",
      "sale",
      "--amount",
      "x",
      "--reference",
      "pi_1",
      "--at",
      putBackTo,
      "--evidence",
      "page 3",
    ];
    assert.equal((await restored.faregate("recovery", "adopt", "--processor", processor, ...nothing)).code, 2);
    assert.equal((await mode()).mode, "normal");
    assert.ok(await sells());
  });

  it("a plan says that recovery mode begins with --yes, and with it that is so before anything is adopted", async () => {
    const plan = await adopt("--from", putBackTo);
    assert.equal(plan.code, 3);
    assert.match(plan.stdout, /To be adopted:[\s\S]*12\.00 USD/);
    assert.match(plan.stderr, /not in recovery mode.*with --yes, recovery mode begins first/);
    assert.equal((await mode()).mode, "normal");
    const done = await adopt("--from", putBackTo, "--yes");
    assert.deepEqual([done.code, BEGUN.test(done.stderr)], [0, true], done.stderr + done.stdout);
    assert.match(done.stdout, /^1 operations are on record/);
    const shown = await mode();
    assert.equal(shown.mode, "recovery");
    assert.match(shown.reason, /an operator says that the database is older than it was/);
    assert.equal(await sells().catch(() => false), false);
    assert.equal((await adopt("--from", putBackTo, "--yes")).stderr.includes("begun"), false);
    const again = await restored.faregate("recovery", "begin", "--evidence", "again");
    assert.match(again.stderr, /in recovery mode already/);
    await restored.release();
    const repeated = await charge("12.00", "lost");
    assert.deepEqual([isReplay(repeated), repeated.body.transaction.id], [true, lost.id]);
    assert.equal(host.ledger.state.balance(lost.id), 1200);
  });

  it("another history and no gateway that runs: a comparison begins recovery mode, as the first gateway would", async () => {
    await putBack("new");
    // Until the gateway that was backed up with it counts as dead.
    await sleep(4_500);
    const compared = await compare("--json");
    assert.deepEqual([compared.code, /Recovery mode has begun/.test(compared.stderr)], [3, true], compared.stderr);
    assert.ok(findingsIn(compared).some(({ kind, amount }) => kind === "lost" && amount === "12.00"));
    assert.equal((await adopt("--yes")).code, 0);
    await restored.start();
    assert.equal(await sells().catch(() => false), false);
    await restored.release();
    assert.ok(isReplay(await charge("12.00", "lost")));
  });

  it("an operator begins it by hand, and says since when something is missing", async () => {
    await putBack("same");
    await restored.start();
    await until("sales", sells);
    const wrong = await restored.faregate("recovery", "begin", "--evidence", "disk", "--lost-since", "yesterday");
    assert.equal(wrong.code, 2);
    const begun = await restored.faregate("recovery", "begin", "--evidence", "disk of T", "--lost-since", putBackTo);
    assert.deepEqual(
      [begun.code, begun.stdout],
      [0, "Recovery mode has begun: gateways charge nothing until faregate recovery release.\n"],
    );
    assert.equal(await sells().catch(() => false), false);
    const shown = await mode();
    assert.equal(Date.parse(shown.newest_operation_at), Math.floor(Date.parse(putBackTo) / 1000) * 1000);
    assert.equal((await adopt("--yes")).code, 0);
    await restored.release();
    assert.ok(isReplay(await charge("12.00", "lost")));
  });
});
