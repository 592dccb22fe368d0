import assert from "node:assert/strict";
import { test } from "node:test";
import { startWhole } from "./undo.ts";

function steps(faulty: readonly string[]) {
  const done: string[] = [];
  const step = (name: string) => async () => {
    done.push(name);
    if (faulty.includes(name)) throw new Error(`${name} failed`);
  };
  return { done, step };
}

test("what was started is undone in the opposite order, once", async () => {
  const { done, step } = steps([]);
  const whole = await startWhole(async (undo) => {
    undo.push(step("database"), step("server"));
    return { url: "here" };
  });
  assert.equal(whole.url, "here");
  await whole.close();
  await whole.close();
  assert.deepEqual(done, ["server", "database"]);
});

test("a step that fails leaves none of the others undone, and the first fault is told", async () => {
  const { done, step } = steps(["server", "watch"]);
  const whole = await startWhole(async (undo) => {
    undo.push(step("database"), step("watch"), step("server"));
    return {};
  });
  await assert.rejects(whole.close(), { message: "server failed" });
  assert.deepEqual(done, ["server", "watch", "database"]);
});

test("of a start that fails, its own fault is told, whatever undoing it runs into", async () => {
  const { done, step } = steps(["server"]);
  const starting = startWhole(async (undo) => {
    undo.push(step("database"), step("server"));
    throw new Error("the port is in use");
  });
  await assert.rejects(starting, { message: "the port is in use" });
  assert.deepEqual(done, ["server", "database"]);
});
