import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { emptyDatabase, type FreshDatabase } from "../../test/database.ts";
import { loseChanges } from "../../test/lost-change.ts";
import { systemClock } from "../clock.ts";
import { openPool } from "../journal/database.ts";
import { startEmbedded } from "../journal/embedded/embedded.ts";
import { operatorBySecret, tokenBySecret } from "../merchants/authentication.ts";

const PROGRAM = join(import.meta.dirname, "faregate.ts");
const MIGRATIONS = readdirSync(join(import.meta.dirname, "../journal/migrations"))
  .map((file) => file.replace(/\.sql$/, ""))
  .sort();
const NOBODY = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The real command line in a process of its own. */
function faregate(env: NodeJS.ProcessEnv, ...parameters: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env.PATH, ...env }, encoding: "utf8" } as const;
    const child = execFile(process.execPath, [PROGRAM, ...parameters], options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

describe("the command line on a database of its own", () => {
  let database: FreshDatabase;
  let listener: Server;
  let folder: string;
  let live: NodeJS.ProcessEnv;
  before(async () => {
    database = await emptyDatabase();
    folder = mkdtempSync(join(tmpdir(), "faregate-cli-"));
    const { host, port, user, password, database: name } = database.address;
    listener = await forwarded(join(host, `.s.PGSQL.${port}`));
    const at = listener.address();
    assert(typeof at === "object" && at !== null);
    live = {
      DATABASE_URL: `postgres://${user}:${password}@127.0.0.1:${at.port}/${name}`,
      FAREGATE_SECRET: "0f".repeat(32),
    };
  });
  after(async () => {
    listener.close();
    rmSync(folder, { recursive: true });
    await database.drop();
  });

  const run = (...parameters: string[]) => faregate(live, ...parameters);

  async function json<T = Record<string, never>>(...parameters: string[]): Promise<T> {
    const { code, stdout, stderr } = await run(...parameters, "--json");
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    return JSON.parse(stdout) as T;
  }

  test("before the tables are there every command but migrate says so in one line", async () => {
    assert.deepEqual(await run("merchant", "list"), {
      code: 1,
      stdout: "",
      stderr: `error: the database is not ready (it lacks ${MIGRATIONS.join(", ")}): run faregate migrate\n`,
    });
  });

  test("migrate makes the database ready, and a second time finds nothing to do", async () => {
    assert.deepEqual(await run("migrate"), {
      code: 0,
      stdout: `Applied ${MIGRATIONS.join(", ")}. The database is ready.\n`,
      stderr: MIGRATIONS.map((name) => `Migrating the database: ${name}\n`).join(""),
    });
    assert.equal((await run("migrate")).stdout, "The database is ready: nothing to apply.\n");
    assert.deepEqual(await json("migrate"), { applied: [] });
  });

  test("the first operator's token is printed once and works until it is revoked", async () => {
    const { code, stdout, stderr } = await run("operator-token", "create", "--name", "Jane");
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    const [secret = ""] = /fg_operator_\w+/.exec(stdout) ?? [];
    const [id = ""] = UUID.exec(stdout) ?? [];
    assert.deepEqual(await operatorBySecret(database.pool)(secret), { tokenId: id, name: "Jane" });
    const listed = await run("operator-token", "list");
    assert.match(listed.stdout, new RegExp(`^ID +NAME +CREATED +REVOKED\n${id}  Jane  \\S+  -\n$`));
    assert.doesNotMatch(listed.stdout, /fg_/);
    assert.equal((await run("operator-token", "revoke", id)).code, 0);
    assert.equal(await operatorBySecret(database.pool)(secret), undefined);
    assert.equal((await run("operator-token", "revoke", id)).code, 0);
  });

  test("a merchant with a user, a token and a processor is set up, and the audit log tells it all", async () => {
    const { merchant } = await json<{ merchant: { id: string } }>("merchant", "create", "--name", "Northwind Air");
    assert.match(
      (await run("merchant", "change", merchant.id, "--name", "Southwind Air")).stdout,
      /^Merchant Southwind Air/,
    );
    assert.match((await run("merchant", "list")).stdout, new RegExp(`\n${merchant.id}  Southwind Air  `));

    const of = ["--merchant", merchant.id];
    const { user } = await json<{ user: { id: string } }>(
      "user",
      "create",
      ...of,
      "--name",
      "Jane",
      "--email",
      "j@example.com",
    );
    assert.match((await run("user", "list", ...of)).stdout, new RegExp(`\n${user.id}  Jane  j@example.com  `));

    const limits = ["--expires-at", "2099-01-01T00:00:00Z", "--rate-limit", "60"];
    const { token } = await json<{ token: { id: string; secret: string } }>(
      ...["token", "create", ...of, "--user", user.id, "--scopes", "charge, read", ...limits],
    );
    assert.match(token.secret, /^fg_live_/);
    const found = await tokenBySecret(database.pool, systemClock)(token.secret);
    assert.deepEqual(found, {
      tokenId: token.id,
      merchantId: merchant.id,
      userId: user.id,
      scopes: ["charge", "read"],
      rateLimitPerMinute: 60,
      cardTesting: null,
    });
    assert.match((await run("token", "list", ...of)).stdout, /charge,read {2}60 +2099-01-01T00:00:00\+00:00 {2}-\n/);
    assert.match((await run("token", "revoke", token.id)).stdout, /^The API token is revoked\./);

    const { entries } = await json<{ entries: { actor: string; source: string; action: string }[] }>("audit");
    assert.deepEqual(
      entries.slice(0, 5).map(({ action }) => action),
      ["token.revoke", "token.create", "user.create", "merchant.change", "merchant.create"],
    );
    const who = `command line ${userInfo().username}`;
    assert(entries.every(({ actor, source }) => actor === who && source === "command line"));
    assert.doesNotMatch(JSON.stringify(entries), /fg_/);
    assert.match((await run("audit", "--of", user.id)).stdout, /^AT .*\n\S+ {2}command line .* user\.create .*\n$/);
  });

  test("a change without the secret that seals the audit log, or with another, is refused; looking needs none", async () => {
    const { FAREGATE_SECRET: _, ...without } = live;
    const create = ["merchant", "create", "--name", "Nobody"];
    const { code, stderr } = await faregate(without, ...create);
    assert.equal(code, 1);
    assert.match(stderr, /^error: FAREGATE_SECRET is not set: .*\n$/);
    assert.match((await faregate({ ...live, FAREGATE_SECRET: "1f".repeat(32) }, ...create)).stderr, /another secret/);
    assert.equal((await faregate(without, "merchant", "list")).code, 0);
    assert.equal((await faregate(without, "audit")).code, 0);
    assert.doesNotMatch((await run("merchant", "list")).stdout, /Nobody/);
  });

  test("the audit log is verified, also from an entry that was noted, and a changed one is told", async () => {
    const whole = await json<{ entries: number; last: number; hash: string }>("audit", "verify");
    assert.ok(whole.entries > 3 && whole.entries === whole.last);
    assert.match((await run("audit", "verify")).stdout, /^The audit log is as it was written\.\n/);
    assert.equal((await run("audit", "verify", "--known", `${whole.last}:${whole.hash}`)).code, 0);
    const other = await run("audit", "verify", "--known", `${whole.last}:${"0".repeat(64)}`);
    assert.match(other.stderr, new RegExp(`entry ${whole.last} is not the one that was known`));
    assert.equal((await run("audit", "verify", "--known", "x")).code, 2);
    await database.pool`update audit_log set actor = 'nobody' where id = 2`;
    assert.deepEqual(await run("audit", "verify"), {
      code: 1,
      stdout: "",
      stderr: "error: the audit log is not what was written: entry 2 is not as it was written\n",
    });
  });

  test("a processor record is created with its defaults and changed in what is named", async () => {
    const sandbox = { ...live, FAREGATE_MODE: "sandbox" };
    const { merchant } = await json<{ merchant: { id: string } }>("merchant", "create", "--name", "Eastwind");
    const of = ["--merchant", merchant.id];
    const latency = join(folder, "latency");
    writeFileSync(latency, "50\n");
    const created = await faregate(
      sandbox,
      ...[
        "processor",
        "create",
        ...of,
        "--name",
        "Acquirer",
        "--kind",
        "simulator",
        "--currency",
        "CAD",
        "--in-rotation",
      ],
      ...["--require-cvv", "visa,amex", "--set", `latency_ms=@${latency}`, "--set", "card_brands=visa, amex", "--json"],
    );
    const { processor } = JSON.parse(created.stdout);
    const expected = {
      ...processor,
      merchant_id: merchant.id,
      enabled: true,
      in_rotation: true,
      requires: { cvv: ["visa", "amex"], names: false, document: false },
      settlement: { auto_capture_at: "20:30", cutoff_at: "22:00", settled_at: "02:00", visible_at: "02:20" },
      settings: { latency_ms: 50, card_brands: ["visa", "amex"] },
    };
    assert.deepEqual(processor, expected);
    const changed = await faregate(
      sandbox,
      ...["processor", "change", processor.id, "--no-in-rotation", "--require-cvv", "none", "--require-names"],
      ...[
        "--auto-capture-at",
        "none",
        "--cutoff-at",
        "21:30",
        "--set",
        "partial_void=false",
        "--unset",
        "latency_ms",
        "--json",
      ],
    );
    assert.deepEqual(
      { ...JSON.parse(changed.stdout).processor, updated_at: "" },
      {
        ...expected,
        in_rotation: false,
        requires: { cvv: [], names: true, document: false },
        settlement: { ...expected.settlement, auto_capture_at: null, cutoff_at: "21:30" },
        settings: { card_brands: ["visa", "amex"], partial_void: false },
        updated_at: "",
      },
    );
    const listed = await run("processor", "list", ...of);
    assert.match(listed.stdout, new RegExp(`\n${processor.id}  Acquirer  simulator  CAD +yes +no\n$`));
  });

  test("a webhook is created where the gateways' secret is known, rotated, changed and deleted", async () => {
    const { merchant } = await json<{ merchant: { id: string } }>("merchant", "create", "--name", "Westwind");
    const create = ["webhook", "create", "--merchant", merchant.id, "--url", "https://shop.example.com/hook"];
    assert.equal(
      (await faregate({ ...live, FAREGATE_SECRET: "" }, ...create)).stderr,
      "error: FAREGATE_SECRET is not set: changes are sealed with the gateway's secret, so name the same\n",
    );
    const types = ["--event-types", "transaction.settled, transaction.sale.succeeded", "--no-enabled"];
    const created = JSON.parse((await run(...create, ...types, "--json")).stdout);
    const { secret, ...webhook } = created.webhook;
    assert.match(secret, /^whsec_[\w+/]{43}=$/);
    assert.deepEqual(
      [webhook.event_types, webhook.enabled],
      [["transaction.settled", "transaction.sale.succeeded"], false],
    );
    const other = await faregate({ ...live, FAREGATE_SECRET: "cd".repeat(32) }, ...create);
    assert.match(other.stderr, /^error: This database was used with another secret\./);

    const rotated = await run("webhook", "rotate-secret", webhook.id);
    assert.match(rotated.stdout, /previous_secret_until +20\S+(.|\n)*whsec_/);
    const change = ["webhook", "change", webhook.id, "--enabled", "--event-types", "all"];
    const changed = await run(...change);
    assert.equal(changed.stderr, "");
    assert.match(changed.stdout, /event_types +-\n {2}enabled +yes\n/);
    const listed = await run("webhook", "list", "--merchant", merchant.id);
    assert.match(listed.stdout, new RegExp(`\n${webhook.id}  https://shop.example.com/hook  all +yes +-\n$`));
    const wrong = await run("webhook", "change", webhook.id, "--url", "http://127.0.0.1/");
    assert.match(wrong.stderr, /^error: --url must be an https address /);
    assert.equal((await run("webhook", "deliveries", webhook.id)).stdout, "There are no such deliveries.\n");
    assert.match((await run("webhook", "deliveries", NOBODY)).stderr, /^error: there is no webhook /);
    const span = ["--since", "2026-02-16T00:00:00Z", "--until", "2026-02-17T00:00:00Z"];
    assert.equal((await run("webhook", "replay", webhook.id, ...span)).stdout, "Sent again: 0\n");
    assert.deepEqual(await run("webhook", "replay", webhook.id), {
      code: 2,
      stdout: "",
      stderr: "error: must be either delivery_id, or since and until\n",
    });
    assert.match((await run("webhook", "delete", webhook.id)).stdout, /^The webhook is deleted\./);
    assert.equal((await run("webhook", "delete", webhook.id)).stderr, `error: there is no webhook ${webhook.id}\n`);
  });

  const merchantCommand = ["merchant", "change", NOBODY, "--name", "x"];
  const simulator = [
    "processor",
    "create",
    "--merchant",
    "",
    "--name",
    "x",
    "--kind",
    "simulator",
    "--currency",
    "CAD",
  ];
  const refusals: readonly (readonly [rule: string, parameters: readonly string[], code: number, line: RegExp])[] = [
    ["an id that nobody has", merchantCommand, 1, /^error: there is no merchant 0193e5b0-\S+$/],
    ["an id that is none", ["token", "revoke", "7"], 1, /^error: there is no token 7$/],
    [
      "a merchant that is not there",
      ["user", "list", "--merchant", NOBODY],
      1,
      /^error: there is no merchant 0193e5b0-/,
    ],
    ["a processor that is not there", ["processor", "change", NOBODY], 1, /^error: there is no processor 0193e5b0-/],
    ["what is required", ["merchant", "create"], 2, /^error: --name is required$/],
    ["a wrong value", ["merchant", "create", "--name", ""], 2, /^error: --name must be a text of 1 to 255 characters/],
    ["an unknown command", ["merchnt"], 2, /^error: unknown command 'merchnt' \(Did you mean merchant\?\)$/],
    ["an unknown option", ["migrate", "--jsno"], 2, /^error: unknown option '--jsno' \(Did you mean --json\?\)$/],
    ["a missing option", ["user", "list"], 2, /^error: required option '--merchant <id>' not specified$/],
    ["a page that is none", ["unresolved", "--page", "0"], 2, /It must be a whole number from 1 to 1000000\.$/],
    ["a list after what is no id", ["merchant", "list", "--after", "x"], 2, /It must be a uuid\.$/],
    ["a setting without a value", [...simulator, "--set", "x"], 2, /It must be of the form name=value\.$/],
    [
      "a file that is not there",
      [...simulator, "--set", "x=@/none"],
      2,
      /Cannot read the file \/none: it does not exist\.$/,
    ],
  ];
  describe("it names in one line", { concurrency: 2 }, () => {
    for (const [rule, parameters, code, line] of refusals) {
      test(rule, async () => {
        const ended = await run(...parameters);
        assert.deepEqual({ code: ended.code, stdout: ended.stdout }, { code, stdout: "" });
        assert.match(ended.stderr.trimEnd(), line);
        assert.equal(ended.stderr.split("\n").length, 2);
      });
    }
  });

  test("all that is wrong with a command is said at once, by the names of its options", async () => {
    const { merchant } = await json<{ merchant: { id: string } }>("merchant", "create", "--name", "Westwind");
    const of = ["--merchant", merchant.id];
    const wrong = ["--currency", "cad", "--kind", "simulator", "--require-cvv", "monopoly", "--cutoff-at", "25:00"];
    const { code, stderr } = await faregate(
      { ...live, FAREGATE_MODE: "sandbox" },
      ...["processor", "create", ...of, ...wrong, "--set", "latency_ms=fast", "--set", "speed=1"],
    );
    assert.equal(code, 2);
    for (const part of ["--name is required", "--currency must be a currency", "--require-cvv must be one of visa,"])
      assert(stderr.includes(part), stderr);
    for (const part of [
      "--cutoff-at must be a time of day",
      "--set latency_ms must be a whole",
      "--set speed is unknown",
    ])
      assert(stderr.includes(part), stderr);
    const token = await run("token", "create", ...of, "--user", NOBODY, "--scopes", "all", "--rate-limit", "many");
    for (const part of ["--user must be the id of", "--scopes must be one of charge,", "--rate-limit must be a whole"])
      assert(token.stderr.includes(part), token.stderr);
  });

  test("what is not resolved is shown with its last attempt, and as JSON with all of them", async () => {
    const [of, by] = ["0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a01", "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a02"];
    assert.equal((await run("unresolved")).stdout, "Nothing is unresolved.\n");
    const at = "2031-05-01T12:00:00+00:00";
    await database.pool`
      insert into transactions (merchant_id, id, number, user_id, created_at, currency, card_mask, card_first_six, card_brand,
        card_expiry_month, card_expiry_year, merchant_transaction_id)
      values (${of}, ${of}, 1, ${of}, ${at}, 'USD', '', '', 'visa', '12', '2039', 'order 1')`;
    await database.pool`
      insert into events (merchant_id, transaction_id, sequence, id, type, amount, processor_id, reversal, node_id, created_at)
      values (${of}, ${of}, 1, ${of}, 'sale', 1250, ${by}, false, 1, ${at})`;
    await database.pool`
      insert into unresolved (merchant_id, transaction_id, sequence, processor_id, remedy, attempts, due_at, created_at, history)
      values (${of}, ${of}, 1, ${by}, 'reverse', 1, ${at}, ${at},
        jsonb_build_array(jsonb_build_object('at', ${at}::text, 'said', 'no answer within 2000 ms')))`;
    const { stdout } = await run("unresolved", "--merchant", of, "--processor", by);
    assert.match(
      stdout,
      /^TRANSACTION .* LAST SAID\n\S+ {2}sale {2}12\.50 USD {2}\S+ {2}reverse {2}1 .* no answer within 2000 ms\n$/,
    );
    const { unresolved, meta } = await json<{ unresolved: { history: unknown }[]; meta: unknown }>("unresolved");
    assert.deepEqual(unresolved[0]?.history, [{ at, said: "no answer within 2000 ms" }]);
    assert.deepEqual(meta, { last_page: 1, current_page: 1, total: 1 });
    assert.equal((await run("unresolved", "--merchant", NOBODY)).stdout, "Nothing is unresolved.\n");
  });

  test("live mode has no simulator", async () => {
    const { merchant } = await json<{ merchant: { id: string } }>("merchant", "create", "--name", "Upwind");
    const parameters = simulator.map((one) => one || merchant.id);
    const { code, stderr } = await run(...parameters);
    assert.equal(code, 2);
    assert.match(stderr, /^error: --kind must not be simulator in live mode: it approves charges and moves no money\./);
  });

  test("a database that cannot be reached, and a wrong setting, are said in one line", async () => {
    const away = await faregate({ DATABASE_URL: "postgres://u:hidden@127.0.0.1:1/x" }, "migrate");
    assert.equal(away.code, 1);
    assert.match(away.stderr, /^error: Cannot use the database postgres:\/\/u:•••@127\.0\.0\.1:1\/x: .*\n$/);
    const wrong = await faregate({ DATABASE_URL: "mysql://x", FAREGATE_MODE: "prod" }, "migrate");
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /^error: FAREGATE_MODE .*; DATABASE_URL .*\n$/);
  });

  test("of a change whose commit was lost with the database it is said that it may have been made", () =>
    loseChanges(database.pool, "at commit", async () =>
      assert.deepEqual(await run("merchant", "create", "--name", "Perhaps"), {
        code: 1,
        stdout: "",
        stderr:
          "error: the database went away while this change was written. It may have been made: look, before you try again\n",
      }),
    ));

  test("data keys are rotated and listed, with the gateways' master key", async () => {
    assert.equal((await run("keys", "list")).stdout, "No card number was ever sealed here.\n");
    const without = await run("keys", "rotate");
    assert.equal(without.code, 1);
    assert.match(without.stderr, /^error: there is no master key: set FAREGATE_MASTER_KEY or [^\n]*\n$/);
    const env = { ...live, FAREGATE_MASTER_KEY: Buffer.alloc(32, 7).toString("base64") };
    const rotated = await faregate(env, "keys", "rotate", "--json");
    assert.deepEqual(JSON.parse(rotated.stdout), { key: 1, resumed: false, looked_at: 0, sealed_anew: 0, broken: [] });
    assert.match((await run("keys", "list")).stdout, /^ID +STATE .*\n1 +in use +[0-9a-f]{16} +0 +0 +\S+ +-\n$/);
    assert.match((await run("audit")).stdout, /command line .* data-key\.create +data key 1\n/);
    const other = { ...live, FAREGATE_MASTER_KEY: Buffer.alloc(32, 8).toString("base64") };
    const refused = await faregate(other, "keys", "rotate");
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /which is not given; if it is lost: --old-master-key-lost\n$/);
  });

  test("version and help are answers, and every command has an example", async () => {
    assert.match((await run("--version")).stdout, /^\d+\.\d+\.\d+\n$/);
    const help = await run("--help");
    assert.equal(help.code, 0);
    assert.match(help.stdout, /faregate operator-token create --name Jane/);
    for (const parameters of [["migrate"], ["token", "create"], ["processor", "change"], ["audit"]])
      assert.match((await run(...parameters, "--help")).stdout, /\nExample:\n {2}\$ faregate /);
    assert.match(
      (await run("processor", "create", "--help")).stdout,
      /Settings of the kind simulator:\n {2}latency_ms /,
    );
  });
});

