// A gateway that works under a role which may change only what it must: everything works, and what was booked can be neither
// changed nor removed by it.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import pino from "pino";
import { v7 } from "uuid";
import { type Gateway as Process, startGateway } from "../../src/gateway-process.ts";
import { codeOf, openPool, type Sql } from "../../src/journal/database.ts";
import { SUPERUSER } from "../../src/journal/embedded/cluster.ts";
import { removeOldKeys } from "../../src/journal/old-keys.ts";
import { grantTo, RIGHTS } from "../../src/journal/rights.ts";
import type { Settings } from "../../src/settings.ts";
import { type FreshDatabase, freshDatabase } from "../database.ts";
import { ON_CITUS } from "../database-server.ts";
import { until } from "./crash.fixture.ts";
import { callers } from "./gateway.ts";
import { type Callable, expectStatus, merchantOf, passenger, sale } from "./merchant.fixture.ts";

const ROLE = 'gate "way"';
const PASSWORD = "only for this test";

describe("under a role that may change only what it must", () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "faregate-role-"));
  const logged: string[] = [];
  let database: FreshDatabase;
  let superuser: string;
  let admin: Sql;
  let role: Sql;
  let process: Process;
  let gateway: Callable;
  before(async () => {
    database = await freshDatabase();
    superuser = ON_CITUS ? database.address.user : SUPERUSER;
    admin = openPool({ ...database.address, user: superuser });
    await admin`create role ${admin(ROLE)} login password ${admin.unsafe(`'${PASSWORD}'`)}`;
    await grantTo(database.pool, ROLE);
    const address = { ...database.address, user: ROLE, password: PASSWORD };
    role = openPool(address);
    const settings: Settings = {
      ...{ host: "127.0.0.1", port: 0, databaseUrl: undefined, dataFolder, rateLimitPerMinute: 0, secret: undefined },
      ...{ failedAuthenticationsPerMinute: 0, trustProxy: [] },
      mode: "sandbox",
      ...{ failedAuthenticationsPerMinute: 0, trustProxy: [], logLevel: "info" },
    };
    const log = pino({ level: "info" }, { write: (line: string) => void logged.push(line) });
    process = await startGateway(
      settings,
      log,
      {},
      { address, pool: role, place: "test", close: async () => undefined },
    );
    const { sandbox } = process;
    assert(sandbox);
    gateway = { sandbox, ...callers(process.url, sandbox.api_token, sandbox.operator_token) };
  });
  after(async () => {
    await process.close();
    await role.end({ timeout: 1 });
    await admin`drop owned by ${admin(ROLE)}`;
    await admin`drop role ${admin(ROLE)}`;
    await admin.end({ timeout: 1 });
    await database.drop();
    rmSync(dataFolder, { recursive: true, force: true });
  });

  test("every table is classified", async () => {
    const rows = await database.pool<{ name: string }[]>`
      select tablename as name from pg_tables where schemaname = current_schema() order by 1`;
    assert.deepEqual(
      rows.map(({ name }) => name),
      Object.keys(RIGHTS).sort(),
    );
  });

  test("charges, what follows them, lists and what the operator does", async () => {
    const { charged, follow, found, processor, token } = merchantOf(gateway);
    const one = await charged("auth", sale({ amount: "10.00" }));
    expectStatus(await follow(one.id, "capture", { amount: "4.00" }), 200);
    expectStatus(await follow(one.id, "refund", { amount: "1.00" }), 200);
    expectStatus(await follow(one.id, "void", { amount: "1.00" }), 200);
    const airline = await charged("sale", sale({ amount: "200.00", passenger_transport: [passenger(), passenger()] }));
    expectStatus(await follow(airline.id, "reversal"), 200);
    const keyed = { headers: { "idempotency-key": "once" } };
    const first = await gateway.post("/api/transactions/sale", sale(), keyed);
    assert.equal((await gateway.post("/api/transactions/sale", sale(), keyed)).text, first.text);

    const id = await processor({ currency: "CAD", in_rotation: false, settings: { timeout_ms: 500 } });
    expectStatus(await gateway.operator("PATCH", `/operator/processors/${id}`, { name: "Other" }), 200);
    await token();
    const { merchant_id } = gateway.sandbox;
    expectStatus(await gateway.operator("PATCH", `/operator/merchants/${merchant_id}`, { name: "Other" }), 200);
    expectStatus(
      await gateway.operator("PATCH", `/operator/merchants/${merchant_id}/card-testing`, { cards_per_range: 20 }),
      200,
    );
    const rules = [{ name: "All", processors: [{ id }] }];
    expectStatus(await gateway.operator("PATCH", `/operator/merchants/${merchant_id}/routing`, { rules }), 200);
    // Nobody listens there: deliveries are tried, and put off.
    const hooks = `/operator/merchants/${merchant_id}/webhooks`;
    const hook = expectStatus(await gateway.operator("POST", hooks, { url: "http://127.0.0.1:9/x" }), 201).body.webhook;
    await charged("sale", sale());
    expectStatus(await gateway.operator("PATCH", `/operator/webhooks/${hook.id}`, { enabled: false }), 200);
    expectStatus(await gateway.operator("DELETE", `/operator/webhooks/${hook.id}`), 204);
    const held = await charged("auth", sale({ processor_id: id }));
    const silent = await charged("sale", sale({ processor_id: id, card_number: "4000000000000408" }));
    assert.equal(silent.events[0].success, false);
    // Two nights: automatic captures and settlements.
    const now = new Date(Date.now() + 2 * 86_400_000).toISOString();
    expectStatus(await gateway.operator("POST", "/operator/clock", { now }), 200);
    assert.equal((await found(held.id)).events.length, 2);
    const { batches } = expectStatus(await gateway.operator("GET", "/operator/batches"), 200).body;
    assert.ok(batches.length > 0);
    for (const path of ["/api/transactions?search[first_name]=x", "/api/transactions?format=csv"])
      expectStatus(await gateway.get(path), 200);
    for (const path of ["/operator/audit-log", "/operator/card-testing", "/operator/unresolved"])
      expectStatus(await gateway.operator("GET", path), 200);
    // The silent charge is reversed in the background.
    await until("nothing is unresolved", async () => (await role`select from unresolved`).length === 0);
    assert.deepEqual(
      logged.filter((line) => /permission|42501|background work failed/.test(line)),
      [],
    );
  });

  test("what was booked is neither changed nor removed, and no table is made or dropped", async () => {
    const kept = [
      "transactions",
      "events",
      "outcomes",
      "batches",
      "idempotency_keys",
      "idempotency_answers",
      "audit_log",
    ];
    const statements = [
      ...kept.flatMap((table) => [`delete from ${table}`, `truncate ${table}`, `drop table ${table}`]),
      ...["transactions", "events", "outcomes", "batches", "idempotency_keys"].map(
        (table) => `update ${table} set merchant_id = merchant_id`,
      ),
      "update audit_log set actor = 'nobody'",
      "update idempotency_answers set body = ''",
      "update outcomes set kind = 'approved'",
      "delete from merchants",
      "delete from tokens",
      "create table mine (id integer)",
      "alter table events add column mine integer",
      "insert into schema_migrations (name, applied_at) values ('x', now())",
    ];
    for (const statement of statements) {
      const fault = await role.unsafe(statement).then(
        () => undefined,
        (error: unknown) => error,
      );
      assert.equal(codeOf(fault), "42501", statement);
    }
  });

  test("idempotency keys go after thirty days and no sooner, whatever the gateway asks for", async () => {
    const merchantId = v7();
    const key = async (name: string, days: number) => {
      await database.pool`
        insert into idempotency_keys (merchant_id, key, request_hash, transaction_id, sequence, created_at)
        values (${merchantId}, ${name}, '', gen_random_uuid(), 1, now() - make_interval(days => ${days}))`;
      await database.pool`
        insert into idempotency_answers (merchant_id, key, status, body, created_at)
        values (${merchantId}, ${name}, 200, '', now() - make_interval(days => ${days}, secs => -2))`;
    };
    await key("old", 31);
    await key("just old", 30);
    await key("young", 29);
    assert.equal(await removeOldKeys(role, new Date("2199-01-01")), false);
    for (const table of ["idempotency_keys", "idempotency_answers"]) {
      const left = await role<{ key: string }[]>`select key from ${role(table)} where merchant_id = ${merchantId}`;
      assert.deepEqual([...left], [{ key: "young" }], table);
    }
  });

  test("entries of the audit log go after twelve months and no sooner", async () => {
    const remove = async () =>
      (await role`select faregate_remove_old_audit_entries(1000000)::int as removed`)[0]?.removed;
    assert.equal(await remove(), 0);
    await database.pool`update audit_log set at = now() - interval '13 months' where id = 1`;
    assert.equal(await remove(), 1);
  });

  // The log of a Citus is not this test's to read.
  const skip = ON_CITUS;
  test("what removes them takes no temporary table of the role's for the owner's: its triggers would have the owner's rights", async () => {
    await role.begin(async (sql) => {
      await sql`create temp table audit_log (id bigint, at timestamptz)`;
      await sql`insert into audit_log values (1, '2001-01-01')`;
      await sql`grant all on audit_log to public`;
      await sql`select faregate_remove_old_audit_entries(10)`;
      assert.deepEqual([...(await sql`select id from pg_temp.audit_log`)], [{ id: "1" }]);
    });
  });

  test("with the settings of docs/operating.md the database's log does not show what statements carry", {
    skip,
  }, async () => {
    const address = { ...database.address, user: ROLE, password: PASSWORD };
    const log = join(dirname(database.address.host), "postgresql.log");
    const provoke = async (value: string) => {
      const sql = openPool(address);
      await assert.rejects(Promise.resolve(sql`select ${value}::text::uuid`), /invalid input syntax/);
      await assert.rejects(Promise.resolve(sql.unsafe(`select '${value}'::uuid`)), /invalid input syntax/);
      await sql.end();
    };
    await provoke("shown before");
    assert.match(readFileSync(log, "utf8"), /shown before/);
    const page = readFileSync(join(import.meta.dirname, "../../docs/operating.md"), "utf8");
    const settings = [...page.matchAll(/^ALTER ROLE faregate_gateway (SET \w+ = [^;]+);/gm)].map(([, set = ""]) => set);
    assert.equal(settings.length, 5);
    for (const set of settings) await admin`alter role ${admin(ROLE)} ${admin.unsafe(set)}`;
    await provoke("hidden after");
    assert.doesNotMatch(readFileSync(log, "utf8"), /hidden after/);
  });

  test("no rights are given to a role that is not there, or to one that has them all", async () => {
    await assert.rejects(grantTo(database.pool, "nobody"), /There is no role nobody/);
    await assert.rejects(grantTo(database.pool, superuser), /name another one/);
    await assert.rejects(grantTo(database.pool, database.address.user), /name another one/);
  });
});
