// The secrets of a record at Stripe, from the operator's request to the database's bytes: sealed there, shown nowhere, opened for
// the question to Stripe alone; rotated while sales go on, and lost.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Host } from "../../hosts/stripe/host.ts";
import { message } from "../../hosts/stripe/webhooks.ts";
import { rotateKeys } from "../../src/cli/rotate-keys.ts";
import { systemClock } from "../../src/clock.ts";
import { masterKeysOf } from "../../src/master-keys.ts";
import { auditKeyOf } from "../../src/merchants/audit-chain.ts";
import { Concealed, readSettings } from "../../src/settings.ts";
import { faregate, faregateProcessReading } from "../command-line.ts";
import { stripeSettings, testHost } from "../conformance/stripe-subject.ts";
import { until } from "../receiver.ts";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, merchantOf, sale, transactionOf } from "./merchant.fixture.ts";
import { tablesThatShow } from "./traces.fixture.ts";

const unique = () => randomBytes(12).toString("hex");
const CARD = { card_number: "4242424242424242", amount: "10.00" };

describe("the secrets of a processor record", () => {
  const masterKey = randomBytes(32);
  const secret = randomBytes(32);
  const [key, webhookSecret] = [`sk_test_${unique()}`, `whsec_${unique()}`];
  const since = Date.now();
  let gateway: Gateway;
  let host: Host;
  let folder: string;
  let id: string;
  before(async () => {
    host = await testHost();
    gateway = await startTestGateway({ masterKeys: new Concealed([masterKey]), secret: new Concealed(secret) });
    folder = mkdtempSync(join(tmpdir(), "faregate-secrets-"));
    id = await merchantOf(gateway).processor({ kind: "stripe", settings: settingsWith(key) });
  });
  after(async () => {
    await gateway.close();
    await host.stop();
    rmSync(folder, { recursive: true });
  });

  function settingsWith(secret_key: string) {
    (host.account as { secretKey: string }).secretKey = secret_key;
    return { ...stripeSettings(host.port), secret_key, webhook_secret: webhookSecret, timeout_ms: 5_000 };
  }
  const sell = (over: Json = {}) =>
    gateway.post("/api/transactions/sale", sale({ ...CARD, processor_id: id, ...over }));
  const sold = async () => transactionOf(expectStatus(await sell(), 200)).events[0].success;
  function environment(masterKeyText = masterKey.toString("base64")): NodeJS.ProcessEnv {
    const { host: run, port, user, password, database } = gateway.address;
    return {
      DATABASE_URL: `postgres://${user}:${password}@localhost/${database}?host=${encodeURIComponent(run)}&port=${port}`,
      FAREGATE_MODE: "sandbox",
      FAREGATE_SECRET: secret.toString("base64"),
      FAREGATE_MASTER_KEY: masterKeyText,
    };
  }
  const cli = (...parameters: string[]) => faregate(environment(), ...parameters);
  const rotate = () => {
    const read = readSettings(environment());
    const keys = read.ok ? masterKeysOf(read.settings) : undefined;
    assert.ok(keys);
    const office = { sql: gateway.pool, clock: systemClock, auditKey: async () => auditKeyOf(secret) };
    return rotateKeys(office, { actor: "test", source: "test" }, keys, () => undefined, { lastWritesMs: 0 });
  };

  test("they are used and shown nowhere: in no response, no line of the audit log, no table and none of its bytes", async () => {
    assert.equal(await sold(), true);
    const { headers, body } = message("refund.updated", {}, webhookSecret, "evt_1");
    const url = `${gateway.url}/notifications/${id}`;
    const told = await fetch(url, { method: "POST", headers, body: new Uint8Array(body) });
    assert.equal(told.status, 200);

    const { merchant_id } = gateway.sandbox;
    const shown = [
      (await gateway.operator("GET", `/operator/processors/${id}`)).text,
      (await gateway.operator("GET", `/operator/merchants/${merchant_id}/processors`)).text,
      (await gateway.operator("GET", "/operator/audit-log")).text,
      (await gateway.get("/api/processors")).text,
      (await cli("processor", "list", "--merchant", merchant_id, "--json")).stdout,
      (await cli("audit", "--json")).stdout,
    ];
    assert.match(shown[0] ?? "", /"secret_key":"•••"/);
    const planted = `planted_${unique()}`;
    await gateway.pool`insert into installation (name, value) values ('planted', ${gateway.pool.json(planted)})`;
    for (const hidden of [key, webhookSecret]) {
      for (const text of shown) assert.ok(!text.includes(hidden));
      assert.deepEqual(await tablesThatShow(gateway.pool, hidden), []);
    }
    assert.deepEqual(await tablesThatShow(gateway.pool, planted), ["installation"]);
    assert.deepEqual(writtenSince(gateway.address.host, since, [key, webhookSecret, planted]), [planted]);
  });

  test("on the command line a secret comes from a file or stdin, never as an argument", async () => {
    const change = ["processor", "change", id, "--set"];
    const argument = await cli(...change, `secret_key=${key}`);
    assert.equal(argument.code, 2);
    assert.match(argument.stderr, /^error: --set secret_key is a secret, .* --set secret_key=@file, .*@-\n$/);
    const next = `sk_test_${unique()}`;
    const file = join(folder, "key");
    writeFileSync(file, `${next}\n`);
    for (const ended of [
      await cli(...change, `secret_key=@${file}`),
      await faregateProcessReading(next, environment(), ...change, "secret_key=@-"),
    ]) {
      assert.deepEqual([ended.code, ended.stderr], [0, ""]);
      assert.match(ended.stdout, /settings\.secret_key +•••\n/);
    }
    (host.account as { secretKey: string }).secretKey = next;
    await until("the gateway uses the new key", async () => (await sell()).status === 200);
  });

  test("a command with another master key than the gateways' seals nothing and opens nothing", async () => {
    const file = join(folder, "other");
    writeFileSync(file, `sk_test_${unique()}`);
    const other = environment(randomBytes(32).toString("base64"));
    for (const words of [
      ["processor", "change", id, "--set", `secret_key=@${file}`],
      ["processor", "check", id],
    ]) {
      const { code, stderr } = await faregate(other, ...words);
      assert.equal(code, 1);
      assert.match(stderr, /^error: the gateways use another master key \([0-9a-f]{16}; given is [0-9a-f]{16}\): set/);
    }
    assert.equal((await cli("processor", "check", id)).stdout.includes("ok"), true);
    assert.equal(await sold(), true);
  });

  test("while sales go on a rotation seals them under the new key, and keys list counts them", async () => {
    const [rotated] = await Promise.all([rotate(), sold(), sold()]);
    assert.deepEqual(rotated.secrets, { resealed: 2, broken: [] });
    const { keys } = JSON.parse((await cli("keys", "list", "--json")).stdout) as { keys: Json[] };
    assert.deepEqual(
      keys.map(({ state, secrets }) => [state, secrets]),
      [
        ["retired", 0],
        ["in use", 2],
      ],
    );
    const listed = expectStatus(await gateway.operator("GET", "/operator/keys"), 200);
    const ids = ({ id: number, state, cards, secrets, messages, master_key }: Json) => {
      return [number, state, cards, secrets, messages, master_key];
    };
    assert.deepEqual(listed.body.keys.map(ids), keys.map(ids));
    for (const { wrapped } of await gateway.pool<{ wrapped: Buffer }[]>`select wrapped from data_keys`)
      for (const form of ["hex", "base64", "base64url"] as const)
        assert.ok(!listed.text.includes(wrapped.toString(form)));
    assert.equal(await sold(), true);
  });

  test("one that cannot be opened stops its own record only, says so, and is mended by being set anew", async () => {
    const before = transactionOf(expectStatus(await sell(), 200));
    await gateway.pool`
      update processors set sealed_settings = jsonb_set(sealed_settings, '{secret_key,key}', '99') where id = ${id}`;
    await until("nothing is sent", async () => (await sell()).status === 503);
    const { events } = await merchantOf(gateway).found(before.id);
    assert.equal(events.length, 1);
    assert.equal((await gateway.post(`/api/transactions/${before.id}/refund`, { amount: "1.00" })).status, 503);
    expectStatus(await gateway.post("/api/transactions/sale", sale()), 200);
    const checked = await cli("processor", "check", id);
    assert.equal(checked.code, 1);
    assert.match(
      checked.stderr,
      /^error: secrets of processor \S+ cannot be opened \(secret_key\): set FAREGATE_MASTER_KEY/,
    );
    const settings = { secret_key: (host.account as { secretKey: string }).secretKey };
    expectStatus(await gateway.operator("PATCH", `/operator/processors/${id}`, { settings }), 200);
    assert.equal(await sold(), true);
  });
});

/** Which of these texts stand in what the server has logged of its writes since then. */
function writtenSince(run: string, since: number, texts: readonly string[]): readonly string[] {
  const log = join(run, "../cluster/pg_wal");
  const files = readdirSync(log).map((name) => join(log, name));
  const written = files.filter((file) => statSync(file).isFile() && statSync(file).mtimeMs >= since - 1_000);
  const logs = written.map((file) => withoutPageHeaders(readFileSync(file)));
  return texts.filter((text) => logs.some((bytes) => bytes.includes(text)));
}

/** A record goes on after the header of the next page (xlog_internal.h: 24 bytes, and 40 in the first page of a file). */
function withoutPageHeaders(file: Buffer): Buffer {
  const pages: Buffer[] = [];
  for (let from = 0; from < file.length; from += WAL_PAGE_BYTES)
    pages.push(file.subarray(from + (from === 0 ? 40 : 24), from + WAL_PAGE_BYTES));
  return Buffer.concat(pages);
}
const WAL_PAGE_BYTES = 8_192;
