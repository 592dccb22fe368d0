import assert from "node:assert/strict";
import { test } from "node:test";
import { told } from "../../test/transactions.ts";
import { cardNumber } from "./card.ts";
import { fieldsHolding } from "./own-number.ts";

/** It fails Luhn: nothing but the card itself tells that it is a number. */
const OWN = "4111111111111112";

test("a card's own number is found in every text that is kept, however it is written, and no other number is", () => {
  const passengers = told("USD auth 100=60+40 pending").passengers ?? [];
  const plain = { merchantTransactionId: "order 1", fields: { first_name: "Jane" }, meta: null, passengers };
  const holding = (over: object, key?: string) => fieldsHolding(cardNumber(OWN), { ...plain, ...over }, key);
  assert.deepEqual(holding({ fields: { email: "4111111111111111@example.com" } }, "order 4242424242424242"), []);
  assert.deepEqual(holding({ merchantTransactionId: `order-${OWN}` }), ["merchant_transaction_id"]);
  assert.deepEqual(holding({ fields: { city: "4111 1111 1111 1112", zip: "95030" } }), ["city"]);
  assert.deepEqual(holding({ fields: { dynamic_descriptor: "SHOP 4111-1111-1111-1112" } }), ["dynamic_descriptor"]);
  assert.deepEqual(holding({ meta: `{"a":{"b":["${OWN}"]}}` }), ["meta"]);
  const [first] = passengers;
  assert.ok(first);
  assert.deepEqual(holding({ passengers: [first, { ...first, passenger_name: OWN }] }), [
    "passenger_transport.1.passenger_name",
  ]);
  assert.deepEqual(holding({}, `key ${OWN}`), ["base"]);
});
