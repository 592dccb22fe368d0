// A file that never ends.

import { test } from "node:test";

test("comes to its end", () => undefined);
test("waits for what never happens", () => new Promise(() => undefined));
