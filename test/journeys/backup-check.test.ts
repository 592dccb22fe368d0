// `faregate backup check` on real backups, of each kind: what it says of good ones and of bad ones, and that nothing of the copy stays.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import pino from "pino";
import { startGateway } from "../../src/gateway-process.ts";
import { readSettings } from "../../src/settings.ts";
import { faregateProcess, PROGRAM } from "../command-line.ts";
import { compiled } from "../compiled.ts";
import { asOwner, type OwnCluster, ownCluster, ownersFolder } from "../own-cluster.ts";
import { missingPrograms, SYSTEM_POSTGRES } from "../system-programs.ts";
import { callers } from "./gateway.ts";

const bin = (name: string): string => join(SYSTEM_POSTGRES ?? "", name);
const SKIPPED = missingPrograms() ?? false;
const NO_PGBACKREST = missingPrograms("pgbackrest") ?? false;

interface Check {
  readonly backup: { readonly kind: string; readonly name: string; readonly postgresql: string };
  readonly restored_until: string;
  readonly keys: Readonly<Record<string, number>>;
  readonly audit: { readonly entries: number };
  readonly journal: { readonly transactions: number; readonly operations: number; readonly open: number };
  readonly would_be_lost: { readonly seconds: number; readonly operations: number } | null;
  readonly findings: readonly string[];
}

