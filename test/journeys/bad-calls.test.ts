// Who may call what, how often and in which way, and what is answered to other calls (decisions 3). Idempotency keys have
// a file of their own.

import assert from "node:assert/strict";
import { METHODS } from "node:http";
import { after, before, describe, test } from "node:test";
import { startTestGateway, told } from "./gateway.ts";
import { assertErrorShape, send, sendHarmlessly, stored } from "./harmless.fixture.ts";
import { type Gateway, merchantOf, NOBODY, sale } from "./merchant.fixture.ts";

const SALE = "/api/transactions/sale";

describe("calls that are not as they should be", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  test("401 comes before everything else that is wrong", async () => {
    const { pool, sandbox } = gateway;
    const before = await stored(pool);
    for (const token of [
      null,
      "x",
      `${sandbox.api_token}x`,
      sandbox.api_token.slice(0, -1),
      sandbox.operator_token,
      "ä",
    ])
      for (const [method, path] of [
        ["GET", "/api/transactions"],
        ["GET", "/api/nowhere"],
        ["POST", SALE],
        ["DELETE", "/api/transactions"],
        ["POST", `/api/transactions/${NOBODY}/void`],
      ] as const) {
        const answer = await gateway.call(method, path, { token, ...(method === "POST" && { json: sale() }) });
        assert.equal(answer.status, 401, `${token} ${method} ${path}`);
        assert.equal(told(answer), "401 authorization base");
        assert.deepEqual(answer.body.error.message.base, ["Not authenticated"]);
        assert.deepEqual(answer.body.debug, []);
      }
    for (const authorization of [
      `Basic ${sandbox.api_token}`,
      sandbox.api_token,
      `Bearer${sandbox.api_token}`,
      `Bearer ${sandbox.api_token} x`,
      "Bearer ",
    ])
      assert.equal((await gateway.get("/api/transactions", { token: null, headers: { authorization } })).status, 401);
    assert.deepEqual(await stored(pool), before);
  });

  test("403: a token does what its scopes say and nothing else", async () => {
    const { token, charged } = merchantOf(gateway);
    const { id } = await charged("auth", sale());
    const routes = [
      ["charge", "POST", SALE, 200],
      ["charge", "POST", "/api/transactions", 200],
      ["follow_up", "POST", `/api/transactions/${id}/reversal`, 200],
      ["read", "GET", "/api/transactions", 200],
      ["read", "GET", `/api/transactions/${id}`, 200],
      ["read", "GET", "/api/processors", 200],
    ] as const;
    for (const scope of ["charge", "follow_up", "read", "cards"]) {
      const secret = await token({ scopes: [scope] });
      for (const [needed, method, path, status] of routes) {
        const answer = await gateway.call(method, path, {
          token: secret,
          ...(method === "POST" && { json: path.endsWith("/reversal") ? {} : sale() }),
        });
        assert.equal(answer.status, scope === needed ? status : 403, `${scope} ${path}`);
      }
    }
  });

  test("404: an unknown path, and a transaction that is not there or another merchant's, are told alike", async () => {
    const { charged } = merchantOf(gateway);
    const { id } = await charged("auth", sale());
    const { api_token: token } = gateway.sandbox.other_merchant;
    const foreign = await gateway.get(`/api/transactions/${id}`, { token });
    assert.equal(told(foreign), "404 base");
    for (const unknown of [NOBODY, "not-a-uuid", `${id}0`, "%20", "..%2f"])
      assert.equal((await gateway.get(`/api/transactions/${unknown}`)).text, foreign.text, unknown);
    for (const operation of ["capture", "void", "refund", "reversal"])
      for (const [to, request] of [
        [id, { token }],
        [NOBODY, {}],
        ["not-a-uuid", {}],
      ] as const) {
        const answer = await gateway.post(`/api/transactions/${to}/${operation}`, { amount: "1.00" }, request);
        assert.equal(answer.text, foreign.text, `${to} ${operation}`);
      }
    assert.equal((await gateway.get(`/api/transactions/${id.toUpperCase()}`)).status, 200, "a UUID has no case");
    for (const path of ["/api", "/api/nowhere", "/api/transactions/x/y/z", `${SALE}/`, "/API/transactions"])
      assert.equal(told(await gateway.post(path, {})), "404 base", path);
  });

  test("405: another method says which there are", async () => {
    for (const [method, path, allow] of [
      ["DELETE", "/api/transactions", "POST, GET, HEAD"],
      ["PUT", SALE, "POST"],
      ["GET", `/api/transactions/${NOBODY}/void`, "POST"],
      ["PATCH", `/api/transactions/${NOBODY}`, "GET, HEAD"],
      ["POST", "/api/processors", "GET, HEAD"],
    ] as const) {
      const answer = await gateway.call(method, path);
      assert.equal(told(answer), "405 base", `${method} ${path}`);
      assert.equal(answer.headers.get("allow"), allow);
    }
  });

  test("405: whatever method can be sent, a known path that does not take it says which there are", async () => {
    // What CONNECT names is no path.
    for (const [path, taken] of [
      ["/api/transactions", ["POST", "GET", "HEAD"]],
      [SALE, ["POST"]],
      [`/api/transactions/${NOBODY}?page=1`, ["GET", "HEAD"]],
    ] as readonly [string, readonly string[]][])
      for (const method of METHODS.filter((method) => method !== "CONNECT" && !taken.includes(method))) {
        const answer = await gateway.call(method, path, method === "QUERY" ? { raw: "x" } : {});
        assert.equal(method === "HEAD" ? `${answer.status} base` : told(answer), "405 base", `${method} ${path}`);
        assert.equal(answer.headers.get("allow"), taken.join(", "), `${method} ${path}`);
      }
    for (const method of ["TRACE", "QUERY", "PROPFIND"].filter((method) => METHODS.includes(method))) {
      assert.equal(told(await gateway.call(method, "/api/nowhere")), "404 base", method);
      assert.equal(told(await gateway.call(method, "/session/password")), "405 base", method);
      assert.equal(told(await gateway.call(method, SALE, { token: null })), "401 authorization base", method);
    }
  });

  test("405: so does a known path outside of the API", async () => {
    for (const [path, allow] of [
      ["/", "GET, HEAD"],
      ["/health/live", "GET, HEAD"],
      ["/health/ready", "GET, HEAD"],
      ["/openapi.json", "GET, HEAD"],
      ["/docs", "GET, HEAD"],
      ["/console", "GET, HEAD"],
      ["/console/transactions", "GET, HEAD"],
      [`/notifications/${NOBODY}`, "POST"],
    ] as const)
      for (const method of ["PUT", "DELETE", "OPTIONS", ...(allow === "POST" ? ["GET"] : ["POST", "PROPFIND"])]) {
        if (method === "PROPFIND" && path.startsWith("/console/")) continue;
        const answer = await gateway.call(method, path, { token: null });
        assert.equal(told(answer), "405 base", `${method} ${path}`);
        assert.equal(answer.headers.get("allow"), allow, `${method} ${path}`);
      }
  });

  test("429: past the limit of a token nothing reaches the processor, and Retry-After says when it will", async () => {
    const secret = await merchantOf(gateway).token({ rate_limit_per_minute: 3 });
    const left = [];
    for (let call = 0; call < 3; call++) {
      const answer = await gateway.post(call === 0 ? SALE : "/api/nowhere", sale(), { token: secret });
      left.push(answer.headers.get("x-ratelimit-remaining"));
      assert.equal(answer.headers.get("x-ratelimit-limit"), "3");
    }
    assert.deepEqual(left, ["2", "1", "0"]);
    const before = await stored(gateway.pool);
    const answer = await gateway.post(SALE, sale(), { token: secret });
    assert.equal(told(answer), "429 base");
    assert.ok(Number(answer.headers.get("retry-after")) > 0);
    assert.deepEqual(await stored(gateway.pool), before);
  });

  test("what cannot be read as HTTP, or is too long, is answered in the documented shape", async () => {
    for (const path of [`/api/transactions?${"x".repeat(20_000)}`, `/${"x".repeat(20_000)}`]) {
      const received = await send(gateway, { method: "GET", path });
      assert.equal(received.status, 431);
      assertErrorShape(received);
    }
    for (const path of ["/api/%ZZ", "/%ff", "/api/transactions?search[zip]=%ff"])
      assert.equal((await sendHarmlessly(gateway, { method: "GET", path })).status, 400, path);
  });
});
