// A test that ends its process as if all were well.

import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

test("leaves", async () => {
  await sleep(200);
  process.exit(0);
});
