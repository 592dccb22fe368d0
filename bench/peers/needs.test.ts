// What the comparison needs of its machine, and that whatever is missing is named with how to get it.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findNeeds, unfit, versionOf } from "./needs.ts";

test("everything that is missing is named at once", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "faregate-needs-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const missing = findNeeds({ PATH: folder });
  assert.ok(!("war" in missing));
  const [war, java, tomcat] = missing;
  assert.match(war ?? "", /^KILLBILL_WAR names no file/);
  assert.match(java ?? "", /^There is no JDK/);
  assert.match(tomcat ?? "", /^CATALINA_HOME names no Tomcat 9/);
});

test("what a variable names wrongly is named in the line", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "faregate-needs-"));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "folder.war"));
  const [war, java, tomcat] = findNeeds({
    KILLBILL_WAR: join(folder, "folder.war"), // a folder is no archive
    KILLBILL_JAVA_HOME: folder,
    CATALINA_HOME: folder,
  }) as readonly string[];
  assert.ok(war?.includes("folder.war"));
  assert.match(java ?? "", /^There is no JDK/);
  assert.ok(tomcat?.startsWith(folder));
});

test("only what is missing is named", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "faregate-needs-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const war = join(folder, "killbill-profiles-killbill-0.24.16.war");
  writeFileSync(war, "");
  const missing = findNeeds({ KILLBILL_WAR: war, PATH: folder }) as readonly string[];
  assert.deepEqual(
    missing.filter((line) => line.includes("KILLBILL_WAR")),
    [],
  );
});

test("an old Kill Bill needs an old Java, a new one a new Java", () => {
  for (const [version, java, fits] of [
    ["0.22.26", "1.8.0_402", true],
    ["0.22.26", "11.0.22", true],
    ["0.22.26", "17.0.15", false],
    ["0.18.0", "21", false],
    ["0.24.16", "1.8.0_402", false],
    ["0.24.16", "11.0.22", true],
    ["0.24.16", "17.0.15", true],
    ["0.25.4", "25", true],
    ["of unknown version", "17.0.15", true],
  ] as const)
    assert.equal(unfit(version, java).length === 0, fits, `${version} on ${java}`);
});

test("the version is read from the archive's name", () => {
  assert.equal(versionOf("/x/killbill-profiles-killbill-0.24.16.war"), "0.24.16");
  assert.equal(versionOf("killbill-profiles-killbill-0.25.5-SNAPSHOT.war"), "0.25.5-SNAPSHOT");
  assert.equal(versionOf("/x/killbill.war"), "of unknown version");
});
