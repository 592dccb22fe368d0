// A test that passes and one, in a suite, that fails.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

test("right", () => undefined);
describe("sums", () => {
  test("are added", (t) => {
    console.log("printed meanwhile");
    t.diagnostic("SEED=77");
    assert.deepEqual({ sum: 2 }, { sum: 3 });
  });
});
