import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { logSince, openLog, relevantLine } from "./server-log.ts";

const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
const folder = mkdtempSync(join(tmpdir(), "faregate-server-log-"));
after(() => rmSync(folder, { recursive: true }));

const logs: readonly [what: string, lines: readonly string[], line: string][] = [
  [
    "the fatal line, not the last one",
    [
      "2026-11-21 04:29:10.318 UTC [12] LOG:  starting PostgreSQL 18.4",
      '2026-11-21 04:29:10.320 UTC [12] FATAL:  lock file "postmaster.pid" already exists',
      "2026-11-21 04:29:10.330 UTC [12] LOG:  database system is shut down",
    ],
    'lock file "postmaster.pid" already exists',
  ],
  [
    "the panic of a full disk",
    [
      '2026-11-21 04:29:10.320 UTC [13] PANIC:  could not write to file "pg_wal/xlogtemp.13": No space left on device',
      "2026-11-21 04:29:10.330 UTC [12] LOG:  startup process (PID 13) was terminated by signal 6: Aborted",
    ],
    'could not write to file "pg_wal/xlogtemp.13": No space left on device',
  ],
  [
    "what the system's loader says",
    ["postgres: error while loading shared libraries: libpq.so.5: cannot open shared object file", ""],
    "postgres: error while loading shared libraries: libpq.so.5: cannot open shared object file",
  ],
  ["initdb's error", ["initdb: error: could not create directory: Disk full"], "could not create directory: Disk full"],
  ["that there is nothing", [], "it wrote nothing to its log"],
];
for (const [what, lines, line] of logs) {
  test(`of a failed start is told ${what}`, () => {
    assert.equal(relevantLine(lines.join("\n")), line);
  });
}

test("only what was written since is read, or all of a log that was begun anew", () => {
  const file = join(folder, "since.log");
  writeFileSync(file, "before\nafter\n");
  assert.equal(logSince(file, 7), "after\n");
  assert.equal(logSince(file, 1000), "before\nafter\n");
});

test("a log beyond 10 MB is moved aside at the next start, and appended to up to there", () => {
  const file = join(folder, "large.log");
  writeFileSync(file, "x".repeat(10 * 2 ** 20));
  writeSync(openLog(file, owner), "y");
  assert.equal(statSync(file).size, 10 * 2 ** 20 + 1);
  writeSync(openLog(file, owner), "z");
  assert.deepEqual([readFileSync(file, "utf8"), statSync(`${file}.1`).size], ["z", 10 * 2 ** 20 + 1]);
});

test("a log that is a link to somewhere else is refused", () => {
  symlinkSync(join(folder, "elsewhere"), join(folder, "link.log"));
  assert.throws(() => openLog(join(folder, "link.log"), owner), { code: "ELOOP" });
});
