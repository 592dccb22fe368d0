import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type CommandLine, commandLineOfItsOwn, WITH_MASTER_KEY } from "../../test/command-line.ts";
import { EVERYTHING, SECRETS } from "../../test/fixtures/declared-everything.ts";

interface Told {
  readonly exit_code: number;
  readonly code: string;
  readonly message: Readonly<Record<string, readonly string[]>>;
}

describe("what is wrong with a file of declared state", () => {
  const folder = mkdtempSync(join(tmpdir(), "faregate-apply-"));
  const path = join(folder, "gateway.yaml");
  let cli: CommandLine;
  before(async () => {
    writeFileSync(join(folder, "adyen.key"), `${SECRETS.ADYEN_KEY}\n`);
    cli = await commandLineOfItsOwn({ FAREGATE_MODE: "sandbox", ...WITH_MASTER_KEY, ...SECRETS });
    assert.equal((await cli.run("migrate")).code, 0);
    assert.deepEqual(await apply(EVERYTHING).then(({ code, stderr }) => [code, stderr]), [0, ""]);
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await cli.end();
  });

  const apply = (text: string) => {
    writeFileSync(path, text);
    return cli.run("apply", "-f", path, "--json");
  };
  const exported = async () => (await cli.run("export")).stdout;
  const audit = () => cli.database.pool`select id, action from audit_log order by id`;

  const WRONG: readonly (readonly [rule: string, text: string, problems: readonly string[]])[] = [
    [
      "an unknown name",
      "version: 1\nmerchant: []\nmerchants: []\n",
      ["merchant line 2, column 1: is unknown; use one of version, partial, operators, merchants"],
    ],
    [
      "an unknown setting",
      processor("settings: { latncy_ms: 5 }"),
      ["merchants.0.processors.0.settings.latncy_ms line 9, column 32: is unknown"],
    ],
    [
      "a number that is a text",
      processor('settings: { latency_ms: "5" }'),
      ["merchants.0.processors.0.settings.latency_ms line 9, column 33: must be a whole number from 0 to 60000"],
    ],
    [
      "a text that is a number",
      "version: 1\nmerchants:\n  - external_key: x\n    name: 12\n",
      ["merchants.0.name line 4, column 11: must be a text of 1 to 255 characters"],
    ],
    [
      "a flag that is a text",
      "version: 1\nmerchants:\n  - external_key: x\n    name: x\n    require_ip_address: no\n",
      ["merchants.0.require_ip_address line 5, column 25: must be true or false"],
    ],
    [
      "a name that is missing",
      "version: 1\nmerchants:\n  - external_key: x\n",
      ["merchants.0.name line 3, column 5: is required"],
    ],
    [
      "no id",
      "version: 1\nmerchants:\n  - name: x\n",
      ["merchants.0 line 3, column 5: needs an id, or an external_key"],
    ],
    [
      "the same key twice",
      "version: 1\nmerchants:\n  - { external_key: x, name: x }\n  - { external_key: x, name: y }\n",
      ["merchants.1.external_key line 4, column 21: is the same as that of merchants.0"],
    ],
    ["no version", "merchants: []\n", ["version line 1, column 1: is required: version: 1"]],
    ["a later version", "version: 2\nmerchants: []\n", ["version line 1, column 10: must be 1"]],
    ["nothing", "", ["file line 1, column 1: must be an object with version and merchants"]],
    ["a list that is none", "version: 1\nmerchants:\n", ["merchants line 2, column 11: must be a list"]],
    [
      "a secret in the file",
      processor("settings: { secret_key: sk_test_12345678 }", "stripe"),
      ["merchants.0.processors.0.settings.secret_key line 9, column 33: is a secret: name where it is"],
    ],
    [
      "a secret that is not set",
      processor("settings: { secret_key: { env: NOT_SET } }", "stripe"),
      [
        "merchants.0.processors.0.settings.secret_key line 9, column 33: needs the environment variable NOT_SET, which is not set",
      ],
    ],
    [
      "a secret's file that is not there",
      processor("settings: { secret_key: { file: none.key } }", "stripe"),
      [
        "merchants.0.processors.0.settings.secret_key line 9, column 33: needs the file none.key, which cannot be read: it does not exist",
      ],
    ],
    [
      "dots for a secret that was never set",
      processor("settings: { secret_key: ••• }", "stripe"),
      ["merchants.0.processors.0.settings.secret_key line 9, column 33: must match pattern"],
    ],
    [
      "a rule about a record that is not in the file",
      processor("routing: { rules: [{ name: a, processors: [{ external_key: y }] }] }", "simulator", 4),
      [
        "merchants.0.routing.rules.0.processors.0.external_key line 9, column 64: must be the external_key of a processor record",
      ],
    ],
    [
      "a rule about a record of nobody",
      processor(
        "routing: { rules: [{ name: a, processors: [{ id: 0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77 }] }] }",
        "simulator",
        4,
      ),
      ["merchants.0.routing.rules.0.processors.0.id line 9, column 54: must be a processor record of this merchant"],
    ],
    [
      "a token of nobody",
      processor("tokens: [{ external_key: t, user: y, scopes: [read] }]", "simulator", 4),
      ["merchants.0.tokens.0.user line 9, column 39: must be the external_key of a user or person"],
    ],
    [
      "a token without its secret",
      processor(
        "users: [{ external_key: u, name: u, email: u@example.com }]\n    tokens: [{ external_key: t, user: u, scopes: [read] }]",
        "simulator",
        4,
      ),
      ["merchants.0.tokens.0 line 10, column 14: is new, and needs its secret_hash or secret"],
    ],
    [
      "a card number for a key",
      "version: 1\nmerchants:\n  - external_key: '4111111111111111'\n    name: x\n",
      ["merchants.0.external_key line 3, column 19: must not hold a card number"],
    ],
    [
      "a card number",
      "version: 1\nmerchants:\n  - external_key: x\n    name: Card 4111 1111 1111 1111\n",
      ["merchants.0.name line 4, column 11: "],
    ],
    [
      "a kind that was another",
      EVERYTHING.replace("kind: simulator\n        currency: CAD", "kind: simulator\n        currency: USD"),
      ["merchants.0.processors.0.currency line 23, column 19: cannot change (it is CAD)"],
    ],
    [
      "a user who was created otherwise",
      EVERYTHING.replace("name: Shop, email", "name: Shap, email"),
      ["merchants.0.users.0.name line 15, column 37: cannot be changed: this user was created otherwise"],
    ],
    [
      "a token that may do other things",
      EVERYTHING.replace("scopes: [charge, follow_up, read]", "scopes: [read]"),
      ["merchants.0.tokens.0.scopes line 67, column 17: cannot be changed: this token was created otherwise"],
    ],
    [
      "an e-mail of another person",
      "version: 1\npartial: true\nmerchants:\n  - external_key: x\n    name: x\n    people: [{ external_key: p, name: p, email: OLGA@example.com, role: clerk }]\n",
      ["merchants.0.people.0.email line 6, column 49: is the e-mail of another person"],
    ],
    [
      "an id of another merchant's record",
      processor(`webhooks: [{ id: ${"IDIDIDID"}, url: https://x.example.com/ }]`, "simulator", 4),
      ["merchants.0.webhooks.0.id line 9, column 22: is taken by another webhook"],
    ],
    [
      "several things, each of them",
      "version: 1\nmerchants:\n  - { external_key: x, name: '' }\n  - { external_key: y, name: y, webhooks: [{ external_key: w, url: ftp://x }] }\n  - { external_key: z, name: z, card_testing: { cards_per_range: 5 } }\n",
      [
        "merchants.0.name line 3, column 30: must be a text",
        "merchants.1.webhooks.0.url line 4, column 68: must be an http",
        "merchants.2.card_testing.cards_per_range line 5, column 66: must be a whole number from 10 to 100",
      ],
    ],
  ];
  for (const [rule, text, expected] of WRONG)
    test(`${rule} is told with its place, and nothing is changed`, async () => {
      const [before, noted] = [await exported(), await audit()];
      const id = /webhooks:\n\s+- id: (\S+)/.exec(before)?.[1] ?? "";
      const { code, stderr } = await apply(text.replace("IDIDIDID", id));
      assert.equal(code, 2, stderr);
      const { message, code: name } = (JSON.parse(stderr) as { error: Told }).error;
      const { base, ...fields } = message;
      assert.equal(name, "invalid-file");
      assert.match(base?.[0] ?? "", /nothing was changed$/);
      const told = Object.entries(fields).map(([field, [said]]) => `${field} ${said}`);
      assert.deepEqual(
        told.map((one, index) => (one.startsWith(expected[index] ?? "?") ? expected[index] : one)),
        expected,
      );
      assert.deepEqual([await exported(), await audit()], [before, noted]);
      const inWords = await cli.run("apply", "-f", path);
      assert.equal(inWords.code, 2);
      assert.match(
        inWords.stderr,
        /^\S+gateway\.yaml:\d+:\d+: \S+ [^\n]+\n(.*\n)*error: \d+ problems? in \S+gateway\.yaml; nothing was changed\n$/,
      );
    });
});

/** A file with one processor record, and more in its line 9: of the record, or of its merchant. */
function processor(more: string, kind = "simulator", indent = 8): string {
  const currency = kind === "simulator" ? "CAD" : "USD";
  const record =
    indent === 8
      ? `      - external_key: p\n        name: p\n        kind: ${kind}`
      : `      - { external_key: p, name: p, kind: ${kind}, currency: ${currency} }\n#\n#`;
  const end = indent === 8 ? `        currency: ${currency}\n` : "";
  return `version: 1\nmerchants:\n  - external_key: x\n    name: x\n    processors:\n${record}\n${" ".repeat(indent)}${more}\n${end}`;
}
