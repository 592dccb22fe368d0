import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { dataFolderSecret, prepareDataFolder } from "./data-folder.ts";

const top = mkdtempSync(join(tmpdir(), "faregate-data-folder-"));
after(() => rmSync(top, { recursive: true, force: true }));

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

test("a missing data folder is created for its owner only, its parents as folders usually are", () => {
  const folder = join(top, "parent", "data");
  prepareDataFolder(folder);
  assert.equal(modeOf(folder), "700");
  assert.notEqual(modeOf(join(top, "parent")), "700");
});

test("a data folder that exists stays as it is", () => {
  const folder = join(top, "existing");
  prepareDataFolder(folder);
  chmodSync(folder, 0o750);
  prepareDataFolder(folder);
  assert.equal(modeOf(folder), "750");
});

test("a path that cannot be a folder is refused with the path and what to do", () => {
  const file = join(top, "file");
  writeFileSync(file, "");
  assert.throws(() => prepareDataFolder(file), {
    name: "StartFault",
    message: `The data folder ${file} is a file, not a folder. Give this user the right to, or name another folder in FAREGATE_DATA.`,
  });
  assert.throws(() => prepareDataFolder(join(file, "data")), {
    name: "StartFault",
    message: /^Cannot create the data folder .*file\/data: .*FAREGATE_DATA\.$/,
  });
});

test("a folder that the file system does not let us create is refused with the path and what to do", () => {
  assert.throws(() => prepareDataFolder("/proc/faregate/data"), {
    name: "StartFault",
    message:
      "Cannot create the data folder /proc/faregate/data: it does not exist. " +
      "Give this user the right to, or name another folder in FAREGATE_DATA.",
  });
});

test("a data folder that anybody may write to is refused", () => {
  const folder = join(top, "open");
  prepareDataFolder(folder);
  chmodSync(folder, 0o777);
  assert.throws(() => prepareDataFolder(folder), { name: "StartFault", message: /chmod o-w .*open$/ });
});

test("the secret is 32 bytes, created once, for its owner only, and the same ever after", () => {
  const folder = join(top, "secret");
  prepareDataFolder(folder);
  const secret = dataFolderSecret(folder);
  assert.equal(secret.length, 32);
  assert.deepEqual(dataFolderSecret(folder), secret);
  assert.equal(readFileSync(join(folder, "secret.key"), "utf8"), `${secret.toString("base64")}\n`);
  assert.equal(modeOf(join(folder, "secret.key")), "600");
  assert.deepEqual(readdirSync(folder), ["secret.key"]);
});

test("two data folders have two secrets", () => {
  const [one, two] = [join(top, "one"), join(top, "two")].map((folder) => {
    prepareDataFolder(folder);
    return dataFolderSecret(folder);
  });
  assert.notDeepEqual(one, two);
});

test("a damaged secret is refused and not replaced", () => {
  const folder = join(top, "damaged");
  prepareDataFolder(folder);
  writeFileSync(join(folder, "secret.key"), "short", { mode: 0o600 });
  assert.throws(() => dataFolderSecret(folder), { name: "StartFault", message: /secret\.key is damaged/ });
  assert.equal(readFileSync(join(folder, "secret.key"), "utf8"), "short");
});

test("a secret that anybody may read or change is refused with the command that closes it, one of a group is not", () => {
  const folder = join(top, "readable");
  prepareDataFolder(folder);
  const secret = dataFolderSecret(folder);
  const file = join(folder, "secret.key");
  for (const mode of [0o604, 0o602, 0o644, 0o666]) {
    chmodSync(file, mode);
    const message = new RegExp(
      `^Anybody on this machine may read or change the key file ${file}. Close it with: chmod 600 `,
    );
    assert.throws(() => dataFolderSecret(folder), { name: "StartFault", message }, mode.toString(8));
  }
  for (const mode of [0o400, 0o440, 0o660]) {
    chmodSync(file, mode);
    assert.deepEqual(dataFolderSecret(folder), secret, mode.toString(8));
  }
});
