// Charges that use each field of the API: what the foreign steps send to others.

import { v7 as uuidv7 } from "uuid";
import { amountOf } from "../../src/payment/money.ts";
import { Secret } from "../../src/payment/secret.ts";
import { REASONS, type StoredCredential } from "../../src/payment/stored-credential.ts";
import type { EchoedFields, Passenger } from "../../src/payment/transaction.ts";
import type { CardChargeQuestion, TokenChargeQuestion } from "../../src/processors/processor.ts";
import { chargeQuestion } from "../conformance/questions.ts";

const ALL_FIELDS: EchoedFields = {
  first_name: "Jürgen",
  last_name: "Sørensen-Łukasz",
  email: "jane@example.com",
  mobile_phone: "+1 (514) 555-0199",
  street_address_1: "12 Hauptstraße",
  street_address_2: "Apt. 7",
  city: "Zürich",
  state: "CA",
  country: "US",
  zip: "95030",
  shipping_street_address_1: "Rue de l’Église 5b",
  shipping_city: "Montréal",
  shipping_state: "QC",
  shipping_country: "CA",
  shipping_zip: "H2Y 1C6",
  document_number: "111.444.777-35",
  dynamic_descriptor: "Bäckerei Müller|514-555-0199",
};

export const PASSENGERS: readonly Passenger[] = ["DOE/JANE", "SØRENSEN/ÅSE"].map((passenger_name) => ({
  id: uuidv7(),
  passenger_name,
  ticket_number: "0141234567890",
  ticket_issuing_carrier_name: "Air Example",
  ticket_issuing_carrier_code: "AC",
  ticket_issuing_city: "Montréal",
  ticket_issuing_date: "2031-04-01",
  restricted_ticket_indicator: true,
  legs: [1, 2].map((flight) => ({
    carrier_code: "AC",
    service_class: "Y",
    departure_airport: "YUL",
    destination_airport: "YYZ",
    departure_date: "2031-05-01",
    flight_number: `040${flight}`,
    fare_basis: "YLX3",
    fare: amountOf(250n),
  })),
  fares: amountOf(500n),
}));

const UUID_XID = Buffer.from("f38e6948-5388-41a6-bca4-b49723c19437").toString("base64");
const CAVV = "AAABBEg0VhI0VniQEjRWAAAAAAA=";

const FIRST = "483297487231504";
const STORED = [
  ["a card that is stored", { initiator: "payer", use: "first" }],
  ["the first of a series", { initiator: "payer", reason: "recurring", use: "first" }],
  ["a card on file", { initiator: "payer", use: "later", networkTransactionId: FIRST }],
  ...REASONS.map(
    (reason) =>
      [
        `a card that the merchant charges: ${reason}`,
        { initiator: "merchant", reason, use: "later", networkTransactionId: FIRST },
      ] as const,
  ),
  ["a card whose first charge nobody knows", { initiator: "merchant", reason: "unscheduled", use: "later" }],
] as const satisfies readonly (readonly [string, StoredCredential])[];

/** The same of a card that the processor keeps. */
export function everyTokenCharge(
  { token, customer }: { readonly token: string; readonly customer: string },
  currency = "USD",
): ReadonlyMap<string, TokenChargeQuestion> {
  const kept = { kind: "processor-token", token: new Secret("processor token", token), customer } as const;
  const byToken = ({ instrument: { cvv, brand }, ...charge }: CardChargeQuestion): TokenChargeQuestion => ({
    ...charge,
    instrument: { ...kept, cvv, brand },
  });
  return new Map([...everyCharge(currency)].map(([what, charge]) => [what, byToken(charge)]));
}

/** By what each has. */
export function everyCharge(currency = "USD"): ReadonlyMap<string, CardChargeQuestion> {
  const given = { number: "4242424242424242", currency };
  const secure = (version: 1 | 2, status: "Y" | "A" | "N" | "U", eci: string) => ({
    ...{ xid: version === 2 ? UUID_XID : "MDAwMDAwMDAwMDAwMDAwMDAwMDE=", cavv: CAVV, eci, status, version },
  });
  return new Map<string, CardChargeQuestion>([
    ["nothing but a card", chargeQuestion("sale", given)],
    ["no CVV", chargeQuestion("sale", { ...given, cvv: null })],
    ["an auth", chargeQuestion("auth", given)],
    ["every field", { ...chargeQuestion("sale", { ...given, fields: ALL_FIELDS }), requestId: uuidv7() }],
    ["every field of an auth", chargeQuestion("auth", { ...given, fields: ALL_FIELDS })],
    ["no address at all", { ...chargeQuestion("auth", given), ipAddress: null }],
    ["an IPv6 address", { ...chargeQuestion("sale", given), ipAddress: "2001:db8::7" }],
    ["a name alone", chargeQuestion("sale", { ...given, fields: { first_name: "Jane" } })],
    ["a postal code alone", chargeQuestion("sale", { ...given, fields: { zip: "95030" } })],
    ["a street alone", chargeQuestion("sale", { ...given, fields: { street_address_1: "1 Main St" } })],
    ["airline data", { ...chargeQuestion("sale", { ...given, fields: ALL_FIELDS }), passengers: PASSENGERS }],
    ...STORED.map(
      ([what, storedCredential]) => [what, { ...chargeQuestion("sale", given), storedCredential }] as const,
    ),
    ["3-D Secure 1", chargeQuestion("sale", { ...given, threeDSecure: secure(1, "Y", "05") })],
    ["3-D Secure 2", chargeQuestion("sale", { ...given, threeDSecure: secure(2, "Y", "05") })],
    ["3-D Secure 2, attempted", chargeQuestion("auth", { ...given, threeDSecure: secure(2, "A", "06") })],
    ["3-D Secure 2, failed", chargeQuestion("sale", { ...given, threeDSecure: secure(2, "N", "07") })],
    ["3-D Secure 2, unavailable", chargeQuestion("sale", { ...given, threeDSecure: secure(2, "U", "00") })],
  ]);
}
