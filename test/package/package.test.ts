// The gateway as an npm package: packed, unpacked in an empty folder elsewhere, started there, and sold with. The packages that
// it depends on are linked to those that are installed here, without the developers' tools: no registry is asked.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sandbox } from "../../src/sandbox.ts";
import { callers } from "../journeys/gateway.ts";
import { sale } from "../journeys/merchant.fixture.ts";
import { atEnd, temporaryFolder } from "../journeys/used-folder.ts";

const PATIENCE_MS = 120_000;
const ROOT = join(import.meta.dirname, "../..");

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** What `npm run` calls itself, else what the shell would find. */
function npm(...parameters: string[]): string {
  const running = process.env.npm_execpath ?? "";
  const [program, ...before] = running.endsWith("npm-cli.js") ? [process.execPath, running] : ["npm"];
  return execFileSync(program, [...before, ...parameters], { cwd: ROOT, encoding: "utf8", stdio: "pipe" });
}

/** As npm would have it after an install in that folder. */
function install(folder: string): Packed {
  execFileSync(process.execPath, [join(ROOT, "scripts/build.ts")]); // what npm would do by its script, and take longer
  const [packed] = JSON.parse(npm("pack", "--ignore-scripts", "--json", "--silent", "--pack-destination", folder)) as [
    Packed,
  ];
  const own = join(folder, "node_modules/faregate");
  mkdirSync(own, { recursive: true });
  execFileSync("tar", ["-xzf", join(folder, packed.filename), "-C", own, "--strip-components=1"]);
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly link?: boolean }>>;
  };
  for (const [path, { dev, link }] of Object.entries(lock.packages))
    if (/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && !dev && !link && existsSync(join(ROOT, path))) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      symlinkSync(join(ROOT, path), join(folder, path));
    }
  return packed;
}

/** The command line of the installed package, in that folder, with nothing of this process's settings. */
const commandIn = (folder: string): readonly [string, string] => [
  process.execPath,
  join(folder, "node_modules/faregate/bin/faregate.mjs"),
];
const ENV = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, PORT: "0" };

async function start(t: TestContext, folder: string) {
  const [program, command] = commandIn(folder);
  const gateway = spawn(program, [command, "start"], { cwd: folder, env: ENV, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(gateway, "close") as Promise<[number | null]>;
  const stop = async () => {
    gateway.kill("SIGTERM");
    return (await ended)[0];
  };
  atEnd(t, stop);
  let text = "";
  for (const stream of [gateway.stdout, gateway.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const until = async (words: string): Promise<void> => {
    for (let waitedMs = 0; !text.includes(words); waitedMs += 25) {
      assert.ok(waitedMs < PATIENCE_MS && gateway.exitCode === null, `not said: ${words}: ${text}`);
      await sleep(25);
    }
  };
  await until("Faregate listens on");
  return { until, stop };
}

test("the package starts in an empty folder, sells, answers lists in a process of its own, and ends", async (t) => {
  const folder = temporaryFolder(t);
  chmodSync(folder, 0o711); // for the database's user, where root runs the tests
  const { files } = install(folder);
  const paths = files.map(({ path }) => path);
  for (const path of ["dist/main.js", "dist/journal/migrations/0001-journal.sql", "dist/console/index.html"])
    assert.ok(paths.includes(path), path);
  assert.deepEqual(
    paths.filter((path) => !/^(bin|dist)\/|^(README|CHANGELOG|LICENSE|package)[.a-z]*$/.test(path)),
    [],
  );
  assert.deepEqual(
    paths.filter((path) => /\.test\.|\.ts$|\.map$/.test(path)),
    [],
  );

  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { readonly version: string };
  const [program, command] = commandIn(folder);
  assert.equal(
    execFileSync(program, [command, "--version"], { cwd: folder, env: ENV, encoding: "utf8" }),
    `${version}\n`,
  );

  const { until, stop } = await start(t, folder);
  const sandbox = JSON.parse(readFileSync(join(folder, "data/sandbox.json"), "utf8")) as Sandbox;
  const gateway = callers(sandbox.base_url, sandbox.api_token, sandbox.operator_token);
  const sold = await gateway.post("/api/transactions/sale", sale());
  assert.equal(sold.status, 200, sold.text);
  assert.equal(sold.body.transaction.events[0].success, true);
  const document = await gateway.get("/openapi.json");
  assert.equal(document.body.info.version, version);
  assert.match((await gateway.get("/console")).text, /<script type="module"[^>]* src="\/console\/assets\//);
  for (const path of ["/docs", "/docs/operator.json", "/docs/redoc.js", "/docs/style.css"])
    assert.equal((await gateway.get(path)).status, 200);
  for (let asked = 0; asked < 20; asked++) assert.equal((await gateway.get("/api/transactions")).status, 200);
  await until("heavy requests have a process of their own");
  assert.equal(await stop(), 0);
});
