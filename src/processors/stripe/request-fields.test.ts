// What Stripe is asked with to confirm a charge.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type ChargeGiven, chargeQuestion } from "../../../test/conformance/questions.ts";
import type { StoredCredential } from "../../payment/stored-credential.ts";
import type { ThreeDSecure } from "../../payment/three-d-secure.ts";
import { confirmFields, createFields, paymentMethodFields } from "./request-fields.ts";

const DIRECTORY_SERVER = "f38e6948-5388-41a6-bca4-b49723c19437";
const VERSION_2: ThreeDSecure = {
  ...{ xid: Buffer.from(DIRECTORY_SERVER).toString("base64"), cavv: "Y2F2dg==" },
  ...{ eci: "05", status: "Y", version: 2 },
};

const cardOptions = (type: "sale" | "auth", given: ChargeGiven = {}, multicapture = false) =>
  confirmFields(chargeQuestion(type, given), "pm_1", multicapture).payment_method_options.card;
const threeDSecure = (given: ThreeDSecure) => cardOptions("sale", { threeDSecure: given }).three_d_secure;

test("several captures are asked for with an auth of an account that has them, and with nothing else", () => {
  for (const [type, multicapture, asked] of [
    ["auth", true, "if_available"],
    ["auth", false, undefined],
    ["sale", true, undefined],
    ["sale", false, undefined],
  ] as const)
    assert.equal(cardOptions(type, {}, multicapture).request_multicapture, asked, `${type}, ${multicapture}`);
});

test("3-D Secure 2 is sent with the directory server's UUID and the status, 1 as it came and without one", () => {
  assert.deepEqual(threeDSecure(VERSION_2), {
    ...{ version: "2.2.0", cryptogram: "Y2F2dg==", transaction_id: DIRECTORY_SERVER },
    ...{ electronic_commerce_indicator: "05", ares_trans_status: "Y" },
  });
  assert.deepEqual(threeDSecure({ ...VERSION_2, xid: "eGlk", version: 1 }), {
    ...{ version: "1.0.2", cryptogram: "Y2F2dg==", transaction_id: "eGlk" },
    ...{ electronic_commerce_indicator: "05", ares_trans_status: undefined },
  });
  const { version: _2, ...unsaid } = VERSION_2;
  assert.equal(threeDSecure({ ...unsaid, xid: "eGlk" })?.version, "1.0.2", "the contract's default");
  for (const [version, protocol] of [
    [1, "1.0.2"],
    [2, "2.1.0"],
    [2, "2.3.1"],
  ] as const)
    assert.equal(threeDSecure({ ...VERSION_2, version, protocol })?.version, protocol);
  for (const xid of [DIRECTORY_SERVER, DIRECTORY_SERVER.toUpperCase()])
    assert.equal(threeDSecure({ ...VERSION_2, xid })?.transaction_id, DIRECTORY_SERVER);
  assert.equal(cardOptions("sale").three_d_secure, undefined);
});

test("an electronic commerce indicator that Stripe does not know is left out: it would refuse the charge", () => {
  const indicator = (eci: string) => threeDSecure({ ...VERSION_2, eci })?.electronic_commerce_indicator;
  for (const known of ["01", "02", "05", "06", "07"]) assert.equal(indicator(known), known);
  for (const unknown of ["00", "03", "04", "08"]) assert.equal(indicator(unknown), undefined);
});

test("a descriptor is transliterated, loses what Stripe takes on no statement, and is cut; without a Latin letter there is none", () => {
  const suffix = (dynamic_descriptor: string) =>
    createFields(chargeQuestion("sale", { fields: { dynamic_descriptor } }), 1000).statement_descriptor_suffix;
  for (const [given, expected] of [
    ["Bäckerei", "Backerei"],
    ["ÉÉÉ", "EEE"],
    ["SØRENSEN & Łuk|514", "SORENSEN &"],
    ["Straße Nr. 7", "Strasse Nr"],
    ["O’Brien's *1*", "OBriens 1"],
    ["123|SHOP", undefined],
    ["東京", undefined],
    ["Москва 1", undefined],
  ] as const)
    assert.equal(suffix(given), expected, given);
});

test("an e-mail address that is none, and a country that is none, are left out: Stripe would refuse the charge", () => {
  const details = (fields: object) => {
    const { email, address } = paymentMethodFields(chargeQuestion("sale", { fields })).billing_details;
    return [email, address.country];
  };
  for (const email of ["jane@example.com", "o'brien+tag@mail.example.co.uk"])
    assert.deepEqual(details({ email }), [email, undefined]);
  for (const email of [
    "jane",
    "jane@",
    "@example.com",
    "jane@example",
    "jané@example.com",
    "a b@example.com",
    "a@b@c.d",
  ])
    assert.deepEqual(details({ email }), [undefined, undefined], email);
  for (const [country, expected] of [
    ["us", "US"],
    ["GB", "GB"],
    ["UK", undefined],
    ["ZZ", undefined],
  ] as const)
    assert.deepEqual(details({ country }), [undefined, expected]);
});

test("Stripe is told that the payer is not there, or that the card will be charged later, and never both", () => {
  for (const [storedCredential, offSession, future] of [
    [undefined, undefined, undefined],
    [{ initiator: "payer", use: "first" }, undefined, "on_session"],
    [{ initiator: "payer", use: "first", reason: "recurring" }, undefined, "off_session"],
    [{ initiator: "payer", use: "first", reason: "unscheduled" }, undefined, "off_session"],
    [{ initiator: "payer", use: "later" }, undefined, undefined],
    [{ initiator: "payer", use: "later", networkTransactionId: "483297487231504" }, undefined, undefined],
    [{ initiator: "merchant", use: "later", reason: "recurring" }, "recurring", undefined],
    [{ initiator: "merchant", use: "later", reason: "installment" }, true, undefined],
    [{ initiator: "merchant", use: "later", reason: "no-show" }, true, undefined],
  ] as const satisfies readonly (readonly [StoredCredential | undefined, unknown, unknown])[]) {
    const question = { ...chargeQuestion("sale"), ...(storedCredential && { storedCredential }) };
    const fields = { off_session: undefined, setup_future_usage: undefined, ...confirmFields(question, "pm_1", false) };
    assert.deepEqual([fields.off_session, fields.setup_future_usage], [offSession, future]);
  }
});
