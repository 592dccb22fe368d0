// A gateway that is killed while a processor has its question: one that can be asked is asked what became of it, before
// anything is reversed or repeated.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startToyHost } from "../toy/host.ts";
import { answered, kill, saleAttempt, startProcess, tryOnce, until } from "./crash.fixture.ts";
import { merchantOf, transactionOf } from "./merchant.fixture.ts";
import { usedFolder } from "./used-folder.ts";

test("after kill -9 a sale that the processor approved is approved, and its idempotency key gives that answer", async (t) => {
  const folder = await usedFolder(t);
  const host = await startToyHost();
  t.after(host.close);
  host.conduct("sale", "is silent");
  const first = await startProcess(t, folder, "test/toy/gateway.ts");
  const settings = { base_url: host.url, secret: host.secret, timeout_ms: 60_000 };
  const processor_id = await merchantOf(first).processor({ kind: "toy", settings });
  const sale = saleAttempt({ processor_id });
  const tried = tryOnce(first, sale);
  await until("the processor has booked it", () => host.payments.size === 1);
  kill(first.pid);
  await tried;
  assert.equal(sale.first, undefined, "nobody was told");

  const second = await startProcess(t, folder, "test/toy/gateway.ts");
  const answer = await answered(second, sale);
  const { events } = transactionOf(answer);
  assert.deepEqual([answer.status, events.length, events[0].success], [200, 1, true]);
  assert.deepEqual(host.asked, ["sale", "inquiry"], "it was neither asked for again nor reversed");
});
