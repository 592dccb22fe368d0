// What a gateway that runs says of its master keys.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { until } from "../test/journeys/crash.fixture.ts";
import { startTestGateway } from "../test/journeys/gateway.ts";
import { nodesWithoutMasterKey } from "./journal/nodes.ts";
import { Concealed } from "./settings.ts";
import { localMasterKey } from "./vault/master-key.ts";

test("a gateway says which master keys it has, and not that it has others", async () => {
  const [own, another] = [randomBytes(32), randomBytes(32)];
  const gateway = await startTestGateway({ masterKeys: new Concealed([own]) });
  try {
    const without = (key: Buffer) => nodesWithoutMasterKey(gateway.pool, localMasterKey(key).id);
    await until("it has said so", async () => (await without(own)).length === 0);
    assert.equal((await without(another)).length, 1);
  } finally {
    await gateway.close();
  }
});
