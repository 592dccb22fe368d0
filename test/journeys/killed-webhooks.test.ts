// A gateway that is killed with webhooks in flight and webhooks not yet looked at: the next start on the same data delivers
// every one of them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startReceiver, verifies } from "../receiver.ts";
import { kill, startProcess, until } from "./crash.fixture.ts";
import { expectStatus, sale } from "./merchant.fixture.ts";
import { usedFolder } from "./used-folder.ts";

const SALES = 30;

test("whatever was answered to the merchant is told to its server, also after kill -9", async (t) => {
  const folder = await usedFolder(t);
  const shop = await startReceiver();
  t.after(shop.close);
  // Nothing that the first gateway sends is ever answered.
  shop.answer = () => undefined;
  const first = await startProcess(t, folder);
  const path = `/operator/merchants/${first.sandbox.merchant_id}/webhooks`;
  const input = { url: shop.url, event_types: ["transaction.sale.succeeded"] };
  const { secret } = expectStatus(await first.operator("POST", path, input), 201).body.webhook;
  const sales = async () => {
    const answers = await Promise.all(
      Array.from({ length: SALES }, () => first.post("/api/transactions/sale", sale())),
    );
    return answers.map((answer) => expectStatus(answer, 200).body.transaction.id as string);
  };
  const early = await sales();
  await shop.got(1);
  const ids = new Set([...early, ...(await sales())]);
  kill(first.pid);
  const before = shop.received.length;
  assert.ok(before < ids.size, "it was killed too late to show anything");

  shop.answer = 204;
  await startProcess(t, folder);
  const told = () => new Set(shop.received.slice(before).map(({ body }) => JSON.parse(body).data.transaction.id));
  await until("all are told", () => told().size === ids.size);
  assert.deepEqual(told(), ids);
  for (const each of shop.received) assert.ok(await verifies(secret, each));
});
