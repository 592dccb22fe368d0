// What each role may ask for, by a session, for every route there is: a route that is new must be written down here.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ROLES, type Role } from "../../src/people/roles.ts";
import { type Browser, browser } from "../browser.ts";
import { until } from "../receiver.ts";
import { startTestGateway, told } from "./gateway.ts";
import { operationsOf } from "./published.ts";

const NOBODY = "00000000-0000-7000-8000-000000000000";
const EVERYBODY = ROLES;
const OPERATORS: readonly Role[] = ["operator", "operator_read"];
const OPERATOR: readonly Role[] = ["operator"];
const SELLERS: readonly Role[] = ["merchant_admin", "clerk"];
/** What merchants' admins look after themselves, for their own merchant. */
const SEE: readonly Role[] = [...OPERATORS, "merchant_admin"];
const SET_UP: readonly Role[] = ["operator", "merchant_admin"];

const MAY: Readonly<Record<string, readonly Role[]>> = {
  "POST /api/transactions/sale": SELLERS,
  "POST /api/transactions/auth": SELLERS,
  "POST /api/transactions": SELLERS,
  "POST /api/transactions/{transaction_id}/capture": SELLERS,
  "POST /api/transactions/{transaction_id}/void": SELLERS,
  "POST /api/transactions/{transaction_id}/refund": SELLERS,
  "POST /api/transactions/{transaction_id}/reversal": SELLERS,
  "GET /api/transactions": EVERYBODY,
  "GET /api/transactions/{transaction_id}": EVERYBODY,
  "POST /api/cards": SELLERS,
  "GET /api/cards": EVERYBODY,
  "GET /api/cards/{card_id}": EVERYBODY,
  "PATCH /api/cards/{card_id}": SELLERS,
  "DELETE /api/cards/{card_id}": SELLERS,
  "POST /api/plans": SELLERS,
  "GET /api/plans": EVERYBODY,
  "GET /api/plans/{plan_id}": EVERYBODY,
  "PATCH /api/plans/{plan_id}": SELLERS,
  "DELETE /api/plans/{plan_id}": SELLERS,
  "POST /api/cards/{card_id}/verify": SELLERS,
  "GET /api/ledger": EVERYBODY,
  "GET /api/overview": EVERYBODY,
  "GET /api/batches": EVERYBODY,
  "GET /api/batches/{id}": EVERYBODY,
  "GET /api/batches/{id}/events": EVERYBODY,
  "GET /api/reconciliations": EVERYBODY,
  "GET /api/reconciliations/{reconciliation_id}": EVERYBODY,
  "GET /api/settlement": EVERYBODY,
  "GET /api/disputes": EVERYBODY,
  "GET /api/disputes/{dispute_id}": EVERYBODY,
  "GET /api/processors": EVERYBODY,
  "POST /operator/merchants": OPERATOR,
  "GET /operator/merchants": OPERATORS,
  "GET /operator/merchants/{id}": SEE,
  "PATCH /operator/merchants/{id}": OPERATOR,
  "POST /operator/merchants/{id}/return-secret": SET_UP,
  "POST /operator/merchants/{id}/users": SET_UP,
  "GET /operator/merchants/{id}/users": SEE,
  "POST /operator/merchants/{id}/tokens": SET_UP,
  "GET /operator/merchants/{id}/tokens": SEE,
  "DELETE /operator/tokens/{id}": SET_UP,
  "POST /operator/people": OPERATOR,
  "GET /operator/people": OPERATORS,
  "POST /operator/merchants/{id}/people": SET_UP,
  "GET /operator/merchants/{id}/people": SEE,
  "GET /operator/people/{id}": SEE,
  "PATCH /operator/people/{id}": SET_UP,
  "POST /operator/people/{id}/password": SET_UP,
  "POST /operator/people/{id}/sign-out": SET_UP,
  "DELETE /operator/people/{id}/second-factor": SET_UP,
  "POST /operator/merchants/{id}/processors": OPERATOR,
  "GET /operator/merchants/{id}/processors": SEE,
  "GET /operator/processors/{id}": SEE,
  "PATCH /operator/processors/{id}": OPERATOR,
  "GET /operator/merchants/{id}/routing": SEE,
  "PATCH /operator/merchants/{id}/routing": OPERATOR,
  "POST /operator/merchants/{id}/routing/try": SEE,
  "POST /operator/merchants/{id}/webhooks": SET_UP,
  "GET /operator/merchants/{id}/webhooks": SEE,
  "GET /operator/webhooks/{id}": SEE,
  "PATCH /operator/webhooks/{id}": SET_UP,
  "DELETE /operator/webhooks/{id}": SET_UP,
  "POST /operator/webhooks/{id}/rotate-secret": SET_UP,
  "GET /operator/webhooks/{id}/deliveries": SEE,
  "POST /operator/webhooks/{id}/ping": SET_UP,
  "POST /operator/webhooks/{id}/replay": SET_UP,
  "GET /operator/batches": OPERATORS,
  "GET /operator/batches/{id}": OPERATORS,
  "GET /operator/batches/{id}/events": OPERATORS,
  "GET /operator/reconciliations": OPERATORS,
  "GET /operator/reconciliations/{id}": OPERATORS,
  "GET /operator/disputes": OPERATORS,
  "POST /operator/merchants/{id}/disputes": OPERATOR,
  "GET /operator/disputes/{id}": OPERATORS,
  "PATCH /operator/disputes/{id}": OPERATOR,
  "GET /operator/unresolved": OPERATORS,
  "POST /operator/unresolved/{id}/resolution": OPERATOR,
  "GET /operator/notifications": OPERATORS,
  "GET /operator/merchants/{id}/card-testing": SEE,
  "PATCH /operator/merchants/{id}/card-testing": OPERATOR,
  "GET /operator/merchants/{id}/card-testing/reports": SEE,
  "GET /operator/card-testing": OPERATORS,
  "GET /operator/merchants/{id}/audit-log": SEE,
  "GET /operator/audit-log": OPERATORS,
  "GET /operator/audit-log/chain": OPERATORS,
  "GET /operator/keys": OPERATORS,
  "GET /operator/declared-state": OPERATORS,
  "GET /operator/clock": OPERATORS,
  "POST /operator/clock": OPERATOR,
};

