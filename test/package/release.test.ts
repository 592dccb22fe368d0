// When a version may be released (scripts/release-rules.ts).

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gzipOf, tarOf } from "../../scripts/packing.ts";
import { packChart, signSums, writeBill, writeNotes, writeSums } from "../../scripts/release-artifacts.ts";
import { changesOf, obstaclesTo } from "../../scripts/release-rules.ts";

const ready = {
  ...{ version: "0.10.0", current: "0.9.1", status: "", tags: ["v0.9.0", "v0.9.1", ""] },
  changelog: "# Changelog\n\n## [0.10.0] - 2026-12-01\n",
};

test("a version that the changelog has is released from a clean tree", () => {
  assert.deepEqual(obstaclesTo(ready), []);
  assert.deepEqual(obstaclesTo({ ...ready, current: "0.10.0" }), [], "the first, or one that was broken off");
});

for (const [what, over, says] of [
  ["no version", { version: "" }, /not of the form/],
  ["a tag's name", { version: "v0.10.0" }, /not of the form/],
  ["an older version", { version: "0.9.0", changelog: "## [0.9.0] - 2026-12-01", tags: [] }, /older than 0\.9\.1/],
  ["a version that is out", { tags: ["v0.10.0"] }, /tag v0\.10\.0 is there/],
  ["work that is not committed", { status: " M src/main.ts\n" }, /not clean:\n M src\/main\.ts/],
  ["no heading", { changelog: "## [Unreleased]\n" }, /no heading/],
  ["a heading without a day", { changelog: "## [0.10.0]\n" }, /no heading/],
] as const)
  test(`${what} is not released`, () => {
    const obstacles = obstaclesTo({ ...ready, ...over });
    assert.equal(obstacles.length, 1, obstacles.join("; "));
    assert.match(obstacles[0] ?? "", says);
  });

test("the changes of a version end where the one before begins, also of the last", () => {
  const changelog =
    "# Changelog\n\n## [Unreleased]\n\n## [0.10.0] - 2026-12-01\n\n### Added\n\n- A.\n\n## [0.1.0] - 2026-11-01\n\n- B.\n";
  assert.deepEqual(changesOf("0.10.0", changelog), { date: "2026-12-01", changes: "### Added\n\n- A." });
  assert.deepEqual(changesOf("0.1.0", changelog), { date: "2026-11-01", changes: "- B." });
});

test("an archive is the same whoever packs it, and when: owners, times, masks and the order of files do not matter", () => {
  const folder = mkdtempSync(join(tmpdir(), "faregate-packed-"));
  try {
    const packed = (names: readonly string[], mode: number, at: number): Buffer => {
      const place = join(folder, `${mode}`);
      mkdirSync(join(place, "inner"), { recursive: true, mode: 0o700 });
      for (const name of names) {
        writeFileSync(join(place, name), name, { mode });
        utimesSync(join(place, name), at, at);
      }
      return gzipOf(tarOf(place, "faregate", 1_800_000_000));
    };
    const [one, other] = [packed(["b", "a", "inner/c"], 0o600, 1), packed(["inner/c", "a", "b"], 0o664, 2)];
    assert.deepEqual(one, other);
    const list = execFileSync("tar", ["-tzf", "-"], { input: one, encoding: "utf8" }).split("\n").filter(Boolean);
    assert.deepEqual(list.sort(), ["faregate/", "faregate/a", "faregate/b", "faregate/inner/", "faregate/inner/c"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("chart, bill, notes and checksums of a release are the same when they are made again, and the checksums are right", () => {
  const made = [1, 2].map(() => {
    const folder = mkdtempSync(join(tmpdir(), "faregate-release-"));
    const order = { version: "0.10.0", folder, atSeconds: 1_800_000_000 };
    packChart(order);
    writeBill(order);
    writeNotes(order, "- A.");
    writeSums(order);
    execFileSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: folder });
    execFileSync("tar", ["-xzf", "faregate-chart-0.10.0.tgz"], { cwd: folder });
    // In the project these are links.
    assert.ok(JSON.parse(readFileSync(join(folder, "faregate/files/dashboard.json"), "utf8")).panels.length > 0);
    rmSync(join(folder, "faregate"), { recursive: true });
    const bill = JSON.parse(readFileSync(join(folder, "faregate-0.10.0.cdx.json"), "utf8"));
    assert.equal(bill.metadata.component.name, "faregate");
    const files = Object.fromEntries(
      readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "base64")]),
    );
    rmSync(folder, { recursive: true });
    return files;
  });
  assert.deepEqual(made[0], made[1]);
  assert.deepEqual(Object.keys(made[0] ?? {}).sort(), [
    "NOTES.md",
    "SHA256SUMS",
    "faregate-0.10.0.cdx.json",
    "faregate-chart-0.10.0.tgz",
  ]);
});

const NO_SSH = spawnSync("ssh-keygen", ["-?"]).error === undefined ? false : "ssh-keygen is not in PATH";

test("signed checksums are who's they are said to be, and were not changed since", { skip: NO_SSH }, () => {
  const folder = mkdtempSync(join(tmpdir(), "faregate-signed-"));
  const keys = mkdtempSync(join(tmpdir(), "faregate-keys-"));
  try {
    const key = (name: string): string => {
      const file = join(keys, name);
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file]);
      return readFileSync(`${file}.pub`, "utf8");
    };
    const allowed = join(keys, "allowed_signers");
    writeFileSync(allowed, `releases@example.com namespaces="file" ${key("ours")}`);
    const order = { version: "0.10.0", folder, atSeconds: 1_800_000_000 };
    writeNotes(order, "- A.");
    writeSums(order);
    const sums = readFileSync(join(folder, "SHA256SUMS"), "utf8");
    /** As docs/releasing.md says. */
    const isGenuine = (text: string, who = "releases@example.com"): boolean => {
      const words = ["-Y", "verify", "-f", allowed, "-n", "file", "-I", who, "-s", join(folder, "SHA256SUMS.sig")];
      return spawnSync("ssh-keygen", words, { input: text }).status === 0;
    };
    signSums(order, join(keys, "ours"));
    assert.ok(isGenuine(sums));
    assert.ok(!isGenuine(sums.replace("NOTES", "NOTEZ")), "a changed line");
    assert.ok(!isGenuine(`${sums}${"0".repeat(64)}  more.tgz\n`), "a line more");
    assert.ok(!isGenuine(sums, "somebody@example.com"), "another's name");
    rmSync(join(folder, "SHA256SUMS.sig"));
    key("another's");
    signSums(order, join(keys, "another's"));
    assert.ok(!isGenuine(sums), "another's key");
  } finally {
    for (const one of [folder, keys]) rmSync(one, { recursive: true });
  }
});
