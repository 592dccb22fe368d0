import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { type Holder, loopTurns } from "./loop-turns.ts";

const known = (name: string): Holder => ({ name, known: true });
const stranger = (name: string): Holder => ({ name, known: false });

/** What has begun after each turn of the event loop, the one in which all came included. */
async function begunByTurn(mostInATurn: number, holders: readonly Holder[]): Promise<string[]> {
  const turns = loopTurns(mostInATurn);
  const begun: string[] = [];
  const byTurn: string[] = [];
  for (const holder of holders) turns.begin(holder, () => begun.push(holder.name));
  for (; begun.length > 0; await turnOfTheLoop()) byTurn.push(begun.splice(0).join(""));
  return byTurn;
}

test("what comes while there are places begins at once; the rest in the next turns", async () => {
  const asked = Array.from("abcdefg", known);
  assert.deepEqual(await begunByTurn(3, asked), ["abc", "def", "g"]);
});

test("places go round among the holders, whoever sent more", async () => {
  const asked = Array.from("aaaaaabc", known);
  assert.deepEqual(await begunByTurn(2, asked), ["aa", "ab", "ca", "aa"]);
});

test("strangers take no places of those who are known", async () => {
  const asked = [...Array.from("sssss", stranger), ...Array.from("kkk", known)];
  assert.deepEqual(await begunByTurn(2, asked), ["sskk", "kss", "s"]);
});

test("a health check waits for no stranger and nobody known, and takes no place of theirs", async () => {
  const check: Holder = { name: "h", known: false, checksHealth: true };
  const asked = [...Array.from("ssssss", stranger), ...Array.from("kkk", known), check, check, check];
  assert.deepEqual(await begunByTurn(2, asked), ["sskkhh", "kssh", "ss"]);
});

test("who comes while others wait does not go before them", async () => {
  const turns = loopTurns(1);
  const begun: string[] = [];
  const begin = (name: string) => turns.begin(known(name), () => begun.push(name));
  for (const name of ["a", "b", "c"]) begin(name);
  await turnOfTheLoop();
  begin("d");
  assert.deepEqual(begun, ["a", "b"]);
  while (begun.length < 4) await turnOfTheLoop();
  assert.deepEqual(begun, ["a", "b", "c", "d"]);
});
