// A test with a database server, whose process is then killed.

import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { freshDatabase } from "../../database.ts";

test("kills its process beside a server that runs", async () => {
  const { address } = await freshDatabase();
  console.log(`server in ${address.host}`);
  await sleep(200);
  process.kill(process.pid, "SIGKILL");
});
