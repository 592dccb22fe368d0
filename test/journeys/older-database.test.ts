// A database that is put back to a moment in the past, or is a standby that lagged behind: no charge that a merchant was told about is
// taken back, and nothing is charged until somebody has looked.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pino from "pino";
import { systemClock } from "../../src/clock.ts";
import { startGateway } from "../../src/gateway-process.ts";
import { auditKeyOf } from "../../src/merchants/audit-chain.ts";
import { PROCESSOR_KINDS } from "../../src/processors/kinds.ts";
import { adopt } from "../../src/recovery/adopt.ts";
import { releaseRecovery, showRecovery } from "../../src/recovery/recovery.ts";
import type { Sandbox } from "../../src/sandbox.ts";
import { Concealed, type Settings } from "../../src/settings.ts";
import { MovableDatabase } from "../movable-database.ts";
import { callers } from "./gateway.ts";

const SECRET = Buffer.alloc(32, 7);
const LATENCY_MS = 4_000;

let database: MovableDatabase;
let dataFolder: string;
/** Transactions that the processor was asked to take back. */
const reversed: string[] = [];

const kinds = new Map(
  [...PROCESSOR_KINDS].map(([name, kind]) => [
    name,
    {
      ...kind,
      open: (...parts: Parameters<typeof kind.open>) => {
        const processor = kind.open(...parts);
        const timeoutReversal = processor.timeoutReversal.bind(processor);
        return Object.assign(processor, {
          timeoutReversal: (...[question, signal]: Parameters<typeof timeoutReversal>) => {
            reversed.push(question.transactionId);
            return timeoutReversal(question, signal);
          },
        });
      },
    },
  ]),
);

async function start(fenceFile?: string) {
  const settings: Settings = {
    ...{ host: "127.0.0.1", port: 0, mode: "sandbox", databaseUrl: undefined, dataFolder, rateLimitPerMinute: 0 },
    ...{
      failedAuthenticationsPerMinute: 0,
      trustProxy: [],
      logLevel: "silent",
      secret: new Concealed(SECRET),
      fenceFile,
    },
  };
  const { address, pool } = database;
  const lent = { address, pool, place: "test", close: async () => undefined };
  const gateway = await startGateway(
    settings,
    pino({ level: "silent" }),
    { kinds, patience: { vouchedWithinMs: 2_000 } },
    lent,
  );
  const { sandbox } = gateway;
  if (sandbox === undefined) throw new Error("a sandbox without a sandbox");
  return { gateway, sandbox, ...callers(gateway.url, sandbox.api_token, sandbox.operator_token) };
}

const usualOf = ({ processors }: Sandbox) => processors.usd ?? "";

type Started = Awaited<ReturnType<typeof start>>;

const sale = (processor_id: string) => ({
  processor_id,
  amount: "12.34",
  card_number: "4111111111111111",
  card_expiry_month: "12",
  card_expiry_year: "2040",
  merchant_transaction_id: "order 1",
  ip_address: "192.0.2.1",
});

const office = () => ({
  sql: database.pool,
  clock: systemClock,
  mode: "sandbox" as const,
  kinds: PROCESSOR_KINDS,
  auditKey: async () => auditKeyOf(SECRET),
});

const release = () => releaseRecovery(office(), { actor: "test", source: "test" }, "compared with the books");

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const since = performance.now(); performance.now() - since < 40_000; await sleep(50))
    if (await holds().catch(() => false)) return;
  throw new Error(`not within 40 s: ${what}`);
}

const sells =
  ({ post, sandbox }: Started) =>
  async () =>
    (await post("/api/transactions/sale", sale(usualOf(sandbox)))).status === 200;

const isInRecovery =
  ({ post, sandbox }: Started) =>
  async () => {
    const { status, body } = await post("/api/transactions/sale", sale(usualOf(sandbox)));
    return status === 503 && /recovery mode/.test(body.error.message.base[0]);
  };

