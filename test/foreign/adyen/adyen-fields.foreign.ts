// Every field that the gateway reads of Adyen's answers and webhooks stands in Adyen's published documents, in the schema that fields.ts says.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Published } from "../paths.ts";
import { ADYEN_CHECKOUT, ADYEN_WEBHOOKS } from "./documents.ts";
import { ADYEN_ABOUT, ADYEN_ADDITIONAL_DATA, ADYEN_ITEM, ADYEN_OTHERS, ADYEN_PAYMENT } from "./fields.ts";

const documentAt = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Published;
const isThere = ({ components: { schemas } }: Published, place: string): boolean => {
  const [schema = "", field = ""] = place.split(".");
  return schemas[schema]?.properties?.[field] !== undefined;
};

test("what is read of answers", () => {
  const checkout = documentAt(ADYEN_CHECKOUT);
  for (const place of [...Object.values(ADYEN_PAYMENT), ...ADYEN_ABOUT, ...ADYEN_ADDITIONAL_DATA, ...ADYEN_OTHERS])
    assert.ok(isThere(checkout, place), place);
  assert.ok(!isThere(checkout, "PaymentResponse.authCode"), "the auth code is in the additional data");
});

test("what is read of webhooks", () => {
  const webhooks = documentAt(ADYEN_WEBHOOKS);
  for (const [path, place] of Object.entries(ADYEN_ITEM)) {
    assert.ok(isThere(webhooks, place), place);
    assert.equal(place.split(".")[1], path.split(".").at(-1));
  }
  // Each code's own item has the fields of the general one.
  const items = Object.entries(webhooks.components.schemas).filter(([name]) => /NotificationRequestItem$/.test(name));
  assert.ok(items.length > 10);
  const always = [
    "eventCode",
    "success",
    "pspReference",
    "merchantReference",
    "merchantAccountCode",
    "eventDate",
    "amount",
  ];
  for (const [name, { properties }] of items)
    for (const field of always) assert.ok(properties?.[field], `${name}.${field}`);
});
