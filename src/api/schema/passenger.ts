// An airline's passengers as responses have them: as they were sent, each with an id and the totals of its money.

import Type from "typebox";
import { COMPONENT } from "../openapi/components.ts";
import { decimal, id } from "./transaction.ts";

const LegShape = Type.Object(
  {
    carrier_code: Type.String(),
    service_class: Type.String(),
    departure_airport: Type.String(),
    destination_airport: Type.String(),
    departure_date: Type.String({ format: "date" }),
    flight_number: Type.Optional(Type.String()),
    fare_basis: Type.String(),
    fare: decimal("Fare of the leg."),
  },
  { [COMPONENT]: "BookedLeg", additionalProperties: false, description: "A leg, as sent." },
);

export const PassengerShape = Type.Object(
  {
    id: id("To be named in captures, voids and refunds."),
    passenger_name: Type.String(),
    ticket_number: Type.String(),
    ticket_issuing_carrier_name: Type.String(),
    ticket_issuing_carrier_code: Type.String(),
    ticket_issuing_city: Type.String(),
    ticket_issuing_date: Type.String({ format: "date" }),
    restricted_ticket_indicator: Type.Boolean(),
    legs: Type.Array(LegShape),
    totals: Type.Object(
      {
        authorized: decimal("The passenger's fares, once approved."),
        captured: decimal("Captured so far."),
        voided: decimal("Voided so far."),
        refunded: decimal("Refunded so far."),
      },
      {
        [COMPONENT]: "PassengerTotals",
        additionalProperties: false,
        description: "The totals of this passenger's successful events.",
      },
    ),
  },
  {
    $id: "Passenger",
    additionalProperties: false,
    description: "A passenger of an airline's charge, as sent, with an id.",
  },
);
