// The first minute: what the gateway prints in a terminal, and what it writes where a program reads it.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { compiled } from "../compiled.ts";

const MAIN = compiled("main");
/** Of util-linux: runs a command in a terminal of its own. Where it is missing, the words are asked for by the setting. */
const SCRIPT = "/usr/bin/script";
const PATIENCE_MS = 120_000;

interface Run {
  readonly child: ChildProcess;
  text(): string;
  /** Resolves when this was printed. */
  until(pattern: RegExp): Promise<void>;
  readonly ended: Promise<number | null>;
}

function run(program: string, args: readonly string[], env: Record<string, string>): Run {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(program, args, { env: { PATH, NODE_COMPILE_CACHE, PORT: "0", ...env }, stdio: "pipe" });
  let text = "";
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  const until = async (pattern: RegExp): Promise<void> => {
    for (let waitedMs = 0; !pattern.test(text); waitedMs += 50) {
      assert.ok(waitedMs < PATIENCE_MS && child.exitCode === null, `${pattern} was not printed: ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  return { child, text: () => text, until, ended };
}

describe("the first minute", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "faregate-terminal-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test("in a terminal the start prints words, a first sale that works, and stops in order at Ctrl-C", async () => {
    const there = existsSync(SCRIPT);
    const started = there
      ? run(SCRIPT, ["-qefc", `exec ${process.execPath} ${MAIN}`, "/dev/null"], { FAREGATE_DATA: folder })
      : run(process.execPath, [MAIN], { FAREGATE_DATA: folder, LOG_FORMAT: "text" });
    await started.until(/ip_address=/);
    const text = started.text();
    assert.doesNotMatch(text, /[{}]|0{64}/, "no JSON, no hash of nothing");
    assert.match(text, /^\d\d:\d\d:\d\d Migrating the database: 0001-journal to \d{4}-[a-z-]+ \(\d+\)\r?$/m);
    assert.match(text, /^Faregate listens on http:\/\/127\.0\.0\.1:\d+ /m);
    assert.match(text, /^ {2}API reference +http:\/\/127\.0\.0\.1:\d+\/docs\r?$/m);
    const [, url = "", token = ""] = /curl (\S+) [\s\S]*Bearer (fg_test_\w+)'/.exec(text) ?? [];
    const body = new URLSearchParams();
    for (const [, name = "", value = ""] of text.matchAll(/-d (\w+)=(\S+)/g)) body.set(name, value);
    const response = await fetch(url, { method: "POST", headers: { authorization: `Bearer ${token}` }, body });
    assert.equal(response.status, 200);
    if (there) started.child.stdin?.write("\u0003");
    else started.child.kill("SIGINT");
    await started.until(/^Stopping: requests in flight are finished first\./m);
    assert.equal(await started.ended, 0);
  });

  test("in a pipe every line is JSON, and none has a token in it", async () => {
    const started = run(process.execPath, [MAIN], { FAREGATE_DATA: folder });
    await started.until(/Faregate listens on/);
    started.child.kill("SIGTERM");
    assert.equal(await started.ended, 0);
    const lines = started
      .text()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly msg: string });
    assert.match(
      lines.find(({ msg }) => msg.startsWith("Faregate listens on"))?.msg ?? "",
      /http:\/\/127\.0\.0\.1:\d+$/,
    );
    assert.doesNotMatch(started.text(), /fg_(test|operator)_/);
  });

  test("when its terminal is closed it stops in order, too, and its database with it", async () => {
    const started = run(process.execPath, [MAIN], { FAREGATE_DATA: folder });
    await started.until(/Faregate listens on/);
    started.child.kill("SIGHUP");
    assert.equal(await started.ended, 0);
    assert.equal(existsSync(join(folder, "postgresql/cluster/postmaster.pid")), false);
  });

  test("LOG_FORMAT=text gives words in a pipe, too", async () => {
    const started = run(process.execPath, [MAIN], { FAREGATE_DATA: folder, LOG_FORMAT: "text" });
    await started.until(/ip_address=/);
    started.child.kill("SIGTERM");
    assert.equal(await started.ended, 0);
    assert.doesNotMatch(started.text(), /^\{/m);
  });
});
