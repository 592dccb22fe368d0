// A file that wants the machine to itself.

import { test } from "node:test";

test("is besieged", () => undefined);
