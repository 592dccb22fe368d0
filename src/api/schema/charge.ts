// The fields of a sale and an auth: specification 4.1, 4.3 and 4.4, decisions R5 to R15.

import Type, { type Static } from "typebox";
import { INITIATORS, NETWORK_TRANSACTION_ID_PATTERN, REASONS } from "../../payment/stored-credential.ts";
import { VERSION_PATTERN } from "../../payment/three-d-secure.ts";
import { MAY_HOLD } from "../../validation/stray-card-numbers.ts";
import { COMPONENT } from "../openapi/components.ts";
import { CARD, CARDHOLDER, CUSTOMER_IP } from "./card.ts";
import { CONSENT } from "./consent.ts";
import { amount, base64, calendarDate, code, flag, formatted, matching, oneOf, text, uuid } from "./fields.ts";

/** More than any aircraft seats; a body of the largest size has room for some 3,000 of the shortest. */
export const MOST_PASSENGERS = 1_000;
/** Of one passenger. */
const MOST_LEGS = 100;

const maybe = Type.Optional;

const LEG = Type.Object(
  {
    carrier_code: text(2, 2, { description: "Carrier code of the leg.", examples: ["AC"] }),
    service_class: text(1, 1, { description: "Service class.", examples: ["Y"] }),
    departure_airport: text(3, 3, { description: "Airport code.", examples: ["YUL"] }),
    destination_airport: text(3, 3, { description: "Airport code.", examples: ["YYZ"] }),
    departure_date: calendarDate({
      description: "In the time zone of the first leg's departure airport.",
      examples: ["2031-05-01"],
    }),
    flight_number: maybe(text(1, 4, { description: "Flight number.", examples: ["0405"] })),
    fare_basis: text(1, 15, { description: "Fare basis.", examples: ["YLX3"] }),
    fare: amount({ description: "Fare of the leg.", examples: ["100.00"] }),
  },
  { [COMPONENT]: "Leg", description: "One flight of a passenger." },
);

const PASSENGER = Type.Object(
  {
    ticket_number: text(1, 13, {
      description: "Ticket number.",
      examples: ["0141234567890"],
      [MAY_HOLD]: "identifier",
    }),
    ticket_issuing_carrier_name: text(1, 25, {
      description: "Issuing carrier; if unavailable, the carrier with most legs.",
      examples: ["Air Example"],
    }),
    ticket_issuing_carrier_code: text(2, 2, { description: "IATA code of the issuing carrier.", examples: ["AC"] }),
    ticket_issuing_city: text(1, 18, {
      description: "Issuing city; if unavailable, that of the merchant's headquarters.",
      examples: ["Montreal"],
    }),
    ticket_issuing_date: calendarDate({ description: "Issuing date.", examples: ["2031-04-01"] }),
    passenger_name: text(1, 20, { description: "Passenger name.", examples: ["DOE/JANE"] }),
    restricted_ticket_indicator: maybe(
      flag({
        description: "The ticket is not refundable. Informs the issuer; it does not stop a refund. Default: false.",
      }),
    ),
    legs: Type.Array(LEG, {
      minItems: 1,
      maxItems: MOST_LEGS,
      "x-must-be": `a list of 1 to ${MOST_LEGS} legs`,
      description: "The passenger's itinerary; each passenger has legs of their own.",
    }),
  },
  { [COMPONENT]: "PassengerTransport", description: "A passenger, the ticket, and its legs." },
);

