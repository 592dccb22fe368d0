import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import fastify from "fastify";
import { failedAuthentications } from "../merchants/failed-authentications.ts";
import { logLines } from "../shares/log-lines.ts";
import { arrivingBodies } from "./body/arriving.ts";
import { respondToErrors } from "./errors.ts";
import { notificationRoute } from "./notifications.ts";

const NETWORKS = 12;
const MESSAGES_OF_ONE = 100;

test("a known sender is heard though strangers' messages fill all places of the queue", async (t) => {
  const app = fastify({ trustProxy: true });
  respondToErrors(app);
  const held: (() => void)[] = [];
  let letGo = false;
  notificationRoute(app, {
    receive: async (_, { headers }) => {
      if (headers.signature === "genuine") return { kind: "genuine", notifications: [], acknowledgement: "noted" };
      if (!letGo) await new Promise<void>((resolve) => held.push(resolve));
      return undefined;
    },
    failures: failedAuthentications(10),
    lines: logLines(app.log),
    arriving: arrivingBodies(),
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const send = async (signature: string, from: string) => {
    const headers = { "content-type": "application/json", signature, "x-forwarded-for": from };
    const url = `http://127.0.0.1:${port}/notifications/a-record`;
    return (await fetch(url, { method: "POST", headers, body: "{}" })).status;
  };

  assert.equal(await send("genuine", "192.0.2.1"), 200);
  const strangers = Array.from({ length: NETWORKS * MESSAGES_OF_ONE }, (_, nth) =>
    send("forged", `198.51.${nth % NETWORKS}.7`),
  );
  // Refused at once, since all places are taken.
  await Promise.race(strangers);
  assert.equal(await send("genuine", "192.0.2.1"), 200);
  letGo = true;
  for (const release of held) release();
  const statuses = await Promise.all(strangers);
  assert.deepEqual(new Set(statuses), new Set([404, 503]));
});
