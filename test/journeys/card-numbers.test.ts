// Card numbers that a processor wants again in follow-ups: through a gateway to an acquirer's host and back, on one node
// and on another, and what is left of them in the database and in the host's books.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pino from "pino";
import type { Booked } from "../../acquirer/entry.ts";
import { systemClock } from "../../src/clock.ts";
import { startGateway } from "../../src/gateway-process.ts";
import { auditKeyOf } from "../../src/merchants/audit-chain.ts";
import { createOperatorToken } from "../../src/merchants/operator-tokens.ts";
import { PROCESSOR_KINDS } from "../../src/processors/kinds.ts";
import { Concealed, type Settings } from "../../src/settings.ts";
import { testHost, testSettings, type Writing } from "../conformance/iso8583-subject.ts";
import { freshDatabase } from "../database.ts";
import { callers, startLiveTestGateway, told } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, newMerchant, sale, transactionOf } from "./merchant.fixture.ts";
import { type Installation, newInstallation } from "./nodes.fixture.ts";
import { tablesThatShow } from "./traces.fixture.ts";

const WRITING: Writing = { framing: "binary-2", digits: "bcd", bitmap: "binary" };
const NUMBER = "5555555555554444";
const PATIENCE_MS = 120_000;

describe("card numbers in follow-ups", () => {
  let installation: Installation;
  let gateway: Gateway;
  let host: Awaited<ReturnType<typeof testHost>>;
  before(async () => {
    host = await testHost(WRITING);
    installation = await newInstallation();
    gateway = await installation.startNode();
  });
  afterEach(() => host.behave());
  after(async () => {
    await gateway.close();
    await installation.remove();
    await host.stop();
  });

  let terminals = 0;
  /** A record at the host, of a terminal of its own. */
  const record = (over: Json = {}, port = host.port): Json => ({
    kind: "iso8583",
    settings: {
      ...testSettings(port, WRITING),
      ...{ terminal_id: `T${++terminals}`, card_number_in_follow_ups: true, timeout_ms: 1_000, ...over },
    },
  });
  const charged = async (type: "sale" | "auth", token: string, over: Json = {}) =>
    transactionOf(
      expectStatus(
        await gateway.post(`/api/transactions/${type}`, sale({ card_number: NUMBER, amount: "10.00", ...over }), {
          token,
        }),
        200,
      ),
    );
  const follow = (id: string, type: string, token: string, json: Json = {}, node = gateway) =>
    node.post(`/api/transactions/${id}/${type}`, json, { token });
  const booked = async (transaction: string): Promise<Booked[]> => {
    const entries: Booked[] = [];
    for await (const entry of host.books.entries())
      if (entry.kind === "booked" && entry.transaction === transaction) entries.push(entry);
    return entries;
  };
  const withNumber = async (transaction: string) =>
    (await booked(transaction)).map(({ operation, withCardNumber = false, code }) => [operation, withCardNumber, code]);
  const sealed = async (id: string) =>
    (await gateway.pool`select sealed from sealed_cards where transaction_id = ${id}`).length;

  test("captures, voids and refunds carry the number of their charge", async () => {
    const { token } = await newMerchant(gateway, record());
    const auth = await charged("auth", token);
    for (const [type, amount] of [
      ["capture", "6.00"],
      ["void", "4.00"],
      ["refund", "1.00"],
    ] as const)
      expectStatus(await follow(auth.id, type, token, { amount }), 200);
    assert.deepEqual(await withNumber(auth.id), [
      ["auth", false, "00"],
      ["capture", true, "00"],
      ["void", true, "00"],
      ["refund", true, "00"],
    ]);
  });

  test("without the setting they do not, and nothing is kept", async () => {
    const { token } = await newMerchant(gateway, record({ card_number_in_follow_ups: false }));
    const auth = await charged("auth", token, { processor_id: undefined });
    expectStatus(await follow(auth.id, "void", token), 200);
    assert.ok((await withNumber(auth.id)).every(([, given]) => given === false));
    assert.equal(await sealed(auth.id), 0);
  });

  test("the reversal of an unanswered charge carries it", async () => {
    const { token } = await newMerchant(gateway, record());
    host.misbehave({ what: "drop-after", on: ["sale"] });
    const { id } = await charged("sale", token);
    await until("it is reversed", async () => (await booked(id)).some(({ operation }) => operation === "reversal"));
    assert.deepEqual(await withNumber(id), [
      ["sale", false, "00"],
      ["reversal", true, "00"],
    ]);
  });

  test("a follow-up that was not answered is repeated by another node, with the number", async () => {
    const { token } = await newMerchant(gateway, record());
    const { id } = await charged("auth", token);
    const node = await installation.startNode();
    host.misbehave({ what: "drop-before", on: ["capture"] });
    expectStatus(await follow(id, "capture", token, {}, node), 202);
    await node.close();
    assert.deepEqual(await withNumber(id), [["auth", false, "00"]]);
    host.behave();
    await until("it is captured", async () => (await booked(id)).length === 2);
    assert.deepEqual((await withNumber(id))[1], ["capture", true, "00"]);
  });

  test("where the first processor is out of reach and wants no number, the second finds it kept", async () => {
    const refusing = { settings: { refuse_connections: true } };
    const { token } = await newMerchant(gateway, refusing, refusing, refusing, refusing, record());
    const auth = await charged("auth", token);
    expectStatus(await follow(auth.id, "capture", token), 200);
    assert.deepEqual((await withNumber(auth.id)).at(-1), ["capture", true, "00"]);
  });

  test("a number that is not kept any more is missed before anything is written", async () => {
    const { token } = await newMerchant(gateway, record());
    const { id, actions } = await charged("auth", token);
    assert.ok(actions.capture.allowed);
    const { id: kept } = await charged("auth", token);
    await gateway.pool`delete from sealed_cards where transaction_id = ${id}`;
    assert.equal(told(await follow(id, "capture", token)), "422 base");
    const found = transactionOf(expectStatus(await gateway.get(`/api/transactions/${id}`, { token }), 200));
    assert.equal(found.events.length, 1);
    const [other, listed] = expectStatus(await gateway.get("/api/transactions", { token }), 200).body.transactions;
    assert.deepEqual([listed, other.id, other.actions.capture.allowed], [found, kept, true]);
    for (const { actions } of [found, listed])
      for (const type of ["capture", "void", "reversal"])
        assert.deepEqual(
          actions[type],
          { allowed: false, reason: "card-number-not-kept", uncertain_from: null, from: null },
          type,
        );
    assert.equal((await booked(id)).length, 1);
  });

  test("a number that does not open is not guessed: the follow-up is not sent", async () => {
    const { token } = await newMerchant(gateway, record());
    const { id } = await charged("auth", token);
    await gateway.pool`
      update sealed_cards set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1) where transaction_id = ${id}`;
    assert.equal((await follow(id, "capture", token)).status, 503);
    assert.equal((await booked(id)).length, 1);
    await gateway.pool`
      update sealed_cards set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1) where transaction_id = ${id}`;
    expectStatus(await follow(id, "capture", token), 200);
  });

  test("a reversal is sent without a number that does not open: held money is given back", async () => {
    const { token } = await newMerchant(gateway, record());
    host.misbehave({ what: "drop-after", on: ["sale"] });
    host.misbehave({ what: "drop-before", on: ["reversal"] });
    const { id } = await charged("sale", token);
    await gateway.pool`update sealed_cards set key_id = 4711 where transaction_id = ${id}`;
    host.behave();
    await until("it is reversed", async () => (await booked(id)).some(({ operation }) => operation === "reversal"));
    assert.deepEqual((await withNumber(id)).at(-1), ["reversal", false, "00"]);
  });

  test("a number that cannot be sealed is not charged: 503, nothing is written and nothing sent", async () => {
    const { token } = await newMerchant(gateway, record());
    // A node that starts now has no data key in memory.
    const node = await installation.startNode();
    const sell = () => node.post("/api/transactions/sale", sale({ card_number: NUMBER }), { token });
    await gateway.pool`alter table data_keys rename to data_keys_away`;
    try {
      assert.equal(told(await sell()), "503 base");
    } finally {
      await gateway.pool`alter table data_keys_away rename to data_keys`;
    }
    assert.equal((await node.get("/api/transactions", { token })).body.meta.total, 0);
    expectStatus(await sell(), 200);
    await node.close();
  });

  test("the number stands nowhere: in no table, and not in the host's books", async () => {
    const { token } = await newMerchant(gateway, record());
    const { id } = await charged("sale", token);
    expectStatus(await follow(id, "void", token), 200);
    assert.equal(await sealed(id), 1);
    assert.deepEqual(await tablesThatShow(gateway.pool, NUMBER), []);
    assert.ok(!readFileSync(join(host.folder, "books.log"), "utf8").includes(NUMBER));
    // Of a search that finds nothing nobody knows whether it can find.
    await gateway.pool`create table planted (note bytea)`;
    await gateway.pool`insert into planted values (${Buffer.from(`card ${NUMBER}`)})`;
    assert.deepEqual(await tablesThatShow(gateway.pool, NUMBER), ["planted"]);
    await gateway.pool`drop table planted`;
  });
});