describe("a database that is older than it was", () => {
  let started: Started;
  let slow: string;

  before(async () => {
    database = await MovableDatabase.start();
    dataFolder = mkdtempSync(join(tmpdir(), "faregate-older-"));
    started = await start();
    const { body } = await started.operator("POST", `/operator/merchants/${started.sandbox.merchant_id}/processors`, {
      name: "slow",
      kind: "simulator",
      currency: "USD",
      in_rotation: false,
      settings: { latency_ms: LATENCY_MS, timeout_ms: 20_000 },
    });
    slow = body.processor.id;
  });
  after(async () => {
    await started.gateway.close();
    await database.close();
    rmSync(dataFolder, { recursive: true, force: true });
  });

  it("a gateway that starts after a restore takes nothing back, and charges nothing, until it is released", async () => {
    const asked = started.post("/api/transactions/sale", sale(slow));
    await sleep(500);
    await database.backUp("open");
    const { status, body } = await asked;
    assert.equal(status, 200);
    assert.equal(body.transaction.events[0].success, true);
    await started.gateway.close();

    await database.putBack("open", "new");
    started = await start();
    await until("recovery mode", isInRecovery(started));
    await sleep(2_500);
    assert.equal(reversed.length, 0);
    const shown = await showRecovery(database.pool);
    assert.equal(shown.mode, "recovery");
    assert.deepEqual(
      shown.open.map(({ transaction_id, would, amount }) => ({ transaction_id, would, amount })),
      [{ transaction_id: body.transaction.id, would: "reverse", amount: "12.34" }],
    );

    assert.equal(await release(), "released");
    await until("sales after the release", sells(started));
    await until("the reversal", async () => reversed.includes(body.transaction.id));
    assert.equal(await release(), "normal");
  });

  it("what the processor's books show of an open charge is entered before the release, and is not taken back", async () => {
    const asked = started.post("/api/transactions/sale", sale(slow));
    await sleep(500);
    await database.backUp("to adopt");
    const { transaction } = (await asked).body;
    assert.equal(transaction.events[0].success, true);
    await database.putBack("to adopt", "new");
    await until("recovery mode", isInRecovery(started));
    const [open] = (await showRecovery(database.pool)).open.filter((one) => one.transaction_id === transaction.id);
    const adoption = { outcome: "approved", evidence: "books, line 17" };
    const by = { actor: "test", source: "test" };
    const adopted = async (more: object) =>
      JSON.stringify(await adopt(office(), by, open?.event_id ?? "", { ...adoption, ...more }));
    assert.match(await adopted({}), /processor_transaction_id":\["is required/);
    const found = { processor_transaction_id: "at-the-acquirer-17" };
    for (const wrong of ["at the acquirer", "4111 1111 1111 1111", sale(slow).card_number, "", "x".repeat(256)])
      assert.match(await adopted({ processor_transaction_id: wrong }), /processor_transaction_id":\["must/);
    for (const wrong of ["", " ", "a\u001b[2J", "a\u202eb", "card 4111111111111111", `about ${sale(slow).card_number}`])
      assert.match(await adopted({ ...found, evidence: wrong }), /evidence":\["must/);
    assert.match(await adopted({ ...found, outcome: "reversed" }), /outcome":\["must/);
    assert.match(await adopted(found), /"kind":"done"/);
    assert.match(await adopted(found), /has its outcome/);
    assert.equal(await release(), "released");
    await until("sales after the release", sells(started));
    await sleep(2_500);
    assert.ok(!reversed.includes(transaction.id));
    const { body } = await started.get(`/api/transactions/${transaction.id}`);
    assert.equal(body.transaction.events[0].success, true);
    assert.equal(body.transaction.events[0].processor_transaction_id, "at-the-acquirer-17");
    assert.match(await adopted(found), /has its outcome/);
    const later = started.post("/api/transactions/sale", sale(slow));
    await sleep(500);
    const [unfinished] = (await showRecovery(database.pool)).open;
    const refused = await adopt(office(), by, unfinished?.event_id ?? "", { ...adoption, ...found });
    assert.ok(refused.kind === "in-the-way" && refused.notBegun && /not in recovery mode/.test(refused.why));
    assert.equal((await later).body.transaction.events[0].success, true);
  });

  it("a running gateway goes on by itself after a failover that lost nothing", async () => {
    assert.ok(await sells(started)());
    await database.failOver();
    await until("sales on the new timeline", sells(started));
    assert.equal((await showRecovery(database.pool)).mode, "normal");
  });

  it("a running gateway charges nothing on a standby that had lagged behind, and says what is lost", async () => {
    await database.backUp("lagging");
    await until("sales", sells(started));
    const { body } = await started.post("/api/transactions/sale", sale(usualOf(started.sandbox)));
    await database.putBack("lagging", "new");
    await until("recovery mode", isInRecovery(started));
    const { lost } = await showRecovery(database.pool);
    assert.ok(lost.some(({ transactionId }) => transactionId === body.transaction.id));
    assert.equal(await release(), "released");
    await until("sales after the release", sells(started));
  });

  it("a running gateway recognizes a copy of the disk, whose timeline is the same", async () => {
    await database.backUp("disk");
    await until("sales", sells(started));
    await database.putBack("disk", "same");
    await until("recovery mode", isInRecovery(started));
    await release();
    await until("sales after the release", sells(started));
  });

  it("a gateway that starts recognizes such a copy by its fence file", async () => {
    const fence = join(dataFolder, "fence");
    await started.gateway.close();
    started = await start(fence);
    await database.backUp("fenced");
    await until("sales", sells(started));
    await sleep(1_500);
    await started.gateway.close();
    await database.putBack("fenced", "same");
    started = await start(fence);
    assert.ok(await isInRecovery(started)());
    await release();
    await until("sales after the release", sells(started));
    await sleep(1_500);
    await started.gateway.close();
    started = await start(fence);
    assert.ok(await sells(started)());
  });

  it("trace numbers leap with each lineage, so that none is given twice within a day", async () => {
    const [before] = await database.pool<{ processor_id: string }[]>`
      insert into trace_counters (merchant_id, processor_id, assigned)
      values (gen_random_uuid(), gen_random_uuid(), 75) returning processor_id`;
    await database.failOver();
    await until("sales on the new timeline", sells(started));
    const [counter] = await database.pool`
      select assigned from trace_counters where processor_id = ${before?.processor_id ?? null}`;
    assert.equal(Number(counter?.assigned), 500_075);
  });
});
