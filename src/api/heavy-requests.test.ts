// What the log shows of requests that were passed on.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { alarms, loggedApp } from "../../test/logged-app.ts";
import { respondToErrors } from "./errors.ts";
import { passOnHeavyRequests } from "./heavy-requests.ts";

test("a reader that leaves before the first byte of its response was written is nothing to be logged; a response that breaks off is", async (t) => {
  const responses: ServerResponse[] = [];
  const worker = createServer((_, response) => {
    response.flushHeaders();
    responses.push(response);
  }).listen(0, "127.0.0.1");
  t.after(() => worker.close());
  await once(worker, "listening");
  const { port: at } = worker.address() as AddressInfo;

  const { app, logged } = loggedApp(t);
  respondToErrors(app);
  const ask = async ({ path, signal }: { path: string; signal: AbortSignal | undefined }): Promise<IncomingMessage> => {
    const [answer] = await once(get({ port: at, path, ...(signal && { signal }) }), "response");
    asked.resolve();
    return answer;
  };
  const bodies = { has: () => false, take: () => undefined, giveBack: () => undefined, read: async () => undefined };
  const long = { isNamedBy: () => false };
  passOnHeavyRequests(app, { isThere: () => true, ask }, bodies, long, () => 0);
  app.get("/heavy", { config: { heavy: true } }, () => assert.fail("it was passed on"));
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;

  let asked = Promise.withResolvers<void>();
  const heard = async () => {
    asked = Promise.withResolvers<void>();
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write("GET /heavy HTTP/1.1\r\nhost: here\r\n\r\n");
    await asked.promise;
    return socket;
  };
  const leaves = await heard();
  leaves.destroy();
  await once(responses[0] as ServerResponse, "close");
  const stays = await heard();
  responses[1]?.destroy();
  const [head] = await once(stays, "data");
  stays.destroy();
  assert.match(String(head), /^HTTP\/1\.1 500 /, "it is not the database that is out of reach");
  assert.deepEqual(alarms(logged), ["a request failed: something broke"]);
});
