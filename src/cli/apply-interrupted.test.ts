import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type CommandLine,
  commandLineOfItsOwn,
  faregate,
  faregateProcess,
  faregateProcessReading,
  WITH_MASTER_KEY,
} from "../../test/command-line.ts";
import { compiled } from "../../test/compiled.ts";
import { EVERYTHING, SECRETS } from "../../test/fixtures/declared-everything.ts";

describe("an apply", () => {
  const folder = mkdtempSync(join(tmpdir(), "faregate-apply-"));
  let cli: CommandLine;
  before(async () => {
    writeFileSync(join(folder, "adyen.key"), SECRETS.ADYEN_KEY);
    cli = await commandLineOfItsOwn({ FAREGATE_MODE: "sandbox", ...WITH_MASTER_KEY, ...SECRETS });
    assert.equal((await cli.run("migrate")).code, 0);
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await cli.end();
  });

  const file = (text: string, name = "gateway.yaml"): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  test("that is killed in the middle has changed nothing, and a file may come from a pipe", async () => {
    const text = (many: number) =>
      `version: 1\npartial: true\nmerchants:\n${Array.from({ length: many }, (_, nth) => `  - { external_key: killed-${nth}, name: Killed }\n`).join("")}`;
    const path = file(text(2_000), "killed.yaml");
    const { env } = { env: { ...process.env, ...cli.live } };
    const child = spawn(process.execPath, [compiled("faregate"), "apply", "-f", path], { env, stdio: "ignore" });
    const { pool } = cli.database;
    // It is at work once it holds its lock.
    const isAtWork = async () =>
      (
        await pool`select 1 from pg_stat_activity where state = 'idle in transaction' or query like '%insert into merchants%' and pid <> pg_backend_pid()`
      ).length > 0;
    while (!(await isAtWork()) && child.exitCode === null) await sleep(5);
    child.kill("SIGKILL");
    await once(child, "exit");
    assert.equal((await pool`select 1 from merchants where name = 'Killed'`).length, 0);
    const piped = await faregateProcessReading(text(2), cli.live, "apply", "-f", "-", "--json");
    assert.deepEqual([piped.code, (JSON.parse(piped.stdout) as { created: number }).created], [0, 2], piped.stderr);
  });

  test("that is planned finds that the master key is another one", async () => {
    const other = {
      ...cli.live,
      FAREGATE_MASTER_KEY: Buffer.alloc(32, 9).toString("base64"),
      STRIPE_KEY: "sk_test_another2",
    };
    assert.equal((await faregate(cli.live, "apply", "-f", file(EVERYTHING))).code, 0);
    const { code, stderr } = await faregate(other, "apply", "-f", file(EVERYTHING), "--plan");
    assert.equal(code, 1);
    assert.match(stderr, /^error: the gateways use another master key/);
  });

  test("waits for another one: one after the other, whatever the order", async () => {
    const of = (name: string) =>
      `version: 1\npartial: true\nmerchants:\n  - { external_key: race, name: ${name}, webhooks: [{ external_key: w, url: https://${name}.example.com/ }] }\n`;
    const ended = await Promise.all(
      ["one", "two", "one", "two"].map((name, nth) =>
        faregateProcess(cli.live, "apply", "-f", file(of(name), `race-${nth}.yaml`)),
      ),
    );
    assert.deepEqual(
      ended.map(({ code, stderr }) => [code, stderr]),
      Array(4).fill([0, ""]),
    );
    const { stdout: text } = await cli.run("export");
    assert.match(text, /name: (one|two)\n(.*\n)*?.*url: https:\/\/\1\.example\.com\//);
    assert.equal((await cli.run("audit", "verify")).code, 0);
  });
});
