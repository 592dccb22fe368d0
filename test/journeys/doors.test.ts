// Every door is as strict as the API: what POST under /operator refuses is refused by the command line, in a file that is imported, and by
// the form of the console, which shows the API's words.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { newId } from "../../src/uuid.ts";
import { type Ended, faregate } from "../command-line.ts";
import { type Form, type Forms, openForms } from "../console/forms.ts";
import { startTestGateway } from "./gateway.ts";
import { type Gateway, NOBODY } from "./merchant.fixture.ts";

type Fields = Readonly<Record<string, unknown>>;
/** A field, dotted; a value that is wrong; the option that has it, unless no argument of a command can hold the value. */
type Row = readonly [field: string, wrong: unknown, ...options: string[]];

const LONG = "x".repeat(256);
const HOSTILE = [
  "a\u001b[2J",
  "a\nb",
  "a\u009bb",
  "a\u202eb",
  "a\u2066b",
  "a\u2028b",
  "a\u200bb",
  "\ufeffa",
  "\u2800",
  "a\u200db",
  "a\u2060",
];
const CARD = "4111111111111111";

const NAMES: readonly Row[] = [LONG, "   ", "\t", CARD, ...HOSTILE].map((name) => ["name", name, "--name", name]);

interface Door {
  readonly right: Fields;
  readonly options: readonly string[];
  readonly rows: readonly Row[];
  /** A field that it has no label for is no field of it, or one of choices. */
  readonly form: Form;
}

const DOORS: Readonly<Record<"merchant" | "user" | "processor" | "token", Door>> = {
  merchant: {
    right: { name: "Northwind" },
    options: ["--name", "Northwind"],
    rows: NAMES,
    form: { path: "/merchants", sends: "Create the merchant", labels: { name: "Name" } },
  },
  user: {
    right: { name: "Jane", email: "jane@example.com" },
    options: ["--name", "Jane", "--email", "jane@example.com"],
    form: {
      path: "/people",
      sends: "Create the user",
      labels: { name: "Name of a new user", email: "Its e-mail" },
      right: { "Name of a new user": "Jane", "Its e-mail": "jane@example.com" },
    },
    rows: [
      ...NAMES,
      ...["jane", "jane@", "@example.com", "jane@example.com\n", "jane doe@example.com", `${LONG}@example.com`].map(
        (email): Row => ["email", email, "--email", email],
      ),
    ],
  },
  processor: {
    right: { name: "Main", kind: "iso8583", currency: "CAD", settings: {} },
    options: ["--name", "Main", "--kind", "simulator", "--currency", "CAD"],
    form: {
      path: "/processors",
      sends: "Create the processor",
      labels: { name: "Name", currency: "Currency" },
      right: { Name: "Main", Currency: "CAD" },
    },
    rows: [
      ...NAMES,
      ...["cad", "CA", "ZZZ", "CAD ", "124", "XDR"].map((one): Row => ["currency", one, "--currency", one]),
      ...["Simulator", "visa"].map((one): Row => ["kind", one, "--kind", one]),
      ...["24:00", "9:00", "20:30:00", "20:60", "٢٠:٣٠"].map(
        (at): Row => ["settlement.cutoff_at", at, "--cutoff-at", at],
      ),
      ["requires.cvv", ["monopoly"], "--require-cvv", "monopoly"],
      ["settings.latency_ms", "fast", "--set", "latency_ms=fast"],
      ["settings.latency_ms", -1, "--set", "latency_ms=-1"],
      ["settings.latency_ms", 1.5, "--set", "latency_ms=1.5"],
      ["settings.speed", 1, "--set", "speed=1"],
    ],
  },
  token: {
    right: { scopes: ["read"] },
    options: ["--scopes", "read"],
    form: { path: "/tokens", sends: "Create the token", labels: {} },
    rows: [
      ["scopes", ["all"], "--scopes", "all"],
      ["scopes", ["read", "read"], "--scopes", "read,read"],
      ...["yesterday", "2020-01-01T00:00:00+00:00", "2031-02-30T00:00:00+00:00"].map(
        (at): Row => ["expires_at", at, "--expires-at", at],
      ),
      ["rate_limit_per_minute", -1, "--rate-limit", "-1"],
      ["rate_limit_per_minute", 1.5, "--rate-limit", "1.5"],
      ["rate_limit_per_minute", "many", "--rate-limit", "many"],
    ],
  },
};

