import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sharedWork } from "./shared-work.ts";

const LONG_MS = 60_000;
const SHORT_MS = 20;

describe("shared work", () => {
  /** Goes on for as long as somebody wants it, unless it is ended. */
  const working = () => {
    const begun: string[] = [];
    let ended = false;
    const shared = sharedWork<string>(async (key, isWanted) => {
      begun.push(key);
      for (; !ended; await sleep(1)) if (!isWanted()) throw new Error("nobody wants it");
    });
    const end = () => {
      ended = true;
    };
    return { begun, shared, end };
  };

  test("is done once for all who wait for it at once, and of each key by itself", async () => {
    const { begun, shared, end } = working();
    const all = ["a", "a", "b", "a"].map((key) => shared(key, performance.now() + LONG_MS));
    await sleep(SHORT_MS);
    assert.deepEqual(begun, ["a", "b"]);
    end();
    await Promise.all(all);
    await shared("a", performance.now() + LONG_MS);
    assert.deepEqual(begun, ["a", "b", "a"]);
  });

  test("ends with the last who wants it", async () => {
    const { begun, shared } = working();
    await assert.rejects(shared("a", performance.now() + SHORT_MS), /nobody wants it/);
    await assert.rejects(shared("a", performance.now() + SHORT_MS), /nobody wants it/);
    assert.deepEqual(begun, ["a", "a"]);
  });

  test("goes on for one who came later and wants it for longer", async () => {
    const { begun, shared, end } = working();
    const first = shared("a", performance.now() + SHORT_MS);
    const later = shared("a", performance.now() + LONG_MS);
    await sleep(3 * SHORT_MS);
    end();
    await Promise.all([first, later]);
    assert.deepEqual(begun, ["a"]);
  });
});
