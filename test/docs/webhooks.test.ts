// What docs/webhooks.md tells merchants to do works: its lines of JavaScript verify what the gateway signs.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { WEBHOOK_TYPES } from "../../src/webhooks/endpoint-schema.ts";
import { showSecret, signedHeaders } from "../../src/webhooks/secrets.ts";

type Verify = (headers: Readonly<Record<string, string>>, body: string, secret: string) => boolean;

const text = readFileSync(join(import.meta.dirname, "../../docs/webhooks.md"), "utf8");

test("the lines that the documentation shows verify a webhook, and nothing else", async () => {
  const [, code = ""] = /```js\n([^`]*(?:`[^`]+)*?)```/.exec(text) ?? [];
  const { verify } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { verify: Verify };
  const [secret, old] = [randomBytes(32), randomBytes(32)];
  const body = '{"type":"transaction.sale.succeeded","ä":"\\u00e4"}';
  const headers = (sentAt: Date) => signedHeaders({ id: "0193e5b0", body }, [secret, old], sentAt);
  const now = headers(new Date());
  assert.equal(verify(now, body, showSecret(secret)), true);
  assert.equal(verify(now, body, showSecret(old)), true);
  assert.equal(verify(now, body, showSecret(randomBytes(32))), false);
  assert.equal(verify(now, `${body} `, showSecret(secret)), false);
  assert.equal(verify({ ...now, "webhook-id": "other" }, body, showSecret(secret)), false);
  assert.equal(verify({ ...now, "webhook-timestamp": "soon" }, body, showSecret(secret)), false);
  assert.equal(verify(headers(new Date(Date.now() - 400_000)), body, showSecret(secret)), false);
});

test("every type of webhook is one of those that the documentation names", () => {
  const named = (type: string) =>
    text.includes(`\`${type.replace(/\.(sale|auth|capture|void|refund)\./, ".<operation>.")}\``);
  assert.deepEqual(
    WEBHOOK_TYPES.filter((type) => !named(type)),
    [],
  );
});