describe("the command line without DATABASE_URL", () => {
  let FAREGATE_DATA: string;
  before(() => {
    FAREGATE_DATA = mkdtempSync(join(tmpdir(), "faregate-cli-"));
  });
  after(() => rmSync(FAREGATE_DATA, { recursive: true }));

  test("it starts the data folder's database for a command and stops it after", async () => {
    assert.equal((await faregate({ FAREGATE_DATA }, "migrate")).code, 0);
    const created = await faregate({ FAREGATE_DATA }, "merchant", "create", "--name", "Northwind", "--json");
    assert.equal(created.code, 0, created.stderr);
    const server = await startEmbedded({ dataFolder: FAREGATE_DATA, log: () => undefined });
    await server.stop();
    assert.equal(server.adopted, false);
  });

  test("it uses a server that runs already, and leaves it to those who use it", async () => {
    const server = await startEmbedded({ dataFolder: FAREGATE_DATA, log: () => undefined });
    const pool = openPool(server.connection);
    try {
      await pool`select 1`;
      const listed = await faregate({ FAREGATE_DATA }, "merchant", "list");
      assert.match(listed.stdout, /Northwind/);
      assert.equal((await pool`select name from merchants`)[0]?.name, "Northwind");
    } finally {
      await pool.end();
      await server.stop();
    }
  });
});

/** The database's socket on a port of this machine: a DATABASE_URL names no sockets. */
function forwarded(socket: string): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer((client) => {
      const database = connect(socket);
      client.pipe(database).pipe(client);
      client.on("error", () => database.destroy());
      database.on("error", () => client.destroy());
    });
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}
