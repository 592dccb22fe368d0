// Travel data in field 48: as many passengers as fit, each whole with all of their legs, after the number of all.

import type { Leg, Passenger } from "../../../payment/transaction.ts";
import type { Tagged } from "../codec/tagged.ts";
import { padded } from "./ascii.ts";
import { amountField } from "./envelope.ts";

/** @param room characters, of which every tag takes five beside its value */
export function airlineData(passengers: readonly Passenger[], currency: string, room: number): Tagged {
  const tagged: [...Tagged] = [["AN", String(passengers.length)]];
  let left = room - lengthOf(tagged);
  for (const passenger of passengers) {
    const one = [passengerTag(passenger), ...passenger.legs.map((leg) => legTag(leg, currency))];
    left -= lengthOf(one);
    if (left < 0) break;
    tagged.push(...one);
  }
  return tagged;
}

const lengthOf = (tagged: Tagged): number => tagged.reduce((total, [, value]) => total + 5 + value.length, 0);

/** 2030-05-15 → 300515 */
const yymmdd = (date: string): string => date.slice(2).replaceAll("-", "");

const passengerTag = (passenger: Passenger): Tagged[number] => [
  "AP",
  padded(passenger.passenger_name, 20) +
    padded(passenger.ticket_number, 13) +
    padded(passenger.ticket_issuing_carrier_code, 2) +
    padded(passenger.ticket_issuing_carrier_name, 25) +
    padded(passenger.ticket_issuing_city, 18) +
    padded(yymmdd(passenger.ticket_issuing_date), 6) +
    (passenger.restricted_ticket_indicator ? "R" : " "),
];

const legTag = (leg: Leg, currency: string): Tagged[number] => [
  "AL",
  padded(leg.carrier_code, 2) +
    padded(leg.service_class, 1) +
    padded(leg.departure_airport, 3) +
    padded(leg.destination_airport, 3) +
    padded(yymmdd(leg.departure_date), 6) +
    padded(leg.flight_number ?? "", 4) +
    padded(leg.fare_basis, 15) +
    amountField(leg.fare, currency),
];
