// What holds for all of the operator's paths, and merchants and users. Tokens, processor records and the audit log have
// files of their own.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startLiveTestGateway, startTestGateway, told } from "./gateway.ts";

type Gateway = Awaited<ReturnType<typeof startTestGateway>>;

const NOBODY = "00000000-0000-7000-8000-000000000000";
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+00:00$/;

describe("the operator over HTTP", () => {
  let gateway: Gateway;
  let merchants: string;
  before(async () => {
    gateway = await startTestGateway();
    merchants = `/operator/merchants/${gateway.sandbox.merchant_id}`;
  });
  after(() => gateway.close());

  const routes = (): [string, string][] => [
    ["GET", "/operator/merchants"],
    ["POST", "/operator/merchants"],
    ["GET", merchants],
    ["PATCH", merchants],
    ["GET", `${merchants}/users`],
    ["POST", `${merchants}/users`],
    ["GET", `${merchants}/tokens`],
    ["POST", `${merchants}/tokens`],
    ["DELETE", `/operator/tokens/${NOBODY}`],
    ["GET", `${merchants}/processors`],
    ["POST", `${merchants}/processors`],
    ["GET", `/operator/processors/${NOBODY}`],
    ["PATCH", `/operator/processors/${NOBODY}`],
    ["GET", "/operator/audit-log"],
    ["GET", "/operator/audit-log/chain"],
    ["GET", "/operator/clock"],
    ["GET", "/operator/nowhere"],
    ["PUT", "/operator/merchants"],
  ];

  test("no token but an operator's opens anything here, and all wrong ones get 401", async () => {
    const { api_token, operator_token, other_merchant } = gateway.sandbox;
    for (const token of [null, "nonsense", api_token, other_merchant.api_token, `${operator_token}x`]) {
      for (const [method, path] of routes()) {
        const answer = await gateway.call(method, path, { token });
        assert.equal(answer.status, 401, `${method} ${path}`);
        assert.deepEqual(answer.body.error.message.base, ["Not authenticated"]);
        assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer\b/);
      }
    }
    const basic = { headers: { authorization: `Basic ${operator_token}` } };
    assert.equal((await gateway.get("/operator/merchants", { token: null, ...basic })).status, 401);
  });

  test("an operator's token opens nothing of the merchants'", async () => {
    const { operator_token: token } = gateway.sandbox;
    for (const [method, path] of [
      ["GET", "/api/processors"],
      ["GET", `/api/transactions/${NOBODY}`],
      ["POST", "/api/transactions/sale"],
      ["GET", "/api/nowhere"],
    ] as const)
      assert.equal((await gateway.call(method, path, { token })).status, 401, path);
  });

  test("an unknown path is 404, a known one with another method 405 that says which there are", async () => {
    for (const path of ["/operator", "/operator/nowhere", `${merchants}/nowhere`, "/operator/tokens"])
      assert.equal(told(await gateway.operator("GET", path)), "404 base", path);
    for (const [method, path, allow] of [
      ["PUT", "/operator/merchants", "POST, GET, HEAD"],
      ["DELETE", merchants, "GET, HEAD, PATCH"],
      ["GET", `/operator/tokens/${NOBODY}`, "DELETE"],
      ["POST", "/operator/audit-log", "GET, HEAD"],
    ] as const) {
      const answer = await gateway.operator(method, path);
      assert.equal(told(answer), "405 base", `${method} ${path}`);
      assert.equal(answer.headers.get("allow"), allow);
    }
  });

  test("a body that cannot be read is refused as everywhere: 400, 413, 415", async () => {
    const send = (raw: string, type: string) =>
      gateway.operator("POST", "/operator/merchants", undefined, { raw, headers: { "content-type": type } });
    assert.equal(told(await send("{", "application/json")), "400 base");
    assert.equal(told(await send("[]", "application/json")), "400 base");
    assert.equal(told(await send("name", "text/plain")), "415 base");
    assert.equal(told(await send(JSON.stringify({ name: "x".repeat(70_000) }), "application/json")), "413 base");
  });

  test("JSON, urlencoded and multipart mean the same; unknown fields are ignored and named", async () => {
    const input = { name: "Three Forms", colour: "red" };
    for (const request of [{ json: input }, { form: input }, { multipart: input }]) {
      const answer = await gateway.operator("POST", "/operator/merchants", undefined, request);
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.body.merchant.name, "Three Forms");
      assert.equal(answer.headers.get("faregate-ignored-fields"), "colour");
    }
  });

  test("a merchant has a name of 1 to 255 characters that a person can read", async () => {
    for (const name of ["x", "x".repeat(255), "Zoë & Søn, 株式会社", 7]) {
      const answer = await gateway.operator("POST", "/operator/merchants", { name });
      assert.equal(answer.status, 201, answer.text);
      const { merchant } = answer.body;
      assert.deepEqual(Object.keys(merchant), [
        "id",
        "name",
        "refuse_card_like_identifiers",
        "require_ip_address",
        "card_numbers",
        "return_hosts",
        "verify_cards",
        "created_at",
      ]);
      assert.match(merchant.id, ID);
      assert.match(merchant.created_at, TIMESTAMP);
      assert.equal(merchant.name, String(name));
      assert.deepEqual((await gateway.operator("GET", `/operator/merchants/${merchant.id}`)).body, { merchant });
    }
    for (const name of [undefined, null, "", "  ", "x".repeat(256), "a\nb", "a\u0000b", true, [], {}])
      assert.equal(told(await gateway.operator("POST", "/operator/merchants", { name })), "422 name", String(name));
  });

  test("a merchant can be renamed, and only what exists", async () => {
    const { id } = (await gateway.operator("POST", "/operator/merchants", { name: "Before" })).body.merchant;
    const path = `/operator/merchants/${id}`;
    const renamed = await gateway.operator("PATCH", path, { name: "After" });
    assert.deepEqual([renamed.status, renamed.body.merchant.name, renamed.body.merchant.id], [200, "After", id]);
    for (const nothing of [{}, { name: "" }, { refuse_card_like_identifiers: null }])
      assert.equal(told(await gateway.operator("PATCH", path, nothing)), "422 name");
    for (const unknown of [NOBODY, "not-a-uuid", `${id}0`])
      for (const [method, json] of [["GET"], ["PATCH", { name: "After" }]] as const)
        assert.equal(told(await gateway.operator(method, `/operator/merchants/${unknown}`, json)), "404 base");
  });

  test("a list goes on after the last id of the part before, and is empty in the end", async () => {
    const all = (await gateway.operator("GET", "/operator/merchants")).body.merchants;
    const found = [];
    for (let after = ""; ; ) {
      const { merchants } = (await gateway.operator("GET", `/operator/merchants?limit=2${after}`)).body;
      assert.ok(merchants.length <= 2);
      if (merchants.length === 0) break;
      found.push(...merchants);
      after = `&after=${merchants.at(-1).id}`;
    }
    assert.deepEqual(found, all);
  });

  test("a list takes a limit of 1 to 1000, an id to go on after, and no other parameter", async () => {
    for (const query of ["limit=1", "limit=1000", `after=${NOBODY}`, ""])
      assert.equal((await gateway.operator("GET", `/operator/merchants?${query}`)).status, 200, query);
    for (const [query, field] of [
      ["limit=0", "limit"],
      ["limit=1001", "limit"],
      ["limit=1.5", "limit"],
      ["limit=x", "limit"],
      ["after=x", "after"],
      ["afterr=x", "afterr"],
      ["limit[]=1", "limit"],
    ])
      for (const path of [
        "/operator/merchants",
        `${merchants}/users`,
        `${merchants}/tokens`,
        `${merchants}/processors`,
      ])
        assert.equal(told(await gateway.operator("GET", `${path}?${query}`)), `422 ${field}`, `${path}?${query}`);
    assert.equal(told(await gateway.operator("GET", "/operator/merchants?limit=%ff")), "400 base");
  });

  test("a user has a name and an e-mail address, and belongs to one merchant", async () => {
    const path = `${merchants}/users`;
    const email = `${"x".repeat(60)}@${"y".repeat(60)}.${"z".repeat(60)}.example.com`;
    const answer = await gateway.operator("POST", path, { name: "Jane Doe", email });
    assert.equal(answer.status, 201, answer.text);
    const { user } = answer.body;
    assert.deepEqual(Object.keys(user), ["id", "merchant_id", "name", "email", "created_at"]);
    assert.equal(user.merchant_id, gateway.sandbox.merchant_id);
    assert.deepEqual((await gateway.operator("GET", path)).body.users.at(-1), user);
    const others = `/operator/merchants/${gateway.sandbox.other_merchant.merchant_id}/users`;
    assert.ok(!(await gateway.operator("GET", others)).text.includes(user.id));

    const right = { name: "Jane", email: "jane@example.com" };
    for (const [wrong, fields] of [
      [{}, "email name"],
      [{ ...right, name: "x".repeat(256) }, "name"],
      [{ ...right, email: "jane" }, "email"],
      [{ ...right, email: `${"x".repeat(250)}@example.com` }, "email"],
      [{ ...right, email: null }, "email"],
    ] as const)
      assert.equal(told(await gateway.operator("POST", path, wrong)), `422 ${fields}`);
    assert.equal(told(await gateway.operator("POST", `/operator/merchants/${NOBODY}/users`, right)), "404 base");
    assert.equal(told(await gateway.operator("GET", `/operator/merchants/${NOBODY}/users`)), "404 base");
  });
});

