// The audit log over HTTP: one entry for each change, with who, what, when, from where, before and after.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { loseChanges } from "../lost-change.ts";
import { until } from "./crash.fixture.ts";
import { startTestGateway, told } from "./gateway.ts";
import { sale } from "./merchant.fixture.ts";
import { newInstallation } from "./nodes.fixture.ts";

const NOBODY = "00000000-0000-7000-8000-000000000000";

interface Entry {
  readonly id: string;
  readonly actor: string;
  readonly at: string;
  readonly action: string;
  readonly subject: string;
  readonly outcome: string;
  readonly before: object | null;
  readonly after: object | null;
}

describe("the audit log over HTTP", () => {
  let gateway: Awaited<ReturnType<typeof startTestGateway>>;
  let merchant: string;
  before(async () => {
    gateway = await startTestGateway();
    merchant = `/operator/merchants/${gateway.sandbox.merchant_id}`;
  });
  after(() => gateway.close());

  const log = async (query = ""): Promise<Entry[]> =>
    (await gateway.operator("GET", `/operator/audit-log${query}`)).body.entries;

  /** What a request leaves in the log, newest first. */
  async function left(request: () => Promise<unknown>): Promise<Entry[]> {
    const newest = Number((await log())[0]?.id ?? 0);
    await request();
    return (await log()).filter(({ id }) => Number(id) > newest);
  }

  test("operators who look for much leave lists to merchants", async () => {
    let asked: Promise<unknown> = Promise.resolve();
    // As if it were very long.
    await gateway.pool.begin(async (sql) => {
      await sql`set local idle_in_transaction_session_timeout = '30s'`;
      await sql`lock table audit_log in access exclusive mode`;
      asked = Promise.all(Array.from({ length: 6 }, (_, nth) => log(`?actor=nobody${nth}`)));
      await until("two of them wait", async () => {
        const [row] = await gateway.pool`
          select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and application_name = 'faregate slow reads' and wait_event_type = 'Lock'`;
        return Number(row?.waiting) >= 2;
      });
      for (let nth = 0; nth < 5; nth++)
        assert.equal((await gateway.get(`/api/transactions?search[city]=Oslo${nth}`)).status, 200);
    });
    await asked;
  });

  test("every change leaves one entry: who, from where, what, before and after", async () => {
    const path = `/operator/processors/${gateway.sandbox.processors.usd}`;
    const was = (await gateway.operator("GET", path)).body.processor;
    const steps: [string, string, object | undefined, string][] = [
      ["POST", "/operator/merchants", { name: "Audited" }, "merchant.create"],
      ["PATCH", merchant, { name: "Renamed" }, "merchant.change"],
      ["POST", `${merchant}/users`, { name: "Jane", email: "jane@example.com" }, "user.create"],
      ["POST", `${merchant}/tokens`, { user_id: gateway.sandbox.user_id, scopes: ["read"] }, "token.create"],
      ["POST", `${merchant}/processors`, { name: "x", kind: "simulator", currency: "USD" }, "processor.create"],
      ["PATCH", path, { settings: { latency_ms: 5 } }, "processor.change"],
    ];
    for (const [method, path, json, action] of steps) {
      const entries = await left(() => gateway.operator(method, path, json));
      assert.equal(entries.length, 1, action);
      const { id: _, at, subject, before, after, ...rest } = entries[0] as Entry;
      assert.deepEqual(rest, { actor: "operator Sandbox", source: "127.0.0.1", action, outcome: "done" });
      assert.match(at, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+00:00$/);
      assert.match(subject, new RegExp(`^${action.split(".")[0]} [0-9a-f-]{36}$`));
      assert.equal(before === null, action.endsWith(".create"));
      assert.ok(after !== null);
      if (action === "processor.change") {
        const { updated_at } = after as { updated_at: string };
        assert.deepEqual(before, was);
        assert.deepEqual(after, { ...was, settings: { ...was.settings, latency_ms: 5 }, updated_at });
      }
    }
  });

  test("a revocation leaves an entry, and a second one does not", async () => {
    const input = { user_id: gateway.sandbox.user_id, scopes: ["read"] };
    const { id } = (await gateway.operator("POST", `${merchant}/tokens`, input)).body.token;
    const revoke = () => gateway.operator("DELETE", `/operator/tokens/${id}`);
    const [entry] = await left(revoke);
    assert.equal(entry?.action, "token.revoke");
    assert.deepEqual({ ...entry.before, revoked_at: null }, { ...entry.after, revoked_at: null });
    assert.notDeepEqual(entry.before, entry.after);
    assert.deepEqual(await left(revoke), []);
  });

  test("what changes nothing or only reads leaves no entry", async () => {
    const path = `/operator/processors/${gateway.sandbox.processors.cad}`;
    for (const [method, where, json] of [
      ["PATCH", path, {}],
      ["PATCH", path, { currency: "CAD" }],
      ["GET", `${merchant}/tokens`, undefined],
      ["GET", `/operator/processors/${NOBODY}`, undefined],
    ] as const)
      assert.deepEqual(await left(() => gateway.operator(method, where, json)), [], `${method} ${where}`);
  });

  test("a change that is refused leaves an entry: who wanted what, which fields were wrong, and no value", async () => {
    const cad = gateway.sandbox.processors.cad ?? "";
    const processor = "/operator/processors/:id";
    for (const [method, where, json, action, subject, after] of [
      ["PATCH", processor, { settlement: { cutoff_at: "25:00" } }, `PATCH ${processor}`, `path ${cad}`, 422],
      ["POST", "/operator/merchants", { name: "\0secret" }, "POST /operator/merchants", "path", 422],
      ["DELETE", "/operator/tokens/:id", undefined, "DELETE /operator/tokens/:id", `path ${NOBODY}`, 404],
      ["PUT", "/operator/merchants", {}, "PUT /operator/merchants", "path", 405],
    ] as const) {
      const path = where.replace(":id", method === "PATCH" ? cad : NOBODY);
      const [entry, ...more] = await left(() => gateway.operator(method, path, json));
      const { id: _, at: __, ...rest } = entry as Entry;
      const fields = after !== 422 ? ["base"] : method === "PATCH" ? ["settlement.cutoff_at"] : ["name"];
      const who = { actor: "operator Sandbox", source: "127.0.0.1", action, subject, outcome: "refused" };
      assert.deepEqual(rest, { ...who, before: null, after: { status: after, fields } });
      assert.deepEqual(more, []);
      assert.doesNotMatch(JSON.stringify(entry), /secret|25:00/);
    }
  });

  test("requests without a valid operator's token leave entries, sixty a minute at most, and then how many more", async () => {
    const other = await startTestGateway();
    try {
      const ask = (token: string | null) => other.call("GET", "/operator/merchants", { token });
      assert.equal((await ask(other.sandbox.api_token)).status, 401);
      for (let count = 0; count < 70; count++) await ask(null);
      const entries = await other.pool`select actor, source, action, subject, outcome, after from audit_log
        where outcome = 'refused' order by id`;
      assert.deepEqual(entries[0], {
        ...{ actor: "unknown", source: "127.0.0.1", action: "GET /operator/merchants", subject: "path" },
        ...{ outcome: "refused", after: { status: 401 } },
      });
      assert.ok(entries.length > 0 && entries.length <= 60, `${entries.length}`);
    } finally {
      await other.close();
    }
  });

  test("neither a secret nor its hash is ever in it", async () => {
    const input = { user_id: gateway.sandbox.user_id, scopes: ["read"] };
    const { secret } = (await gateway.operator("POST", `${merchant}/tokens`, input)).body.token;
    const { text } = await gateway.operator("GET", "/operator/audit-log");
    const stored = await gateway.pool<{ hash: string }[]>`select encode(secret_hash, 'hex') as hash from tokens`;
    for (const hidden of [secret, gateway.sandbox.operator_token, ...stored.map(({ hash }) => hash)])
      assert.ok(!text.includes(hidden));
    assert.doesNotMatch(text, /fg_test_|fg_operator_|hash/);
  });

  test("fifty entries at a time, newest first, and the part before the last one", async () => {
    for (let count = 0; count < 51; count++)
      await gateway.operator("POST", "/operator/merchants", { name: `Merchant ${count}` });
    const [total] = await gateway.pool<{ count: number }[]>`select count(*)::int as count from audit_log`;
    const found: Entry[] = [];
    for (let query = ""; ; query = `?before=${found.at(-1)?.id}`) {
      const entries = await log(query);
      assert.ok(entries.length <= 50);
      if (entries.length === 0) break;
      found.push(...entries);
    }
    assert.equal(found.length, total?.count);
    const ids = found.map(({ id }) => Number(id));
    assert.deepEqual(
      ids,
      [...new Set(ids)].sort((a, b) => b - a),
    );
  });

  test("what happened to one record can be asked for", async () => {
    const { id } = (await gateway.operator("POST", "/operator/merchants", { name: "First" })).body.merchant;
    await gateway.operator("PATCH", `/operator/merchants/${id}`, { name: "Second" });
    const entries = await log(`?subject=${id}`);
    assert.deepEqual(
      entries.map(({ action, subject }) => [action, subject]),
      [
        ["merchant.change", `merchant ${id}`],
        ["merchant.create", `merchant ${id}`],
      ],
    );
    assert.deepEqual(await log(`?subject=${id.toUpperCase()}`), entries);
    assert.deepEqual(await log(`?subject=${crypto.randomUUID()}`), []);
  });

  test("it is narrowed by who, by what, by how it ended, and by when", async () => {
    await gateway.operator("PATCH", merchant, { name: "" });
    const all = [...(await log()), ...(await log(`?before=${(await log()).at(-1)?.id}`))];
    const kept = async (query: string, keeps: (entry: Entry) => boolean) => {
      const found = await log(`?${query}`);
      assert.ok(found.length > 0, query);
      assert.deepEqual(found, all.filter(keeps).slice(0, 50), query);
    };
    await kept("action=merchant.ch", ({ action }) => action === "merchant.change");
    await kept("outcome=refused", ({ outcome }) => outcome === "refused");
    await kept("actor=R+SAND", ({ actor }) => actor === "operator Sandbox");
    await kept(`action=merchant&before=${all[5]?.id}`, ({ action, id }) => {
      return action.startsWith("merchant") && Number(id) < Number(all[5]?.id);
    });
    const day = all[0]?.at.slice(0, 10);
    await kept(`at_gte=${day}&at_lte=${day}&action=merchant`, ({ action }) => action.startsWith("merchant"));
    for (const query of ["actor=%25", "action=%25", "at_lte=2001-01-01", "at_gte=2101-01-01"])
      assert.deepEqual(await log(`?${query}`), [], query);
  });

  test("where its chain stands is told without reading it", async () => {
    const { chain } = (await gateway.operator("GET", "/operator/audit-log/chain")).body;
    const last = Number((await log())[0]?.id);
    const { hash, begun, ...rest } = chain;
    assert.deepEqual(rest, { broken: null, entries: last, first: 1, last, before_it_began: 0 });
    assert.match(`${hash} ${begun}`, /^[0-9a-f]{64} \d{4}-\d\d-\d\dT/);
  });

  test("what the query asks for must be an entry's id or a record's, and nothing else", async () => {
    for (const [query, field] of [
      ["before=x", "before"],
      ["before=-1", "before"],
      ["before=9999999999999999999", "before"],
      ["subject=x", "subject"],
      ["subjct=x", "subjct"],
      ["page=2", "page"],
      ["outcome=perhaps", "outcome"],
      ["at_gte=yesterday", "at_gte"],
      ["at_lte=2031-02-30", "at_lte"],
      ["actor=%00", "actor"],
      ["action=%00", "action"],
    ])
      assert.equal(told(await gateway.operator("GET", `/operator/audit-log?${query}`)), `422 ${field}`, query);
    assert.equal((await log(`?before=999999999999999999`)).length, 50);
    assert.deepEqual(await log("?before=0"), []);
    assert.equal((await log("?at_gte=0000-01-01&at_lte=9999-12-31")).length, 50);
  });
});

