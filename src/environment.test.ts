import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readEnvironmentFile, withFiles } from "./environment.ts";

/** What systemd 252 makes of each, by its man page systemd.exec and src/basic/env-file.c. */
const READ: readonly (readonly [text: string, values: Record<string, string>])[] = [
  ["A=1\nB=2\n", { A: "1", B: "2" }],
  ["A=postgres://u:p%40@h/db?sslmode=require&x=$y", { A: "postgres://u:p%40@h/db?sslmode=require&x=$y" }],
  ["# a comment\n; another\n\n  A = 1  \n", { A: "1" }],
  ["# a comment \\\ncontinued A=0\nB=2", { B: "2" }],
  ["A=a b  c \t\nB=", { A: "a b  c", B: "" }],
  ["A='a  $b \\ \"c\" '\n", { A: 'a  $b \\ "c" ' }],
  ['A="a $b \\$c \\" \\\\ \\x"\n', { A: 'a $b $c " \\ \\x' }],
  ['A="two\nlines"\nB=1', { A: "two\nlines", B: "1" }],
  ["A=one \\\ntwo\n", { A: "one two" }],
  ["A=\\ x\\ \nB=1", { A: " x ", B: "1" }],
  ["A='b'\"c\"d\n", { A: "bcd" }],
  ["A=1\nA=2", { A: "2" }],
  ["A=b=c#d;e", { A: "b=c#d;e" }],
  ["A=1\r\nB=2\r\n", { A: "1", B: "2" }],
  ["", {}],
];

for (const [text, values] of READ)
  test(`an environment file is read as systemd reads it: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(readEnvironmentFile(text), values);
  });

test("what systemd would drop without a word is an error", () => {
  assert.throws(() => readEnvironmentFile("A=1\nexport B\n"), /line 2: "export B" has no value/);
  assert.throws(() => readEnvironmentFile("A=1\nexport B=2\n"), /line 2: "export B" is not the name/);
  assert.throws(() => readEnvironmentFile('A="1\nB=2\n'), /quotes of "A" are never closed/);
});

test("a secret can be a file of its own, whose last line end does not count", () => {
  const folder = mkdtempSync(join(tmpdir(), "faregate-environment-"));
  const file = join(folder, "secret");
  writeFileSync(file, "c2VjcmV0\n");
  const { env, problems } = withFiles({ FAREGATE_SECRET_FILE: file, HOST: "::1" });
  assert.deepEqual([env.FAREGATE_SECRET, env.HOST, problems], ["c2VjcmV0", "::1", []]);
  assert.match(
    withFiles({ FAREGATE_SECRET_FILE: file, FAREGATE_SECRET: "x" }).problems.join(),
    /FAREGATE_SECRET and FAREGATE_SECRET_FILE are both set/,
  );
  assert.match(
    withFiles({ DATABASE_URL_FILE: join(folder, "none") }).problems.join(),
    /DATABASE_URL_FILE names .*none, which cannot be read: it does not exist/,
  );
  writeFileSync(file, "");
  assert.match(withFiles({ METRICS_TOKEN_FILE: file }).problems.join(), /which is empty/);
  for (const [wrong, why] of [
    [Buffer.from([0x61, 0xff]), /which cannot be read/],
    [Buffer.alloc(64 * 1024 + 1, "a"), /which cannot be read: it has more than 65536 bytes/],
  ] as const) {
    writeFileSync(file, wrong);
    assert.match(withFiles({ FAREGATE_SECRET_FILE: file }).problems.join(), why);
  }
  // It never ends.
  assert.match(withFiles({ DATABASE_URL_FILE: "/dev/zero" }).problems.join(), /more than 65536 bytes/);
  rmSync(folder, { recursive: true });
});
