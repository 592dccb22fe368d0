// Every field that the gateway reads of Stripe's objects stands in Stripe's published document, in the schema that fields.ts says.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Published, placesOf } from "../paths.ts";
import { STRIPE_FIELDS } from "./fields.ts";
import { stripeDocument } from "./mock.ts";

let document: Published;
before(async () => {
  document = (await stripeDocument("spec3")) as Published;
});

for (const [schema, fields] of Object.entries(STRIPE_FIELDS))
  test(`what is read of a ${schema}`, () => {
    for (const [path, place] of Object.entries(fields))
      assert.ok(
        placesOf(document, schema, path).has(place),
        `${path}: not ${place} but ${[...placesOf(document, schema, path)]}`,
      );
  });

test("a field that the document does not have is found", () => {
  assert.deepEqual([...placesOf(document, "dispute", "network_reason_code")], []);
  assert.deepEqual([...placesOf(document, "dispute", "payment_method_details.network_reason_code")], []);
  assert.deepEqual([...placesOf(document, "payment_intent", "latest_charge.status")], ["charge.status"]);
});
