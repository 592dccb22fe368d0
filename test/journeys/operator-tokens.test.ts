// API tokens over HTTP, as the operator creates, lists and revokes them.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startTestGateway, told } from "./gateway.ts";

const NOBODY = "00000000-0000-7000-8000-000000000000";
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+00:00$/;

describe("API tokens over HTTP", () => {
  let gateway: Awaited<ReturnType<typeof startTestGateway>>;
  let merchants: string;
  before(async () => {
    gateway = await startTestGateway();
    merchants = `/operator/merchants/${gateway.sandbox.merchant_id}`;
  });
  after(() => gateway.close());

  const newToken = async (over: object = {}) => {
    const input = { user_id: gateway.sandbox.user_id, scopes: ["read"], ...over };
    return gateway.operator("POST", `${merchants}/tokens`, input);
  };

  test("a token's secret is shown once, when it is created, and opens what its scopes say", async () => {
    const { status, body } = await newToken({ rate_limit_per_minute: 600 });
    assert.equal(status, 201);
    const { secret, ...token } = body.token;
    assert.match(secret, /^fg_test_[0-9A-Za-z]{49}$/);
    assert.deepEqual(token, {
      id: token.id,
      merchant_id: gateway.sandbox.merchant_id,
      user_id: gateway.sandbox.user_id,
      scopes: ["read"],
      rate_limit_per_minute: 600,
      created_at: token.created_at,
      expires_at: null,
      revoked_at: null,
    });
    const listed = await gateway.operator("GET", `${merchants}/tokens`);
    assert.deepEqual(listed.body.tokens.at(-1), token);
    assert.doesNotMatch(listed.text, /fg_test_|hash|secret/);
    assert.equal((await gateway.get("/api/processors", { token: secret })).status, 200);
    assert.equal((await gateway.post("/api/transactions/sale", {}, { token: secret })).status, 403);
  });

  test("a token takes scopes each once, a future expiry and a limit of 0 to a billion", async () => {
    for (const right of [
      { scopes: ["charge", "follow_up", "read", "cards"] },
      { expires_at: "2199-12-31T23:59:59Z" },
      { expires_at: "2199-12-31T23:59:59+02:00" },
      { expires_at: null, rate_limit_per_minute: null },
      { rate_limit_per_minute: 0 },
      { rate_limit_per_minute: 1_000_000_000 },
      { rate_limit_per_minute: "30" },
    ])
      assert.equal((await newToken(right)).status, 201, JSON.stringify(right));
    const { user_id: stranger } = gateway.sandbox.other_merchant;
    for (const [wrong, fields] of [
      [{ scopes: undefined }, "scopes"],
      [{ scopes: [] }, "scopes"],
      [{ scopes: "read" }, "scopes"],
      [{ scopes: ["read", "read"] }, "scopes"],
      [{ scopes: ["read", "write"] }, "scopes.1"],
      [{ user_id: undefined }, "user_id"],
      [{ user_id: NOBODY }, "user_id"],
      [{ user_id: stranger }, "user_id"],
      [{ expires_at: "2020-01-01T00:00:00Z" }, "expires_at"],
      [{ expires_at: "2199-12-31T23:59:59" }, "expires_at"],
      [{ expires_at: "tomorrow" }, "expires_at"],
      [{ rate_limit_per_minute: -1 }, "rate_limit_per_minute"],
      [{ rate_limit_per_minute: 1.5 }, "rate_limit_per_minute"],
      [{ rate_limit_per_minute: 1_000_000_001 }, "rate_limit_per_minute"],
      [{ user_id: "x", scopes: [], expires_at: "x" }, "expires_at scopes user_id"],
    ] as const)
      assert.equal(told(await newToken(wrong)), `422 ${fields}`, JSON.stringify(wrong));
    assert.equal(told(await gateway.operator("POST", `/operator/merchants/${NOBODY}/tokens`, {})), "404 base");
    assert.equal(told(await gateway.operator("GET", `/operator/merchants/${NOBODY}/tokens`)), "404 base");
  });

  test("a form can say all that a token takes", async () => {
    const form = {
      user_id: gateway.sandbox.user_id,
      scopes: ["charge", "read"],
      rate_limit_per_minute: 5,
      expires_at: "",
    };
    const answer = await gateway.operator("POST", `${merchants}/tokens`, undefined, { form });
    assert.equal(answer.status, 201, answer.text);
    const { scopes, rate_limit_per_minute, expires_at } = answer.body.token;
    assert.deepEqual(
      { scopes, rate_limit_per_minute, expires_at },
      { scopes: ["charge", "read"], rate_limit_per_minute: 5, expires_at: null },
    );
  });

  test("a revoked token is refused within a second; revoking again changes nothing", async () => {
    const { id, secret } = (await newToken()).body.token;
    const use = () => gateway.get("/api/processors", { token: secret });
    assert.equal((await use()).status, 200);
    const revoke = () => gateway.operator("DELETE", `/operator/tokens/${id}`);
    const first = await revoke();
    assert.deepEqual([first.status, first.text], [204, ""]);
    await sleep(1_000);
    assert.equal((await use()).status, 401);
    const listed = async () =>
      (await gateway.operator("GET", `${merchants}/tokens`)).body.tokens.find(
        (token: { id: string }) => token.id === id,
      );
    const { revoked_at } = await listed();
    assert.match(revoked_at, TIMESTAMP);
    assert.equal((await revoke()).status, 204);
    assert.equal((await listed()).revoked_at, revoked_at);
    for (const unknown of [NOBODY, "not-a-uuid", gateway.sandbox.user_id])
      assert.equal(told(await gateway.operator("DELETE", `/operator/tokens/${unknown}`)), "404 base");
  });
});
