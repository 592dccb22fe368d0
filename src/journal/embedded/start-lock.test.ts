import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { withStartLock } from "./start-lock.ts";

const quiet = () => undefined;

test("works on one path run one after the other, on two paths at once", async () => {
  const steps: string[] = [];
  const work = (name: string) => async () => {
    steps.push(`${name} begins`);
    await sleep(20);
    steps.push(`${name} ends`);
  };
  await Promise.all([withStartLock("/lock/a", quiet, work("first")), withStartLock("/lock/a", quiet, work("second"))]);
  assert.deepEqual(steps, ["first begins", "first ends", "second begins", "second ends"]);
  await withStartLock("/lock/a", quiet, () => withStartLock("/lock/b", quiet, work("inner")));
});

test("work that fails gives the lock back", async () => {
  await assert.rejects(
    withStartLock("/lock/c", quiet, () => Promise.reject(new Error("no"))),
    /no/,
  );
  assert.equal(await withStartLock("/lock/c", quiet, async () => "free", 0), "free");
});

test("patience ends in a fault that names the path", async () => {
  await withStartLock("/lock/d", quiet, async () => {
    await assert.rejects(
      withStartLock("/lock/d", quiet, async () => undefined, 0),
      {
        name: "StartFault",
        message: "Another start is still busy with the database in /lock/d.",
      },
    );
  });
});

test("the lock of a process that is killed is free at once", async () => {
  const holder = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `import { withStartLock } from ${JSON.stringify(import.meta.resolve("./start-lock.ts"))};
       await withStartLock("/lock/e", () => undefined, async () => {
         console.log("held");
         await new Promise((resolve) => setTimeout(resolve, 60_000));
       });`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await once(holder.stdout, "data");
  await assert.rejects(
    withStartLock("/lock/e", quiet, async () => undefined, 0),
    { name: "StartFault" },
  );
  holder.kill("SIGKILL");
  await once(holder, "exit");
  assert.equal(await withStartLock("/lock/e", quiet, async () => "free", 0), "free");
});