describe("card numbers in live mode", () => {
  const keeping = (over: Json = {}): Json => ({
    ...{ name: "Acquirer", kind: "iso8583", currency: "USD", ...over },
    settings: { ...testSettings(9, WRITING), card_number_in_follow_ups: true },
  });

  test("without a master key no record can have them kept, unless it is switched off", async () => {
    const gateway = await startLiveTestGateway();
    const { id } = (await gateway.operator("POST", "/operator/merchants", { name: "Own" })).body.merchant;
    const create = (json: Json) => gateway.operator("POST", `/operator/merchants/${id}/processors`, json);
    const refused = await create(keeping());
    assert.equal(told(refused), "422 settings.card_number_in_follow_ups");
    assert.match(refused.text, /FAREGATE_MASTER_KEY/);
    const off = expectStatus(await create(keeping({ enabled: false })), 201).body.processor;
    const on = await gateway.operator("PATCH", `/operator/processors/${off.id}`, { enabled: true });
    assert.equal(told(on), "422 settings.card_number_in_follow_ups");
    await gateway.close();
  });

  test("a gateway with a master key takes it, and none starts there without the key any more", async () => {
    const { address, pool, drop } = await freshDatabase();
    const dataFolder = mkdtempSync(join(tmpdir(), "faregate-live-"));
    const secret = Buffer.alloc(32, 1);
    const settings: Settings = {
      ...{ host: "127.0.0.1", port: 0, mode: "live", databaseUrl: undefined, dataFolder },
      ...{ rateLimitPerMinute: 0, failedAuthenticationsPerMinute: 0, trustProxy: [], logLevel: "silent" },
      ...{ secret: new Concealed(secret) },
    };
    const start = (...keys: readonly Buffer[]) =>
      startGateway(
        { ...settings, ...(keys.length > 0 && { masterKeys: new Concealed(keys) }) },
        pino({ level: "silent" }),
        {},
        { address, pool, place: "test", close: async () => undefined },
      );
    const auditKey = async () => auditKeyOf(secret);
    const office = { sql: pool, clock: systemClock, mode: "live", kinds: PROCESSOR_KINDS, auditKey } as const;
    const operator = await createOperatorToken(office, { actor: "test", source: "test" }, { name: "Test" });
    assert.ok(operator.kind === "done");
    const [key, other] = [Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
    const first = await start(key);
    const gateway = callers(first.url, null, operator.value.secret);
    const { id } = expectStatus(await gateway.operator("POST", "/operator/merchants", { name: "Own" }), 201).body
      .merchant;
    expectStatus(await gateway.operator("POST", `/operator/merchants/${id}/processors`, keeping()), 201);
    await first.close();
    await assert.rejects(start(), { name: "StartFault", message: /needs a master key/ });
    await (await start(other)).close();
    await pool`insert into data_keys (master_key_id, wrapped, leased, created_at) values ('another', '', 0, now())`;
    await assert.rejects(start(key), { name: "StartFault", message: /another master key/ });
    await drop();
    rmSync(dataFolder, { recursive: true });
  });
});

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const since = Date.now(); !(await isSo()); await sleep(50))
    assert.ok(Date.now() - since < PATIENCE_MS, `waited in vain: ${what}`);
}
