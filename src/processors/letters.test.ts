// Where text goes to a processor, its letters are those of one transliteration; a field of which nothing is left is not sent.

import assert from "node:assert/strict";
import { test } from "node:test";
import { chargeQuestion } from "../../test/conformance/questions.ts";
import { PASSENGERS } from "../../test/foreign/charges.ts";
import type { EchoedFields } from "../payment/transaction.ts";
import { paymentRequest } from "./adyen/requests.ts";
import { withDefaults } from "./adyen/settings.ts";
import { chargeMessage } from "./iso8583/messages/operation-messages.ts";

const ADYEN = withDefaults({ merchant_account: "M", api_key: "k", hmac_key: "a1".repeat(32) });
const ACCEPTOR = {
  ...{ terminalId: "T1", merchantId: "M1", acquirerId: "1", name: "Our shop", city: "Montreal", country: "CA" },
};
const TRACE = { stan: "000001", at: new Date("2031-05-01T12:00:00Z"), mti: "0200" };

const adyen = (fields: EchoedFields, passenger_name = "DOE/JANE") => {
  const [first] = PASSENGERS;
  assert.ok(first);
  const question = { ...chargeQuestion("sale", { fields }), passengers: [{ ...first, passenger_name }] };
  return paymentRequest(question, ADYEN);
};
const iso8583 = (fields: EchoedFields, over: object = {}) =>
  chargeMessage({ ...chargeQuestion("sale", { fields, cvv: null }), ...over }, ACCEPTOR, TRACE);

test("Adyen: on the statement and in a passenger's name", () => {
  for (const [given, expected] of [
    ["Bäckerei Müller|030", "Backerei Muller 030"],
    ["SØRENSEN", "SORENSEN"],
    ["Łódź Straße", "Lodz Strasse"],
    ["O’Brien & “Sons”", "O'Brien  Sons"],
    ["東京", undefined],
  ] as const) {
    const request = adyen({ dynamic_descriptor: given }, given.slice(0, 20));
    assert.equal(request?.shopperStatement, expected, given);
  }
  const nameOf = (name: string) => adyen({}, name)?.enhancedSchemeData?.airline?.passengerName;
  assert.deepEqual(["SØRENSEN/ÅSE", "ŁUKASZ/ŻÓŁĆ", "GROẞE/ÄNNE"].map(nameOf), [
    "SORENSEN/ASE",
    "LUKASZ/ZOLC",
    "GROSSE/ANNE",
  ]);
  assert.equal(adyen({}, "東京")?.enhancedSchemeData, undefined);
});

test("Adyen: names and addresses as they came, for it takes any letter", () => {
  const request = adyen({ first_name: "Søren", last_name: "東", street_address_1: "Straße 1", zip: "1234" });
  assert.deepEqual(request?.shopperName, { firstName: "Søren", lastName: "東" });
  assert.equal(request?.billingAddress?.street, "Straße");
});

test("ISO 8583: in the address, the descriptor, the order number and the tax number", () => {
  const fields = {
    ...{ street_address_1: "Straße 7, Århus", zip: "東 8000", dynamic_descriptor: "Bäckerei Ø|Łódź" },
    document_number: "№ 123.456.789–09",
  };
  const message = iso8583(fields, { merchantTransactionId: "Ærø–1" });
  assert.match(message.get(48) ?? "", /^ST016Strasse 7, ArhusZP0048000.*MR006AEro-1/);
  assert.equal(message.get(43), `${"Backerei O".padEnd(25)}${"Lodz".padEnd(13)}CA`);
  assert.equal(message.get(102), "No 123.456.789-09");
});

test("ISO 8583: what nothing is left of is not sent, and a descriptor gives way to the record's own name", () => {
  const fields = {
    street_address_1: "東京",
    zip: "東京",
    dynamic_descriptor: "東京|東",
    document_number: "東".repeat(11),
  };
  const message = iso8583(fields, { merchantTransactionId: "注文", ipAddress: null });
  assert.match(message.get(48) ?? "", /^TI036[0-9a-f-]{36}$/);
  assert.equal(message.get(43), `${"Our shop".padEnd(25)}${"Montreal".padEnd(13)}CA`);
  assert.equal(message.has(102), false);
});

test("ISO 8583: in airline data, of which each field keeps its length", () => {
  const [first] = PASSENGERS;
  assert.ok(first);
  const passenger = {
    ...first,
    passenger_name: "SØRENSEN/ÅSE",
    ticket_issuing_city: "Montréal",
    legs: first.legs.slice(0, 1),
  };
  const text = iso8583({}, { passengers: [passenger] }).get(48) ?? "";
  const [, value = ""] = /AP085(.{85})/.exec(text) ?? [];
  assert.equal(value.slice(0, 20), "SORENSEN/ASE".padEnd(20));
  assert.equal(value.slice(60, 78), "Montreal".padEnd(18));
});

test("Adyen: a passenger has two names where the name says which is which, and a flight has its carrier and airports, or is left out", () => {
  const passengersOf = (name: string) => adyen({}, name)?.enhancedSchemeData?.airline?.passengers;
  assert.deepEqual(passengersOf("DOE/JANE MS"), [{ lastName: "DOE", firstName: "JANE MS" }]);
  assert.deepEqual(passengersOf("SØRENSEN / ÅSE"), [{ lastName: "SORENSEN", firstName: "ASE" }]);
  for (const other of ["JANE DOE", "DOE", "DOE/", "/JANE", "DOE/JANE/MS"])
    assert.equal(passengersOf(other), undefined, other);
  const [first] = PASSENGERS;
  const [leg] = first?.legs ?? [];
  assert.ok(first && leg);
  const legs = [leg, { ...leg, carrier_code: "a-" }, { ...leg, departure_airport: "東京駅" }];
  const question = { ...chargeQuestion("sale"), passengers: [{ ...first, legs }] };
  assert.equal(paymentRequest(question, ADYEN)?.enhancedSchemeData?.airline?.legs?.length, 1);
  const none = { ...question, passengers: [{ ...first, legs: legs.slice(1) }] };
  assert.equal(paymentRequest(none, ADYEN)?.enhancedSchemeData?.airline?.legs, undefined);
});
