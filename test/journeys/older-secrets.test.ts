// A database of a version that stored secrets as they were: a gateway that starts on it seals them and goes on with its sales. In live
// mode it does not start without a master key, and says why.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import pino from "pino";
import { startGateway } from "../../src/gateway-process.ts";
import { Concealed, type Settings } from "../../src/settings.ts";
import { SECRET_KEY, stripeSettings, testHost } from "../conformance/stripe-subject.ts";
import { freshDatabase } from "../database.ts";
import { callers } from "./gateway.ts";
import { expectStatus, sale } from "./merchant.fixture.ts";
import { tablesThatShow } from "./traces.fixture.ts";

test("secrets of an older version are sealed at the next start, and sales go on", async (t) => {
  const [database, host] = await Promise.all([freshDatabase(), testHost()]);
  const dataFolder = mkdtempSync(join(tmpdir(), "faregate-older-"));
  t.after(async () => {
    await Promise.all([database.drop(), host.stop()]);
    rmSync(dataFolder, { recursive: true });
  });
  const settings: Settings = {
    ...{ host: "127.0.0.1", port: 0, mode: "sandbox", databaseUrl: undefined, dataFolder, trustProxy: [] },
    ...{ rateLimitPerMinute: 0, failedAuthenticationsPerMinute: 0, logLevel: "silent" },
    secret: new Concealed(randomBytes(32)),
  };
  const lent = { address: database.address, pool: database.pool, place: "", close: async () => undefined };
  const start = (over: Partial<Settings> = {}) =>
    startGateway({ ...settings, ...over }, pino({ level: "silent" }), {}, lent);
  const started = async () => {
    const gateway = await start();
    const { api_token = "", operator_token = "", merchant_id } = gateway.sandbox ?? {};
    return { ...gateway, ...callers(gateway.url, api_token, operator_token), merchant_id };
  };

  const first = await started();
  const record = { name: "Stripe", kind: "stripe", currency: "USD", settings: stripeSettings(host.port) };
  const created = await first.operator("POST", `/operator/merchants/${first.merchant_id}/processors`, record);
  const { id: processor_id } = expectStatus(created, 201).body.processor;
  await first.close();
  await database.pool`
    update processors set settings = ${database.pool.json(record.settings)}, sealed_settings = '{}' where id = ${processor_id}`;
  assert.deepEqual(await tablesThatShow(database.pool, SECRET_KEY), ["processors"]);

  await assert.rejects(start({ mode: "live" }), {
    name: "StartFault",
    message: new RegExp(`^Processor ${processor_id} has secrets among its settings, and that needs a master key: set `),
  });
  for (const nth of ["first", "second"]) {
    const gateway = await started();
    assert.deepEqual(await tablesThatShow(database.pool, SECRET_KEY), [], `${nth} start`);
    const body = sale({ processor_id, card_number: "4242424242424242", amount: "10.00" });
    expectStatus(await gateway.post("/api/transactions/sale", body), 200);
    await gateway.close();
  }
});
