import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type CommandLine, commandLineOfItsOwn, faregate, WITH_MASTER_KEY } from "../../test/command-line.ts";
import { blocksOf } from "../../test/docs/shown.ts";
import { systemClock } from "../clock.ts";
import { tokenBySecret } from "../merchants/authentication.ts";
import { mintSecret } from "../merchants/token-secret.ts";

const KEY = "sk_live_neverPrintedAnywhere";
const MERCHANT = "7a1d7a52-0c3e-4b8a-9f64-2d5b7c8e9a01";
const USER = "7a1d7a52-0c3e-4b8a-9f64-2d5b7c8e9a02";
const RECORD = "7a1d7a52-0c3e-4b8a-9f64-2d5b7c8e9a03";
const TOKEN = "7a1d7a52-0c3e-4b8a-9f64-2d5b7c8e9a04";

interface Result {
  readonly applied: boolean;
  readonly records: readonly { kind: string; id: string; result: string; differs: string[]; secret?: string }[];
}

describe("faregate import", () => {
  let cli: CommandLine;
  let folder: string;
  before(async () => {
    cli = await commandLineOfItsOwn(WITH_MASTER_KEY);
    await cli.run("migrate");
    folder = mkdtempSync(join(tmpdir(), "faregate-import-"));
    writeFileSync(join(folder, "stripe.key"), `${KEY}\n`);
    symlinkSync("/dev/zero", join(folder, "endless.key"));
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await cli.end();
  });

  function fileOf(content: unknown): string {
    const path = join(folder, "merchants.json");
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  }
  const rows = async () => {
    const [row] = await cli.database.pool`
      select (select count(*)::int from merchants) as merchants, (select count(*)::int from users) as users,
        (select count(*)::int from processors) as processors, (select count(*)::int from tokens) as tokens,
        (select count(*)::int from audit_log) as audited`;
    return row;
  };
  const resultsOf = ({ records }: Result) => records.map(({ kind, result }) => `${kind} ${result}`);
  const ALL = ["merchant", "user", "processor", "token"];

  test("the file of the page is checked first, then created with an audit entry each, then found to be there", async () => {
    const [example = { text: "" }] = blocksOf("docs/importing.md").filter(({ language }) => language === "json");
    const file = fileOf(example.text);
    const empty = await rows();
    assert.deepEqual(
      resultsOf(await cli.json<Result>("import", file)),
      ALL.map((kind) => `${kind} new`),
    );
    assert.deepEqual(await rows(), empty);

    const applied = await cli.run("import", file, "--apply");
    assert.equal(applied.code, 0, applied.stderr);
    assert.match(applied.stdout, /\nCreated: 4 new, 0 existing and unchanged\./);
    assert.deepEqual(await rows(), { merchants: 1, users: 1, processors: 1, tokens: 1, audited: 4 });
    const [secret = ""] = /fg_live_\w+/.exec(applied.stdout) ?? [];
    const caller = await tokenBySecret(cli.database.pool, systemClock)(secret);
    assert(typeof caller === "object" && "scopes" in caller);
    assert.equal(caller.merchantId, "6f1d7a52-0c3e-4b8a-9f64-2d5b7c8e9a01");
    const [record] = await cli.database.pool`
      select id, settings, sealed_settings ? 'secret_key' as sealed, processors::text as whole from processors`;
    assert.deepEqual(
      [record?.id, record?.settings, record?.sealed],
      ["6f1d7a52-0c3e-4b8a-9f64-2d5b7c8e9a03", {}, true],
    );
    assert.doesNotMatch(String(record?.whole), /neverPrinted/);

    const again = await cli.json<Result>("import", file, "--apply");
    assert.deepEqual(
      again.records.map(({ kind, result, differs }) => [kind, result, differs]),
      ALL.map((kind) => [kind, "exists", []]),
    );
    assert.deepEqual(await rows(), { merchants: 1, users: 1, processors: 1, tokens: 1, audited: 4 });
    const audit = await cli.run("audit", "--json");
    for (const text of [applied.stdout, applied.stderr, audit.stdout]) assert.doesNotMatch(text, /neverPrinted/);
    assert.equal((await cli.run("audit", "verify")).code, 0);
  });

  test("without the master key a secret is a problem of the file, and nothing is created", async () => {
    const record = { id: RECORD, name: "Stripe", kind: "stripe", currency: "EUR", settings: { secret_key: KEY } };
    const file = fileOf({ merchants: [{ id: MERCHANT, name: "Eastwind", processors: [record] }] });
    const { FAREGATE_MASTER_KEY: _, ...without } = cli.live;
    for (const apply of [[], ["--apply"]]) {
      const { code, stdout, stderr } = await faregate(without, "import", file, ...apply);
      assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
      assert.match(stderr, /^merchants\.0\.processors\.0\.settings\.secret_key is a secret, which is sealed under/);
    }
  });

  test("a token comes with the hash of its secret, and its client goes on with that", async () => {
    const { secret } = mintSecret("live");
    const secret_hash = createHash("sha256").update(secret).digest("hex");
    const token = {
      id: TOKEN.toUpperCase(),
      user_id: USER,
      scopes: ["read"],
      expires_at: "2039-01-31T00:00:00Z",
      secret_hash,
    };
    const users = [{ id: USER, name: "John", email: "john@example.com" }];
    const file = fileOf({ merchants: [{ id: MERCHANT, name: "Eastwind", users, tokens: [token] }] });
    const applied = await cli.json<Result>("import", file, "--apply");
    assert.deepEqual(
      applied.records.filter((one) => "secret" in one),
      [],
    );
    const caller = await tokenBySecret(cli.database.pool, systemClock)(secret);
    assert(typeof caller === "object" && "scopes" in caller);
    assert.equal(caller.tokenId, TOKEN);
    const audit = await cli.run("audit", "--json");
    assert.doesNotMatch(audit.stdout, new RegExp(secret_hash));
    assert.deepEqual(
      (await cli.json<Result>("import", file)).records.flatMap(({ differs }) => differs),
      [],
    );
  });

  test("what is there stays as it is, and what differs is named", async () => {
    await cli.json("import", fileOf({ merchants: [{ id: MERCHANT, name: "Eastwind" }] }), "--apply");
    const added = { id: RECORD, name: "Stripe", kind: "stripe", currency: "EUR", settings: { secret_key: KEY } };
    const file = fileOf({ merchants: [{ id: MERCHANT, name: "Elsewind", processors: [added] }] });
    const { records } = await cli.json<Result>("import", file, "--apply");
    assert.deepEqual(
      records.map(({ result, differs }) => [result, differs]),
      [
        ["exists", ["name"]],
        ["created", []],
      ],
    );
    const changed = { ...added, settlement: { cutoff_at: "21:00" }, settings: { secret_key: "sk_live_another" } };
    const other = fileOf({ merchants: [{ id: MERCHANT, name: "Eastwind", processors: [changed] }] });
    const looked = await cli.run("import", other);
    assert.match(
      looked.stdout,
      new RegExp(`processor +${RECORD} +exists +settlement.cutoff_at +merchants.0.processors.0`),
    );
  });

  test("everything that is wrong is told by its place, and nothing of the file is created", async () => {
    const before = await rows();
    const wrong = {
      merchants: [
        {
          id: "7a1d7a52-0c3e-4b8a-9f64-2d5b7c8e9b01",
          name: "Right",
          users: [{ id: "7", name: "John", email: "john" }, 5],
          processors: [
            {
              id: "6f1d7a52-0c3e-4b8a-9f64-2d5b7c8e9a03",
              name: "Taken",
              kind: "stripe",
              currency: "usd",
              settings: { secret_key: { file: "none.key" }, webhook_secret: { file: "endless.key" } },
            },
            {
              id: "7a1d7a52-0c3e-4b8a-9f64-2d5b7c8e9b03",
              name: "Simulated",
              kind: "simulator",
              currency: "USD",
              colour: "red",
            },
          ],
          tokens: [{ id: "7a1d7a52-0c3e-4b8a-9f64-2d5b7c8e9b04", user_id: USER, scopes: ["all"], secret_hash: "abc" }],
        },
        { name: "No id", users: {} },
        { id: "7A1D7A52-0c3e-4b8a-9f64-2d5b7c8e9b01", name: "Twice" },
      ],
      operators: [],
    };
    const { code, stdout, stderr } = await cli.run("import", fileOf(wrong), "--apply");
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
    for (const line of [
      "operators is unknown",
      "merchants.0.users.0.id must be a UUID that is not all zeros",
      "merchants.0.users.1 must be an object",
      "merchants.0.processors.0.id is taken by a processor of another merchant",
      "merchants.0.processors.0.currency must be a currency of ISO 4217 in capitals, like USD",
      "merchants.0.processors.0.settings.secret_key cannot be read from the file none.key: it does not exist",
      "merchants.0.processors.0.settings.webhook_secret cannot be read from the file endless.key: it has more than 65536 bytes",
      "merchants.0.processors.1.colour is unknown",
      "merchants.0.tokens.0.user_id must be the id of a user of this merchant",
      "merchants.0.tokens.0.secret_hash must be the SHA-256 of the token's secret, 64 hexadecimal digits in small letters",
      "merchants.1.id is required",
      "merchants.1.users must be a list",
      "merchants.2.id is the same as that of merchants.0",
    ])
      assert.ok(stderr.split("\n").includes(line), `${line}\nis not in\n${stderr}`);
    assert.match(stderr, /\nmerchants\.0\.processors\.1\.kind must not be simulator in live mode/);
    assert.match(stderr, /\nmerchants\.0\.tokens\.0\.scopes\S* must be /);
    assert.match(stderr, /\nerror: 1\d problems in \S+merchants\.json; nothing was created\n$/);
    assert.deepEqual(await rows(), before);
  });

  test("a token is of a user of its own merchant, though the file has that user under another", async () => {
    const id = (last: string) => `7a1d7a52-0c3e-4b8a-9f64-2d5b7c8e9d0${last}`;
    const before = await rows();
    const file = fileOf({
      merchants: [
        { id: id("1"), name: "Eastwind", users: [{ id: id("2"), name: "John", email: "john@example.com" }] },
        { id: id("3"), name: "Westwind", tokens: [{ id: id("4"), user_id: id("2"), scopes: ["read"] }] },
      ],
    });
    const { code, stderr } = await cli.run("import", file, "--apply");
    assert.equal(code, 2);
    assert.match(stderr, /merchants\.1\.tokens\.0\.user_id must be the id of a user of this merchant/);
    assert.deepEqual(await rows(), before);
  });

  test("if one record cannot be written, none is", async () => {
    const before = await rows();
    await cli.database.pool.unsafe(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no tokens today'; end $$;
      create trigger refuse before insert on tokens for each row execute function refuse()`);
    const id = (last: string) => `7a1d7a52-0c3e-4b8a-9f64-2d5b7c8e9c0${last}`;
    const users = [{ id: id("2"), name: "John", email: "john@example.com" }];
    const tokens = [{ id: id("4"), user_id: id("2"), scopes: ["read"] }];
    const file = fileOf({ merchants: [{ id: id("1"), name: "Halfwind", users, tokens }] });
    const { code, stderr } = await cli.run("import", file, "--apply");
    await cli.database.pool.unsafe("drop trigger refuse on tokens");
    assert.deepEqual({ code, stderr }, { code: 1, stderr: "error: the database: no tokens today\n" });
    assert.deepEqual(await rows(), before);
  });

  test("a file that is none, or no JSON, is told in one line that shows nothing of it", async () => {
    const none = await cli.run("import", "/none.json");
    assert.deepEqual(none, {
      code: 2,
      stdout: "",
      stderr: "error: cannot read the file /none.json: it does not exist\n",
    });
    for (const [content, place] of [
      [`{"merchants": [\n  ${KEY}]}`, ""],
      [`{"merchants": [\n  {"id" ${KEY}}]}`, " \\(line 2, column 9\\)"],
    ]) {
      const { code, stderr } = await cli.run("import", fileOf(content));
      assert.equal(code, 2);
      assert.match(stderr, new RegExp(`^error: \\S+ is not JSON${place}\n$`));
    }
    const half = await cli.run(
      "import",
      fileOf(`{"merchants": [{"id": "${MERCHANT}", "name": "\\ud800"}]}`),
      "--apply",
    );
    assert.equal(half.code, 2);
    assert.match(half.stderr, /^error: \S+ has an escaped character \(\\u…\) that is only half of one\n$/);
  });
});
