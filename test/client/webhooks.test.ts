// What the client says of webhooks: those that the gateway signs are genuine, and nothing else is.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { verifyWebhook, WebhookError } from "../../packages/client/src/package.ts";
import { showSecret, signedHeaders } from "../../src/webhooks/secrets.ts";

const [SECRET, OLD] = [randomBytes(32), randomBytes(32)];
const BODY = '{"type":"transaction.settled","ä":"\\u00e4"}';
const signed = (sentAt = new Date()) => signedHeaders({ id: "0193e5b0", body: BODY }, [SECRET, OLD], sentAt);

test("what the gateway signs is genuine, under the new secret and the one before, in every form that servers have it", async () => {
  const now = signed();
  const upper = Object.fromEntries(Object.entries(now).map(([name, value]) => [name.toUpperCase(), value]));
  for (const headers of [now, upper, new Headers(now)])
    for (const body of [BODY, new TextEncoder().encode(BODY), Buffer.from(BODY)])
      for (const secret of [SECRET, OLD])
        assert.deepEqual(await verifyWebhook({ headers, body, secret: showSecret(secret) }), JSON.parse(BODY));
});

test("the example of Standard Webhooks 1.0 is genuine", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1_614_265_330_000 });
  const headers = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  };
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const told: unknown = await verifyWebhook({ headers, body: '{"test": 2432232314}', secret });
  assert.deepEqual(told, { test: 2432232314 });
});

test("nothing else is", async () => {
  const now = signed();
  const secret = showSecret(SECRET);
  const other = now["webhook-signature"]?.split(" ")[0] ?? "";
  for (const [headers, body, under] of [
    [now, `${BODY} `, secret],
    [now, BODY, showSecret(randomBytes(32))],
    [{ ...now, "webhook-id": "0193e5b1" }, BODY, secret],
    [{ ...now, "webhook-id": undefined }, BODY, secret],
    [{ ...now, "webhook-timestamp": "soon" }, BODY, secret],
    [{ ...now, "webhook-timestamp": String(Number(now["webhook-timestamp"]) + 1) }, BODY, secret],
    [{ ...now, "webhook-signature": other.slice(0, -4) }, BODY, secret],
    [{ ...now, "webhook-signature": other.replace("v1,", "v1a,") }, BODY, secret],
    [{ ...now, "webhook-signature": "v1,%" }, BODY, secret],
    [{ ...now, "webhook-signature": "v1," }, BODY, secret],
    [signed(new Date(Date.now() - 400_000)), BODY, secret],
    [signed(new Date(Date.now() + 400_000)), BODY, secret],
    [{}, BODY, secret],
  ] as const)
    await assert.rejects(verifyWebhook({ headers, body, secret: under }), WebhookError, JSON.stringify(headers));
});

test("a secret that is none is a mistake of the receiver, and no wrong webhook", async () => {
  for (const secret of ["", "whsec_", "whsec_%", "secret"])
    await assert.rejects(verifyWebhook({ headers: signed(), body: BODY, secret }), TypeError);
});
