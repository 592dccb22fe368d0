// A gateway that is killed while a payer comes back from a challenge: nobody knows whether the result was asked for, and the charge ends once
// all the same.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { stripeSettings, testHost } from "../conformance/stripe-subject.ts";
import { kill, startProcess } from "./crash.fixture.ts";
import { expectStatus, merchantOf, sale, transactionOf } from "./merchant.fixture.ts";
import { choose, comeBack, toChallenge } from "./payer.fixture.ts";
import { usedFolder } from "./used-folder.ts";

test("after kill -9 between the return and the end, the next return ends it, and money moved once", async (t) => {
  const folder = await usedFolder(t);
  const host = await testHost();
  t.after(() => host.stop());
  const first = await startProcess(t, folder);
  const settings = { ...stripeSettings(host.port), timeout_ms: 60_000 };
  const processor_id = await merchantOf(first).processor({ kind: "stripe", settings });
  const over = {
    processor_id,
    card_number: "4000002760003184",
    amount: "10.00",
    return_url: "http://127.0.0.1:9/paid",
  };
  const headers = { "idempotency-key": "challenge" };
  const told = expectStatus(await first.post("/api/transactions/sale", sale(over), { headers }), 202);
  const { id, checkout_url } = transactionOf(told);
  const address = await choose(await toChallenge(checkout_url), "pass");
  // The answer to the question about the result comes after the gateway is gone.
  host.misbehave({ what: "delay-after", ms: 5_000, on: ["look"], times: 1 });
  const returning = comeBack(address).catch(() => "broken off");
  await sleep(1_000);
  kill(first.pid);
  assert.equal(await returning, "broken off");

  const second = await startProcess(t, folder);
  const again = await second.post("/api/transactions/sale", sale(over), { headers });
  assert.deepEqual([again.status, again.text], [202, told.text], "the same 202");
  const here = new URL(address);
  const back = await comeBack(`${second.url}${here.pathname}${here.search}`);
  const { events } = await merchantOf(second).found(id);
  assert.deepEqual([events.length, events[0].success], [1, true]);
  assert.equal(back.searchParams.get("status"), events[0].status);
  assert.equal(host.ledger.state.balance(id), 1000);
});

test("after kill -9 before the challenge was written, the caller got none, and the charge is taken back", async (t) => {
  const folder = await usedFolder(t);
  const host = await testHost();
  t.after(() => host.stop());
  const first = await startProcess(t, folder);
  const settings = { ...stripeSettings(host.port), timeout_ms: 60_000 };
  const processor_id = await merchantOf(first).processor({ kind: "stripe", settings });
  const over = { processor_id, card_number: "4000002760003184", return_url: "http://127.0.0.1:9/paid" };
  const headers = { "idempotency-key": "unwritten" };
  host.misbehave({ what: "delay-after", ms: 5_000, on: ["confirm"], times: 1 });
  const asking = first.post("/api/transactions/sale", sale(over), { headers }).catch(() => "broken off");
  await sleep(1_000);
  kill(first.pid);
  assert.equal(await asking, "broken off");

  const second = await startProcess(t, folder);
  for (;;) {
    const answer = await second.post("/api/transactions/sale", sale(over), { headers });
    if (answer.status === 409) await sleep(200);
    else {
      const { events, checkout_url } = transactionOf(expectStatus(answer, 200));
      assert.deepEqual([events[0].status, events[0].decline_category], ["declined", "authentication-required"]);
      assert.equal(checkout_url, null);
      break;
    }
  }
  const canceled = () => [...host.ledger.state.payments.values()].every(({ status }) => status === "canceled");
  for (let waited = 0; !canceled(); waited += 100) {
    assert.ok(waited < 60_000, "it was never canceled");
    await sleep(100);
  }
});
