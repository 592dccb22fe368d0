import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { type CommandLine, commandLineOfItsOwn } from "../command-line.ts";
import { type Answer, startTestGateway } from "./gateway.ts";

type Json = Readonly<Record<string, unknown>>;

describe("to create a record again under its id or external key", () => {
  let gateway: Awaited<ReturnType<typeof startTestGateway>>;
  let merchant: string;
  before(async () => {
    gateway = await startTestGateway();
    merchant = `/operator/merchants/${gateway.sandbox.merchant_id}`;
  });
  after(() => gateway.close());

  /** By what is created: where, its body, and what makes it another. */
  const records: readonly (readonly [name: string, path: () => string, body: () => Json, other: Json])[] = [
    ["merchant", () => "/operator/merchants", () => ({ name: "Northwind" }), { require_ip_address: false }],
    [
      "user",
      () => `${merchant}/users`,
      () => ({ name: "Jane", email: "jane@example.com" }),
      { email: "j@example.com" },
    ],
    [
      "token",
      () => `${merchant}/tokens`,
      () => ({ user_id: gateway.sandbox.user_id, scopes: ["read"] }),
      { scopes: ["charge"] },
    ],
    [
      "person",
      () => `${merchant}/people`,
      () => ({ name: "Ann", email: `${randomUUID()}@example.com`, role: "clerk" }),
      { role: "viewer" },
    ],
    [
      "person",
      () => "/operator/people",
      () => ({ name: "Op", email: `${randomUUID()}@example.com`, role: "operator" }),
      { name: "Other" },
    ],
    [
      "processor",
      () => `${merchant}/processors`,
      () => ({ name: "A", kind: "simulator", currency: "USD", settings: { latency_ms: 5 } }),
      { settings: { latency_ms: 6 } },
    ],
    [
      "processor",
      () => `${merchant}/processors`,
      () => ({ name: "S", kind: "stripe", currency: "USD", settings: { secret_key: "sk_test_12345678" } }),
      { settings: { secret_key: "sk_test_87654321" } },
    ],
    ["webhook", () => `${merchant}/webhooks`, () => ({ url: "http://127.0.0.1:9/" }), { enabled: false }],
  ];

  const entries = async () =>
    (await gateway.operator("GET", "/operator/audit-log")).body.entries as { action: string; outcome: string }[];
  const create = (path: string, json: Json): Promise<Answer> => gateway.operator("POST", path, json);

  for (const [name, path, body, other] of records)
    for (const under of ["id", "external_key"] as const)
      test(`${path.toString().replace(/.*=> [`"]|[`"]$/g, "")} ${JSON.stringify(other)} by ${under}: the same body finds the same record, another one is told what differs`, async () => {
        const json = { ...body(), [under]: under === "id" ? randomUUID() : `key-${randomUUID()}` };
        const first = await create(path(), json);
        assert.equal(first.status, 201, first.text);
        const [noted] = await entries();
        assert.equal(noted?.action, `${name}.create`);
        const { secret: _s, password: _p, ...record } = first.body[name];
        const second = await create(path(), json);
        assert.deepEqual([second.status, second.body], [200, { [name]: record }]);
        assert.deepEqual((await entries())[0], noted, "nothing was changed, and nothing noted");
        const conflict = await create(path(), { ...json, ...other });
        assert.deepEqual([conflict.status, conflict.body.error.code], [409, "exists-already"], conflict.text);
        const [field = ""] = Object.keys(other);
        const differs = field === "settings" ? `settings.${Object.keys(other.settings as Json)[0]}` : field;
        assert.deepEqual(Object.keys(conflict.body.error.message), ["base", differs]);
        assert.doesNotMatch(conflict.text, /sk_test/);
        const missing = await create(path(), { [under]: json[under] });
        assert.equal(missing.status, 422, "the same check as for a new one comes first");
        if (under === "id") assert.equal(record.id, json.id);
      });

  test("eight at once create one record", async () => {
    for (const [name, path, body] of records) {
      const json = { ...body(), external_key: `at-once-${name}-${randomUUID()}` };
      const answers = await Promise.all(Array.from({ length: 8 }, () => create(path(), json)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 201], name);
      assert.equal(new Set(answers.map((answer) => answer.body[name].id)).size, 1);
    }
  });

  test("an id of another merchant's record is taken, and an external key is each merchant's own", async () => {
    const other = `/operator/merchants/${gateway.sandbox.other_merchant.merchant_id}`;
    for (const [name, path, body] of records.filter(([, path]) => path().startsWith(merchant))) {
      const id = randomUUID();
      const key = { external_key: `own-${randomUUID()}` };
      const of = (json: Json) =>
        name === "token" ? { ...json, user_id: gateway.sandbox.other_merchant.user_id } : json;
      const there = path().replace(merchant, other);
      assert.equal((await create(path(), { ...body(), id })).status, 201);
      const taken = await create(there, of({ ...body(), id }));
      assert.equal(taken.status, 422);
      assert.match(taken.body.error.message.id[0], /^is taken by another /);
      const ids = [await create(path(), { ...body(), ...key }), await create(there, of({ ...body(), ...key }))];
      assert.deepEqual(
        ids.map(({ status }) => status),
        [201, 201],
      );
      assert.notEqual(ids[0]?.body[name].id, ids[1]?.body[name].id);
    }
  });

  test("an id and an external key, a key that is none, and an id of zeros are wrong fields", async () => {
    for (const [, path, body] of records) {
      const both = await create(path(), { ...body(), id: randomUUID(), external_key: "x" });
      assert.deepEqual([both.status, Object.keys(both.body.error.message)], [422, ["external_key"]]);
      const none = await create(path(), { ...body(), external_key: "no spaces" });
      assert.deepEqual([none.status, Object.keys(none.body.error.message)], [422, ["external_key"]]);
      const zeros = await create(path(), { ...body(), id: "00000000-0000-0000-0000-000000000000" });
      assert.deepEqual([zeros.status, Object.keys(zeros.body.error.message)], [422, ["id"]]);
    }
  });

  test("a revoked token and a locked person are not what would be created; a deleted webhook is created anew", async () => {
    const [token, person, webhook] = ["token", "person", "webhook"].map((name) =>
      records.find(([one]) => one === name),
    );
    assert.ok(token && person && webhook);
    const ofToken = { ...token[2](), id: randomUUID() };
    await create(token[1](), ofToken);
    await gateway.operator("DELETE", `/operator/tokens/${ofToken.id}`);
    assert.deepEqual(Object.keys((await create(token[1](), ofToken)).body.error.message), ["base", "revoked_at"]);
    const ofPerson = { ...person[2](), id: randomUUID() };
    await create(person[1](), ofPerson);
    await gateway.operator("PATCH", `/operator/people/${ofPerson.id}`, { locked: true });
    assert.deepEqual(Object.keys((await create(person[1](), ofPerson)).body.error.message), ["base", "locked"]);
    const ofWebhook = { ...webhook[2](), id: randomUUID() };
    const { secret } = (await create(webhook[1](), ofWebhook)).body.webhook;
    await gateway.operator("DELETE", `/operator/webhooks/${ofWebhook.id}`);
    const anew = await create(webhook[1](), ofWebhook);
    assert.equal(anew.status, 201);
    assert.notEqual(anew.body.webhook.secret, secret);
  });
});

describe("to run a create command again with --id or --external-key", () => {
  let cli: CommandLine;
  before(async () => {
    cli = await commandLineOfItsOwn({ FAREGATE_MODE: "sandbox" });
    assert.equal((await cli.run("migrate")).code, 0);
  });
  after(() => cli.end());

  test("changes nothing, and with other options it fails and says which", async () => {
    const { merchant } = await cli.json<{ merchant: { id: string } }>("merchant", "create", "--name", "Northwind");
    const { user } = await cli.json<{ user: { id: string } }>(
      ...["user", "create", "--merchant", merchant.id, "--name", "Jane", "--email", "jane@example.com"],
    );
    const of = ["--merchant", merchant.id];
    const commands: readonly (readonly [
      name: string,
      parameters: readonly string[],
      other: readonly string[],
      option: string,
    ])[] = [
      ["merchant", ["merchant", "create", "--name", "A"], ["--no-require-ip-address"], "--require-ip-address"],
      ["user", ["user", "create", ...of, "--name", "A", "--email", "a@example.com"], ["--name", "B"], "--name"],
      [
        "token",
        ["token", "create", ...of, "--user", user.id, "--scopes", "read"],
        ["--rate-limit", "5"],
        "--rate-limit",
      ],
      ["operator_token", ["operator-token", "create", "--name", "A"], ["--name", "B"], "--name"],
      [
        "person",
        ["person", "create", "--role", "operator", "--name", "A", "--email", "op@example.com"],
        ["--name", "B"],
        "--name",
      ],
      [
        "person",
        ["person", "create", ...of, "--role", "clerk", "--name", "A", "--email", "c@example.com"],
        ["--role", "viewer"],
        "--role",
      ],
      [
        "processor",
        ["processor", "create", ...of, "--name", "A", "--kind", "simulator", "--currency", "CAD"],
        ["--cutoff-at", "21:00"],
        "--cutoff-at",
      ],
      ["webhook", ["webhook", "create", ...of, "--url", "http://127.0.0.1:9/"], ["--no-enabled"], "--enabled"],
    ];
    for (const [name, parameters, other, option] of commands) {
      const given = [...parameters, "--external-key", "first"];
      const { secret: _s, password: _p, ...record } = (await cli.json<Record<string, Json>>(...given))[name] ?? {};
      assert.deepEqual(await cli.json(...given), { [name]: record });
      const again = await cli.run(...given);
      assert.equal(again.code, 0);
      assert.match(again.stdout, /exists already, as it would have been created\. Nothing was done\./);
      const conflict = await cli.run(...given, ...other);
      assert.equal(conflict.code, 1);
      assert.match(
        conflict.stderr,
        new RegExp(`^error: there is a [a-z ]+ ${record.id} already, and it differs in ${option}\n$`),
      );
    }
  });
});
