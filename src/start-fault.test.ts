import assert from "node:assert/strict";
import { test } from "node:test";
import { isDiskFull, reasonOf, StartFault, withRemedy } from "./start-fault.ts";

const REMEDY = "Free some space on that disk, or set FAREGATE_DATA to a folder on another one, and start again.";

test("a start that fails because the disk is full says what to do, in the same line and once", () => {
  const enospc = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  for (const line of [
    'could not write to file "pg_wal/xlogtemp.23327": No space left on device.',
    'could not extend file "base/1/2691": wrote only 4096 of 8192 bytes at block 10.',
    `Cannot create a database: ${reasonOf(enospc)}.`,
    `Cannot create a database: ${reasonOf(Object.assign(new Error("x"), { code: "EDQUOT" }))}.`,
  ])
    for (const told of [line, `${line} ${REMEDY}`]) assert.equal(new StartFault(told).message, `${line} ${REMEDY}`);
  assert.equal(isDiskFull(enospc), true);
});

test("what fails for another reason has no such remedy", () => {
  assert.equal(withRemedy("permission denied."), "permission denied.");
  assert.equal(isDiskFull(new Error("could not extend file: permission denied")), false);
});