test("with a damaged audit log charges go on, and changes by operators do not", async () => {
  const installation = await newInstallation();
  try {
    const before = await installation.startNode();
    const { secret } = (
      await before.operator("POST", `/operator/merchants/${before.sandbox.merchant_id}/tokens`, {
        user_id: before.sandbox.user_id,
        scopes: ["charge"],
      })
    ).body.token;
    await before.pool`update installation set value = '"forged"' where name = 'audit-log'`;
    assert.equal(told(await before.post("/api/transactions/sale", sale(), { token: secret })), "200");
    assert.equal(told(await before.operator("POST", "/operator/merchants", { name: "Shop" })), "500 fatal");
    assert.equal(told(await before.operator("GET", "/operator/audit-log")), "200");
    assert.equal(told(await before.call("GET", "/operator/audit-log", { token: null })), "401 authorization base");
    const { chain } = (await before.operator("GET", "/operator/audit-log/chain")).body;
    assert.match(chain.broken, /anchor .* is not as it was written/);
    assert.equal(chain.last, null);
    const [{ count } = {}] = await before.pool`select count(*)::int as count from merchants where name = 'Shop'`;
    assert.equal(count, 0);
    await before.close();
  } finally {
    await installation.remove();
  }
});

describe("a database that goes away while a change is written", () => {
  const MERCHANT = { name: "Perhaps" };

  for (const [when, status, text] of [
    ["before", "503 base", /Nothing was sent or changed/],
    ["at commit", "500 fatal", /may have been made: check before you try again/],
  ] as const)
    test(`${when}: whether it may have been made is what the answer says`, async () => {
      const gateway = await startTestGateway();
      try {
        await loseChanges(gateway.pool, when, async () => {
          const answer = await gateway.operator("POST", "/operator/merchants", MERCHANT);
          assert.equal(told(answer), status);
          assert.match(Object.values(answer.body.error.message).flat().join(), text);
        });
        const { merchants } = (await gateway.operator("GET", "/operator/merchants")).body;
        assert.ok(merchants.every(({ name }: { name: string }) => name !== MERCHANT.name));
        assert.equal((await gateway.operator("POST", "/operator/merchants", MERCHANT)).status, 201);
      } finally {
        await gateway.close();
      }
    });
});

test("an entry that was edited in the middle stops changes within seconds, and no charge", async () => {
  const gateway = await startTestGateway();
  try {
    const rename = (to: string) =>
      gateway.operator("PATCH", `/operator/merchants/${gateway.sandbox.merchant_id}`, { name: to });
    assert.equal((await rename("Shop")).status, 200);
    await gateway.pool`update audit_log set actor = 'somebody else' where id = 3`;
    const name = async () =>
      (await gateway.pool`select name from merchants where id = ${gateway.sandbox.merchant_id}`)[0];
    await until("it is found", async () => {
      const [broken] = await gateway.pool`
        select 1 from installation where name = 'audit-log' and value::text like '%entry 3 is not as it was written%'`;
      return broken !== undefined;
    });
    const { chain } = (await gateway.operator("GET", "/operator/audit-log/chain")).body;
    assert.equal(chain.broken, "entry 3 is not as it was written");
    const before = await name();
    assert.equal((await rename("Another")).status, 500);
    assert.deepEqual(await name(), before);
    assert.equal((await gateway.post("/api/transactions/sale", sale())).status, 200);
  } finally {
    await gateway.close();
  }
});
