// Travel data as Adyen's enhanced scheme data: one ticket with its flights, so of several passengers the first. What does not have
// the form that is asked for is left out, so that the charge does not fail for it.
//
// Limits: Adyen's Checkout API, version 72, `EnhancedSchemeData.airline`. Its older form, `additionalData` with `airline.leg…`
// keys, says the same; its keys for several flights stand in no published document.

import type { Leg, Passenger } from "../../payment/transaction.ts";
import { transliterate } from "../transliterate.ts";
import type { AirlineJson } from "./types.ts";

type LegJson = NonNullable<AirlineJson["legs"]>[number];

export function airlineOf([first]: readonly Passenger[]): AirlineJson | null {
  const passengerName = fit(first?.passenger_name, 1, 20);
  if (first === undefined || passengerName === undefined) return null;
  const number = fit(first.ticket_number, 1, 15);
  const issueAddress = fit(first.ticket_issuing_city, 1, 16);
  const carrier = exactly(first.ticket_issuing_carrier_code, /^[0-9A-Z]{2}$/);
  const flightDate = exactly(first.legs[0]?.departure_date, DATE);
  const legs = first.legs.flatMap(legOf);
  return {
    passengerName,
    ...(carrier && { designatorCode: carrier }),
    ...(flightDate && { flightDate }),
    ticket: {
      ...(number && { number }),
      ...(issueAddress && { issueAddress }),
      ...(DATE.test(first.ticket_issuing_date) && { issueDate: first.ticket_issuing_date }),
    },
    ...passengersOf(passengerName),
    ...(legs.length > 0 && { legs }),
  };
}

/** `DOE/JANE MS`. The document requires both names beside legs; of a name in another form nobody knows which is which. */
function passengersOf(name: string): Pick<AirlineJson, "passengers"> {
  const [, lastName, firstName] = /^([^/]*[^/ ]) *\/ *([^/]+)$/.exec(name) ?? [];
  return lastName && firstName ? { passengers: [{ firstName, lastName }] } : {};
}

/** None without its carrier and its airports: the document requires them. */
function legOf(leg: Leg): readonly LegJson[] {
  const carrierCode = exactly(leg.carrier_code, /^[0-9A-Z]{2}$/);
  const classOfTravel = fit(leg.service_class, 1, 1);
  const departureAirportCode = exactly(leg.departure_airport, AIRPORT);
  const destinationAirportCode = exactly(leg.destination_airport, AIRPORT);
  const fareBasisCode = fit(leg.fare_basis, 1, 15);
  const flightNumber = leg.flight_number === undefined ? undefined : exactly(leg.flight_number, /^[0-9A-Z]{1,5}$/);
  if (carrierCode === undefined || departureAirportCode === undefined || destinationAirportCode === undefined)
    return [];
  return [
    {
      ...{ carrierCode, departureAirportCode, destinationAirportCode },
      ...(classOfTravel && { classOfTravel }),
      ...(fareBasisCode && { fareBasisCode }),
      ...(flightNumber && { flightNumber }),
      // A day is all that is known, and the form has a time in it.
      ...(DATE.test(leg.departure_date) && { dateOfTravel: `${leg.departure_date}T00:00` }),
    },
  ];
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const AIRPORT = /^[A-Z]{3}$/;

/** Cut to what there is room for; undefined for what is all spaces or all zeros. */
function fit(text: string | undefined, least: number, most: number): string | undefined {
  const ascii = transliterate(text ?? "", most);
  return ascii.length < least || /^0+$/.test(ascii) ? undefined : ascii;
}

const exactly = (text: string | undefined, form: RegExp): string | undefined =>
  text !== undefined && form.test(text) && !/^0+$/.test(text) ? text : undefined;
