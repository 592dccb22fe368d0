// A file that never gives the processor away.

import { test } from "node:test";

test("goes round", () => {
  for (;;) Math.random();
});