describe("the doors for an operator's input", () => {
  let gateway: Gateway;
  let forms: Forms;
  let folder: string;
  before(async () => {
    gateway = await startTestGateway();
    forms = await openForms(gateway);
    folder = mkdtempSync(join(tmpdir(), "faregate-doors-"));
  });
  after(async () => {
    await forms?.close();
    await gateway.close();
    rmSync(folder, { recursive: true });
  });

  function run(...parameters: string[]): Promise<Ended> {
    const { host, port, user, password, database } = gateway.address;
    const at = `host=${encodeURIComponent(host)}&port=${port}`;
    return faregate(
      { DATABASE_URL: `postgres://${user}:${password}@localhost/${database}?${at}`, FAREGATE_MODE: "sandbox" },
      ...parameters,
    );
  }
  async function imported(content: unknown): Promise<Ended> {
    const file = join(folder, "records.json");
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    return run("import", file);
  }

  const changed = (right: Fields, field: string, wrong: unknown): Fields => {
    const [first = "", second] = field.split(".");
    return { ...right, [first]: second === undefined ? wrong : { ...(right[first] as Fields), [second]: wrong } };
  };

  for (const [kind, { right: given, options, rows, form }] of Object.entries(DOORS))
    test(`what is wrong with a ${kind} is refused at each of them`, async () => {
      const merchantId = gateway.sandbox.merchant_id;
      const userId = (await gateway.operator("GET", `/operator/merchants/${merchantId}/users`)).body.users[0].id;
      const right = {
        ...given,
        ...(kind === "token" && { user_id: userId }),
        ...(kind === "processor" && { kind: "simulator" }),
      };
      const path = kind === "merchant" ? "/operator/merchants" : `/operator/merchants/${merchantId}/${kind}s`;
      const of = [
        ...(kind === "merchant" ? [] : ["--merchant", merchantId]),
        ...(kind === "token" ? ["--user", userId] : []),
      ];
      for (const [field, wrong, ...more] of rows) {
        const what = `${field}: ${JSON.stringify(wrong)}`;
        const input = changed(right, field, wrong);
        const answer = await gateway.operator("POST", path, input);
        assert.equal(answer.status, 422, `HTTP, ${what}`);
        assert.equal((await run(kind, "create", ...of, ...options, ...more)).code, 2, `the command line, ${what}`);
        const record = { id: newId(new Date()), ...input };
        const file =
          kind === "merchant"
            ? { merchants: [record] }
            : { merchants: [{ id: NOBODY, name: "Import", [`${kind}s`]: [record] }] };
        const { code, stderr } = await imported(file);
        assert.equal(code, 2, `an import, ${what}`);
        assert.match(stderr, new RegExp(`${field.split(".")[0]}`), what);
        if (field in form.labels) await forms.refuses(form, field, wrong, answer.body.error.message);
      }
      assert.equal((await gateway.operator("POST", path, right)).status, 201, "and what is right is not");
    });

  test("what is wrong in the console's other forms is refused with the API's words", async () => {
    const merchantId = gateway.sandbox.merchant_id;
    const { people } = (await gateway.operator("GET", `/operator/merchants/${merchantId}/people`)).body;
    const names = [LONG, CARD, ...HOSTILE];
    const named: Form["labels"] = { name: "Name" };
    const others: readonly (readonly [Form, field: string, wrong: readonly string[]])[] = [
      [{ path: `/merchants/${merchantId}`, sends: "Change", labels: named }, "name", names],
      [{ path: `/people/${people[0].id}`, sends: "Change", labels: named }, "name", names],
      ...(
        [
          ["cards_per_range", "Refuse from this many cards", ["9", "101", "15.5", "many", "-20", "٢٠"]],
          ["window_minutes", "Within this many minutes", ["0", "1.5", "an hour", "-1"]],
          ["small_amount", "Charges up to this amount", ["-1", "1.234", "1,00", "0x10", "ten"]],
        ] as const
      ).map(
        ([field, label, wrong]) =>
          [{ path: "/card-testing", sends: "Save", labels: { [field]: label } }, field, wrong] as const,
      ),
      ...(
        [
          ["rules.0.name", "Rule 1", [LONG, CARD, ...HOSTILE]],
          ["rules.0.when.amount_at_least", "Amount at least", ["-1", "1.234", "1,00", "ten"]],
          ["rules.0.when.amount_at_most", "Amount at most", ["-1", "1.234", "1,00", "ten"]],
        ] as const
      ).map(
        ([field, label, wrong]) =>
          [
            { path: "/routing", opens: ["Change", "Add a rule"], sends: "Save the rules", labels: { [field]: label } },
            field,
            wrong,
          ] as const,
      ),
    ];
    for (const [form, field, wrong] of others) for (const one of wrong) await forms.refuses(form, field, one);
  });

  test("JSON in which a name is twice is refused: nobody knows which was meant", async () => {
    const twice = `{"merchants":[{"id":"${NOBODY}","name":"One","name":"Two"}]}`;
    const { code, stderr } = await imported(twice);
    assert.deepEqual([code, /the same name in it twice: merchants\.0\.name/.test(stderr)], [2, true], stderr);
    const file = join(folder, "routing.json");
    writeFileSync(file, '{"rules":[],"attempts_at_most":1,"attempts_at_most":3}');
    assert.equal((await run("routing", "set", gateway.sandbox.merchant_id, file)).code, 2);
    writeFileSync(file, '{"rules":[{"x":1,"\\u0078":2}]}');
    assert.match((await run("routing", "set", gateway.sandbox.merchant_id, file)).stderr, /twice: rules\.0\.x/);
  });

  test("a setting has no control characters, and line ends only in a certificate", async () => {
    const path = `/operator/merchants/${gateway.sandbox.merchant_id}/processors`;
    const record = { name: "Host", kind: "iso8583", currency: "CAD" };
    for (const host of HOSTILE) {
      const { status, body } = await gateway.operator("POST", path, { ...record, settings: { host } });
      assert.equal(status, 422);
      assert.deepEqual(
        body.error.message["settings.host"],
        ["must be a text without control or invisible characters"],
        host,
      );
    }
    const pem = "-----BEGIN CERTIFICATE-----\r\nAAAA\n-----END CERTIFICATE-----\n";
    const messages = async (tls_ca: string) =>
      (await gateway.operator("POST", path, { ...record, settings: { tls_ca } })).body.error.message["settings.tls_ca"];
    assert.equal(await messages(pem), undefined);
    assert.deepEqual(await messages(`${pem}\u001b`), ["must be a text without control or invisible characters"]);
  });
});
