// Rules for responses that are the same for everybody: whoever asks for many large ones holds up nobody else.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import fastify from "fastify";
import { cachedResponse } from "./cached-response.ts";

const REQUESTS = 12;

/** How many of a dozen requests at once were answered within two turns of the event loop. */
async function answeredSoon(bytes: number): Promise<number> {
  const app = fastify();
  const answer = cachedResponse(Buffer.alloc(bytes, "x"), {});
  let begun = 0;
  let answered = 0;
  app.addHook("onSend", async () => void answered++);
  app.get("/", (request, reply) => {
    begun++;
    return answer(request, reply);
  });
  const responses = Array.from({ length: REQUESTS }, () => app.inject("/"));
  while (begun < REQUESTS) await nextTurn();
  await nextTurn();
  const soon = answered;
  for (const { statusCode, rawPayload } of await Promise.all(responses))
    assert.deepEqual([statusCode, rawPayload.length], [200, bytes]);
  await app.close();
  return soon;
}

describe("a response that is the same for everybody", () => {
  test("a small one is given as soon as it is asked for", async () => {
    assert.equal(await answeredSoon(1_000), REQUESTS);
  });

  test("of large ones one or two in a turn of the event loop, and each is given in the end", async () => {
    assert.ok((await answeredSoon(100_000)) <= 6);
  });
});
