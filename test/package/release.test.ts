// When a version may be released (scripts/release-rules.ts).

import assert from "node:assert/strict";
import { test } from "node:test";
import { obstaclesTo } from "../../scripts/release-rules.ts";

const ready = {
  ...{ version: "0.10.0", current: "0.9.1", status: "", tags: ["v0.9.0", "v0.9.1", ""] },
  changelog: "# Changelog\n\n## [0.10.0] - 2026-12-01\n",
};

test("a version that the changelog has is released from a clean tree", () => {
  assert.deepEqual(obstaclesTo(ready), []);
  assert.deepEqual(obstaclesTo({ ...ready, current: "0.10.0" }), [], "the first, or one that was broken off");
});

for (const [what, over, says] of [
  ["no version", { version: "" }, /not of the form/],
  ["a tag's name", { version: "v0.10.0" }, /not of the form/],
  ["an older version", { version: "0.9.0", changelog: "## [0.9.0] - 2026-12-01", tags: [] }, /older than 0\.9\.1/],
  ["a version that is out", { tags: ["v0.10.0"] }, /tag v0\.10\.0 is there/],
  ["work that is not committed", { status: " M src/main.ts\n" }, /not clean:\n M src\/main\.ts/],
  ["no heading", { changelog: "## [Unreleased]\n" }, /no heading/],
  ["a heading without a day", { changelog: "## [0.10.0]\n" }, /no heading/],
] as const)
  test(`${what} is not released`, () => {
    const obstacles = obstaclesTo({ ...ready, ...over });
    assert.equal(obstacles.length, 1, obstacles.join("; "));
    assert.match(obstacles[0] ?? "", says);
  });
