import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { faregateProcess } from "../../test/command-line.ts";
import { openPool } from "../journal/database.ts";
import { startEmbedded } from "../journal/embedded/embedded.ts";
import { openDatabase } from "../open-database.ts";
import { readSettings } from "../settings.ts";
import { closingOf } from "./office.ts";

describe("the command line without DATABASE_URL", () => {
  let FAREGATE_DATA: string;
  before(() => {
    FAREGATE_DATA = mkdtempSync(join(tmpdir(), "faregate-cli-"));
  });
  after(() => rmSync(FAREGATE_DATA, { recursive: true }));

  for (const command of [["migrate"], ["operator-token", "create", "--name", "Jane"], ["merchant", "list"]])
    test(`it makes no sandbox for: ${command.join(" ")}`, async () => {
      const folder = join(FAREGATE_DATA, "none");
      const { code, stderr, stdout } = await faregateProcess({ FAREGATE_DATA: folder }, ...command);
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, /DATABASE_URL is not set, and there is no sandbox in .*: set DATABASE_URL/);
      assert.equal(existsSync(folder), false);
    });

  test("it takes its settings from a file in systemd's syntax, which goes before the environment", async () => {
    const file = join(FAREGATE_DATA, "environment");
    writeFileSync(file, `# of the unit\nFAREGATE_DATA="${FAREGATE_DATA}/else & where"\n`);
    const { stderr } = await faregateProcess({ FAREGATE_DATA }, "merchant", "list", "--env-file", file);
    assert.match(stderr, /no sandbox in .*else & where:/);
    const gone = await faregateProcess({ FAREGATE_DATA }, "--env-file", `${file}.gone`, "merchant", "list");
    assert.deepEqual([gone.code, /cannot read the environment file/.test(gone.stderr)], [2, true]);
  });

  // Node takes the option for its own wherever it stands, up to "--", and ends with 9.
  test("a file of settings that is not there is told by the gateway, and not by Node", async () => {
    for (const args of [
      ["--env-file", `${FAREGATE_DATA}/gone`, "merchant", "list"],
      ["merchant", "list", `--env-file=${FAREGATE_DATA}/gone`],
      ["start", "--env-file", `${FAREGATE_DATA}/gone`],
    ]) {
      const { status, stderr } = spawnSync(join(import.meta.dirname, "../../bin/faregate.mjs"), args, {
        encoding: "utf8",
        env: { ...process.env, FAREGATE_DATA },
      });
      assert.deepEqual(
        [status, /cannot read the environment file .*gone: it does not exist/.test(stderr)],
        [2, true],
        stderr,
      );
    }
  });

  test("it starts the data folder's database for a command and stops it after", async () => {
    await (await startEmbedded({ dataFolder: FAREGATE_DATA, log: () => undefined })).stop();
    assert.equal((await faregateProcess({ FAREGATE_DATA }, "migrate")).code, 0);
    const created = await faregateProcess({ FAREGATE_DATA }, "merchant", "create", "--name", "Northwind", "--json");
    assert.equal(created.code, 0, created.stderr);
    const server = await startEmbedded({ dataFolder: FAREGATE_DATA, log: () => undefined });
    await server.stop();
    assert.equal(server.adopted, false);
  });

  test("it says that it closes a database only if it started it, otherwise that it disconnects", async () => {
    const read = readSettings({ FAREGATE_DATA });
    assert(read.ok);
    const open = () => openDatabase(read.settings, () => undefined);
    const gateways = await open();
    const commands = await open();
    assert.deepEqual([gateways, commands].map(closingOf), ["Closing the database", "Disconnecting from the database"]);
    await commands.close();
    await gateways.close();
  });

  test("it uses a server that runs already, and leaves it to those who use it", async () => {
    const server = await startEmbedded({ dataFolder: FAREGATE_DATA, log: () => undefined });
    const pool = openPool(server.connection);
    try {
      await pool`select 1`;
      const listed = await faregateProcess({ FAREGATE_DATA }, "merchant", "list");
      assert.match(listed.stdout, /Northwind/);
      assert.doesNotMatch(listed.stderr, /left running/, "which goes without saying");
      assert.equal((await pool`select name from merchants`)[0]?.name, "Northwind");
    } finally {
      await pool.end();
      await server.stop();
    }
  });
});
