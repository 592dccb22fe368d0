import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { stringify } from "yaml";
import { type CommandLine, commandLineOfItsOwn, faregate, WITH_MASTER_KEY } from "../../test/command-line.ts";
import { EVERYTHING, SECRETS } from "../../test/fixtures/declared-everything.ts";
import { sized } from "../../test/random.ts";

/** By their names in what is exported. */
const EXPORTED = {
  NORTHWIND_AIR_STRIPE_SECRET_KEY: SECRETS.STRIPE_KEY,
  NORTHWIND_AIR_ADYEN_API_KEY: SECRETS.ADYEN_KEY,
  NORTHWIND_AIR_ADYEN_HMAC_KEY: SECRETS.HMAC,
};

interface Result {
  readonly created: number;
  readonly changed: number;
  readonly deleted: number;
  readonly changes: readonly {
    action: string;
    record: string;
    id: string;
    fields: { field: string; from: unknown; to: unknown }[];
  }[];
  readonly not_in_file: readonly { record: string; name: string; removable: boolean }[];
}

interface Told {
  readonly exit_code: number;
  readonly code: string;
  readonly message: Readonly<Record<string, readonly string[]>>;
}

describe("a gateway from a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "faregate-apply-"));
  let cli: CommandLine;
  let other: CommandLine;
  before(async () => {
    writeFileSync(join(folder, "adyen.key"), `${SECRETS.ADYEN_KEY}\n`);
    const env = { FAREGATE_MODE: "sandbox", ...WITH_MASTER_KEY };
    cli = await commandLineOfItsOwn({ ...env, ...SECRETS });
    other = await commandLineOfItsOwn({ ...env, ...EXPORTED });
    for (const one of [cli, other]) assert.equal((await one.run("migrate")).code, 0);
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await Promise.all([cli.end(), other.end()]);
  });

  const file = (text: string, name = "gateway.yaml"): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const apply = async (text: string, ...more: string[]) => {
    const ended = await cli.run("apply", "-f", file(text), ...more, "--json");
    return {
      code: ended.code,
      result: ended.stdout === "" ? undefined : (JSON.parse(ended.stdout) as Result),
      stderr: ended.stderr,
    };
  };
  const exportedBy = async (one: CommandLine): Promise<string> => {
    const { code, stdout, stderr } = await one.run("export");
    assert.deepEqual([code, stderr], [0, ""]);
    return stdout;
  };
  const audit = async (one = cli) =>
    await one.database.pool<
      { id: string; action: string; subject: string; before: object | null; after: object | null }[]
    >`
      select id, action, subject, before, after from audit_log order by id`;

  test("a plan shows all that would be created, exits with 3, and changes nothing; the second apply changes nothing", async () => {
    const plan = await apply(EVERYTHING, "--plan");
    assert.deepEqual([plan.code, plan.result?.created, plan.result?.deleted], [3, 15, 0], plan.stderr);
    assert.equal((await audit()).length, 0);
    assert.match(await exportedBy(cli), /merchants: \[\]\n$/);
    const done = await apply(EVERYTHING);
    assert.deepEqual([done.code, done.result?.created], [0, 15], done.stderr);
    const noted = await audit();
    // Planned was what was done, but for ids of time.
    assert.deepEqual(
      done.result?.changes.map(({ record, action }) => [record, action]),
      plan.result?.changes.map(({ record, action }) => [record, action]),
    );
    assert.equal(noted.length, (done.result?.changes.length ?? 0) + 1);
    const again = await apply(EVERYTHING);
    assert.deepEqual([again.code, again.result?.changes, again.result?.not_in_file], [0, [], []]);
    assert.equal((await apply(EVERYTHING, "--plan")).code, 0);
    assert.deepEqual(await audit(), noted);
  });

  test("what is exported, applied to an empty gateway, and exported there is the same, byte by byte, and has no secret", async () => {
    const text = await exportedBy(cli);
    for (const secret of Object.values(SECRETS)) assert.ok(!text.includes(secret));
    for (const name of Object.keys(EXPORTED))
      assert.ok(text.includes(`{ env: ${name} }`) || text.includes(`env: ${name}\n`), name);
    const there = join(folder, "exported.yaml");
    writeFileSync(there, text);
    assert.deepEqual(await other.run("apply", "-f", there).then(({ code, stderr }) => [code, stderr]), [0, ""]);
    assert.equal(await exportedBy(other), text);
    assert.equal((await other.run("apply", "-f", there, "--plan")).code, 0);
    const missing = await faregate({ ...cli.live }, "apply", "-f", there, "--json");
    const { message } = (JSON.parse(missing.stderr) as { error: Told }).error;
    assert.equal(missing.code, 2);
    assert.deepEqual(
      Object.keys(message).length,
      1 + Object.keys(EXPORTED).length,
      "each secret that is missing, at once",
    );
    const kept = await faregate({ ...cli.live }, "apply", "-f", there, "--keep-secrets", "--plan");
    assert.equal(kept.code, 0, kept.stderr + kept.stdout);
  });

  test("a difference is shown from what it is to what it would be, and a secret as dots", async () => {
    const text = EVERYTHING.replace("require_ip_address: false", "require_ip_address: true")
      .replace("cutoff_at: 21:00", "cutoff_at: 21:30")
      .replace("name: Northwind Air", "name: Southwind Air");
    const planned = await apply(text, "--plan");
    assert.deepEqual(
      planned.result?.changes.flatMap(({ record, fields }) =>
        fields.map(({ field, from, to }) => [record, field, from, to]),
      ),
      [
        ["merchant", "name", "Northwind Air", "Southwind Air"],
        ["merchant", "require_ip_address", false, true],
        ["processor", "settlement.cutoff_at", "21:00", "21:30"],
      ],
    );
    const secret = await faregate(
      { ...cli.live, STRIPE_KEY: "sk_test_another1" },
      "apply",
      "-f",
      file(EVERYTHING),
      "--plan",
      "--json",
    );
    assert.deepEqual((JSON.parse(secret.stdout) as Result).changes[0]?.fields, [
      { field: "settings.secret_key", from: "•••", to: "••• (another one)" },
    ]);
  });

  test("what the file does not name stays as it is", async () => {
    const text =
      "version: 1\nmerchants:\n  - { external_key: northwind, name: Northwind Air }\n  - { external_key: bare, name: Bare }\n";
    assert.deepEqual(
      await apply(text, "--plan").then(({ code, result }) => [code, result?.changes, result?.not_in_file]),
      [0, [], []],
    );
  });

  test("entries in the audit log are those of the API", async () => {
    const text =
      "version: 1\npartial: true\nmerchants:\n  - external_key: same\n    name: Same\n    webhooks: [{ external_key: w, url: https://w.example.com/ }]\n";
    const start = (await audit()).length;
    assert.equal((await apply(text)).code, 0);
    const applied = (await audit()).slice(start).filter(({ action }) => action !== "declared-state.change");
    const begin = (await audit(other)).length;
    const { merchant } = await other.json<{ merchant: { id: string } }>(
      "merchant",
      "create",
      "--name",
      "Same",
      "--external-key",
      "same",
    );
    await other.json(
      "webhook",
      "create",
      "--merchant",
      merchant.id,
      "--external-key",
      "w",
      "--url",
      "https://w.example.com/",
    );
    const byHand = (await audit(other)).slice(begin);
    const bare = (entries: typeof applied) =>
      entries.map(({ action, subject, before, after }) => ({
        action,
        subject,
        before,
        after: { ...after, created_at: 0, updated_at: 0 },
      }));
    assert.deepEqual(bare(applied), bare(byHand));
  });

  test("what is in no list of the file is a difference, and --prune removes what can be", async () => {
    const less = EVERYTHING.replace(/ {6}- \{ external_key: all.*\n/, "")
      .replace(/ {6}- \{ external_key: ann, user.*\n/, "")
      .replace(/ {6}- \{ external_key: ann, name.*\n/, "")
      .replace(/ {6}- \{ external_key: shop, name: Shop, email.*\n/, "      []\n")
      .replace(/user: shop/, "user_id: USER")
      .replace("USER", /users:\n\s+- id: (\S+)/.exec(await exportedBy(cli))?.[1] ?? "")
      .replace(/ {6}- external_key: adyen\n(.*\n){4}/, "")
      .replace(/ {8}- name: the rest\n.*\n/, "");
    const plan = await apply(less, "--plan");
    const names = (extras: Result["not_in_file"] = []) =>
      extras.map(({ record, name, removable }) => [record, name, removable]);
    const expected = [
      ["merchant", "Same", false],
      ["user", "Shop", false],
      ["person", "ann@example.com", true],
      ["processor", "Adyen", true],
      ["webhook", "https://shop.example.com/all", true],
      ["token", "read", true],
    ];
    assert.deepEqual([plan.code, names(plan.result?.not_in_file)], [3, expected], plan.stderr);
    const kept = await apply(less);
    assert.deepEqual([kept.code, names(kept.result?.not_in_file)], [0, expected]);
    const pruned = await apply(less, "--prune");
    assert.deepEqual(
      pruned.result?.changes.map(({ action, record }) => [action, record]),
      [
        ["delete", "person"],
        ["delete", "processor"],
        ["delete", "webhook"],
        ["delete", "token"],
      ],
    );
    assert.deepEqual(names(pruned.result?.not_in_file), [
      ["merchant", "Same", false],
      ["user", "Shop", false],
    ]);
    assert.equal((await apply(less, "--plan")).code, 3, "what cannot be removed still differs");
    assert.equal((await apply(`partial: true\n${less.replace(/ {4}users:\n\s+\[\]\n/, "")}`, "--plan")).code, 0);
    // The record is switched off by the file, so it is in nobody's way.
    const back = await apply(
      EVERYTHING.replace(/ {6}- \{ external_key: ann, user.*\n/, "").replace(
        "email: ann@example.com,",
        "email: ann@example.com, locked: false,",
      ),
    );
    assert.deepEqual(
      [back.code, back.result?.changes.map(({ action, record }) => [action, record])],
      [
        0,
        [
          ["change", "person"],
          ["create", "webhook"],
          ["change", "routing"],
        ],
      ],
      back.stderr,
    );
  });

  test("a processor record that is in no list is switched off, and is no difference then", async () => {
    const own = (text: string) =>
      `version: 1\npartial: true\nmerchants:\n  - external_key: p\n    name: P\n    processors: ${text}\n`;
    const record = (key: string) =>
      `{ external_key: ${key}, name: ${key}, kind: simulator, currency: USD, in_rotation: true }`;
    assert.equal((await apply(own(`[${record("a")}, ${record("b")}]`))).code, 0);
    assert.equal((await apply(own(`[${record("a")}]`), "--plan")).code, 3);
    const pruned = await apply(own(`[${record("a")}]`), "--prune");
    assert.deepEqual(
      pruned.result?.changes.map(({ action, fields }) => [action, fields.map(({ field, to }) => [field, to])]),
      [
        [
          "delete",
          [
            ["enabled", false],
            ["in_rotation", false],
          ],
        ],
      ],
    );
    assert.equal((await apply(own(`[${record("a")}]`), "--plan")).code, 0);
  });

  test("property: whatever is applied is exported, and applied elsewhere it is the same", async () => {
    const words = fc.constantFrom(
      "a",
      "B-1",
      "no",
      "~",
      "Ünï",
      "a: b",
      "# c",
      "0x1F",
      "1e3",
      "'q'",
      '"',
      "- x",
      "{x}",
      "x\u00a0y",
      "true",
      "12",
      "2031-01-01",
      "🙂",
    );
    const timeOfDay = fc
      .tuple(fc.nat(23), fc.nat(59))
      .map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"));
    const keyed = <T>(values: fc.Arbitrary<T>, most: number) =>
      fc
        .array(values, { maxLength: most })
        .map((list) => list.map((one, nth) => ({ external_key: `k${nth}`, ...one })));
    const merchant = fc.record(
      {
        name: words,
        refuse_card_like_identifiers: fc.boolean(),
        require_ip_address: fc.boolean(),
        card_numbers: fc.constantFrom("allowed", "forbidden"),
        verify_cards: fc.boolean(),
        users: keyed(fc.record({ name: words, email: fc.constant("u@example.com") }), 2),
        processors: keyed(
          fc.record(
            {
              ...{ name: words, kind: fc.constant("simulator"), currency: fc.constantFrom("CAD", "USD", "JPY") },
              ...{ enabled: fc.boolean(), in_rotation: fc.boolean() },
              settlement: fc.record({ cutoff_at: timeOfDay, auto_capture_at: fc.option(timeOfDay) }),
              settings: fc.record({ latency_ms: fc.nat(50), partial_void: fc.boolean() }, { requiredKeys: [] }),
            },
            { requiredKeys: ["name", "kind", "currency"] },
          ),
          3,
        ),
        card_testing: fc.record(
          { cards_per_range: fc.integer({ min: 10, max: 100 }), enabled: fc.boolean() },
          { requiredKeys: [] },
        ),
        webhooks: keyed(
          fc.record(
            { url: fc.webUrl().map((url) => url.replace(/^http:/, "https:")), enabled: fc.boolean() },
            { requiredKeys: ["url"] },
          ),
          2,
        ),
      },
      { requiredKeys: ["name"] },
    );
    let nth = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(merchant, { minLength: 1, maxLength: 3 }), async (some) => {
        const merchants = some.map((one) => ({ external_key: `property-${nth++}`, ...one }));
        const text = stringify({ version: 1, partial: true, merchants }, { compat: "yaml-1.1" });
        const done = await apply(text);
        assert.equal(done.code, 0, `${done.stderr}\n${text}`);
        assert.deepEqual((await apply(text, "--plan")).result?.changes, []);
        for (const { id, record } of done.result?.changes.filter(
          ({ action, record }) => action === "create" && record === "merchant",
        ) ?? []) {
          const here = await cli.run("export", "--merchant", id);
          const path = file(here.stdout, "property.yaml");
          const there = await other.run("apply", "-f", path);
          assert.equal(there.code, 0, `${record} ${there.stderr}\n${here.stdout}`);
          assert.equal((await other.run("export", "--merchant", id)).stdout, here.stdout);
        }
      }),
      { numRuns: sized(4, 60) },
    );
  });
});
