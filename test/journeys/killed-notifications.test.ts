// A gateway that is killed between the moment at which a notification is durable and the one at which it is applied: the next
// start on the same data applies it, once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startToyHost } from "../toy/host.ts";
import { type GatewayProcess, kill, startProcess, until } from "./crash.fixture.ts";
import { expectStatus, type Json, merchantOf, sale, transactionOf } from "./merchant.fixture.ts";
import { usedFolder } from "./used-folder.ts";

const TOY_GATEWAY = "test/toy/gateway.ts";

test("what was acknowledged is applied after kill -9, once, and what came after it in its order", async (t) => {
  const folder = await usedFolder(t);
  const host = await startToyHost();
  t.after(host.close);
  const first = await startProcess(t, folder, TOY_GATEWAY, "hangs");
  const settings = { base_url: host.url, secret: host.secret, timeout_ms: 2_000, inquiries: false };
  const processor_id = await merchantOf(first).processor({ kind: "toy", settings });
  const charged = async (path: string, status: number) =>
    transactionOf(expectStatus(await first.post(`/api/transactions/${path}`, sale({ processor_id })), status)).id;
  const send = async (gateway: GatewayProcess, { headers, body }: ReturnType<typeof host.message>) => {
    const url = `${gateway.url}/notifications/${processor_id}`;
    return (await fetch(url, { method: "POST", headers, body: new Uint8Array(body) })).status;
  };
  const resultsOf = async (gateway: GatewayProcess, id: string): Promise<string[]> => {
    const listed = await gateway.operator("GET", `/operator/notifications?transaction_id=${id}`);
    return listed.body.notifications.map(({ kind, result }: Json) => `${kind} ${result}`);
  };
  const statusesOf = async (gateway: GatewayProcess, id: string): Promise<string[]> =>
    (await merchantOf(gateway).found(id)).events.map(({ event_type, status }: Json) => `${event_type} ${status}`);

  const authorized = await charged("auth", 200);
  expectStatus(await first.post(`/api/transactions/${authorized}/capture`), 200);
  const { reference } = host.ofTransaction(authorized, "capture");
  const failure = host.message({ reference, tells: "declined" });
  assert.equal(await send(first, failure), 200);
  assert.equal(await send(first, host.message({ reference, tells: "approved" })), 200);
  host.conduct("sale", "accepts");
  const sold = await charged("sale", 202);
  assert.equal(
    await send(first, host.message({ reference: host.ofTransaction(sold, "sale").reference, tells: "approved" })),
    200,
  );
  kill(first.pid);

  const second = await startProcess(t, folder, TOY_GATEWAY);
  // What the first had begun is leased to it for some seconds by the sandbox's clock.
  const { now } = expectStatus(await second.operator("GET", "/operator/clock"), 200).body;
  const later = new Date(new Date(now).getTime() + 60_000).toISOString();
  expectStatus(await second.operator("POST", "/operator/clock", { now: later }), 200);
  const applied = async (id: string) => (await resultsOf(second, id)).every((one) => !one.endsWith("waiting"));
  await until("all is applied", async () => (await applied(authorized)) && (await applied(sold)));
  assert.equal(await send(second, failure), 200, "the processor sends it again");
  assert.deepEqual((await resultsOf(second, authorized)).sort(), ["failed applied", "succeeded known"]);
  assert.deepEqual(await resultsOf(second, sold), ["succeeded applied"]);
  assert.deepEqual(await statusesOf(second, authorized), ["capture declined", "auth authorized"]);
  assert.deepEqual(await statusesOf(second, sold), ["sale pending_settlement"]);
});
