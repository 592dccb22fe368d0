// One gateway a data folder, and its sandbox.json is nobody else's to write.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import pino from "pino";
import { freshDatabase } from "../test/database.ts";
import { lockFolder } from "./folder-lock.ts";
import { startGateway } from "./gateway-process.ts";
import { type Sandbox, sandboxFile } from "./sandbox.ts";
import { readSettings } from "./settings.ts";

const top = mkdtempSync(join(tmpdir(), "faregate-lock-"));
after(() => rmSync(top, { recursive: true, force: true }));
const newFolder = () => mkdtempSync(join(top, "data-"));

test("a folder has one holder, who tells where it listens, by whatever path the folder is named", async () => {
  const folder = newFolder();
  const lock = await lockFolder(folder);
  await assert.rejects(lockFolder(folder), { name: "StartFault", message: new RegExp(`process ${process.pid}\\)`) });
  lock.listensOn("http://127.0.0.1:8080");
  const link = join(top, "link");
  symlinkSync(folder, link);
  const message = new RegExp(
    `^Another gateway uses .*\\(process ${process.pid}, http://127.0.0.1:8080\\)\\. Stop it, or `,
  );
  await assert.rejects(lockFolder(link), { name: "StartFault", message });
  await (await lockFolder(newFolder())).release();
  await lock.release();
  await (await lockFolder(folder)).release();
});

test("the folder of a process that is killed is free at once", async () => {
  const folder = newFolder();
  const code = `import { lockFolder } from ${JSON.stringify(import.meta.resolve("./folder-lock.ts"))};
    await lockFolder(process.argv[1]);
    console.log("held");
    setTimeout(() => undefined, 60_000);`;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", code, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(holder.stdout, "data");
  await assert.rejects(lockFolder(folder), { name: "StartFault" });
  holder.kill("SIGKILL");
  await once(holder, "exit");
  await (await lockFolder(folder)).release();
});

test("a second gateway on a folder is refused, and leaves the first one's sandbox.json as it is", () =>
  withDatabase(async (start) => {
    const folder = newFolder();
    const first = await start(folder);
    const before = readFileSync(sandboxFile(folder), "utf8");
    await assert.rejects(start(folder), { name: "StartFault", message: new RegExp(first.url) });
    assert.equal(readFileSync(sandboxFile(folder), "utf8"), before);
    assert.equal((JSON.parse(before) as Sandbox).base_url, first.url);
    await first.close();
    await (await start(folder)).close();
  }));

test("a damaged sandbox.json is told of, and no tokens are made beside its own", () =>
  withDatabase(async (start, tokens) => {
    const folder = newFolder();
    await (await start(folder)).close();
    const [file, before] = [sandboxFile(folder), await tokens()];
    const whole = readFileSync(file, "utf8");
    for (const text of ["", whole.slice(0, -20), whole.replace("operator_token", "operator_taken"), "null"]) {
      writeFileSync(file, text);
      const message = new RegExp(`^${file} is damaged: .* Repair, restore or remove it\\. .*revoked`);
      await assert.rejects(start(folder), { name: "StartFault", message });
      assert.equal(readFileSync(file, "utf8"), text);
    }
    assert.equal(await tokens(), before);
    writeFileSync(file, whole);
    await (await start(folder)).close();
    assert.equal(await tokens(), before);
    rmSync(file);
    await (await start(folder)).close();
    assert.notEqual(await tokens(), before);
  }));

type Start = (folder: string) => ReturnType<typeof startGateway>;

async function withDatabase(work: (start: Start, tokens: () => Promise<number>) => Promise<void>): Promise<void> {
  const { address, pool, drop } = await freshDatabase();
  const read = readSettings({ FAREGATE_SECRET: Buffer.alloc(32, 1).toString("base64"), PORT: "0" });
  assert.ok(read.ok);
  const { settings } = read;
  const lent = { address, pool, place: address.database, close: async () => undefined };
  const start: Start = (dataFolder) =>
    startGateway({ ...settings, port: 0, dataFolder }, pino({ level: "silent" }), {}, lent);
  const tokens = async () => {
    const [row] = await pool<[{ count: number }]>`
      select (select count(*) from tokens)::int + (select count(*) from operator_tokens)::int as count`;
    return row.count;
  };
  try {
    await work(start, tokens);
  } finally {
    await drop();
  }
}