describe("roles", () => {
  let gateway: Awaited<ReturnType<typeof startTestGateway>>;
  const pages = new Map<Role, Browser>();
  const page = (role: Role): Browser => {
    const found = pages.get(role);
    if (found === undefined) throw new Error(`nobody is signed in as ${role}`);
    return found;
  };
  before(async () => {
    gateway = await startTestGateway();
    for (const role of ROLES) {
      const own = browser(gateway);
      assert.equal((await own.signIn(gateway.sandbox.people[role])).status, 201);
      pages.set(role, own);
    }
  });
  after(() => gateway.close());
  const ofMerchant = () => `/operator/merchants/${gateway.sandbox.merchant_id}`;
  const acting = () => ({ "faregate-merchant": gateway.sandbox.merchant_id });

  test("every route that takes a token has its roles written down", async () => {
    const { body } = await gateway.get("/openapi.json", { token: null });
    const names = operationsOf(body).flatMap(({ name }) => (/ \/(api|operator)\//.test(name) ? [name] : []));
    assert.deepEqual(Object.keys(MAY).sort(), names.sort());
  });

  for (const role of ROLES)
    test(`${role}: may what is written down for it, on every route, and nothing else`, async () => {
      const wrong: string[] = [];
      for (const [name, roles] of Object.entries(MAY)) {
        const [method = "", path = ""] = name.split(" ");
        const id = path.startsWith("/operator/merchants/{id}") ? gateway.sandbox.merchant_id : NOBODY;
        const headers = role.startsWith("operator") ? acting() : {};
        const json = method === "GET" || method === "DELETE" ? undefined : {};
        const { status } = await page(role).call(method, path.replace(/\{\w+\}/, id), json, headers);
        const refused = status === 401 || status === 403;
        if (refused === roles.includes(role) || status >= 500) wrong.push(`${name}: ${status}`);
      }
      assert.deepEqual(wrong, []);
    });

  test("a merchant's admin creates tokens within the gateway's rate limit only", async () => {
    const { merchant_id, user_id } = gateway.sandbox;
    const create = (role: Role, limit: number | null) =>
      page(role).call("POST", `/operator/merchants/${merchant_id}/tokens`, {
        ...{ user_id, scopes: ["read"], rate_limit_per_minute: limit },
      });
    for (const limit of [0, 1, 10_000]) {
      const { status, body } = await create("merchant_admin", limit);
      assert.equal(status, 422);
      assert.deepEqual(Object.keys(body.error.message), ["rate_limit_per_minute"]);
    }
    assert.equal((await create("merchant_admin", null)).status, 201);
    assert.equal((await create("operator", 0)).status, 201);
  });

  test("a merchant's admin makes tokens, users and people up to a bound; operators go on", async () => {
    const { user_id, merchant_id } = gateway.sandbox;
    await gateway.pool`
      insert into tokens (id, merchant_id, user_id, scopes, secret_hash, created_at)
      select gen_random_uuid(), ${merchant_id}, ${user_id}, '{read}', decode(md5(n::text) || md5(n::text), 'hex'), now()
      from generate_series(1, 50) n`;
    await gateway.pool`
      insert into users (id, merchant_id, name, email, created_at)
      select gen_random_uuid(), ${merchant_id}, 'Jane', 'jane@example.com', now() from generate_series(1, 200)`;
    const one = { name: "Jane", email: "one.more@example.com" };
    for (const [path, input, why] of [
      ["tokens", { user_id, scopes: ["read"] }, /has 50 tokens in force/],
      ["users", one, /has 200 users/],
      ["people", { ...one, role: "viewer" }, /has 200 users/],
    ] as const) {
      const create = (who: Role) => page(who).call("POST", `${ofMerchant()}/${path}`, input);
      const refused = await create("merchant_admin");
      assert.equal(told(refused), "422 base");
      assert.match(refused.text, why);
      assert.equal((await create("operator")).status, 201);
    }
    await gateway.pool`delete from users where email = 'jane@example.com'`;
  });

  test("a merchant's people who change much at once leave the office's connections to others", async () => {
    const { id } = (await gateway.operator("POST", `${ofMerchant()}/webhooks`, { url: "http://127.0.0.1:9/" })).body
      .webhook;
    const rotate = () => page("merchant_admin").call("POST", `/operator/webhooks/${id}/rotate-secret`, {});
    const refund = () => page("clerk").call("POST", `/api/transactions/${NOBODY}/refund`, {});
    let asked: Promise<unknown> = Promise.resolve();
    // As if each entry took very long.
    await gateway.pool.begin(async (sql) => {
      await sql`set local idle_in_transaction_session_timeout = '30s'`;
      await sql`select 1 from installation where name = 'audit-log' for update`;
      asked = Promise.all([rotate, refund, rotate, refund, rotate, refund].map((ask) => ask()));
      await until("one of them waits", async () => {
        const [row] = await gateway.pool`
          select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and application_name = 'faregate office' and wait_event_type = 'Lock'`;
        return Number(row?.waiting) > 0;
      });
      for (let nth = 0; nth < 5; nth++)
        assert.equal((await gateway.operator("GET", `${ofMerchant()}/users`)).status, 200);
    });
    await asked;
    assert.equal((await gateway.operator("DELETE", `/operator/webhooks/${id}`)).status, 204);
  });

  test("nothing of another merchant is there for a merchant's admin", async () => {
    const { merchant_id: other, user_id } = gateway.sandbox.other_merchant;
    const made = async (path: string, name: string, json: object): Promise<string> => {
      const answer = await gateway.operator("POST", `/operator/merchants/${other}/${path}`, json);
      assert.equal(answer.status, 201, answer.text);
      return answer.body[name].id;
    };
    const token = await made("tokens", "token", { user_id, scopes: ["read"] });
    const person = await made("people", "person", { name: "Other", email: "other@example.com", role: "viewer" });
    const webhook = await made("webhooks", "webhook", { url: "http://127.0.0.1:9/" });
    const processor = await made("processors", "processor", { name: "Other", kind: "simulator", currency: "USD" });
    const operator = (await gateway.operator("GET", "/operator/people")).body.people[0].id;
    for (const [method, path] of [
      ["GET", `/operator/merchants/${other}`],
      ["GET", `/operator/merchants/${other}/people`],
      ["GET", `/operator/merchants/${other}/audit-log`],
      ["POST", `/operator/merchants/${other}/people`],
      ["POST", `/operator/merchants/${other}/tokens`],
      ["DELETE", `/operator/tokens/${token}`],
      ["GET", `/operator/people/${person}`],
      ["GET", `/operator/people/${operator}`],
      ["PATCH", `/operator/people/${operator}`],
      ["POST", `/operator/people/${person}/password`],
      ["POST", `/operator/people/${operator}/password`],
      ["GET", `/operator/webhooks/${webhook}`],
      ["DELETE", `/operator/webhooks/${webhook}`],
      ["GET", `/operator/processors/${processor}`],
    ] as const) {
      const answer = await page("merchant_admin").call(method, path);
      assert.equal(answer.status, 404, `${method} ${path}: ${answer.text}`);
    }
    const theirs = { "faregate-merchant": other };
    assert.equal(told(await page("clerk").get("/api/transactions", theirs)), "404 base");
  });

  test("an operator says whose payments to look at", async () => {
    const operator = page("operator");
    await gateway.post("/api/transactions/sale", {
      ...{ amount: "3.56", card_number: "4111111111111111", card_expiry_month: "12", card_expiry_year: "2039" },
      ...{ merchant_transaction_id: "looked-at", ip_address: "203.0.113.7" },
    });
    assert.equal(told(await operator.get("/api/transactions")), "422 base");
    for (const wrong of [NOBODY, "x", ""])
      assert.equal(told(await operator.get("/api/transactions", { "faregate-merchant": wrong })), "404 base", wrong);
    assert.equal((await operator.get("/api/transactions", acting())).body.meta.total, 1);
    const others = { "faregate-merchant": gateway.sandbox.other_merchant.merchant_id };
    assert.equal((await operator.get("/api/transactions", others)).body.meta.total, 0);
  });

  test("a clerk's sale names the clerk, and a refund by a session is in the audit log, refused or not", async () => {
    const clerk = page("clerk");
    const sale = await clerk.call("POST", "/api/transactions/sale", {
      ...{ amount: "3.56", card_number: "4111111111111111", card_expiry_month: "12", card_expiry_year: "2039" },
      ...{ merchant_transaction_id: "by-clerk", ip_address: "203.0.113.7" },
    });
    assert.equal(sale.status, 200, sale.text);
    const { id, user_id } = sale.body.transaction;
    const session = (await clerk.get("/session")).body.session;
    assert.equal(user_id, session.person.id);
    const refund = await clerk.call("POST", `/api/transactions/${id}/refund`, {});
    assert.equal(refund.status, 200, refund.text);
    const again = await clerk.call("POST", `/api/transactions/${id}/refund`, {});
    assert.equal(again.status, 422, again.text);
    const refunding = [`clerk ${session.person.email}`, "POST /api/transactions/:transaction_id/refund"];
    const all = await gateway.operator("GET", `/operator/audit-log?subject=${id}`);
    const own = await page("merchant_admin").get(`${ofMerchant()}/audit-log?subject=${id}`);
    for (const { entries } of [all.body, own.body])
      assert.deepEqual(
        entries.map(({ actor, action, outcome }: Record<string, string>) => [actor, action, outcome]),
        [
          [...refunding, "refused"],
          [...refunding, "done"],
        ],
      );
  });

  test("a merchant's admin reads what happened at the merchant, and of an operator only that it was one", async () => {
    const { merchant_id, other_merchant, people } = gateway.sandbox;
    const [operator, admin] = [page("operator"), page("merchant_admin")];
    const rename = (of: string, name: string) => operator.call("PATCH", `/operator/merchants/${of}`, { name });
    assert.equal((await rename(merchant_id, "Watched")).status, 200);
    assert.equal((await rename(other_merchant.merchant_id, "Not theirs")).status, 200);
    assert.equal((await gateway.operator("PATCH", ofMerchant(), { name: "Seen" })).status, 200);
    assert.equal(told(await rename(merchant_id, "")), "422 name");
    assert.equal((await admin.call("POST", "/operator/merchants", { name: "Mine" })).status, 403);
    await browser(gateway).signIn({ ...people.clerk, password: "wrong" });
    await browser(gateway).signIn({ ...people.operator, password: "wrong" });
    const read = async (who: Browser, query = ""): Promise<Record<string, string>[]> =>
      (await who.get(`${ofMerchant()}/audit-log${query}`)).body.entries;
    await until("the refused sign-in is noted", async () =>
      (await read(admin)).some(({ actor, outcome }) => actor === "unknown" && outcome === "refused"),
    );
    const seen = async (action: string): Promise<string[]> =>
      (await read(admin, `?action=${action}`)).map(({ actor, source, outcome }) => `${actor} ${source} ${outcome}`);
    const { email } = people.merchant_admin;
    assert.deepEqual(await seen("merchant.change"), Array(2).fill("operator not shown done"));
    assert.ok((await seen("session.create")).includes(`merchant_admin ${email} 127.0.0.1 done`));
    assert.ok((await seen("POST /operator/merchants")).includes(`merchant_admin ${email} 127.0.0.1 refused`));
    assert.deepEqual(await seen("POST /session"), ["unknown 127.0.0.1 refused"]);
    const text = JSON.stringify(await read(admin));
    for (const hidden of [
      `merchant ${other_merchant.merchant_id}`,
      "Not theirs",
      people.operator.email,
      "operator Sandbox",
    ])
      assert.ok(!text.includes(hidden), hidden);
    assert.deepEqual(await read(admin, `?actor=${people.operator.email}`), []);
    assert.notDeepEqual(await read(operator, `?actor=${people.operator.email}`), []);
    assert.equal((await operator.get(`/operator/merchants/${NOBODY}/audit-log`)).status, 404);
  });

  test("what a role may not change is noted as refused", async () => {
    await page("operator_read").call("POST", "/operator/merchants", { name: "Mine" });
    const { entries } = (await gateway.operator("GET", "/operator/audit-log")).body;
    const found = entries.find(({ actor }: { actor: string }) => actor === "operator_read operator-read@example.com");
    assert.deepEqual([found?.outcome, found?.after?.status], ["refused", 403]);
  });

  test("nobody locks, demotes or resets themselves, and roles stay on their side", async () => {
    const own = async (role: Role) => (await page(role).get("/session")).body.session.person.id as string;
    const [operator, admin, clerk] = [await own("operator"), await own("merchant_admin"), await own("clerk")];
    const change = (role: Role, id: string, json: object) => page(role).call("PATCH", `/operator/people/${id}`, json);
    assert.equal(told(await change("operator", operator, { locked: true })), "422 locked");
    assert.equal(told(await change("operator", operator, { role: "operator_read" })), "422 role");
    assert.equal(told(await change("merchant_admin", clerk, { role: "operator" })), "422 role");
    assert.equal(told(await change("merchant_admin", admin, { name: "New Name" })), "200");
    for (const [method, path] of [
      ["POST", "password"],
      ["DELETE", "second-factor"],
    ] as const)
      assert.equal(told(await page("merchant_admin").call(method, `/operator/people/${admin}/${path}`)), "422 base");
    const people = `/operator/merchants/${gateway.sandbox.merchant_id}/people`;
    const input = { name: "Up", email: "up@example.com", role: "operator" };
    assert.equal(told(await page("merchant_admin").call("POST", people, input)), "422 role");
    const taken = { ...input, email: gateway.sandbox.people.viewer.email.toUpperCase(), role: "viewer" };
    assert.equal(told(await page("merchant_admin").call("POST", people, taken)), "422 email");
  });
});

test("a person has one rate limit, under /api and /operator, however often they sign in", async () => {
  const gateway = await startTestGateway({ rateLimitPerMinute: 6 });
  try {
    const pages = [browser(gateway), browser(gateway)];
    for (const page of pages) await page.signIn(gateway.sandbox.people.merchant_admin);
    const paths = ["/api/transactions", `/operator/merchants/${gateway.sandbox.merchant_id}`];
    const statuses: number[] = [];
    for (const page of [...pages, ...pages]) for (const path of paths) statuses.push((await page.get(path)).status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 429, 429]);
    assert.equal((await gateway.operator("GET", "/operator/merchants")).status, 200, "operators' tokens have none");
  } finally {
    await gateway.close();
  }
});

test("a merchant's people make 120 changes a minute, all together; they go on reading, and operators changing", async () => {
  const gateway = await startTestGateway();
  try {
    const { merchant_id, people } = gateway.sandbox;
    const [one, other] = [browser(gateway), browser(gateway)];
    await one.signIn(people.merchant_admin);
    const colleague = { name: "Colleague", email: "colleague@example.com", role: "merchant_admin" };
    const { person } = (await gateway.operator("POST", `/operator/merchants/${merchant_id}/people`, colleague)).body;
    await other.signIn({ email: person.email, password: person.password });
    const new_password = "correct horse battery staple 9";
    assert.equal(
      (await other.call("PUT", "/session/password", { password: person.password, new_password })).status,
      200,
    );
    const hooks = `/operator/merchants/${merchant_id}/webhooks`;
    const { webhook } = (await gateway.operator("POST", hooks, { url: "http://127.0.0.1:9/" })).body;
    const rotate = `/operator/webhooks/${webhook.id}/rotate-secret`;
    for (let nth = 0; nth < 60; nth++)
      for (const who of [one, other]) assert.equal((await who.call("POST", rotate, {})).status, 200);
    for (const who of [one, other]) {
      const refused = await who.call("POST", rotate, {});
      assert.equal(told(refused), "429 base");
      assert.match(refused.headers.get("retry-after") ?? "", /^[1-9][0-9]?$/);
      assert.equal((await who.get(hooks)).status, 200);
    }
    assert.equal((await gateway.operator("POST", rotate, {})).status, 200);
  } finally {
    await gateway.close();
  }
});