const COMMON = {
  processor_id: maybe(
    uuid({ description: "The processor record to use. Default: one in rotation that can take the charge, at random." }),
  ),
  amount: amount({ description: "Total amount. With airline data it is the sum of all fares.", examples: ["3.56"] }),
  currency: maybe(
    formatted("currency", "an ISO 4217 code in capitals, such as USD", {
      description: "Must be the processor's currency. Without a processor_id it limits which one is drawn.",
      examples: ["USD"],
    }),
  ),
  card_number: maybe({ ...CARD.card_number, description: "Card to charge. Required without card_id." }),
  card_expiry_month: maybe({ ...CARD.card_expiry_month, description: "Expiry month. Required without card_id." }),
  card_expiry_year: maybe({ ...CARD.card_expiry_year, description: "Expiry year. Required without card_id." }),
  card_id: maybe(
    uuid({
      description: "A card on file, in place of number and expiry. It also brings names and address if none are sent.",
    }),
  ),
  card_cvv: CARD.card_cvv,
  store_card: maybe(
    flag({ description: "Keeps the card on file if the charge is approved: then the transaction has its card_id." }),
  ),
  initiator: maybe(
    oneOf(INITIATORS, "payer or merchant", {
      description:
        "Who initiates the charge. `merchant`: the payer agreed to it earlier and is not there. That needs a `card_id` or a `network_transaction_id`, and neither a CVV nor, of a sale, an `ip_address`. Default: payer.",
      examples: ["merchant"],
    }),
  ),
  reason: maybe(
    oneOf(REASONS, `one of ${REASONS.join(", ")}`, {
      description:
        "Why the merchant charges a stored card; default with `initiator` merchant: unscheduled. Of a payer's charge: what it is the first of. The last three are the merchant's only.",
      examples: ["recurring"],
    }),
  ),
  network_transaction_id: maybe(
    matching(NETWORK_TRANSACTION_ID_PATTERN, "1 to 64 letters, digits, spaces, - and _", {
      description:
        "The scheme's id of the card's first charge, if that was made elsewhere (Visa: transaction ID, Mastercard: trace ID). Of a card on file the gateway remembers it by itself.",
      examples: ["483297487231504"],
      [MAY_HOLD]: "identifier",
    }),
  ),
  consent: maybe({
    ...CONSENT,
    description: "With store_card: what the payer agreed to, which is stored with the card. Not in the transaction.",
  }),
  merchant_transaction_id: text(1, 255, {
    description: "The merchant's identifier; may repeat.",
    examples: ["order-1001"],
    [MAY_HOLD]: "identifier",
  }),
  ...CARDHOLDER,
  shipping_street_address_1: maybe(text(1, 255, { description: "Shipping address, line 1." })),
  shipping_street_address_2: maybe(text(1, 255, { description: "Shipping address, line 2." })),
  shipping_city: maybe(text(1, 255, { description: "Shipping city." })),
  shipping_state: maybe(code(1, 3, { description: "Shipping state." })),
  shipping_country: maybe(matching("^[A-Za-z]{2}$", "two letters", { description: "Shipping country." })),
  shipping_zip: maybe(text(2, 255, { description: "Shipping postal code." })),
  document_number: maybe(
    text(11, 20, {
      description: "Where the processor requires it: a CPF or CNPJ.",
      examples: ["111.444.777-35"],
      [MAY_HOLD]: "tax id",
    }),
  ),
  meta: maybe(
    Type.Object(
      {},
      {
        additionalProperties: true,
        "x-must-be": "a JSON object",
        "x-json": true,
        description: "The merchant's own fields, returned as sent. A form may send them as a JSON text.",
        examples: [{ cart: 17 }],
      },
    ),
  ),
  dynamic_descripton: maybe(
    text(1, 255, {
      description: "Statement descriptor, `name|contact`. The spelling is the specification's.",
      examples: ["SHOP|514-555-0199"],
    }),
  ),
  dynamic_descriptor: maybe(text(1, 255, { description: "The same under its usual spelling." })),
  passenger_transport: maybe(
    Type.Array(PASSENGER, {
      maxItems: MOST_PASSENGERS,
      "x-must-be": `a list of at most ${MOST_PASSENGERS} passengers`,
      description: "Airline data, one entry a passenger. An empty list counts as absent.",
    }),
  ),
  return_url: maybe(
    text(1, 2000, {
      description:
        "Allows the processor to have the payer authenticate: then the response is 202 with a checkout_url, and the payer comes back here in the end. An https address on one of the merchant's return_hosts; in the sandbox also http on this machine.",
      examples: ["https://shop.example.com/paid"],
    }),
  ),
  threeds_enabled: maybe(flag({ description: "Enables the other threeds fields; without it they are ignored." })),
  threeds_xid: maybe(
    Type.String({
      maxLength: 255,
      format: "threeds-xid",
      "x-must-be": "Base64 of 1 to 255 characters, or with version 2 a UUID",
      description:
        "Transaction id, in Base64. With version 2 also the directory server's transaction id, a UUID. Required with threeds_enabled.",
    }),
  ),
  threeds_eci: maybe(
    matching("^[0-9]{2}$", "two digits, such as 05", {
      description: "Electronic commerce indicator. Required with threeds_enabled.",
      examples: ["05"],
    }),
  ),
  threeds_cavv: maybe(
    base64(255, { description: "Cardholder authentication verification value. Required with threeds_enabled." }),
  ),
  threeds_status: maybe(
    oneOf(["Y", "N", "A", "U"], "one of Y, N, A, U", {
      description: "Result of the authentication. Required with threeds_enabled.",
      examples: ["Y"],
    }),
  ),
  threeds_version: maybe(
    matching(VERSION_PATTERN, "1, 2 or the protocol's version, such as 2.2.0", {
      description:
        "Protocol version, default 1: `1`, `2`, or the protocol's own text, of which the first digit counts.",
      examples: ["2", "2.2.0"],
    }),
  ),
};

export const SaleBody = Type.Object({
  ...COMMON,
  ip_address: {
    ...CUSTOMER_IP,
    description: "Customer IP address. The operator can make it optional for a merchant (`require_ip_address`).",
  },
});
export const AuthBody = Type.Object({ ...COMMON, ip_address: maybe(CUSTOMER_IP) });
export const ChargeBody = Type.Object({
  ...COMMON,
  ip_address: maybe({ ...CUSTOMER_IP, description: "Customer IP address. Required for a sale." }),
  transaction_type: maybe(
    oneOf(["sale", "auth"], "sale or auth", { description: "Default: sale.", examples: ["sale"] }),
  ),
});

export type ChargeFields = Static<typeof ChargeBody>;
export type PassengerFields = Static<typeof PASSENGER>;
