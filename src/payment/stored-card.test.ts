import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cardholderIn, changedCard, type StoredCard, type StoredCardChange } from "./stored-card.ts";

const STORED: StoredCard = {
  ...{
    merchantId: "m",
    id: "c",
    userId: "u",
    createdAt: new Date(0),
    fingerprint: "f",
    keptBy: null,
    networkTransactionId: null,
    consent: null,
  },
  card: { mask: "411111******1111", firstSix: "411111", brand: "visa", expiryMonth: "12", expiryYear: "2039" },
  cardholder: { first_name: "Jane", zip: "95030", street_address_2: "Floor 2" },
};

describe("a change of a stored card changes what it names, and nothing else", () => {
  const rows: readonly (readonly [string, StoredCardChange, object, object])[] = [
    ["nothing", { cardholder: {} }, {}, {}],
    ["the month", { expiryMonth: "01", cardholder: {} }, { expiryMonth: "01" }, {}],
    ["the year", { expiryYear: "2041", cardholder: {} }, { expiryYear: "2041" }, {}],
    ["a field", { cardholder: { zip: "1" } }, {}, { zip: "1" }],
    ["a field that was not there", { cardholder: { city: "Bern" } }, {}, { city: "Bern" }],
    ["a field that goes", { cardholder: { street_address_2: null } }, {}, { street_address_2: undefined }],
    ["a field that was not there and goes", { cardholder: { city: null } }, {}, {}],
  ];
  for (const [name, change, card, cardholder] of rows)
    test(name, () => {
      const wanted = {
        ...STORED,
        card: { ...STORED.card, ...card },
        cardholder: { ...STORED.cardholder, ...cardholder },
      };
      assert.deepEqual(JSON.parse(JSON.stringify(changedCard(STORED, change))), JSON.parse(JSON.stringify(wanted)));
    });
});

test("of a charge's fields, names and billing address are the cardholder's, and shipping, documents and texts are not", () => {
  const fields = { first_name: "Jane", zip: "1", shipping_zip: "2", document_number: "11144477735", currency: "USD" };
  assert.deepEqual(cardholderIn(fields), { first_name: "Jane", zip: "1" });
});
