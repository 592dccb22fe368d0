import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type CommandLine, commandLineOfItsOwn, faregate, faregateProcess } from "../../test/command-line.ts";
import { systemClock } from "../clock.ts";
import { operatorBySecret, tokenBySecret } from "../merchants/authentication.ts";

const MIGRATIONS = readdirSync(join(import.meta.dirname, "../journal/migrations"))
  .map((file) => file.replace(/\.sql$/, ""))
  .sort();
const NOBODY = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

describe("the command line on a database of its own", () => {
  let cli: CommandLine;
  let folder: string;
  before(async () => {
    cli = await commandLineOfItsOwn();
    folder = mkdtempSync(join(tmpdir(), "faregate-cli-"));
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await cli.end();
  });

  test("before the tables are there every command but migrate says so in one line", async () => {
    assert.deepEqual(await faregateProcess(cli.live, "merchant", "list"), {
      code: 1,
      stdout: "",
      stderr: `error: the database is not ready (it lacks ${MIGRATIONS.join(", ")}): run faregate migrate\n`,
    });
  });

  test("migrate makes the database ready, and a second time finds nothing to do", async () => {
    assert.deepEqual(await cli.run("migrate"), {
      code: 0,
      stdout: `Applied ${MIGRATIONS.join(", ")}. The database is ready.\n`,
      stderr: `Migrating the database: ${MIGRATIONS[0]} to ${MIGRATIONS.at(-1)} (${MIGRATIONS.length})\n`,
    });
    assert.equal((await cli.run("migrate")).stdout, "The database is up to date.\n");
    assert.deepEqual(await cli.json("migrate"), { applied: [] });
  });

  test("before anything was changed there is nothing to verify in the audit log, and that is no failure", async () => {
    const { code, stdout } = await cli.run("audit", "verify");
    assert.deepEqual(
      [code, stdout],
      [0, "There is nothing to verify yet: nothing was changed, and no gateway has started.\n"],
    );
    assert.equal((await cli.json<{ entries: number }>("audit", "verify")).entries, 0);
  });

  test("the first operator's token is printed once and works until it is revoked", async () => {
    const { code, stdout, stderr } = await faregateProcess(cli.live, "operator-token", "create", "--name", "Jane");
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    const [secret = ""] = /fg_operator_\w+/.exec(stdout) ?? [];
    const [id = ""] = UUID.exec(stdout) ?? [];
    assert.deepEqual(await operatorBySecret(cli.database.pool)(secret), { tokenId: id, name: "Jane" });
    const listed = await cli.run("operator-token", "list");
    assert.match(listed.stdout, new RegExp(`^ID +NAME +CREATED +REVOKED\n${id}  Jane  \\S+  -\n$`));
    assert.doesNotMatch(listed.stdout, /fg_/);
    assert.equal((await cli.run("operator-token", "revoke", id)).code, 0);
    const refused = { refused: "revoked-token", tokenId: id };
    assert.deepEqual(await operatorBySecret(cli.database.pool)(secret), refused);
    assert.equal((await cli.run("operator-token", "revoke", id)).code, 0);
  });

  test("people are created with a first password, changed, reset, signed out, and listed without it", async () => {
    const who = ["--name", "Jane", "--role", "operator", "--email"];
    const created = await cli.json<{ person: { id: string; password: string } }>(
      "person",
      "create",
      ...who,
      "jane@example.com",
    );
    const { id, password } = created.person;
    assert.match(password, /^\w{5}(-\w{5}){3}$/);
    const twice = await cli.run("person", "create", ...who, "JANE@example.com");
    assert.deepEqual([twice.code, twice.stderr], [2, "error: --email is the e-mail of another person\n"]);
    const listed = await cli.run("person", "list");
    assert.match(listed.stdout, new RegExp(`\n${id}  operator  jane@example.com  -`));
    assert.match((await cli.run("person", "change", id, "--locked")).stdout, /locked +yes/);
    assert.match((await cli.run("person", "change", id, "--no-locked")).stdout, /locked +no/);
    const reset = await cli.run("person", "reset-password", id);
    assert.match(reset.stdout, /not shown again:\n\n {2}\w{5}-/);
    assert.doesNotMatch(reset.stdout, new RegExp(password));
    for (const command of ["sign-out", "remove-second-factor"])
      assert.equal((await cli.run("person", command, id)).code, 0, command);
    assert.equal((await cli.run("person", "sign-out", NOBODY)).code, 1);
    assert.doesNotMatch((await cli.run("audit")).stdout, new RegExp(password));
  });

  test("a merchant with a user, a token and a processor is set up, and the audit log tells it all", async () => {
    const { merchant } = await cli.json<{ merchant: { id: string } }>("merchant", "create", "--name", "Northwind Air");
    assert.match(
      (await cli.run("merchant", "change", merchant.id, "--name", "Southwind Air")).stdout,
      /^Merchant Southwind Air/,
    );
    assert.match((await cli.run("merchant", "list")).stdout, new RegExp(`\n${merchant.id}  Southwind Air  `));

    const of = ["--merchant", merchant.id];
    const { user } = await cli.json<{ user: { id: string } }>(
      "user",
      "create",
      ...of,
      "--name",
      "Jane",
      "--email",
      "j@example.com",
    );
    assert.match((await cli.run("user", "list", ...of)).stdout, new RegExp(`\n${user.id}  Jane  j@example.com  `));

    const limits = ["--expires-at", "2099-01-01T00:00:00Z", "--rate-limit", "60"];
    const { token } = await cli.json<{ token: { id: string; secret: string } }>(
      ...["token", "create", ...of, "--user", user.id, "--scopes", "charge, read", ...limits],
    );
    assert.match(token.secret, /^fg_live_/);
    const found = await tokenBySecret(cli.database.pool, systemClock)(token.secret);
    assert.deepEqual(found, {
      tokenId: token.id,
      merchantId: merchant.id,
      userId: user.id,
      scopes: ["charge", "read"],
      rateLimitPerMinute: 60,
      strictIdentifiers: false,
      cardNumbersForbidden: false,
      verifyCards: false,
      requireIpAddress: true,
      cardTesting: null,
    });
    assert.match(
      (await cli.run("token", "list", ...of)).stdout,
      /charge,read {2}60 +2099-01-01T00:00:00\+00:00 {2}-\n/,
    );
    assert.match((await cli.run("token", "revoke", token.id)).stdout, /^The API token is revoked\./);

    const { entries } = await cli.json<{ entries: { actor: string; source: string; action: string }[] }>("audit");
    assert.deepEqual(
      entries.slice(0, 5).map(({ action }) => action),
      ["token.revoke", "token.create", "user.create", "merchant.change", "merchant.create"],
    );
    const who = `command line ${userInfo().username}`;
    assert(entries.every(({ actor, source }) => actor === who && source === "command line"));
    assert.doesNotMatch(JSON.stringify(entries), /fg_/);
    assert.match(
      (await cli.run("audit", "--of", user.id)).stdout,
      /^TIME .*\n\S+ {2}command line .* user\.create .*\n$/,
    );
    const narrowed = async (...parameters: string[]) =>
      (await cli.json<{ entries: { action: string }[] }>("audit", "--of", token.id, ...parameters)).entries.length;
    assert.equal(await narrowed("--actor", "COMMAND", "--outcome", "done", "--from", "2001-01-01"), 2);
    assert.equal(await narrowed("--action", "token.c"), 1);
    assert.equal(await narrowed("--to", "2001-01-01"), 0);
    assert.match((await cli.run("audit", "--to", "2001-01-01")).stdout, /^No change matches\.\n$/);
  });

  test("a change without the secret that seals the audit log, or with another, is refused; looking needs none", async () => {
    const { FAREGATE_SECRET: _, ...without } = cli.live;
    const create = ["merchant", "create", "--name", "Nobody"];
    const { code, stderr } = await faregate(without, ...create);
    assert.equal(code, 1);
    assert.match(stderr, /^error: FAREGATE_SECRET is not set: .*\n$/);
    assert.match(
      (await faregate({ ...cli.live, FAREGATE_SECRET: "1f".repeat(32) }, ...create)).stderr,
      /another secret/,
    );
    assert.equal((await faregate(without, "merchant", "list")).code, 0);
    assert.equal((await faregate(without, "audit")).code, 0);
    assert.doesNotMatch((await cli.run("merchant", "list")).stdout, /Nobody/);
  });

  test("the audit log is verified, also from an entry that was noted, and a changed one is told", async () => {
    const whole = await cli.json<{ entries: number; last: number; hash: string }>("audit", "verify");
    assert.ok(whole.entries > 3 && whole.entries === whole.last);
    assert.match((await cli.run("audit", "verify")).stdout, /^The audit log is intact\.\n/);
    assert.equal((await cli.run("audit", "verify", "--known", `${whole.last}:${whole.hash}`)).code, 0);
    const other = await cli.run("audit", "verify", "--known", `${whole.last}:${"0".repeat(64)}`);
    assert.match(other.stderr, new RegExp(`entry ${whole.last} is not the one that was known`));
    assert.equal((await cli.run("audit", "verify", "--known", "x")).code, 2);
    await cli.database.pool`update audit_log set actor = 'nobody' where id = 2`;
    assert.deepEqual(await cli.run("audit", "verify"), {
      code: 1,
      stdout: "",
      stderr: "error: the audit log was tampered with or damaged: entry 2 is not as it was written\n",
    });
  });

  test("a processor record is created with its defaults and changed in what is named", async () => {
    const sandbox = { ...cli.live, FAREGATE_MODE: "sandbox" };
    const { merchant } = await cli.json<{ merchant: { id: string } }>("merchant", "create", "--name", "Eastwind");
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
    const listed = await cli.run("processor", "list", ...of);
    assert.match(listed.stdout, new RegExp(`\n${processor.id}  Acquirer  simulator  CAD +yes +no\n$`));
  });

  test("a webhook is created where the gateways' secret is known, rotated, changed and deleted", async () => {
    const { merchant } = await cli.json<{ merchant: { id: string } }>("merchant", "create", "--name", "Westwind");
    const create = ["webhook", "create", "--merchant", merchant.id, "--url", "https://shop.example.com/hook"];
    assert.equal(
      (await faregate({ ...cli.live, FAREGATE_SECRET: "" }, ...create)).stderr,
      "error: FAREGATE_SECRET is not set: set it to the gateway's own, which seals the audit log\n",
    );
    const types = ["--event-types", "transaction.settled, transaction.sale.succeeded", "--no-enabled"];
    const created = JSON.parse((await cli.run(...create, ...types, "--json")).stdout);
    const { secret, ...webhook } = created.webhook;
    assert.match(secret, /^whsec_[\w+/]{43}=$/);
    assert.deepEqual(
      [webhook.event_types, webhook.enabled],
      [["transaction.settled", "transaction.sale.succeeded"], false],
    );
    const other = await faregate({ ...cli.live, FAREGATE_SECRET: "cd".repeat(32) }, ...create);
    assert.match(other.stderr, /^error: This database was used with another secret\./);

    const rotated = await cli.run("webhook", "rotate-secret", webhook.id);
    assert.match(rotated.stdout, /previous_secret_until +20\S+(.|\n)*whsec_/);
    const change = ["webhook", "change", webhook.id, "--enabled", "--event-types", "all"];
    const changed = await cli.run(...change);
    assert.equal(changed.stderr, "");
    assert.match(changed.stdout, /event_types +all\n {2}enabled +yes\n/);
    const listed = await cli.run("webhook", "list", "--merchant", merchant.id);
    assert.match(listed.stdout, new RegExp(`\n${webhook.id}  https://shop.example.com/hook  all +yes +-\n$`));
    assert.match((await cli.run(...create)).stdout, /event_types +all\n/);
    const wrong = await cli.run("webhook", "change", webhook.id, "--url", "http://127.0.0.1/");
    assert.match(wrong.stderr, /^error: --url must be an https address /);
    assert.equal((await cli.run("webhook", "deliveries", webhook.id)).stdout, "There are no such deliveries.\n");
    assert.match((await cli.run("webhook", "deliveries", NOBODY)).stderr, /^error: there is no webhook /);
    const span = ["--since", "2026-02-16T00:00:00Z", "--until", "2026-02-17T00:00:00Z"];
    assert.equal((await cli.run("webhook", "replay", webhook.id, ...span)).stdout, "Sent again: 0\n");
    assert.deepEqual(await cli.run("webhook", "replay", webhook.id), {
      code: 2,
      stdout: "",
      stderr: "error: must be either delivery_id, or since and until\n",
    });
    await cli.run("webhook", "change", webhook.id, "--no-enabled");
    assert.deepEqual(await cli.run("webhook", "ping", webhook.id), {
      code: 2,
      stdout: "",
      stderr: "error: This webhook is disabled: enable it first.\n",
    });
    assert.match((await cli.run("webhook", "delete", webhook.id)).stdout, /^The webhook is deleted\./);
    assert.equal((await cli.run("webhook", "delete", webhook.id)).stderr, `error: there is no webhook ${webhook.id}\n`);
  });

  test("what is not resolved is shown with its last attempt, and as JSON with all of them", async () => {
    const [of, by] = ["0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a01", "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a02"];
    assert.equal((await cli.run("unresolved")).stdout, "Nothing is unresolved.\n");
    const at = "2031-05-01T12:00:00+00:00";
    await cli.database.pool`
      insert into transactions (merchant_id, id, number, user_id, created_at, currency, card_mask, card_first_six, card_brand,
        card_expiry_month, card_expiry_year, merchant_transaction_id)
      values (${of}, ${of}, 1, ${of}, ${at}, 'USD', '', '', 'visa', '12', '2039', 'order 1')`;
    await cli.database.pool`
      insert into events (merchant_id, transaction_id, sequence, id, type, amount, processor_id, reversal, node_id, created_at)
      values (${of}, ${of}, 1, ${of}, 'sale', 1250, ${by}, false, 1, ${at})`;
    await cli.database.pool`
      insert into unresolved (merchant_id, transaction_id, sequence, processor_id, remedy, attempts, due_at, created_at, history)
      values (${of}, ${of}, 1, ${by}, 'reverse', 1, ${at}, ${at},
        jsonb_build_array(jsonb_build_object('at', ${at}::text, 'said', 'no answer within 2000 ms')))`;
    const { stdout } = await cli.run("unresolved", "--merchant", of, "--processor", by);
    assert.match(
      stdout,
      /^EVENT .* LAST RESULT\n\S+ {2}\S+ {2}sale {7}12\.50 USD {2}\S+ {2}reverse {2}1 .* no answer within 2000 ms\n$/,
    );
    const { unresolved, meta } = await cli.json<{ unresolved: { history: unknown }[]; meta: unknown }>("unresolved");
    assert.deepEqual(unresolved[0]?.history, [{ at, said: "no answer within 2000 ms" }]);
    assert.deepEqual(meta, { last_page: 1, current_page: 1, total: 1 });
    assert.equal((await cli.run("unresolved", "--merchant", NOBODY)).stdout, "Nothing is unresolved.\n");
  });

  test("what processors told is shown with what became of it, and what waits to be applied", async () => {
    const [of, by] = ["0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a03", "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a04"];
    assert.equal((await cli.run("notifications")).stdout, "There are no notifications.\n");
    const at = "2031-05-01T12:00:00+00:00";
    for (const id of ["first", "second"])
      await cli.database.pool`
        insert into notifications (merchant_id, processor_id, id, kind, occurred_at, said, news, created_at)
        values (${of}, ${by}, ${id}, 'other', ${at}, 'a word', '{"kind":"other"}'::text::json, ${at})`;
    await cli.database.pool`
      insert into applied_notifications (merchant_id, processor_id, id, result, why, created_at)
      values (${of}, ${by}, 'first', 'kept', 'it means nothing', ${at})`;
    const { stdout } = await cli.run("notifications", "--merchant", of, "--result", "kept");
    assert.match(stdout, /^RECEIVED .* MESSAGE\n\S+ {2}other .* kept {2,}it means nothing {2}a word\n$/);
    const { notifications } = await cli.json<{ notifications: { id: string; result: string }[] }>(
      ...["notifications", "--processor", by],
    );
    assert.deepEqual(
      notifications.map(({ id, result }) => `${id} ${result}`),
      ["second waiting", "first kept"],
    );
  });

  test("data keys are rotated and listed, with the gateways' master key", async () => {
    assert.equal((await cli.run("keys", "list")).stdout, "There are no data keys: nothing has been sealed yet.\n");
    const without = await cli.run("keys", "rotate");
    assert.equal(without.code, 1);
    assert.match(without.stderr, /^error: there is no master key: set FAREGATE_MASTER_KEY or [^\n]*\n$/);
    const env = { ...cli.live, FAREGATE_MASTER_KEY: Buffer.alloc(32, 7).toString("base64") };
    const rotated = await faregate(env, "keys", "rotate", "--json");
    assert.deepEqual(JSON.parse(rotated.stdout), {
      ...{ key: 1, resumed: false, looked_at: 0, sealed_anew: 0, broken: [] },
      ...{ secrets_sealed_anew: 0, broken_secrets: [] },
    });
    assert.match((await cli.run("keys", "list")).stdout, /^ID +STATE .*\n1 +in use +[0-9a-f]{16} +0 +0 +0 +\S+ +-\n$/);
    assert.match((await cli.run("audit")).stdout, /command line .* data-key\.create +data key 1\n/);
    const other = { ...cli.live, FAREGATE_MASTER_KEY: Buffer.alloc(32, 8).toString("base64") };
    const refused = await faregate(other, "keys", "rotate");
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /which was not given; if that key is lost, use --old-master-key-lost\n$/);
  });

  test("a merchant refuses identifiers like card numbers until that is taken back", async () => {
    type Told = { merchant: { id: string; name: string; refuse_card_like_identifiers: boolean } };
    const option = "--refuse-card-like-identifiers";
    const { merchant } = await cli.json<Told>("merchant", "create", "--name", "Strict", option);
    assert.equal(merchant.refuse_card_like_identifiers, true);
    const change = ["merchant", "change", merchant.id];
    const renamed = { ...merchant, name: "Stricter" };
    assert.deepEqual((await cli.json<Told>(...change, "--name", "Stricter")).merchant, renamed);
    const milder = { ...renamed, refuse_card_like_identifiers: false };
    assert.deepEqual((await cli.json<Told>(...change, "--no-refuse-card-like-identifiers")).merchant, milder);
    assert.deepEqual((await cli.json<Told>(...change, option)).merchant, renamed);
    const nothing = await cli.run(...change);
    assert.deepEqual([nothing.code, nothing.stderr], [2, "error: --name is required\n"]);
  });

  test("version and help are answers, and every command has an example", async () => {
    assert.match((await faregateProcess(cli.live, "--version")).stdout, /^\d+\.\d+\.\d+\n$/);
    const help = await cli.run("--help");
    assert.equal(help.code, 0);
    assert.match(help.stdout, /faregate operator-token create --name Jane/);
    for (const parameters of [["migrate"], ["token", "create"], ["processor", "change"], ["audit"]])
      assert.match((await cli.run(...parameters, "--help")).stdout, /\nExample:\n {2}\$ faregate /);
    assert.match(
      (await cli.run("processor", "create", "--help")).stdout,
      /Settings of the kind simulator:\n {2}latency_ms /,
    );
  });
});
