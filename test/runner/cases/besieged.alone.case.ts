// A file that takes the machine to itself.

import { test } from "node:test";

test("is besieged", () => undefined);
