import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { faregate, forwarded } from "../../test/command-line.ts";
import { startTestGateway } from "../../test/journeys/gateway.ts";
import { expectStatus, merchantOf, newMerchant, sale, transactionOf } from "../../test/journeys/merchant.fixture.ts";
import { Concealed } from "../settings.ts";

const SECRET = "0f".repeat(32);

describe("the command line beside a gateway", () => {
  let gateway: Awaited<ReturnType<typeof startTestGateway>>;
  let env: NodeJS.ProcessEnv;
  const folder = mkdtempSync(join(tmpdir(), "faregate-cli-"));
  let forwarder: Server;
  before(async () => {
    gateway = await startTestGateway({ secret: new Concealed(Buffer.from(SECRET, "hex")) });
    forwarder = await forwarded(gateway.address);
    const at = forwarder.address();
    assert(typeof at === "object" && at !== null);
    const { user, password, database } = gateway.address;
    const DATABASE_URL = `postgres://${user}:${password}@127.0.0.1:${at.port}/${database}`;
    env = { DATABASE_URL, FAREGATE_SECRET: SECRET, FAREGATE_MODE: "sandbox" };
  });
  after(async () => {
    forwarder.close();
    await gateway.close();
    rmSync(folder, { recursive: true });
  });

  async function json(...parameters: string[]) {
    const { code, stdout, stderr } = await faregate(env, ...parameters, "--json");
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    return JSON.parse(stdout);
  }

  test("archives what is old enough and erases a payer, each only with --apply", async () => {
    const { charged, found } = merchantOf(gateway);
    const { id, merchant_id } = await charged("sale", sale({ email: "jane@example.com" }));
    const of = ["--merchant", merchant_id, "--folder", join(folder, "archive")];
    const young = await faregate(env, "archive", ...of, "--before", new Date().toISOString().slice(0, 10));
    assert.deepEqual([young.code, /180 days ago/.test(young.stderr)], [2, true]);
    const planned = await json("archive", ...of, "--before", "2020-01-01");
    assert.deepEqual(planned, { applied: false, transactions: 0, stays: null });
    assert.deepEqual(await json("archive", "find", ...of, "--email", "jane@example.com"), { transactions: [] });
    const { erased } = await json("erase", ...of, "--email", "jane@example.com", "--apply");
    assert.deepEqual([erased, (await found(id)).email], [1, undefined]);
  });

  test("the clock moves past an evening, the gateway captures on the way, and the batch adds up as over HTTP", async () => {
    const merchant = merchantOf(gateway);
    const account = await merchant.processor({ currency: "CAD" });
    const { now } = await json("clock");
    const day = new Date(Date.parse(now) + 86_400_000).toISOString().slice(0, 10);
    expectStatus(await gateway.operator("POST", "/operator/clock", { now: `${day}T12:00:00Z` }), 200);
    const { id } = await merchant.charged("auth", sale({ processor_id: account, amount: "7.50" }));
    const moved = await json("clock", "--to", `${day}T23:00:00Z`);
    assert.match(moved.now, new RegExp(`^${day}T23:00:0`));
    // Gateways follow a clock that somebody else moved a quarter of a second later.
    while ((await gateway.operator("GET", "/operator/clock")).body.now < moved.now) await sleep(20);
    const events: { event_type: string; created_at: string }[] = (await merchant.found(id)).events;
    assert.match(events.find((event) => event.event_type === "capture")?.created_at ?? "", /T20:30:0/);

    const listed = await json("batch", "list", "--processor", account);
    const [first] = listed.batches;
    assert.deepEqual(
      listed,
      expectStatus(await gateway.operator("GET", `/operator/batches?processor_id=${account}`), 200).body,
    );
    const shown = await json("batch", "show", first.id);
    assert.deepEqual(shown, expectStatus(await gateway.operator("GET", `/operator/batches/${first.id}`), 200).body);
    assert.equal(shown.batch.net, "7.50");
    assert.match((await faregate(env, "batch", "show", first.id)).stdout, /\ncapture +visa +1 +7\.50\n/);
    const exported = (query: string) => gateway.operator("GET", `/operator/batches/${first.id}/events${query}`);
    const printed = async (...options: string[]) =>
      (await faregate(env, "batch", "events", first.id, ...options)).stdout;
    assert.equal(await printed(), expectStatus(await exported(""), 200).text);
    // The mark that says UTF-8 is taken off by `fetch`.
    assert.equal(await printed("--for-spreadsheet"), `\ufeff${(await exported("?for=spreadsheet")).text}`);
    const { amount, transaction_id, created_at } = await json("batch", "events", first.id);
    assert.deepEqual([amount, transaction_id, created_at.slice(11, 16)], ["7.50", id, "20:30"]);
    assert.match((await faregate(env, "audit")).stdout, /clock\.change +clock sandbox/);
  });

  test("a time that has passed, one that is none, live mode, and an unknown batch are refused in one line", async () => {
    const refusals = [
      [["clock", "--to", "2001-01-01T00:00:00Z"], 2, /^error: --to must not be before the clock's time, \S+\n$/],
      [["clock", "--to", "tomorrow"], 2, /It must be a time before 2200 with its offset from UTC/],
      [["batch", "show", "7"], 1, /^error: there is no batch 7, or its cut-off has not passed yet\n$/],
      [["batch", "events", "7"], 1, /^error: there is no batch 7, or its cut-off has not passed yet\n$/],
      [
        ["batch", "events", "7", "--json", "--for-spreadsheet"],
        2,
        /^\{"error":\{.*"--for-spreadsheet is for CSV: leave out --json"\]\}\}\}\n$/,
      ],
    ] as const;
    for (const [parameters, code, line] of refusals) {
      const ended = await faregate(env, ...parameters);
      assert.equal(ended.code, code);
      assert.match(ended.stderr, line);
    }
    const live = await faregate({ ...env, FAREGATE_MODE: "live" }, "clock");
    assert.deepEqual([live.code, live.stderr], [1, "error: live mode has no movable clock\n"]);
  });

  test("rules are set from a file, and a try says where a sale over HTTP went", async () => {
    const { merchantId, token, processors } = await newMerchant(gateway, { name: "Main" }, { name: "Spare" });
    const [main = "", spare = ""] = processors;
    const file = join(folder, "routing.json");
    const set = (content: object) => {
      writeFileSync(file, JSON.stringify(content));
      return faregate(env, "routing", "set", merchantId, file, "--json");
    };
    const rule = {
      name: "Small",
      when: { amount_at_most: "5.00", airline: false, meta: [{ name: "channel", values: ["app"] }] },
      processors: [{ id: main, weight: 3 }, { id: spare }],
    };
    const done = await set({ rules: [rule] });
    assert.deepEqual({ code: done.code, stderr: done.stderr }, { code: 0, stderr: "" });
    const shown = await json("routing", "show", merchantId);
    assert.deepEqual(JSON.parse(done.stdout), shown);
    assert.equal(JSON.parse((await set(shown)).stdout).routing.version, 1);

    const meta = { channel: "app" };
    const answer = await gateway.post("/api/transactions/sale", sale({ amount: "3.56", meta }), { token });
    const { id, processor_id } = transactionOf(expectStatus(answer, 200));
    const small = ["routing", "try", merchantId, "--amount", "3.56", "--card-start", "41111111", "--transaction", id];
    const { route } = await json(...small, "--meta", "channel=app");
    assert.deepEqual([route.processor_id, route.rule, route.version], [processor_id, "Small", 1]);

    const { stdout } = await faregate(env, ...small, "--airline");
    assert.match(stdout, /^The charge goes to (Main|Spare)\.\n\nIN ORDER +NAME +WEIGHT +DRAWN FIRST\n/);
    assert.match(stdout, /\nRule 1 \(Small\) does not apply: there is airline data; meta has other values\.\n/);
    const rules = (await faregate(env, "routing", "show", merchantId)).stdout;
    assert.match(
      rules,
      /^Version 1\n\nRULE +NAME +WHEN +PROCESSORS \(WEIGHT\)\n1 +Small +amount_at_most 5\.00; no airline/,
    );

    for (const [content, line] of [
      [{ rule: [rule] }, /^\S+ has neither rules nor attempts_at_most$/],
      [{ rules: [], rulez: [] }, /^\S+ has an unknown field: rulez$/],
      [{ rules: [{ ...rule, name: "" }] }, /^rules\.0\.name must be a text of 1 to 100 characters/],
      [{ rules: [], version: 0 }, /^version is not the present one, which is 1/],
    ] as const) {
      const refused = await set(content);
      assert.equal(refused.code, 2);
      assert.match(JSON.parse(refused.stderr).error.message.base[0], line);
    }
  });

  test("a dispute is entered, changed, listed and shown as over HTTP, by whoever sits there", async () => {
    const { id } = await merchantOf(gateway).charged("sale", sale());
    const entering = ["dispute", "create", "--merchant", gateway.sandbox.merchant_id, "--transaction", id];
    const { dispute } = await json(...entering, "--amount", "3.56", "--reason-code", "13.1");
    assert.deepEqual([dispute.status, dispute.amount, dispute.amount_withdrawn], ["needs_response", "3.56", "0.00"]);
    const won = await json("dispute", "change", dispute.id, "--outcome", "won");
    assert.deepEqual(await json("dispute", "show", dispute.id), won);
    assert.deepEqual((await json("dispute", "list", "--transaction", id, "--status", "ended")).disputes, [won.dispute]);
    assert.deepEqual(expectStatus(await gateway.get(`/api/disputes/${dispute.id}`), 200).body, won);
    const log = expectStatus(await gateway.operator("GET", `/operator/audit-log?subject=${dispute.id}`), 200).body;
    assert.deepEqual(
      log.entries.map(({ action, source }: { action: string; source: string }) => `${action} ${source}`),
      ["dispute.change command line", "dispute.create command line"],
    );
    const wrong = await faregate(env, ...entering, "--amount", "much");
    assert.deepEqual([wrong.code, wrong.stderr.trim()], [2, "error: --amount must be an amount such as 120.00"]);
    const text = await faregate(env, "dispute", "list", "--transaction", id);
    assert.match(text.stdout, /^ID .*REASON\n.*3\.56 .*Merchandise or services not received\n$/s);
  });
});
