import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { watchServer } from "./watch.ts";

const LOOK_MS = 2;

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries++) {
    assert.ok(tries < 2000, "it never came to that");
    await sleep(1);
  }
}

test("the pauses between attempts that fail double, up to 64 looks, and each attempt is said", async () => {
  const lines: string[] = [];
  const watch = watchServer(
    {
      runs: () => false,
      restart: () => Promise.reject(new Error("the disk is full")),
      log: (line) => lines.push(line),
    },
    LOOK_MS,
  );
  await until(() => lines.length >= 17);
  await watch.end();
  const pauses = ["", ...[2, 4, 8, 16, 32, 64, 128, 128].map((ms) => ` in ${ms / 1000} s`)];
  assert.deepEqual(
    lines.slice(0, 17),
    pauses
      .flatMap((pause) => [`The database server is gone; starting it again${pause}`, "the disk is full"])
      .slice(0, 17),
  );
});

test("a server that runs is left alone, and one that is gone is started once", async () => {
  let running = true;
  let starts = 0;
  const lines: string[] = [];
  const restart = async () => {
    starts++;
    running = true;
  };
  const watch = watchServer({ runs: () => running, restart, log: (line) => lines.push(line) }, LOOK_MS);
  await sleep(10 * LOOK_MS);
  assert.equal(starts, 0);
  running = false;
  await until(() => starts > 0);
  await sleep(10 * LOOK_MS);
  await watch.end();
  assert.equal(starts, 1);
  assert.deepEqual(lines, ["The database server is gone; starting it again", "The database server runs again"]);
});

test("the end of the watch ends an attempt that is in flight, without a word", async () => {
  const lines: string[] = [];
  const watch = watchServer(
    {
      runs: () => false,
      restart: (signal) => sleep(60_000, undefined, { signal }),
      log: (line) => lines.push(line),
    },
    LOOK_MS,
  );
  await until(() => lines.length > 0);
  await watch.end();
  assert.deepEqual(lines, ["The database server is gone; starting it again"]);
});
