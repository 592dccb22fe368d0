// A suite whose preparation fails.

import { before, describe, test } from "node:test";

describe("what is prepared", () => {
  before(() => {
    throw new Error("the preparation failed");
  });
  test("is not there", () => undefined);
});
