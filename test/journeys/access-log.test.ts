// The access log: who asked for what and how it was answered, and nothing of what stands in paths, queries, headers and bodies.

import assert from "node:assert/strict";
import { test } from "node:test";
import { keptLog, startTestGateway } from "./gateway.ts";
import { sale, transactionOf } from "./merchant.fixture.ts";

const SECRETIVE = "Jane-Doe-was-here";

test("with ACCESS_LOG each request is a line, under its id, with its route's pattern", async () => {
  const { log, lines } = keptLog();
  const gateway = await startTestGateway({ accessLog: true }, {}, log);
  const { merchant_id } = gateway.sandbox;
  const withId = (id: string) => ({ headers: { "x-request-id": id, "x-note": SECRETIVE } });
  try {
    const { id } = transactionOf(
      await gateway.post("/api/transactions/sale", sale({ last_name: SECRETIVE }), withId("sold")),
    );
    await gateway.get(`/api/transactions/${id}?note=${SECRETIVE}`, withId("found"));
    await gateway.get(`/api/transactions/${SECRETIVE}`, withId("wrong"));
    await gateway.get(`/${SECRETIVE}`, withId("nothing"));
    await gateway.get(`/api/transactions?search[email]=${SECRETIVE}`, { ...withId("guess"), token: SECRETIVE });
    await gateway.operator("GET", "/operator/merchants", undefined, withId("operator"));
  } finally {
    await gateway.close();
  }
  const line = (id: string) => {
    const [found, ...more] = lines.filter(({ msg, requestId }) => msg === "request" && requestId === id);
    assert.ok(found && more.length === 0, id);
    const { method, route, status, merchant, operator, transaction, ms, address, token } = found;
    assert.equal(typeof ms, "number");
    assert.equal(address, "127.0.0.1");
    assert.equal(typeof token === "string", merchant !== undefined);
    return [method, route, status, merchant ?? null, operator === undefined ? null : "operator", transaction ?? null];
  };
  const ONE = "/api/transactions/:transaction_id";
  assert.deepEqual(line("sold"), ["POST", "/api/transactions/sale", 200, merchant_id, null, null]);
  const [found, wrong] = [line("found"), line("wrong")];
  assert.deepEqual(found.slice(0, 5), ["GET", ONE, 200, merchant_id, null]);
  assert.match(String(found[5]), /^[0-9a-f-]{36}$/);
  assert.deepEqual(wrong, ["GET", ONE, 404, merchant_id, null, null]);
  assert.deepEqual(line("nothing"), ["GET", null, 404, null, null, null]);
  assert.deepEqual(line("guess"), ["GET", "/api/transactions", 401, null, null, null]);
  assert.deepEqual(line("operator"), ["GET", "/operator/merchants", 200, null, "operator", null]);
  assert.ok(!JSON.stringify(lines).includes(SECRETIVE));
});

test("without it there is none", async () => {
  const { log, lines } = keptLog();
  const gateway = await startTestGateway({}, {}, log);
  await gateway.get("/health/live");
  await gateway.close();
  assert.ok(lines.every(({ msg }) => msg !== "request"));
});
