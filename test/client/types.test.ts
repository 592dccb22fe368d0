// The client's types are those that the generator made of the document as it is now. The generator itself does not run here: it
// wants another TypeScript than this project has.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { FollowUpFields, SaleFields, Search } from "../../packages/client/src/package.ts";
import { clientDocument, shapeHash } from "../../scripts/client-document.ts";

const generated = readFileSync(join(import.meta.dirname, "../../packages/client/src/openapi.ts"), "utf8");
const AGAIN = "run `npm run client-types`";

test("no field of the types may be anything at all", () => {
  assert.deepEqual([...generated.matchAll(/^ .*\| unknown\b.*$/gm)], []);
});

test("the types were generated of the document that the gateway publishes, and not changed since", async () => {
  const [, document, types] = /^\/\/ document: (\w+)\n\/\/ types: (\w+)$/m.exec(generated) ?? [];
  assert.equal(document, shapeHash(await clientDocument()), `the document is another: ${AGAIN}`);
  assert.equal(types, hash("sha256", generated.slice(generated.indexOf("\n\n") + 2), "hex"), `edited: ${AGAIN}`);
});

test("another field, status, or list of values is another document, and other words are not", async () => {
  const document = await clientDocument();
  const changed = (from: RegExp, to: string) =>
    shapeHash(JSON.parse(JSON.stringify(document).replace(from, to)) as typeof document);
  assert.notEqual(changed(/"merchant_transaction_id":/, '"order":'), shapeHash(document));
  assert.notEqual(changed(/"pending_settlement"/, '"waiting"'), shapeHash(document));
  assert.equal(changed(/"Approved or declined/, '"Declined or approved'), shapeHash(document));
});

test("amounts are texts, and the filters are those of the document", () => {
  type Leg = NonNullable<SaleFields["passenger_transport"]>[number]["legs"][number];
  const texts: [
    number extends SaleFields["amount"] ? never : "text",
    number extends Leg["fare"] ? never : "text",
    number extends FollowUpFields["amount"] ? never : "text",
    "created_at_gte" extends keyof Search ? "filter" : never,
  ] = ["text", "text", "text", "filter"];
  assert.equal(texts.length, 4); // the compiler has said the rest
});
