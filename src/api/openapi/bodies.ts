// The bodies of the merchant's requests as components of the OpenAPI document, each with whole requests that show it.

import type { TObject } from "typebox";
import { CardBody, CardChangeBody, VerificationBody } from "../schema/card.ts";
import { AuthBody, ChargeBody, SaleBody } from "../schema/charge.ts";
import { FollowUpBody, ReversalBody } from "../schema/follow-up.ts";
import { PlanBody, PlanChangeBody } from "../schema/plan.ts";
import { REQUESTS } from "./publish-schema.ts";

const body = (name: string, description: string, schema: TObject, requests: Readonly<Record<string, object>>) => ({
  ...schema,
  $id: name,
  description,
  [REQUESTS]: requests,
});

const CARD = {
  card_number: "4111111111111111",
  card_expiry_month: "12",
  card_expiry_year: "2039",
  card_cvv: "123",
};

const LEG = {
  carrier_code: "AC",
  service_class: "Y",
  departure_airport: "YUL",
  destination_airport: "YYZ",
  departure_date: "2031-05-01",
  flight_number: "0405",
  fare_basis: "YLX3",
  fare: "100.00",
};
const RETURN = { ...LEG, departure_airport: "YYZ", destination_airport: "YUL", departure_date: "2031-05-08" };

const PASSENGER = {
  passenger_name: "DOE/JANE",
  ticket_number: "0141234567890",
  ticket_issuing_carrier_name: "Air Example",
  ticket_issuing_carrier_code: "AC",
  ticket_issuing_city: "Montreal",
  ticket_issuing_date: "2031-04-01",
  restricted_ticket_indicator: false,
  legs: [LEG, { ...RETURN, fare: "50.25" }],
};

const PLAIN = { amount: "3.56", ...CARD, merchant_transaction_id: "order-1001", ip_address: "203.0.113.7" };

const CARD_ID = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a78";

const CHARGES = {
  "A card": PLAIN,
  "With billing data": {
    ...PLAIN,
    first_name: "Jane",
    last_name: "Doe",
    email: "jane@example.com",
    street_address_1: "1 Main St",
    city: "Los Gatos",
    state: "CA",
    country: "US",
    zip: "95030",
    meta: { cart: 17 },
  },
  "A card that is stored": { ...PLAIN, store_card: true },
  "A card on file": {
    ...{ amount: "3.56", card_id: CARD_ID, merchant_transaction_id: "order-1001", ip_address: "203.0.113.7" },
  },
  "A card on file, charged by the merchant": {
    ...{ amount: "3.56", card_id: CARD_ID, merchant_transaction_id: "order-1002", ip_address: "203.0.113.7" },
    ...{ initiator: "merchant", reason: "recurring" },
  },
  "Airline data": {
    ...PLAIN,
    amount: "150.25",
    passenger_transport: [PASSENGER],
  },
  "3-D Secure data": {
    ...PLAIN,
    threeds_enabled: true,
    threeds_version: "2",
    threeds_xid: "MDAwMDAwMDAwMDAwMDAwMDAwMDE=",
    threeds_eci: "05",
    threeds_cavv: "AAABBZEEBgAAAAAAAAQGAAAAAAA=",
    threeds_status: "Y",
  },
};

const PASSENGER_ID = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";

export const BODIES = [
  body("Sale", "A card to charge.", SaleBody, CHARGES),
  body("Auth", "A card to authorize.", AuthBody, CHARGES),
  body("Charge", "A card to charge or to authorize.", ChargeBody, {
    ...CHARGES,
    "An authorization": { ...PLAIN, transaction_type: "auth" },
  }),
  body("CardFields", "A card to store.", CardBody, {
    "A card": CARD,
    "With its holder's name and address": {
      ...CARD,
      first_name: "Jane",
      last_name: "Doe",
      email: "jane@example.com",
      street_address_1: "1 Main St",
      city: "Los Gatos",
      state: "CA",
      country: "US",
      zip: "95030",
    },
  }),
  body("CardChange", "What of a card changes. What is left out stays.", CardChangeBody, {
    "A new expiry": { card_expiry_month: "11", card_expiry_year: "2041" },
    "Another address": { street_address_1: "2 Side St", street_address_2: null, zip: "95031" },
  }),
  body("PlanFields", "An order that is charged in several payments.", PlanBody, {
    "A deposit and the balance": {
      ...{ card_id: CARD_ID, merchant_transaction_id: "order-1001", total: "500.00" },
      payments: [
        { due_at: "2031-03-01T12:00:00Z", amount: "100.00" },
        { due_at: "2031-05-01T12:00:00Z", rest: true },
      ],
    },
    "With airline data": {
      ...{ card_id: CARD_ID, merchant_transaction_id: "order-1001", total: "150.25", currency: "USD" },
      payments: [
        { due_at: "2031-03-01T12:00:00Z", amount: "50.25" },
        { due_at: "2031-04-01T12:00:00Z", amount: "100.00" },
      ],
      passenger_transport: [PASSENGER],
    },
  }),
  body("PlanChange", "Payments that get other dates.", PlanChangeBody, {
    "The balance later": { payments: [{ number: 2, due_at: "2031-06-01T12:00:00Z" }] },
  }),
  body("CardVerification", "How a card on file is verified.", VerificationBody, {
    "As it is": {},
    "With its CVV": { card_cvv: "123" },
  }),
  body("FollowUp", "How much of which transaction, and of which passengers.", FollowUpBody, {
    "All that remains": {},
    "A part": { amount: "1.50" },
    "Of a passenger": {
      amount: "50.25",
      passenger_transport: [{ passenger_id: PASSENGER_ID, amount: "50.25" }],
    },
  }),
  body("Reversal", "A reversal takes neither amount nor passengers.", ReversalBody, { "All that is left": {} }),
];
