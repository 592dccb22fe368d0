import assert from "node:assert/strict";
import { test } from "node:test";
import { passwords } from "./passwords.ts";

const sandbox = passwords("sandbox");

test("a password matches its own hash, however its characters are composed, and no other's", async () => {
  const kept = await sandbox.hash("Zo\u00eb's password");
  assert.equal(await sandbox.matches("Zoe\u0308's password", kept, "here"), true);
  for (const other of ["Zoe's password", "zo\u00eb's password", "Zo\u00eb's password ", "", "x".repeat(10_000)])
    assert.equal(await sandbox.matches(other, kept, "here"), false);
});

test("the same password has another hash each time, of Argon2id", async () => {
  const [one, other] = [await sandbox.hash("the same"), await sandbox.hash("the same")];
  assert.notEqual(one, other);
  assert.match(one, /^\$argon2id\$v=19\$m=1024,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
});

test("live mode takes 19 MiB and two passes, and knows hashes of another cost", async () => {
  const live = passwords("live");
  const kept = await live.hash("a password");
  assert.match(kept, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await sandbox.matches("a password", kept, "here"), true);
});

test("where nothing is kept, nothing matches", async () => {
  assert.equal(await sandbox.matches("", undefined, "here"), false);
});
