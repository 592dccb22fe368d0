import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { test } from "node:test";
import { wantedBy } from "./arguments.ts";
import { ROOT } from "./jobs.ts";
import { isQuick, ONE_OF_EACH_SORT } from "./quick.ts";

const FILES = globSync("{src,test,bench,acquirer,hosts}/**/*.test.ts", { cwd: ROOT });

test("a quick run has each file that it names, and all rules beside their code", () => {
  const quick = FILES.filter(isQuick);
  for (const file of ONE_OF_EACH_SORT) assert.ok(quick.includes(file), `${file} is not there`);
  assert.deepEqual(
    FILES.filter((file) => file.startsWith("src/payment/") && !quick.includes(file)),
    [],
  );
  assert.deepEqual([...wantedBy(["--quick"]).steps], ["types", "lint", "tests"]);
});

for (const more of ["types", "src/payment", "--siege", "--foreign", "--full"])
  test(`a quick run takes no ${more} beside it`, () => {
    assert.throws(() => wantedBy(["--quick", more]), /--quick says itself what is run/);
  });
