import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { findPort } from "./listen.ts";

test("a port that is taken is named, with what to do about it; 0 is any that is free", async (t) => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  await assert.rejects(findPort({ host: "127.0.0.1", port }), {
    name: "StartFault",
    message: `Port ${port} of 127.0.0.1 is in use. Stop what listens there, or choose another: PORT=8081`,
  });
  assert.ok((await findPort({ host: "127.0.0.1", port: 0 })) > 0);
  await assert.rejects(findPort({ host: "192.0.2.1", port: 0 }), {
    name: "StartFault",
    message: /Look at HOST and PORT/,
  });
});
