import assert from "node:assert/strict";
import { test } from "node:test";
import { passwords } from "./passwords.ts";

const sandbox = passwords("sandbox");
const HERE = { holder: "here", known: false };

test("a password matches its own hash, however its characters are composed, and no other's", async () => {
  const kept = await sandbox.hash("Zo\u00eb's password", "me");
  assert.equal(await sandbox.matches("Zoe\u0308's password", kept, HERE), true);
  for (const other of ["Zoe's password", "zo\u00eb's password", "Zo\u00eb's password ", "", "x".repeat(10_000)])
    assert.equal(await sandbox.matches(other, kept, HERE), false);
});

test("the same password has another hash each time, of Argon2id", async () => {
  const [one, other] = [await sandbox.hash("the same", "me"), await sandbox.hash("the same", "me")];
  assert.notEqual(one, other);
  assert.match(one, /^\$argon2id\$v=19\$m=1024,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
});

test("live mode takes 19 MiB and two passes, and knows hashes of another cost", async () => {
  const live = passwords("live");
  const kept = await live.hash("a password", "me");
  assert.match(kept, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await sandbox.matches("a password", kept, HERE), true);
});

test("where nothing is kept, nothing matches", async () => {
  assert.equal(await sandbox.matches("", undefined, HERE), false);
});

/** Guesses from so many networks; those that find no place are refused. */
const guesses = (many: number, here = sandbox) =>
  Promise.all(
    Array.from({ length: many }, (_, nth) =>
      here.matches("a guess", undefined, { holder: `network ${nth}`, known: false }).catch(() => "refused"),
    ),
  );

test("whoever is signed in, or was on this device before, does not wait for strangers", async () => {
  const strangers = guesses(300);
  assert.equal(await sandbox.matches("a password", undefined, { holder: "me", known: true }), false);
  assert.match(await sandbox.hash("a password", "me"), /^\$argon2id/);
  const ends = await strangers;
  assert.ok(ends.includes("refused") && ends.includes(false));
});

test("many first passwords of one merchant's keep nobody else's waiting", async () => {
  const here = passwords("sandbox");
  const many = Array.from({ length: 30 }, () => here.hash("a password", "a merchant").catch(() => "refused"));
  assert.match(await here.hash("a password", "another"), /^\$argon2id/);
  assert.ok((await Promise.all(many)).includes("refused"));
});

test("after each there is a rest, so that guesses leave the processor to payments", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const here = passwords("sandbox");
  let checked = 0;
  const strangers = ["one", "other"].map(async (holder) => {
    await here.matches("a guess", undefined, { holder, known: false });
    checked++;
  });
  // As long as many of the sandbox's.
  await passwords("live").hash("a password", "me");
  assert.equal(checked, 1);
  context.mock.timers.tick(500);
  await Promise.all(strangers);
});
