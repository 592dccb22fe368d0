// A gateway that nobody stops, in a process group of its own. Which one is told to the file that is named from outside.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { GROUP_FILE, launchGateway } from "../../../bench/gateway.ts";
import { temporaryFolder } from "../../journeys/used-folder.ts";

test("waits beside a gateway for what never happens", async (t) => {
  const folder = temporaryFolder(t);
  await launchGateway(["test/journeys/impatient-gateway.ts"], folder);
  const file = process.env.CASE_TELLS ?? "";
  writeFileSync(
    `${file}.part`,
    JSON.stringify({ folder, group: Number(readFileSync(join(folder, GROUP_FILE), "utf8")) }),
  );
  renameSync(`${file}.part`, file);
  await new Promise(() => undefined);
});
