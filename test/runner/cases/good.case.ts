// Two tests that pass and one that is skipped.

import { test } from "node:test";

test("the first", () => undefined);
test("the second", () => undefined);
test("not here", (t) => t.skip());
