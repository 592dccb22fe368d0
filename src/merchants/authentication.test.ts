import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { codeOf, openPool, type Sql } from "../journal/database.ts";
import { type ApiCaller, type FindCaller, operatorBySecret, tokenBySecret } from "./authentication.ts";
import type { Backoffice } from "./backoffice.ts";
import { createMerchant } from "./merchants.ts";
import { createOperatorToken, revokeOperatorToken } from "./operator-tokens.ts";
import { mintSecret } from "./token-secret.ts";
import { createToken, revokeToken } from "./tokens.ts";
import { createUser } from "./users.ts";

const AUTHOR = { actor: "operator Jane", source: "::1" };

describe("authentication by the secret of a token", () => {
  const now = { iso: "2026-02-16T16:33:40Z" };
  let database: FreshDatabase;
  let office: Backoffice;
  let merchantId: string;
  let userId: string;
  before(async () => {
    database = await freshDatabase();
    const clock = { now: () => new Date(now.iso) };
    office = { sql: database.pool, clock, mode: "sandbox", kinds: new Map(), auditKey: async () => Buffer.alloc(32) };
    const merchant = await createMerchant(office, AUTHOR, { name: "Northwind" });
    assert(merchant.kind === "done");
    merchantId = merchant.value.id;
    const user = await createUser(office, AUTHOR, merchantId, { name: "Jane", email: "jane@example.com" });
    assert(user.kind === "done");
    userId = user.value.id;
  });
  after(() => database.drop());

  async function token(more: object = {}) {
    const created = await createToken(office, AUTHOR, merchantId, { user_id: userId, scopes: ["read"], ...more });
    assert(created.kind === "done");
    return created.value;
  }

  test("a token names merchant, user, scopes and limit", async () => {
    const { id, secret } = await token({ scopes: ["charge", "follow_up"], rate_limit_per_minute: 0 });
    assert.deepEqual(await tokenBySecret(office.sql, office.clock)(secret), {
      tokenId: id,
      merchantId,
      userId,
      scopes: ["charge", "follow_up"],
      rateLimitPerMinute: 0,
      strictIdentifiers: false,
      cardNumbersForbidden: false,
      verifyCards: false,
      requireIpAddress: true,
      cardTesting: null,
    });
  });

  test("a secret that nobody was given is nobody's", async () => {
    const find = tokenBySecret(office.sql, office.clock);
    for (const secret of [mintSecret("test").secret, mintSecret("live").secret])
      assert.equal(await find(secret), "unknown-token");
    for (const secret of ["fg_test_", ""]) assert.equal(await find(secret), "malformed-token");
  });

  test("a malformed secret, a wrong checksum and another kind's token never reach the database", async () => {
    const closed = openPool(database.address);
    await closed.end();
    const { secret } = await token();
    const mistyped = secret.slice(0, -1) + (secret.endsWith("0") ? "1" : "0");
    for (const text of ["", "Bearer", mistyped]) {
      assert.equal(await tokenBySecret(closed, office.clock)(text), "malformed-token");
      assert.equal(await operatorBySecret(closed)(text), "malformed-token");
    }
    assert.equal(await tokenBySecret(closed, office.clock)(mintSecret("operator").secret), "operator-token");
    assert.equal(await operatorBySecret(closed)(secret), "merchant-token");
    await assert.rejects(tokenBySecret(closed, office.clock)(secret), (fault) => codeOf(fault) === "CONNECTION_ENDED");
  });

  test("a revoked token is refused within a second on every node, and is good until then", async () => {
    const { id, secret } = await token();
    const nodes = [tokenBySecret(office.sql, office.clock), tokenBySecret(office.sql, office.clock)];
    for (const find of nodes) assert.equal(await callerIn(find(secret)), id);
    await revokeToken(office, AUTHOR, id);
    await sleep(990);
    for (const find of nodes)
      assert.deepEqual(await find(secret), { refused: "revoked-token", tokenId: id, merchantId });
  });

  test("a token is refused from the second on at which it expires, though it was just found", async () => {
    const find = tokenBySecret(office.sql, office.clock);
    const { id, secret } = await token({ expires_at: "2026-02-16T18:00:00Z" });
    now.iso = "2026-02-16T17:59:59.999Z";
    assert.equal(await callerIn(find(secret)), id);
    now.iso = "2026-02-16T18:00:00Z";
    assert.deepEqual(await find(secret), { refused: "expired-token", tokenId: id, merchantId });
  });

  test("a thousand requests at once ask the database once", async () => {
    const { secret } = await token();
    const { sql, questions } = counting(office.sql);
    const find = tokenBySecret(sql, office.clock);
    const found = await Promise.all(Array.from({ length: 1000 }, () => find(secret)));
    assert(found.every((caller) => typeof caller === "object" && "scopes" in caller));
    assert(found.every((caller) => typeof caller === "object" && caller.merchantId === merchantId));
    assert.equal(questions(), 1);
  });

  test("an operator's token names the operator until it is revoked", async () => {
    const created = await createOperatorToken(office, AUTHOR, { name: "Jane" });
    assert(created.kind === "done");
    const { id, secret } = created.value;
    assert.deepEqual(await operatorBySecret(office.sql)(secret), { tokenId: id, name: "Jane" });
    assert.equal(await operatorBySecret(office.sql)(mintSecret("operator").secret), "unknown-token");
    assert.equal(await tokenBySecret(office.sql, office.clock)(secret), "operator-token");
    await revokeOperatorToken(office, AUTHOR, id);
    assert.deepEqual(await operatorBySecret(office.sql)(secret), { refused: "revoked-token", tokenId: id });
  });
});

/** Undefined if it is no caller's. */
async function callerIn(finding: ReturnType<FindCaller<ApiCaller>>): Promise<string | undefined> {
  const found = await finding;
  return typeof found === "object" && "scopes" in found ? found.tokenId : undefined;
}

/** The same pool, and how many statements were sent through this name of it. */
function counting(sql: Sql): { sql: Sql; questions: () => number } {
  let count = 0;
  const counted = new Proxy(sql, {
    apply(target, self, parameters) {
      count += 1;
      return Reflect.apply(target, self, parameters);
    },
  });
  return { sql: counted, questions: () => count };
}