describe("the operator in live mode", () => {
  let gateway: Awaited<ReturnType<typeof startLiveTestGateway>>;
  before(async () => {
    gateway = await startLiveTestGateway();
  });
  after(() => gateway.close());

  test("there is no clock, as if the path had never been", async () => {
    const nowhere = await gateway.operator("GET", "/operator/nowhere");
    for (const [method, json] of [["GET"], ["POST", { now: "2031-03-03T15:00:00Z" }]] as const) {
      const answer = await gateway.operator(method, "/operator/clock", json);
      assert.deepEqual([answer.status, answer.text], [404, nowhere.text]);
    }
    assert.ok(!("/operator/clock" in (await gateway.get("/openapi.json")).body.paths));
  });

  test("tokens are for live use, and no simulator moves money in name only", async () => {
    const { merchant } = (await gateway.operator("POST", "/operator/merchants", { name: "Live" })).body;
    const path = `/operator/merchants/${merchant.id}`;
    const { user } = (await gateway.operator("POST", `${path}/users`, { name: "Jane", email: "jane@example.com" }))
      .body;
    const made = await gateway.operator("POST", `${path}/tokens`, { user_id: user.id, scopes: ["read"] });
    assert.match(made.body.token.secret, /^fg_live_/);
    const processor = { name: "x", kind: "simulator", currency: "USD" };
    assert.equal(told(await gateway.operator("POST", `${path}/processors`, processor)), "422 kind");
  });
});
