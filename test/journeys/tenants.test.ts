// What belongs to another merchant is answered exactly as what does not exist: every route of the OpenAPI document, every id
// that it takes, with every scope. And neither an operator's token nor a merchant's opens the other's routes.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { mintSecret } from "../../src/merchants/token-secret.ts";
import { examplesOf, isMerchants, isOperators } from "./calls.ts";
import { type Answer, type Request, startTestGateway } from "./gateway.ts";
import { stored } from "./harmless.fixture.ts";
import { keptRun } from "./kept-run.fixture.ts";
import {
  CARD,
  expectStatus,
  type Gateway,
  type Json,
  leg,
  merchantOf,
  newMerchant,
  type OwnMerchant,
  passenger,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";
import { type Document, type Operation, operationsOf, reachable, type Schema } from "./published.ts";

const LEDGER = "/api/ledger?from=2001-01-01&to=2999-12-31";
const SCOPES = ["charge", "follow_up", "read", "cards"] as const;

/** A card on file is sent in place of its number. */
const WITHOUT_CARD = { card_number: null, card_expiry_month: null, card_expiry_year: null };

/** What somebody else names so. */
const NO_THINGS_HERE = ["merchant_transaction_id", "network_transaction_id", "threeds_xid"];

const planOf = (card_id: string, over: Json = {}): Json => ({
  ...{ card_id, merchant_transaction_id: "order", total: "10.00" },
  payments: [{ due_at: new Date(Date.now() + 90 * 86_400_000).toISOString(), amount: "10.00" }],
  ...over,
});

/** In every answer another value. */
const OF_ONE_REQUEST = ["date", "x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset"];

describe("another merchant's things", () => {
  let gateway: Gateway;
  let document: Document;
  let operations: Operation[];
  let other: OwnMerchant;
  /** What the other merchant has, by the name that ids of its kind are sent under. */
  let foreign: Readonly<Record<string, string>>;
  /** Of the sandbox's merchant: a token for each scope, one for all, and one for none of what is asked. */
  const tokens = new Map<string, string>();
  let foreignBefore: unknown;
  const idempotencyKey = crypto.randomUUID();

  const airline = (over: Json = {}) =>
    sale({ amount: "100.00", passenger_transport: [passenger({ legs: [leg()] })], ...over });
  const ofOther = (path: string, json?: Json, request: Request = {}) =>
    gateway.call(json ? "POST" : "GET", path, { token: other.token, json, ...request });

  before(async () => {
    gateway = await startTestGateway();
    document = (await gateway.get("/openapi.json", { token: null })).body;
    operations = operationsOf(document);
    other = await newMerchant(gateway, {});
    const headers = { "idempotency-key": idempotencyKey };
    const made = transactionOf(expectStatus(await ofOther("/api/transactions/auth", airline(), { headers }), 200));
    expectStatus(await ofOther("/api/transactions/sale", sale()), 200);
    const { now } = (await gateway.operator("GET", "/operator/clock")).body;
    const tomorrow = new Date(Date.parse(now) + 86_400_000).toISOString();
    expectStatus(await gateway.operator("POST", "/operator/clock", { now: tomorrow }), 200);
    const disputed = { transaction_id: made.id, amount: "1.00" };
    const entered = await gateway.operator("POST", `/operator/merchants/${other.merchantId}/disputes`, disputed);
    const [processorId = ""] = other.processors;
    foreign = {
      // Of a batch.
      id: expectStatus(await ofOther("/api/batches"), 200).body.batches[0].id,
      transaction_id: made.id,
      dispute_id: expectStatus(entered, 201).body.dispute.id,
      reconciliation_id: await keptRun(gateway.pool, { merchantId: other.merchantId, processorId }),
      processor_id: processorId,
      passenger_id: made.passengers[0].id,
      card_id: expectStatus(await ofOther("/api/cards", CARD), 201).body.card.id,
      user_id: other.userId,
      plan_id: expectStatus(
        await ofOther("/api/plans", planOf(expectStatus(await ofOther("/api/cards", CARD), 201).body.card.id)),
        201,
      ).body.plan.id,
    };
    foreignBefore = (await ofOther(`/api/transactions/${made.id}`)).body;
    const { token } = merchantOf(gateway);
    for (const scope of SCOPES) tokens.set(scope, await token({ scopes: [scope] }));
    tokens.set("all", await token());
  });
  after(() => gateway.close());

  /** Fails for a kind of id that no merchant's thing is known for here. */
  function foreignId(name: string): string {
    const id = foreign[name];
    if (id === undefined) throw new Error(`what is another merchant's ${name}? Say so in this test.`);
    return id;
  }

  /** All of an answer that could tell one case from the other. */
  const whole = ({ status, headers, text }: Answer) => ({
    status,
    text,
    headers: [...headers].filter(([name]) => !OF_ONE_REQUEST.includes(name)),
  });

  async function alike(ask: (id: string) => Promise<Answer>, id: string, what: string): Promise<void> {
    const rows = await stored(gateway.pool);
    const [known, unknown] = [await ask(id), await ask(crypto.randomUUID())];
    assert.deepEqual(whole(known), whole(unknown), what);
    assert.ok(!known.text.includes(id), what);
    assert.ok(known.status >= 400 || known.body.meta?.total === 0, `${what}: ${known.text}`);
    assert.deepEqual(await stored(gateway.pool), rows, what);
  }

  test("an id in a path, with each scope, with each body that the document shows and with none", async () => {
    let asked = 0;
    for (const operation of operations.filter(isMerchants))
      for (const [, name = ""] of operation.path.matchAll(/\{(\w+)\}/g))
        for (const [scope, token] of tokens)
          for (const json of [undefined, ...examplesOf(operation).map(([, value]) => value)]) {
            const ask = (id: string) =>
              gateway.call(operation.method, operation.path.replace(`{${name}}`, id), { token, ...(json && { json }) });
            await alike(ask, foreignId(name), `${operation.name} with scope ${scope}`);
            asked += 1;
          }
    assert.ok(asked >= 20, `${asked}`);
  });

  test("an id in a body, with each scope", async () => {
    const own = await merchantOf(gateway).charged("auth", airline());
    const card = expectStatus(await gateway.post("/api/cards", CARD), 201).body.card.id;
    let asked = 0;
    for (const operation of operations.filter(isMerchants))
      for (const name of idsIn(document, operation))
        for (const [scope, token] of tokens) {
          const path = operation.path.replace("{transaction_id}", own.id);
          const json = (id: string) =>
            name === "passenger_id"
              ? { amount: "1.00", passenger_transport: [{ passenger_id: id, amount: "1.00" }] }
              : operation.path === "/api/plans"
                ? planOf(card, { [name]: id })
                : airline({ [name]: id, ...(name === "card_id" && WITHOUT_CARD) });
          const ask = (id: string) => gateway.call(operation.method, path, { token, json: json(id) });
          await alike(ask, foreignId(name), `${operation.name} ${name} with scope ${scope}`);
          asked += 1;
        }
    assert.ok(asked >= 20, `${asked}`);
  });

  test("an id in a query, with each scope", async () => {
    let asked = 0;
    for (const operation of operations.filter(isMerchants))
      for (const { name: field, in: place } of operation.parameters ?? []) {
        const name = /(\w+_id)\]?$/.exec(field)?.[1];
        if (place !== "query" || name === undefined || name === "merchant_transaction_id") continue;
        for (const [scope, token] of tokens) {
          const ask = (id: string) =>
            gateway.call(operation.method, `${operation.path}?${new URLSearchParams({ [field]: id })}`, { token });
          await alike(ask, foreignId(name), `${operation.name} ${field} with scope ${scope}`);
          asked += 1;
        }
      }
    assert.equal(asked, 7 * tokens.size);
  });

  test("lists have nothing of another merchant in them, whatever they are asked for", async () => {
    const token = tokens.get("all") ?? "";
    for (const path of [
      "/api/transactions",
      "/api/transactions?format=csv",
      "/api/processors",
      "/api/batches",
      "/api/disputes",
      "/api/cards",
      "/api/plans",
      LEDGER,
    ]) {
      const { text } = expectStatus(await gateway.get(path, { token }), 200);
      for (const id of [...Object.values(foreign), other.merchantId]) assert.ok(!text.includes(id), path);
    }
  });

  test("another merchant's idempotency key is nobody's: neither replayed nor refused", async () => {
    const headers = { "idempotency-key": idempotencyKey };
    for (const body of [airline(), airline({ merchant_transaction_id: "other body" })]) {
      const key = body.merchant_transaction_id === "order" ? headers : { "idempotency-key": `${idempotencyKey}-2` };
      await ofOther("/api/transactions/auth", airline(), { headers: key });
      const answer = expectStatus(await gateway.post("/api/transactions/auth", body, { headers: key }), 200);
      assert.equal(answer.headers.get("idempotent-replayed"), null);
      assert.equal(answer.body.transaction.merchant_id, gateway.sandbox.merchant_id);
    }
  });

  test("after all of that the other merchant's transaction is as it was", async () => {
    assert.deepEqual((await ofOther(`/api/transactions/${foreign.transaction_id}`)).body, foreignBefore);
    expectStatus(await ofOther(`/api/cards/${foreign.card_id}`), 200);
  });

  test("no operator's route takes a merchant's token, no merchant's an operator's: the answer is that for one that nobody has", async () => {
    const named = (operation: Operation) =>
      operation.path.replace("{transaction_id}", foreignId("transaction_id")).replace("{id}", other.merchantId);
    for (const operation of operations.filter((one) => isMerchants(one) || isOperators(one))) {
      const { method } = operation;
      const [, json] = examplesOf(operation)[0] ?? [];
      const request = json === undefined ? {} : { json };
      const { secret } = mintSecret(isMerchants(operation) ? "operator" : "test");
      const unknown = whole(await gateway.call(method, named(operation), { token: secret, ...request }));
      assert.equal(unknown.status, 401, operation.name);
      const wrong = isMerchants(operation) ? [gateway.sandbox.operator_token] : [...tokens.values(), other.token];
      const rows = await stored(gateway.pool);
      for (const token of wrong)
        assert.deepEqual(
          whole(await gateway.call(method, named(operation), { token, ...request })),
          unknown,
          operation.name,
        );
      assert.deepEqual(await stored(gateway.pool), rows);
    }
  });

  test("an operator cannot give a user of one merchant a token of another", async () => {
    const ask = (user_id: string) =>
      gateway.operator("POST", `/operator/merchants/${gateway.sandbox.merchant_id}/tokens`, {
        user_id,
        scopes: ["read"],
      });
    await alike(ask, other.userId, "user_id");
  });
});

/** Names of the ids that an operation's body takes. */
function idsIn(document: Document, { requestBody, name }: Operation): Set<string> {
  const names = new Set<string>();
  const schemas = Object.values(requestBody?.content ?? {}).map(({ schema }): Schema => schema);
  for (const schema of schemas)
    for (const [, { properties = {} }] of reachable(document, schema, name))
      for (const field of Object.keys(properties))
        if (/(^|_)id$/.test(field) && !NO_THINGS_HERE.includes(field)) names.add(field);
  return names;
}