describe("faregate backup check", { skip: SKIPPED }, () => {
  let folder: string;
  let scratch: string;
  let cluster: OwnCluster;
  let env: NodeJS.ProcessEnv;
  let sell: (times: number) => Promise<void>;
  let end: () => Promise<void>;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "faregate-backups-"));
    chmodSync(folder, 0o711);
    scratch = join(folder, "copy");
    mkdirSync(scratch, { mode: 0o711 });
    const archive = ownersFolder(join(folder, "wal"));
    cluster = await ownCluster(join(folder, "cluster"), {
      archive_mode: "on",
      archive_command: `cp %p ${archive}/%f`,
    });
    env = {
      ...{ DATABASE_URL: cluster.url, FAREGATE_DATA: join(folder, "gateway") },
      ...{
        FAREGATE_SECRET: randomBytes(32).toString("base64"),
        FAREGATE_MASTER_KEY: randomBytes(32).toString("base64"),
      },
      ...{ HOST: "127.0.0.1", PORT: "0", FAREGATE_MODE: "sandbox" },
    };
    const read = readSettings(env);
    assert.ok(read.ok);
    const gateway = await startGateway(read.settings, pino({ level: "silent" }));
    const { sandbox } = gateway;
    assert.ok(sandbox);
    const { post, operator } = callers(gateway.url, sandbox.api_token, sandbox.operator_token);
    await operator("POST", `/operator/merchants/${sandbox.merchant_id}/processors`, {
      ...{ name: "stripe", kind: "stripe", currency: "USD", in_rotation: false },
      settings: { secret_key: "sk_test_0000", webhook_secret: "whsec_0000", base_url: "http://127.0.0.1:9" },
    });
    sell = async (times) => {
      for (let nth = 0; nth < times; nth++) {
        const { status } = await post("/api/transactions/sale", {
          ...{ processor_id: sandbox.processors.usd, amount: "12.34", card_number: "4111111111111111" },
          ...{
            card_expiry_month: "12",
            card_expiry_year: "2040",
            merchant_transaction_id: `${nth}`,
            ip_address: "192.0.2.1",
          },
        });
        assert.equal(status, 200);
      }
    };
    end = async () => {
      await gateway.close();
      await cluster.pool.end({ timeout: 1 });
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    };
    await sell(5);
  });
  after(() => end());

  const check = (...parameters: string[]) =>
    faregateProcess(env, "backup", "check", "--scratch", scratch, ...parameters);
  const checked = async (...parameters: string[]): Promise<Check> => {
    const { code, stdout, stderr } = await check(...parameters, "--json");
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout).backup_check;
  };
  const at = () => ["-h", cluster.sockets, "-p", `${cluster.port}`, "-U", "postgres"];
  const isGone = () => assert.deepEqual(readdirSync(scratch), []);
  const dump = (name: string, ...options: string[]) =>
    asOwner(bin("pg_dump"), [...at(), "-f", join(ownersFolder(join(folder, "dumps")), name), ...options, "faregate"]);
  const dumped = (name: string) => join(folder, "dumps", name);
  const baseBackup = (name: string, ...options: string[]) =>
    asOwner(bin("pg_basebackup"), [
      ...at(),
      "--no-sync",
      "-c",
      "fast",
      "-D",
      join(ownersFolder(join(folder, "bases")), name),
      ...options,
    ]);

  it("a dump in each of its formats is loaded, its keys open, and what was sold since would be lost", async () => {
    await dump("archive", "-Fc");
    await dump("folder", "-Fd");
    await dump("plain.sql");
    writeFileSync(dumped("plain.sql.gz"), gzipSync(readFileSync(dumped("plain.sql"))));
    await sell(3);
    for (const name of ["archive", "folder", "plain.sql.gz"]) {
      const { journal, keys, audit, would_be_lost: lost, findings } = await checked("--dump", dumped(name));
      assert.deepEqual({ name, findings }, { name, findings: [] });
      assert.deepEqual([journal.transactions, journal.open, keys.data_keys, keys.secrets_opened], [5, 0, 1, 2]);
      assert.equal(lost?.operations, 3);
      assert.ok(audit.entries > 5);
      isGone();
    }
  });

  it("a dump is loaded into an empty database that is named, which is empty again afterwards", async () => {
    await asOwner(bin("createdb"), [...at(), "-O", "faregate", "empty"]);
    const url = cluster.url.replace(/faregate$/, "empty");
    writeFileSync(join(folder, "url"), `${url}\n`);
    for (let nth = 0; nth < 2; nth++) {
      const { findings, journal } = await checked(
        "--dump",
        dumped("archive"),
        "--into",
        nth === 0 ? url : `@${join(folder, "url")}`,
      );
      assert.deepEqual([findings, journal.transactions], [[], 5]);
    }
    const { code, stderr } = await check("--dump", dumped("archive"), "--into", cluster.url);
    assert.equal(code, 1);
    assert.match(stderr, /is not empty/);
  });

  it("a base backup is restored with its archive to the last commit in it", async () => {
    await baseBackup("monday");
    await sell(4);
    await asOwner(bin("psql"), [...at(), "-c", "select pg_switch_wal()"]);
    await sleep(1_000);
    await sell(2);
    const {
      backup,
      journal,
      would_be_lost: lost,
      findings,
    } = await checked("--base", join(folder, "bases"), "--wal", join(folder, "wal"));
    assert.deepEqual([backup.kind, backup.name, findings], ["base", join(folder, "bases/monday"), []]);
    assert.equal(journal.transactions, 12);
    assert.equal(lost?.operations, 2);
    const alone = await checked("--base", join(folder, "bases"));
    assert.deepEqual([alone.journal.transactions, alone.would_be_lost?.operations], [8, 6]);
    isGone();
  });

  it("of several base backups the newest is taken, also one in tar files", async () => {
    await baseBackup("tuesday", "-Ft", "-z");
    const { backup, journal, findings } = await checked("--base", join(folder, "bases"));
    assert.deepEqual([backup.name, journal.transactions, findings], [join(folder, "bases/tuesday"), 14, []]);
  });

  it("a file that is missing in the archive is found, since nothing after it can be restored", async () => {
    const wal = join(folder, "wal with gap");
    for (let nth = 0; nth < 3; nth++)
      await asOwner(bin("psql"), [...at(), "-c", "select pg_switch_wal()"]).then(() => sell(1));
    await sleep(1_000);
    const all = readdirSync(join(folder, "wal"))
      .filter((name) => /^[0-9A-F]{24}$/.test(name))
      .sort();
    cpSync(join(folder, "wal"), wal, { recursive: true });
    chmodSync(wal, 0o755);
    rmSync(join(wal, all.at(-2) ?? ""));
    if (process.getuid?.() === 0) {
      for (const name of readdirSync(wal)) chmodSync(join(wal, name), 0o600);
      const unread = await check("--base", join(folder, "bases/monday"), "--wal", wal);
      assert.match(unread.stderr, /cannot read .*: let it read the archive/);
    }
    for (const name of readdirSync(wal)) chmodSync(join(wal, name), 0o644);
    const { code, stderr } = await check("--base", join(folder, "bases/monday"), "--wal", wal);
    assert.match(stderr, /missing or damaged/, readdirSync(wal).join());
    assert.equal(code, 1);
    isGone();
  });

  it("pgBackRest's newest backup is restored with its archive, and the running stanza notices nothing", {
    skip: NO_PGBACKREST,
  }, async () => {
    const repository = ownersFolder(join(folder, "repository"));
    const config = join(folder, "pgbackrest.conf");
    writeFileSync(
      config,
      `[global]\nrepo1-path=${repository}\nlog-path=${repository}\nlock-path=${repository}/lock\nspool-path=${repository}/spool\nstart-fast=y\n` +
        `[faregate]\npg1-path=${cluster.data}\npg1-port=${cluster.port}\npg1-socket-path=${cluster.sockets}\npg1-user=postgres\n`,
      { mode: 0o644 },
    );
    const pgbackrest = (...args: string[]) =>
      asOwner("pgbackrest", [`--config=${config}`, "--stanza=faregate", ...args]);
    const none = await check("--stanza", "faregate", "--pgbackrest-config", config);
    assert.deepEqual([none.code, /no backup of stanza faregate/.test(none.stderr)], [1, true], none.stderr);
    await asOwner(bin("psql"), [
      ...at(),
      "-c",
      `alter system set archive_command = 'pgbackrest --config=${config} --stanza=faregate archive-push %p'`,
      "-c",
      "select pg_reload_conf()",
    ]);
    await pgbackrest("stanza-create");
    await pgbackrest("backup", "--type=full");
    await sell(2);
    await pgbackrest("check");
    await sell(3);
    const before = await asOwner("pgbackrest", [`--config=${config}`, "info", "--output=json"]);
    const {
      backup,
      would_be_lost: lost,
      findings,
    } = await checked("--stanza", "faregate", "--pgbackrest-config", config);
    assert.deepEqual([backup.kind, lost?.operations, findings], ["pgbackrest", 3, []]);
    assert.equal(await asOwner("pgbackrest", [`--config=${config}`, "info", "--output=json"]), before);
    isGone();
  });

  it("another secret, another master key and a changed audit log are found, all at once", async () => {
    const database = "damaged";
    const psql = (name: string, ...commands: string[]) =>
      asOwner(bin("psql"), [...at(), "-d", name, ...commands.flatMap((one) => ["-c", one])]);
    await psql("postgres", `create database ${database} template empty`);
    await asOwner(bin("pg_restore"), [...at(), "-d", database, dumped("archive")]);
    await psql(
      database,
      "update audit_log set actor = 'nobody' where id = 3",
      "delete from transactions where number = 2",
      "delete from outcomes where sequence = 1 and transaction_id in (select id from transactions where number = 4)",
    );
    await asOwner(bin("pg_dump"), [...at(), "-Fc", "-f", dumped("damaged"), database]);
    const other = { ...env, FAREGATE_MASTER_KEY: randomBytes(32).toString("base64") };
    const { code, stdout, stderr } = await faregateProcess(
      other,
      "backup",
      "check",
      "--scratch",
      scratch,
      "--dump",
      dumped("damaged"),
      "--json",
    );
    assert.equal(code, 1);
    assert.notEqual(stdout, "", stderr);
    const { findings, journal, would_be_lost: lost } = JSON.parse(stdout).backup_check;
    assert.match(findings.join("\n"), /data key 1 is wrapped by master key [0-9a-f]{16}, which was not given/);
    assert.match(findings.join("\n"), /secret_key of processor .* cannot be opened/);
    assert.match(findings.join("\n"), /audit log: entry 3 is not as it was written/);
    assert.match(findings.join("\n"), /1 merchants whose transactions are not numbered without gaps/);
    assert.match(findings.join("\n"), /1 operations without their transaction/);
    assert.deepEqual([journal.open, lost.outcomes], [1, 1]);
    assert.match(stderr, /cannot be relied on/);
    const secret = { ...env, FAREGATE_SECRET: randomBytes(32).toString("base64") };
    const without = await faregateProcess(
      secret,
      "backup",
      "check",
      "--scratch",
      scratch,
      "--dump",
      dumped("archive"),
      "--no-compare",
    );
    assert.match(without.stderr, /made with another FAREGATE_SECRET/);
    isGone();
  });

  it("wrong options and places are refused with what would be right", async () => {
    const nowhere = join(folder, "nowhere");
    for (const [parameters, code, words] of [
      [[], 2, /name one backup/],
      [["--stanza", "a", "--dump", "b"], 2, /name one backup/],
      [["--dump", dumped("archive"), "--wal", folder], 2, /--wal is for --base/],
      [["--base", folder, "--into", "postgres://x"], 2, /--into is for --dump/],
      [["--dump", dumped("archive"), "--no-compare", "--max-loss", "5"], 2, /--max-loss needs the running database/],
      [["--dump", dumped("archive"), "--max-loss", "soon"], 2, /whole number of seconds/],
      [["--dump", nowhere], 1, /does not exist/],
      [["--base", nowhere], 1, /does not exist/],
      [["--base", join(folder, "dumps")], 1, /no base backup/],
      [["--dump", PROGRAM], 1, /cannot be loaded/],
      [["--dump", dumped("archive"), "--pg-bin", folder], 1, /are not in/],
      [["--dump", dumped("archive"), "--max-loss", "0"], 1, /seconds would be lost/],
    ] as const) {
      const ended = await check(...parameters);
      assert.deepEqual([parameters, ended.code, words.test(ended.stderr)], [parameters, code, true], ended.stderr);
    }
    isGone();
  });

  it("a check that is killed leaves nothing behind, neither a copy nor a server", async () => {
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const child = spawn(
        process.execPath,
        [
          compiled("faregate"),
          "backup",
          "check",
          "--scratch",
          scratch,
          "--base",
          join(folder, "bases/monday"),
          "--wal",
          join(folder, "wal"),
        ],
        {
          env: { PATH: process.env.PATH, ...env },
          stdio: "ignore",
        },
      );
      const exited = once(child, "exit");
      while (!readdirSync(scratch).some((name) => readdirSync(join(scratch, name)).includes("server.log"))) {
        assert.equal(child.exitCode, null);
        await sleep(20);
      }
      child.kill(signal);
      await exited;
      for (let waitedMs = 0; readdirSync(scratch).length > 0; waitedMs += 50) {
        assert.ok(waitedMs < 20_000, signal);
        await sleep(50);
      }
    }
  });
});
