// A test that kills the process in which it runs.

import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

test("is there before", () => undefined);
test("kills its process", async () => {
  await sleep(200);
  process.kill(process.pid, "SIGKILL");
});
