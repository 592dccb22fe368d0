// Guessing tokens is slowed by address: over HTTP, with and without proxies that are trusted.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Answer, keptLog, startTestGateway } from "./gateway.ts";
import type { Gateway } from "./merchant.fixture.ts";

const MOST = 3;

async function withGateway(trustProxy: readonly string[], work: (gateway: Gateway) => Promise<void>): Promise<void> {
  const gateway = await startTestGateway({ failedAuthenticationsPerMinute: MOST, trustProxy });
  try {
    await work(gateway);
  } finally {
    await gateway.close();
  }
}

/** Statuses of this many requests without a token, one after the other. */
async function failures(
  gateway: Gateway,
  count: number,
  forwarded?: string,
  path = "/api/processors",
): Promise<number[]> {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  const statuses: number[] = [];
  for (let index = 0; index < count; index++)
    statuses.push((await gateway.get(path, { token: index % 2 ? "fg_test_x" : null, headers })).status);
  return statuses;
}

describe("failed authentications", () => {
  test("beyond the limit they are answered 429, on merchants' and operators' paths together; valid tokens go on", () =>
    withGateway([], async (gateway) => {
      assert.deepEqual(await failures(gateway, 2), [401, 401]);
      assert.deepEqual(await failures(gateway, 2, undefined, "/operator/merchants"), [401, 429]);
      const answer: Answer = await gateway.get("/api/processors", { token: gateway.sandbox.operator_token });
      assert.equal(answer.status, 429);
      const wait = Number(answer.headers.get("retry-after"));
      assert.ok(wait >= 1 && wait <= 60);
      assert.deepEqual(answer.body, {
        error: {
          status: 429,
          code: "too-many-failed-authentications",
          message: { base: [`Too many failed authentications. Try again in ${wait} seconds.`] },
        },
        debug: [],
      });
      assert.equal((await gateway.get("/api/processors")).status, 200);
      assert.equal((await gateway.operator("GET", "/operator/merchants")).status, 200);
      assert.equal((await failures(gateway, 1))[0], 429);
      const entries = await gateway.pool`select 1 from audit_log where outcome = 'refused'`;
      assert.equal(entries.length, 1, "what is slowed is not noted one by one");
    }));

  test("without a trusted proxy nobody's word on an address is taken", () =>
    withGateway([], async (gateway) => {
      const statuses: number[] = [];
      for (let index = 0; index <= MOST; index++) statuses.push(...(await failures(gateway, 1, `203.0.113.${index}`)));
      assert.deepEqual(statuses, [401, 401, 401, 429]);
      await gateway.operator(
        "POST",
        "/operator/merchants",
        { name: "x" },
        { headers: { "x-forwarded-for": "203.0.113.9" } },
      );
      assert.equal(await newestSource(gateway), "127.0.0.1");
    }));

  test("behind a trusted proxy each client is counted, by the last address that is no proxy's", () =>
    withGateway(["127.0.0.1", "10.0.0.0/8"], async (gateway) => {
      assert.deepEqual(await failures(gateway, MOST + 1, "203.0.113.1"), [401, 401, 401, 429]);
      assert.deepEqual(await failures(gateway, 1, "203.0.113.2"), [401]);
      // What a client says itself comes before what its proxy says.
      assert.deepEqual(await failures(gateway, 1, "198.51.100.7, 203.0.113.1, 10.1.2.3"), [429]);
      const headers = { "x-forwarded-for": "203.0.113.1, 203.0.113.9" };
      await gateway.operator("POST", "/operator/merchants", { name: "x" }, { headers });
      assert.equal(await newestSource(gateway), "203.0.113.9");
      await gateway.operator("POST", "/operator/merchants", { name: "x" }, { headers: { "x-forwarded-for": "<b>" } });
      assert.equal(await newestSource(gateway), "127.0.0.1");
    }));
});

test("the log tells of each use of a token that was revoked, and whose it is; of strangers ten a minute, and how many more", async () => {
  const { log, lines } = keptLog();
  const gateway = await startTestGateway({}, {}, log);
  const { user_id, merchant_id } = gateway.sandbox;
  const tokens = `/operator/merchants/${merchant_id}/tokens`;
  const { id, secret } = (await gateway.operator("POST", tokens, { user_id, scopes: ["read"] })).body.token;
  await gateway.operator("DELETE", `/operator/tokens/${id}`);
  await failures(gateway, 25);
  for (let count = 0; count < 12; count++) await gateway.get("/api/processors", { token: secret });
  await gateway.close();
  const told = lines.filter(({ msg }) => msg === "an authentication failed");
  assert.deepEqual(
    told.filter(({ why }) => why === "revoked-token").map(({ merchant, token }) => [merchant, token]),
    Array.from({ length: 12 }, () => [merchant_id, id]),
  );
  assert.equal(told.length, 10 + 12);
  const [summedUp] = lines.filter(({ msg }) => msg === "more of the same: an authentication failed");
  assert.deepEqual([summedUp?.more, summedUp?.most], [15, [{ from: "127.0.0.1", lines: 15 }]]);
});

const newestSource = async (gateway: Gateway): Promise<string> =>
  (await gateway.operator("GET", "/operator/audit-log")).body.entries[0].source;
