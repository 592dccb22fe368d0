import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { fixedClock } from "../../test/hand-clock.ts";
import { openPool } from "../journal/database.ts";
import { auditLog } from "./audit-log.ts";
import type { Author, Backoffice } from "./backoffice.ts";
import { createMerchant } from "./merchants.ts";
import { createOperatorToken, listOperatorTokens, revokeOperatorToken } from "./operator-tokens.ts";
import { readSecret } from "./token-secret.ts";
import { createToken, listTokens, revokeToken } from "./tokens.ts";
import { createUser } from "./users.ts";

const AUTHOR = { actor: "command line root", source: "command line" };
const NOBODY = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";
const FUTURE = "must be a time in the future with its offset from UTC, like 2039-01-31T00:00:00Z";

describe("API tokens", () => {
  let database: FreshDatabase;
  let office: Backoffice;
  let merchant_id: string;
  let user_id: string;
  before(async () => {
    database = await freshDatabase();
    office = {
      sql: database.pool,
      clock: fixedClock("2026-02-16T16:33:40Z"),
      mode: "sandbox",
      kinds: new Map(),
      auditKey: async () => Buffer.alloc(32),
    };
    ({ merchant_id, user_id } = await merchantWithUser(office));
  });
  after(() => database.drop());

  test("a token shows its secret once, and what is kept has neither it nor its hash", async () => {
    const input = {
      user_id,
      scopes: ["charge", "read"],
      expires_at: "2039-01-31T02:00:00+02:00",
      rate_limit_per_minute: 60,
    };
    const created = await createToken(office, AUTHOR, merchant_id, input);
    assert(created.kind === "done");
    const { secret, ...token } = created.value;
    assert.deepEqual(token, {
      id: token.id,
      merchant_id,
      user_id,
      scopes: ["charge", "read"],
      rate_limit_per_minute: 60,
      created_at: "2026-02-16T16:33:40+00:00",
      expires_at: "2039-01-31T00:00:00+00:00",
      revoked_at: null,
    });
    assert.deepEqual(await listTokens(office.sql, merchant_id), [token]);
    const [entry] = await auditLog(office.sql, { subject: token.id });
    assert.deepEqual([entry?.action, entry?.before, entry?.after], ["token.create", null, token]);
    const [row] = await office.sql`select * from tokens where id = ${token.id}`;
    assert.deepEqual(row?.secret_hash, readSecret(secret)?.hash);
    assert.doesNotMatch(JSON.stringify(row), new RegExp(secret));
  });

  test("a token says by its prefix whether money moves", async () => {
    for (const [mode, prefix] of [
      ["sandbox", /^fg_test_/],
      ["live", /^fg_live_/],
    ] as const) {
      const created = await createToken({ ...office, mode }, AUTHOR, merchant_id, { user_id, scopes: ["read"] });
      assert(created.kind === "done");
      assert.match(created.value.secret, prefix);
      assert.deepEqual([created.value.expires_at, created.value.rate_limit_per_minute], [null, null]);
    }
  });

  test("it is in the list of its merchant alone", async () => {
    const other = await merchantWithUser(office);
    const created = await createToken(office, AUTHOR, other.merchant_id, { user_id: other.user_id, scopes: ["read"] });
    assert(created.kind === "done");
    const { secret: _, ...token } = created.value;
    assert.deepEqual(await listTokens(office.sql, other.merchant_id), [token]);
    const own = await listTokens(office.sql, merchant_id);
    assert.deepEqual([own?.length !== 0, own?.some(({ id }) => id === token.id)], [true, false]);
  });

  test("it expires in the future and belongs to a user of the merchant", async () => {
    const other = await merchantWithUser(office);
    const rows = [
      [{ expires_at: "2026-02-16T16:33:40Z" }, { expires_at: [FUTURE] }],
      [{ expires_at: "2026-02-16T16:33:41Z" }, undefined],
      [{ expires_at: "2026-02-16T17:33:40+01:00" }, { expires_at: [FUTURE] }],
      [{ expires_at: "2026-12-31T23:59:60Z" }, { expires_at: [FUTURE] }],
      [{ expires_at: "2030-01-01T00:00:00Z[Europe/Berlin]" }, { expires_at: [FUTURE] }],
      [{ user_id: other.user_id }, { user_id: ["must be the id of a user of this merchant"] }],
      [
        { user_id: NOBODY, expires_at: "2000-01-01T00:00:00Z", scopes: [] },
        {
          scopes: ["must be a list of at least 1, none repeated, each one of charge, follow_up, read, cards"],
          user_id: ["must be the id of a user of this merchant"],
          expires_at: [FUTURE],
        },
      ],
    ] as const;
    for (const [given, problems] of rows) {
      const result = await createToken(office, AUTHOR, merchant_id, { user_id, scopes: ["read"], ...given });
      assert.deepEqual(result.kind === "invalid" ? result.problems : undefined, problems, JSON.stringify(given));
    }
    assert.deepEqual(await createToken(office, AUTHOR, NOBODY, {}), { kind: "unknown", what: "merchant", id: NOBODY });
    assert.deepEqual(await createToken(office, AUTHOR, merchant_id, 7), {
      kind: "invalid",
      problems: { base: ["must be an object"] },
    });
  });

  test("a merchant's own people make fifty tokens in force, operators any number", async () => {
    const { merchant_id, user_id } = await merchantWithUser(office);
    let now = office;
    const admin = { ...AUTHOR, merchantId: merchant_id };
    const create = (author: Author, more = {}) =>
      createToken(now, author, merchant_id, { user_id, scopes: ["read"], ...more });
    const made = [await create(admin, { expires_at: "2026-02-16T16:34:00Z" })];
    for (let nth = 1; nth < 50; nth++) made.push(await create(admin));
    const why = "A merchant has 50 tokens in force: revoke one, or ask an operator for more.";
    const refused = { kind: "invalid", problems: { base: [why] } };
    assert.deepEqual(await create(admin), refused);
    made.push(await create(AUTHOR));
    const [, one] = made.map((each) => (each.kind === "done" ? each.value : assert.fail(each.kind)));
    await revokeToken(office, admin, one?.id ?? "");
    assert.deepEqual(await create(admin), refused, "an operator's counts, too");
    now = { ...office, clock: fixedClock("2026-02-16T16:34:00Z") };
    assert.equal((await create(admin)).kind, "done", "one that expired does not");
    assert.deepEqual(await create(admin), refused);
  });

  test("a token without a limit has none, and one of which nothing is said has the gateway's", async () => {
    for (const [given, shown] of [
      [{ rate_limit_per_minute: 0 }, 0],
      [{ rate_limit_per_minute: null }, null],
      [{}, null],
    ] as const) {
      const created = await createToken(office, AUTHOR, merchant_id, { user_id, scopes: ["read"], ...given });
      assert(created.kind === "done");
      assert.equal(created.value.rate_limit_per_minute, shown);
    }
  });

  test("people of a merchant on several nodes at once make no more than fifty tokens", async () => {
    const { merchant_id, user_id } = await merchantWithUser(office);
    await office.sql`
      insert into tokens (id, merchant_id, user_id, secret_hash, scopes, created_at)
      select gen_random_uuid(), ${merchant_id}, ${user_id}, decode(md5('token ' || nth), 'hex'), '{read}', now()
      from generate_series(1, 49) nth`;
    const nodes = Array.from({ length: 4 }, (_, nth) => openPool(database.address, `node ${nth}`, { connections: 1 }));
    await Promise.all(nodes.map((sql) => sql`select 1`));
    const made = await Promise.all(
      nodes.map((sql) =>
        createToken({ ...office, sql }, { ...AUTHOR, merchantId: merchant_id }, merchant_id, {
          user_id,
          scopes: ["read"],
        }),
      ),
    );
    await Promise.all(nodes.map((sql) => sql.end()));
    assert.deepEqual(made.map(({ kind }) => kind).sort(), ["done", "invalid", "invalid", "invalid"]);
  });

  test("a token is revoked once, whoever tries again", async () => {
    const created = await createToken(office, AUTHOR, merchant_id, { user_id, scopes: ["read"] });
    assert(created.kind === "done");
    const { secret: _, ...token } = created.value;
    const revoked = { ...token, revoked_at: "2026-02-17T00:00:00+00:00" };
    const [later, muchLater] = ["2026-02-17T00:00:00Z", "2026-02-18T00:00:00Z"].map((now) => ({
      ...office,
      clock: fixedClock(now),
    }));
    assert(later && muchLater);
    assert.deepEqual(await revokeToken(later, AUTHOR, token.id), { kind: "done", value: revoked });
    assert.deepEqual(await revokeToken(muchLater, AUTHOR, token.id), { kind: "done", value: revoked });
    const [entry, creation, ...more] = await auditLog(office.sql, { subject: token.id });
    assert.deepEqual([entry?.action, entry?.before, entry?.after], ["token.revoke", token, revoked]);
    assert.deepEqual([creation?.action, more], ["token.create", []]);
    for (const id of [NOBODY, "x"])
      assert.deepEqual(await revokeToken(office, AUTHOR, id), { kind: "unknown", what: "token", id });
  });

  test("an operator's token is named, shown once, and revoked once", async () => {
    assert.deepEqual(await createOperatorToken(office, AUTHOR, {}), {
      kind: "invalid",
      problems: { name: ["is required"] },
    });
    const created = await createOperatorToken(office, AUTHOR, { name: "Jane" });
    assert(created.kind === "done");
    const { secret, ...token } = created.value;
    assert.match(secret, /^fg_operator_/);
    assert.deepEqual(await listOperatorTokens(office.sql), [token]);
    const revoked = { ...token, revoked_at: "2026-02-16T16:33:40+00:00" };
    for (let time = 1; time <= 2; time++)
      assert.deepEqual(await revokeOperatorToken(office, AUTHOR, token.id), { kind: "done", value: revoked });
    const entries = await auditLog(office.sql, { subject: token.id });
    assert.deepEqual(
      entries.map(({ action, before, after }) => [action, before, after]),
      [
        ["operator-token.revoke", token, revoked],
        ["operator-token.create", null, token],
      ],
    );
    assert.deepEqual(await revokeOperatorToken(office, AUTHOR, NOBODY), {
      kind: "unknown",
      what: "operator token",
      id: NOBODY,
    });
  });
});

async function merchantWithUser(office: Backoffice): Promise<{ merchant_id: string; user_id: string }> {
  const merchant = await createMerchant(office, AUTHOR, { name: "Northwind" });
  assert(merchant.kind === "done");
  const user = await createUser(office, AUTHOR, merchant.value.id, { name: "Jane", email: "jane@example.com" });
  assert(user.kind === "done");
  return { merchant_id: merchant.value.id, user_id: user.value.id };
}
