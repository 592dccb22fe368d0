import assert from "node:assert/strict";
import { test } from "node:test";
import { ShareUsedUp } from "../shares/turns.ts";
import { lookUpsInTurn } from "./look-ups.ts";

const NETWORKS = 25;
const GUESSES_OF_ONE = 100;

test("a secret that was good before is looked up though guesses fill all places of the queue", async () => {
  const answers: (() => void)[] = [];
  const asked: string[] = [];
  const lookUp = lookUpsInTurn(async (hash) => {
    asked.push(hash);
    if (hash === "good") return { hash };
    await new Promise<void>((resolve) => answers.push(resolve));
    return undefined;
  });
  assert.deepEqual(await lookUp("good", "192.0.2.1"), { hash: "good" });
  const guesses = Array.from({ length: NETWORKS * GUESSES_OF_ONE }, (_, nth) =>
    lookUp(`guess ${nth}`, `198.51.${nth % NETWORKS}.7`).catch((fault: unknown) => fault),
  );
  await assert.rejects(lookUp("another guess", "203.0.113.9"), ShareUsedUp);
  assert.deepEqual(await lookUp("good", "192.0.2.1"), { hash: "good" });

  while (asked.length < 2 + 2_000 || answers.length > 0) {
    for (const answer of answers.splice(0)) answer();
    await new Promise(setImmediate);
  }
  const outcomes = await Promise.all(guesses);
  assert.equal(outcomes.filter((outcome) => outcome === undefined).length, 2_004);
  assert.equal(outcomes.filter((outcome) => outcome instanceof ShareUsedUp).length, guesses.length - 2_004);
});

test("a secret that is good no more waits with the guesses of its network", async () => {
  let good = true;
  const asked: string[] = [];
  const release: (() => void)[] = [];
  const lookUp = lookUpsInTurn(
    async (hash) => {
      asked.push(hash);
      if (hash.startsWith("guess")) await new Promise<void>((resolve) => release.push(resolve));
      return { good };
    },
    (found) => found.good,
  );
  await lookUp("token", "192.0.2.1");
  good = false;
  await lookUp("token", "192.0.2.1");
  const guesses = ["guess 1", "guess 2"].map((guess) => lookUp(guess, "192.0.2.1"));
  const revoked = lookUp("token", "192.0.2.1");
  await new Promise(setImmediate);
  assert.deepEqual(asked, ["token", "token", "guess 1", "guess 2"]);
  for (const answer of release) answer();
  await Promise.all([...guesses, revoked]);
});
